# --import: another tool's counters count as measured, are recorded, and belong to one point.
. "$SOURCE/tests/e2e/lib.sh"

cat >"$WORK/import.lua" <<'EOF'
benchmark {
  name = "import",
  sweep = { miss = { 0.25, 0.5 } },
  loop = { units = 40 },
  kernel = function(p) return { load { served_by = { L1 = 1 - p.miss, L2 = p.miss } }, add {} } end,
}
EOF
cat >"$WORK/perf.csv" <<'EOF'
# started on Sat Nov 21 10:18:12 2026

1000000,,cycles:u,830289,100.00,,
250000,,L1-dcache-load-misses,830289,100.00,,
1000000,,L1-dcache-loads,830289,100.00,,
7,,my-event,830289,100.00,,
EOF

expect_exit 2 "$TRAUMA" check "$WORK/import.lua" --import "$WORK/perf.csv"
expect_text err 'the counters of one point; 2 are selected'
expect_exit 0 "$TRAUMA" check "$WORK/import.lua" --filter miss=0.25 --counters bytes --import "$WORK/perf.csv"
grep -q 'l1d.miss_rate *0.25 *pass *perf 0.25' "$WORK/out" || fail "what perf counted does not decide"
expect_text err 'unused: my-event'
expect_exit 5 "$TRAUMA" check "$WORK/import.lua" --filter miss=0.5 --counters bytes --import "$WORK/perf.csv"
expect_exit 2 "$TRAUMA" check "$WORK/import.lua" --filter miss=0.5 --import "$WORK/import.lua"
expect_text err 'no counters were found'
expect_exit 2 "$TRAUMA" check "$WORK/import.lua" --filter miss=0.5 --columns my-event=ipc
expect_text err '--import FILE'

# What is recorded decides again when the results are checked.
expect_exit 0 "$TRAUMA" run "$WORK/import.lua" --filter miss=0.25 --counters bytes --power none --reps 1 \
    --time 0.001 --import "$WORK/perf.csv" --columns my-event=events.mine -o "$WORK/results.jsonl"
expect_same "$(sed -n 2p "$WORK/results.jsonl" >"$WORK/point"; json "$WORK/point" imported/counts/mine)" 7 "the count"
expect_same "$(json "$WORK/point" imported/tool)" perf "the tool"
expect_exit 0 "$TRAUMA" check "$WORK/results.jsonl"
grep -q 'l1d.miss_rate *0.25 *pass *perf 0.25' "$WORK/out" || fail "the recorded evidence does not decide"

# What perf itself writes here, with an event that every kernel counts.
if command -v perf >/dev/null 2>&1 && perf stat -x, -e task-clock -o "$WORK/real.csv" true 2>"$WORK/err"; then
    expect_exit 0 "$TRAUMA" check "$WORK/import.lua" --filter miss=0.25 --counters bytes --import "$WORK/real.csv"
    if perf stat -j -e task-clock,page-faults -o "$WORK/real.json" true 2>"$WORK/err"; then
        expect_exit 0 "$TRAUMA" check "$WORK/import.lua" --filter miss=0.25 --counters bytes --import "$WORK/real.json"
        expect_text err 'unused: page-faults'
    fi
fi

# Files as perf writes them elsewhere: decimal commas; what is not measured of this point alone; and what cannot be.
one="check $WORK/import.lua --filter miss=0.25 --counters bytes --import"
printf '250000;;L1-dcache-load-misses;1;100,00;;\n1000000;;L1-dcache-loads;1;2,00;;\n' >"$WORK/german.csv"
expect_exit 0 "$TRAUMA" $one "$WORK/german.csv" --json
expect_text out '"source":"perf","kind":"measured","value":0.25'
expect_text out '"counted":0.02'
printf '1,234;;L1-dcache-load-misses\n2,345;;L1-dcache-loads\n' >"$WORK/either.csv"
expect_exit 2 "$TRAUMA" $one "$WORK/either.csv"
expect_text err "either.csv:1: '1,234'"
expect_text err '@decimal=comma'
printf '250,,L1-dcache-load-misses,1,100,00,,\n' >"$WORK/commas.csv"
expect_exit 2 "$TRAUMA" $one "$WORK/commas.csv"
expect_text err 'commas.csv:1: '
printf 'Index,KernelName,TCC_HIT_sum,TCC_MISS_sum\n0,"__amd_rocclr_fillBufferAligned.kd",1,900\n' >"$WORK/kernels.csv"
printf '1,"trauma_kernel.kd",75,25\n' >>"$WORK/kernels.csv"
expect_exit 5 "$TRAUMA" $one "$WORK/kernels.csv"
grep -q 'l2.miss_rate .*rocprof 0.25;' "$WORK/out" || fail "the runtime's kernels are counted, too"
expect_text err 'left out: __amd_rocclr_fillBufferAligned.kd'
printf 'CPU0,250,,L1-dcache-load-misses,1,100.00,,\nCPU1,900,,L1-dcache-load-misses,1,100.00,,\n' >"$WORK/cores.csv"
expect_exit 2 "$TRAUMA" $one "$WORK/cores.csv"
expect_text err '@core=NAME chooses one'
printf '7500,,L1-dcache-load-misses,1,100.00,,\n100,,L1-dcache-loads,1,100.00,,\n' >"$WORK/bounds.csv"
expect_exit 2 "$TRAUMA" $one "$WORK/bounds.csv"
expect_text err 'l1d.miss_rate would be 75'
expect_text err 'L1-dcache-load-misses = 7500, L1-dcache-loads = 100'
