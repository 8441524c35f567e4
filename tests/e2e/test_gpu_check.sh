# examples/gpu: the bundle is self-contained, and its check reports what works and what fails on a mock GPU, within
# its time, without changing clocks.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_cuda.so" ] || skip "the made-up GPU is not built"
need_program ldd
need_program tar

NVCC=/bin/false TRAUMA=$TRAUMA expect_exit 0 sh "$SOURCE/examples/gpu/bundle.sh" "$WORK/bundle"
expect_text err "no nvcc here"
expect_exit 1 sh "$SOURCE/examples/gpu/bundle.sh" "$WORK/bundle"
expect_text err "is there already"

# It goes by its own recipes, templates and libraries: none but the C library's come from elsewhere.
expect_exit 0 env -i PATH="$PATH" bundle/trauma gen gpu-bandwidth/latency -m h200 -o suite --filter L2
expect_exit 0 env -i PATH="$PATH" LD_LIBRARY_PATH="$WORK/bundle/lib" ldd bundle/bin/trauma
foreign=$(sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' out | grep -v "^$WORK/bundle/lib/" | grep -Ev '/lib(c|m|dl|rt|pthread|resolv|util)\.so' || true)
[ -z "$foreign" ] || fail "libraries from elsewhere: $foreign"

check()
{
    env -i PATH="$PATH" TMPDIR="$WORK" TRAUMA_CUDA="$libraries/libfake_cuda.so" TRAUMA_NVML="$libraries/libfake_nvml.so" \
        TRAUMA_CUPTI=/nonexistent FAKE_NVML_LOG="$WORK/clock" "$@"
}

# Half a minute's look before minutes are spent: results, tables and an archive of them; counters are missing, and that is said.
: >clock
expect_exit 0 check PACK="$WORK/first.tar.gz" sh bundle/check.sh results first
expect_text out "first took"
expect_text out "time.ticks_per_pass 1755"
grep -Eq 'power.total_w (29[0-9]|30[0-9])' out || fail "the power is not told: $(grep 'power\.' out)"
expect_text results/sensors.txt "/nonexistent, which TRAUMA_CUPTI names"
tar -tzf first.tar.gz >names
expect_text names "./first-power.jsonl"
expect_text names "./machine.lua"
expect_same "$(cat clock)" "" "what was done to the clock"

# Beside what counters measure stands what the executor expects: the same, or marked and listed at the end.
only_l2="smsp__sass_inst_executed_op_shared_ld.sum=0 l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum=0"
only_l2="$only_l2 lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum=3000 lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum=1000"
expect_no_text out "measured otherwise"
expect_text results/first.txt "served.L2 - expected 1 (warp)"
expect_exit 0 check TRAUMA_CUPTI="$libraries/libfake_cupti.so" FAKE_CUPTI="$only_l2" sh bundle/check.sh counted first
expect_text out "served.L2 1 [1 1] expected 1 (warp) difference +0"
expect_text out "time.ticks_per_pass 1755"
expect_no_text out "OUTSIDE"
expect_no_text out "measured otherwise"
expect_exit 1 check TRAUMA_CUPTI="$libraries/libfake_cupti.so" sh bundle/check.sh otherwise first
expect_text out "served.L2 0.225 [0.225 0.225] expected 1 (warp) difference -0.775 OUTSIDE"
expect_text otherwise/differs.txt "served.L2 0.225"
expect_text out "measured otherwise than expected, by more than 0.01"
expect_exit 1 check TRAUMA_CUPTI="$libraries/libfake_cupti.so" TOLERANCE=0.5 sh bundle/check.sh coarse first
expect_text out "difference -0.775 OUTSIDE"
expect_no_text coarse/differs.txt "served.L1"

# Without a GPU it ends at once; a part whose time is over ends, and says so.
expect_exit 4 check TRAUMA_CUDA=/nonexistent sh bundle/check.sh broken first
expect_text err "nothing is measured here"
expect_exit 1 check PART_S=5 sh bundle/check.sh late look
expect_text err "no time is left"
expect_text out "not all of it worked"
expect_text late/failed.txt "ended with 124"
expect_exit 1 check CALL_S=4 sh bundle/check.sh later first
expect_text later/failed.txt "ended with 124"
expect_exit 2 check sh bundle/check.sh none nothing
expect_text err "there is no part 'nothing'"

# Without parts it goes on where an earlier call ended, and a command that does not work ends it before anything is measured.
for part in first look energy paths memory; do
    : >"later/done-$part"
done
rm -f later/failed.txt
expect_exit 1 check CALL_S=4 sh bundle/check.sh later
expect_no_text out "first took"
expect_text out "left for the same command again: speed"
: >later/done-speed
rm -f later/failed.txt
expect_exit 0 check sh bundle/check.sh later
expect_exit 1 check TRAUMA=/nonexistent/trauma sh bundle/check.sh nothing first
expect_text err "the command does not work: /nonexistent/trauma"
