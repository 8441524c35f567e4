# threads and place: copies pinned where the recipe says, with simultaneous passes; never fewer than requested.
. "$SOURCE/tests/e2e/lib.sh"
quick="--time 0.02 --reps 3 --counters bytes,plan"

write_recipe threads.lua "threads = function(p) return p.n end,"
sed -i 's/hit = { [^}]* }/hit = 0.5, n = { 0, 1, 2, 1000 }/' threads.lua

# 1000 are too many for any machine that tests run on: that point says so, and the run's exit code is 4.
cpus=$(nproc)
[ "$cpus" -lt 1000 ] || skip "this machine has too many processors to refuse 1000 copies"
expect_exit 4 "$TRAUMA" run threads.lua -m pentium-pro -o results.jsonl $quick
expect_text err "threads is 1000, and there "
expect_text out "cannot run here"
expect_text out "idle"
expect_text out "that this machine cannot run"
# point N: the line of the point with so many threads.
point()
{
    grep "\"name\":\"hit=0.5,n=$1\"" results.jsonl
}
point 1000 >1000
expect_same "$(json 1000 code '#threads' | tr '\t' ' ')" "4 0" "code of the point that cannot run"
expect_exit 4 "$TRAUMA" check results.jsonl
expect_text out "that this machine cannot run"
expect_exit 4 "$TRAUMA" check results.jsonl --tap
expect_text out "small/hit=0.5,n=1000 # SKIP cannot run here: threads is 1000"

# None: nothing runs for the time of each repetition.
point 0 >none
expect_same "$(json none '#reps' '#threads' time rates/body.share/verdict | tr '\t' ' ')" "3 0 - -" "an idle point"
awk -v wall="$(json none reps/0/wall_s)" 'BEGIN { exit !(wall >= 0.02 && wall < 1) }' || fail "idle for another time"

# As many copies as are asked for, each pinned to a processor of its own.
point 1 >one
expect_same "$(json one '#threads')" 1 "copies"
if [ "$cpus" -ge 2 ]; then
    point 2 >two
    expect_same "$(json two '#threads' '#reps' | tr '\t' ' ')" "2 3" "copies and repetitions"
    [ "$(json two threads/0/cpu)" != "$(json two threads/1/cpu)" ] || fail "two copies on one processor"
    # Their passes were made at the same time. A loaded machine may stop one of them for a while.
    for attempt in 1 2 3 4 5 6; do
        overlap=$(json two together/overlap)
        awk -v overlap="$overlap" 'BEGIN { exit !(overlap > 0.1) }' && break
        [ "$attempt" != 6 ] || unless_busy "copies overlap by $overlap"
        rm -f again.jsonl
        expect_exit 0 "$TRAUMA" run threads.lua -m pentium-pro --filter n=2 -o again.jsonl $quick
        sed 1d again.jsonl >two
    done
    awk -v sum="$(json two together/passes_per_s)" -v a="$(json two threads/0/passes_per_s)" \
        -v b="$(json two threads/1/passes_per_s)" 'BEGIN { exit !(sum > 0.999 * (a + b) && sum < 1.001 * (a + b)) }' ||
        fail "the copies' rates do not add up"
fi

# A core that is not there, and one that may not be used.
write_recipe place.lua "place = { cores = { 60000 } },"
expect_exit 4 "$TRAUMA" run place.lua -m pentium-pro -o place.jsonl $quick
expect_text err "names logical processor 60000, which is not on this machine"
allowed=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[,-].*//') || allowed=
if [ -n "$allowed" ] && [ "$cpus" -ge 2 ]; then
    write_recipe masked.lua "place = { cores = \"all\" },"
    expect_exit 0 taskset -c "$allowed" "$TRAUMA" run masked.lua -m pentium-pro --filter hit=0.5 -o masked.jsonl $quick
    sed 1d masked.jsonl >masked
    expect_same "$(json masked '#threads' threads/0/cpu | tr '\t' ' ')" "1 $allowed" "copies where one processor is allowed"
    write_recipe both.lua "threads = 2,"
    expect_exit 4 taskset -c "$allowed" "$TRAUMA" run both.lua -m pentium-pro -o both.jsonl $quick
    expect_text err "threads is 2, and there is 1 logical processor for them here: $allowed"
fi

# A suite has the wish in its manifests; check judges the one program.
expect_exit 0 "$TRAUMA" gen threads.lua -m pentium-pro -o suite
expect_same "$(json_document suite/small/hit=0.5,n=2/manifest.json threads)" 2 "threads in the manifest"
expect_exit 0 "$TRAUMA" check suite --counters bytes --filter n=1000

# A copy that fails ends the others, and the point says which.
if [ "$cpus" -ge 2 ]; then
    need_program readelf
    program=suite/small/hit=0.5,n=2/program
    entry=$(readelf -hW "$program" | sed -n 's/.*Entry point address: *0x//p')
    text=$(readelf -SW "$program" | sed -n 's/.*\.text *PROGBITS *\([0-9a-f]*\) *\([0-9a-f]*\) .*/\1 \2/p')
    printf '\017\013' | dd of="$program" bs=1 seek=$((0x$entry - 0x${text% *} + 0x${text#* })) conv=notrunc 2>/dev/null
    expect_exit 1 "$TRAUMA" run suite --filter n=2 -o broken.jsonl $quick
    expect_text err "the copy on logical processor"
    expect_text err "signal 4"
fi

# "all": a copy on each processor that may be used; one of each core or socket is a place.
cat >all.lua <<'LUA'
benchmark { name = "all", threads = "all", kernel = function() return { add {} } end }
benchmark { name = "socket", threads = "all", place = { cores = "socket" }, kernel = function() return { add {} } end }
LUA
expect_exit 0 "$TRAUMA" run all.lua -m pentium-pro -o all.jsonl $quick
grep '"benchmark":"all"' all.jsonl >all
grep '"benchmark":"socket"' all.jsonl >socket
expect_same "$(json all '#threads')" "$cpus" "copies on all processors"
[ "$(json socket '#threads')" -le "$cpus" ] || fail "more copies than processors"
expect_exit 0 taskset -c 0 "$TRAUMA" run all.lua -m pentium-pro -o one.jsonl $quick
grep '"benchmark":"all"' one.jsonl >one
expect_same "$(json one '#threads')" 1 "copies on the processors of a cpuset"
sed 's/"socket" }/"die" }/' all.lua >wrong.lua
expect_exit 3 "$TRAUMA" list wrong.lua
expect_text err 'expected "all", "core", "cluster", "socket", a number or a list of numbers'
