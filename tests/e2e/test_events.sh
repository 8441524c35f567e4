# trauma sensors --events: tables of any family, with a user's own file first and errors at their line; a recipe's
# events on a machine without counters.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" sensors --events amd-zen5
grep -q '^served.L2 *fills_l2 / l1d_accesses' "$WORK/out" || fail "no metric of Zen 5"
grep -q 'E3 69 MAB0 wait cycles *events.l1d_miss_cycles' "$WORK/out" || fail "a paper's counter has no equivalent"
expect_exit 0 "$TRAUMA" sensors --events amd-zen1
grep -q 'E3 69 MAB0 wait cycles *none: ' "$WORK/out" || fail "a counter that is not there has no reason"

# The papers' own processors, by the names of their machines: the counters are theirs, not substitutes.
for machine in fx-8320 interlagos amd-fam15h; do
    expect_exit 0 "$TRAUMA" sensors --events $machine
    expect_text out "amd-fam15h: AMD family 15h (Bulldozer, Piledriver)"
    expect_text out "BKDG 42301"
    grep -q 'E3 69 MAB0 wait cycles *events.mab0_wait_cycles$' "$WORK/out" || fail "MAB0 has a remark or another counter"
    expect_same "$(grep -c '^ *E[0-9]* .* events\.' "$WORK/out")" 12 "PPEP's counters on $machine"
    grep -q 'misses of L3 *none: L3 is the north bridge' "$WORK/out" || fail "no reason for misses of L3"
done
expect_exit 0 "$TRAUMA" sensors --events pentium-pro
grep -q '^l1d.miss_rate *l1d_misses / l1d_accesses' "$WORK/out" || fail "no miss rate of the Pentium Pro"
for counter in CPU_CLK_UNHALTED INST_DECODED INST_RETIRED BR_INST_DECODED BR_INST_RETIRED BR_MISS_PRED_RETIRED DATA_MEM_REFS L2_RQSTS; do
    grep -q "^ *$counter *events\." "$WORK/out" || fail "the Pentium Pro has no $counter"
done
expect_exit 2 "$TRAUMA" sensors --events fx-8350
expect_text err "such as fx-8320"
expect_exit 0 "$TRAUMA" sensors --events all
grep -q 'amd-zen1, .*intel-skylake' "$WORK/out" || fail "families are not named"
expect_exit 0 "$TRAUMA" sensors --events --json intel-gracemont
expect_exit 2 "$TRAUMA" sensors --events amd-zen9
grep -q 'amd-zen5' "$WORK/err" || fail "the hint does not name the families"
expect_exit 2 "$TRAUMA" sensors --events amd-zen1 amd-zen2

# A user's own file.
XDG_CONFIG_HOME=$WORK/config
export XDG_CONFIG_HOME
mkdir -p "$XDG_CONFIG_HOME/traumagen/events"
printf 'family mine\ncpu * * *\nevent odd r1234 ODD\nmetric ipc = odd / cycles\n' >"$XDG_CONFIG_HOME/traumagen/events/mine.txt"
expect_exit 0 "$TRAUMA" sensors --events
grep -q '^ipc *odd / cycles' "$WORK/out" || fail "the user's own metric is not there"
printf 'family mine\nmetric ipc = odd per cycles\n' >"$XDG_CONFIG_HOME/traumagen/events/mine.txt"
expect_exit 3 "$TRAUMA" sensors --events
expect_text err 'covers no processor'
printf 'family mine\ncpu * * *\nmetric ipc = odd per cycles\n' >"$XDG_CONFIG_HOME/traumagen/events/mine.txt"
expect_exit 3 "$TRAUMA" sensors --events
grep -q 'mine.txt:3: ' "$WORK/err" || fail "the mistake has no line"
rm -r "$XDG_CONFIG_HOME"

# Events in a recipe: checked, recorded where they can be counted, and no reason to fail where they cannot.
cat >"$WORK/events.lua" <<'EOF'
benchmark {
  name = "events",
  measure = { reps = 1, time = 0.001, events = { "cycles", "r0143" } },
  kernel = function() return { add { count = 2 } } end,
  plot = { x = "n", y = { "events.cycles" } }, sweep = { n = { 1 } },
}
EOF
expect_exit 0 "$TRAUMA" run "$WORK/events.lua" --counters bytes -o "$WORK/results.jsonl"
sed 's/"r0143"/12/' "$WORK/events.lua" >"$WORK/wrong.lua"
expect_exit 3 "$TRAUMA" list "$WORK/wrong.lua"
