# The model of moving data across a chip, from results of a mock GPU to an application's counters as other tools write
# them.
. "$SOURCE/tests/e2e/lib.sh"

. "$SOURCE/tests/e2e/interconnect_results.sh"
write_interconnect "$WORK/results.jsonl"

# The benchmark's name says the path, where no parameter does.
expect_exit 0 "$TRAUMA" fit interconnect "$WORK/results.jsonl" --set distance=10.5 --set banks=16 --set ghz=0.93 \
    -o "$WORK/model.json"
grep -Eq '^constant +2 +2 to 2 +W/mm' "$WORK/out" || fail "the constant is another: $(cat "$WORK/out")"
grep -Eq '^floor +0\.12 ' "$WORK/out" || fail "the floor is another"
grep -Eq '^energy_per_bit_mm +1\.47e-13 .*J/bit/mm' "$WORK/out" || fail "the energy is another"
expect_text out 'mean error 0.00 %'
expect_exit 2 "$TRAUMA" fit interconnect "$WORK/results.jsonl" --set distence=10.5
expect_text err "did you mean 'distance'"
expect_exit 0 "$TRAUMA" fit interconnect "$WORK/results.jsonl"
expect_text out 'W/path'

# Lines NAME,NUMBER; the chip's distances are a file of their own, and what is set goes before it.
printf 'l1_accesses,1e10\nl2_hits,3e9\nl2_misses,2e9\nseconds,1\ndynamic_w,120\n' >"$WORK/counters.csv"
printf '# W9100\nreg_l1,3.5\nl1_l2,10.5\nl2_mc,11.5\n' >"$WORK/w9100.csv"
printf 'to_l1_l2,3.5\nto_l2_mc,12\n' >"$WORK/layout.csv"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/counters.csv" "$WORK/w9100.csv"
cp "$WORK/out" "$WORK/lines"
grep -Eq '^L1-L2 +2\.823 ' "$WORK/out" || fail "L1 to L2 takes another power: $(cat "$WORK/out")"
grep -Eq '^interconnect +4\.435 .*% of dynamic' "$WORK/out" || fail "another share"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/counters.csv" "$WORK/w9100.csv" "$WORK/layout.csv"
grep -Eq '^change: L1-L2 +-66\.67 ' "$WORK/out" || fail "another layout saves something else"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/counters.csv" "$WORK/w9100.csv" --set l1_l2=21
grep -Eq '^L1-L2 +5\.64' "$WORK/out" || fail "--set does not go before a file"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/counters.csv"
expect_text err 'has both a distance and traffic'

# rocprof, and what it does not tell in a file beside it.
cat >"$WORK/rocprof.csv" <<'EOF'
"Index","KernelName","gpu-id","TCP_TOTAL_CACHE_ACCESSES_sum","TCC_HIT_sum","TCC_MISS_sum"
0,"a",1,4000000000,1000000000,1500000000
1,"b",1,6000000000,2000000000,500000000
EOF
printf 'seconds,1\ndynamic_w,120\n' >"$WORK/beside.csv"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/rocprof.csv" "$WORK/beside.csv" "$WORK/w9100.csv"
cmp -s "$WORK/out" "$WORK/lines" || fail "rocprof's counters come to something else: $(cat "$WORK/out")"

# rocprofv2 has another heading. An application is all its kernels, or the one that is asked for.
cat >"$WORK/rocprofv2.csv" <<'END'
Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,TCP_TOTAL_CACHE_ACCESSES_sum,TCC_HIT_sum,TCC_MISS_sum

1,1,1,7,7,64,64,0,0,8,0,32,64,"walk(int*, int) (.kd)",7,9,0,4000000000.000000,1000000000.000000,1500000000.000000
2,1,1,7,7,64,64,0,0,8,0,32,64,"step(int*, int) (.kd)",9,19,0,6000000000.000000,2000000000.000000,500000000.000000
END
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/rocprofv2.csv" "$WORK/beside.csv" "$WORK/w9100.csv"
cmp -s "$WORK/out" "$WORK/lines" || fail "rocprofv2's counters come to something else: $(cat "$WORK/out")"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/rocprofv2.csv" "$WORK/beside.csv" "$WORK/w9100.csv" \
    --columns @kernel=walk
if cmp -s "$WORK/out" "$WORK/lines"; then fail "one kernel comes to as much as both"; fi
printf '3,2,1,7,7,64,64,0,0,8,0,32,64,"walk(int*, int) (.kd)",7,9,0,4,1,1\n' >>"$WORK/rocprofv2.csv"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/rocprofv2.csv" "$WORK/beside.csv" "$WORK/w9100.csv"
expect_text err 'several devices, which are not added: 1, 2'

# CodeXL tells L2's hits as a percentage and what memory gave in KiB: 2e9 misses of 32 B, and 3e9 hits.
cat >"$WORK/codexl.csv" <<'EOF'
# ProfileFileVersion=3.0
Method, ExecutionOrder, ThreadID, CacheHit, FetchSize
k, 1, 1, 60.0, 62500000
EOF
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/codexl.csv" "$WORK/beside.csv" "$WORK/w9100.csv"
grep -Eq '^L1-L2 +2\.823 ' "$WORK/out" || fail "CodeXL's counters come to something else: $(cat "$WORK/out")"
expect_text out 'register-L1 is left out: its traffic is unknown'

# Nsight Compute: sectors of 32 B.
cat >"$WORK/ncu.csv" <<'EOF'
==PROF== Connected
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","k","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","20,000,000,000"
"0","k","lts__t_sectors_op_read_lookup_hit.sum","sector","6,000,000,000"
"0","k","lts__t_sectors_op_read_lookup_miss.sum","sector","4,000,000,000"
EOF
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/ncu.csv" "$WORK/beside.csv" "$WORK/w9100.csv" \
    --set l1_bytes=32 --set l2_bytes=32 --set mc_bytes=16
cmp -s "$WORK/out" "$WORK/lines" || fail "ncu's counters come to something else: $(cat "$WORK/out")"

# perf, by a map of its names, both ways that it writes.
printf '10000000000,,r1,1,100.00,,\n3000000000,,r2,1,100.00,,\n2000000000,,r3,1,100.00,,\n' >"$WORK/perf.csv"
map=r1=events.l1_accesses,r2=events.l2_hits,r3=events.l2_misses
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/perf.csv" "$WORK/beside.csv" "$WORK/w9100.csv" --columns $map
cmp -s "$WORK/out" "$WORK/lines" || fail "perf -x comes to something else: $(cat "$WORK/out")"
for event in 'r1 10000000000' 'r2 3000000000' 'r3 2000000000'; do
    printf '{"counter-value" : "%s.000000", "unit" : "", "event" : "%s", "event-runtime" : 1, "pcnt-running" : 100.00}\n' \
        "${event#* }" "${event% *}"
done >"$WORK/perf.json"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/perf.json" "$WORK/beside.csv" "$WORK/w9100.csv" --columns $map
cmp -s "$WORK/out" "$WORK/lines" || fail "perf -j comes to something else: $(cat "$WORK/out")"

# Events that shared a counter were counted for a share of the time: predict says so, as check does.
sed 's/^\(3.*\)100.00/\150.00/' "$WORK/perf.csv" >"$WORK/shared.csv"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/shared.csv" "$WORK/beside.csv" "$WORK/w9100.csv" --columns $map
expect_text err 'counted for a share of the time and extrapolated from it: r2 (50 %)'
sed 's/,,/;;/; s/,/;/g; s/\./,/g' "$WORK/shared.csv" >"$WORK/german.csv"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/german.csv" "$WORK/beside.csv" "$WORK/w9100.csv" --columns $map
cmp -s "$WORK/out" "$WORK/lines" || fail "decimal commas come to something else: $(cat "$WORK/out")"
expect_text err 'r2 (50 %)'

# A table of one's own.
printf 'kernel,vector loads,hit,miss\na,4e9,1e9,15e8\nb,6e9,2e9,5e8\n' >"$WORK/own.csv"
map='vector loads=l1_accesses,hit=l2_hits,miss=l2_misses'
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/own.csv" "$WORK/beside.csv" "$WORK/w9100.csv" --columns "$map"
cmp -s "$WORK/out" "$WORK/lines" || fail "a table comes to something else: $(cat "$WORK/out")"
sed 's/,/;/g; s/;4e9;/;"4.000.000.000,0";/; s/;6e9;/;6.000.000.000;/' "$WORK/own.csv" >"$WORK/german.csv"
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/german.csv" "$WORK/beside.csv" "$WORK/w9100.csv" --columns "$map"
cmp -s "$WORK/out" "$WORK/lines" || fail "a table with decimal commas comes to something else: $(cat "$WORK/out")"
printf 'c,1,2\n' >"$WORK/short.csv"
cat "$WORK/own.csv" "$WORK/short.csv" >"$WORK/cut.csv"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/cut.csv" "$WORK/w9100.csv" --columns "$map"
expect_text err 'cut.csv:4: 3 fields under a heading of 4'
sed 's/,4e9,/,many,/' "$WORK/own.csv" >"$WORK/words.csv"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/words.csv" "$WORK/w9100.csv" --columns "$map"
expect_text err "'many' in line 2 cannot be read as a number"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/own.csv" "$WORK/w9100.csv" --columns "mis=l2_misses"
expect_text err "did you mean 'miss'"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/own.csv"
expect_text err 'is not a line NAME,NUMBER'
: >"$WORK/empty"
expect_exit 2 "$TRAUMA" predict "$WORK/model.json" "$WORK/empty"
expect_text err 'it has no counters'

# A model that somebody cut is no crash.
sed '/"line"/,/^  \]/d' "$WORK/model.json" >"$WORK/cut.json"
expect_exit 2 "$TRAUMA" predict "$WORK/cut.json" "$WORK/counters.csv" "$WORK/w9100.csv"
expect_text err 'creates it again'

# What is drawn is what is told.
expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/counters.csv" "$WORK/w9100.csv" "$WORK/layout.csv" --json
expect_text out '"charts"'
expect_text out '"what if"'
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" predict "$WORK/model.json" "$WORK/counters.csv" "$WORK/w9100.csv" "$WORK/layout.csv" \
        --figure "$WORK/what-if.svg"
    grep -q 'L2-memory' "$WORK/what-if.svg" || fail "the figure does not name what goes to memory"
    expect_exit 0 "$TRAUMA" fit interconnect "$WORK/results.jsonl" --set distance=10.5 --figure "$WORK/fit.svg"
fi
