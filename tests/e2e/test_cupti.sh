# Counters of a mock GPU (tests/runner/fake_cuda.c, fake_cupti.c): the level that served the loads is measured, judged
# and recorded; obstacles to counting are reported and leave rates unobserved.
. "$SOURCE/tests/e2e/lib.sh"
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_cupti.so" ] || skip "the made-up CUPTI is not built"
TRAUMA_CUDA=$libraries/libfake_cuda.so
TRAUMA_CUPTI=$libraries/libfake_cupti.so
export TRAUMA_CUDA TRAUMA_CUPTI

cat >l.lua <<'R'
benchmark { name = "l", target = "ptx", grid = { blocks = 8, threads = 128 },
  kernel = function() return { load { served_by = { L2 = 1 } } } end }
R
expect_exit 0 "$TRAUMA" machine detect -t ptx -o mine.lua
expect_exit 0 "$TRAUMA" sensors
grep -q '^cupti *counters *measured *yes' out || fail "cupti is not usable"

# All loads that are found in L2 pass; the made-up GPU's own numbers, some in L1, do not.
only_l2="smsp__sass_inst_executed_op_shared_ld.sum=0 l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum=0"
only_l2="$only_l2 lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum=3000 lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum=1000"
FAKE_CUPTI=$only_l2 expect_exit 0 "$TRAUMA" check l.lua -m mine.lua --counters cupti
grep -q 'served.L2 *1  pass *cupti 1' out || fail "loads of L2 are not"
expect_exit 5 "$TRAUMA" check l.lua -m mine.lua --counters cupti
grep -q 'served.L2 *1  fail *cupti 0.225' out || fail "shares of other levels are not told"
FAKE_CUPTI="enable=35" expect_exit 4 "$TRAUMA" check l.lua -m mine.lua --counters cupti
expect_text out "unobserved  cupti: the GPU's counters: this user may not read the GPU's counters"
FAKE_CUPTI="enable=35" expect_exit 4 "$TRAUMA" check l.lua -m mine.lua --counters cupti --strict

# Results keep the raw counts of a pass beside the shares.
FAKE_CUPTI=$only_l2 expect_exit 0 "$TRAUMA" run l.lua -m mine.lua --counters cupti --power none --reps 3 --time 0.2 -o r.jsonl
sed 1d r.jsonl >points
expect_same "$(json points counters/l2_reads/value)" 4000 "sectors that SMs read of L2 in a pass"
expect_same "$(json points rates/l2.far_share/observations/0/value)" 0.375 "the far share"
expect_same "$(json points rates/l1d.miss_rate/observations/0/value)" 1 "what L1 misses"
