# A file is written completely or not at all, whatever call fails; a replaced file keeps its permissions, and planted
# links are not followed. EVERY=1 tries each call of the sweeps.
. "$SOURCE/tests/e2e/lib.sh"

every=${EVERY:-3}
write_recipe small.lua
show="machine show pentium-pro"
expect_exit 0 "$TRAUMA" $show -o new.lua
other="machine show interlagos"
expect_exit 0 "$TRAUMA" $other -o old.lua
expect_exit 1 cmp -s old.lua new.lua

# ---- a planted link is not followed ----
# The name that earlier versions wrote under: the shell's process becomes the program.
echo mine >victim
sh -c 'ln -s victim "planted.lua.$$.tmp"; exec "$@" -o planted.lua' sh "$TRAUMA" $show
expect_same "$(cat victim)" mine "what a planted link led to"
cmp -s planted.lua new.lua || fail "the file beside a planted link is not the new one"
rm -f planted.lua.*.tmp
expect_same "$(ls -A | grep planted)" planted.lua "files beside a planted link"

# ---- links, permissions, and what is no file of its own ----
cp old.lua held.lua
ln -s held.lua link.lua
chmod 640 held.lua
expect_exit 0 "$TRAUMA" $show -o link.lua
[ -L link.lua ] || fail "the link was replaced"
cmp -s held.lua new.lua || fail "what the link leads to was not replaced"
expect_same "$(stat -c %a held.lua)" 640 "permissions of the file that was replaced"
ln -s nowhere dangling.lua
expect_exit 1 "$TRAUMA" $show -o dangling.lua
expect_text err "dangling link"
[ -L dangling.lua ] && [ ! -e nowhere ] || fail "a link that leads nowhere was written to"

echo before >log
"$TRAUMA" $show -o /dev/stdout >>log 2>"$WORK/err" || fail "no writing to /dev/stdout"
expect_same "$(head -n 1 log)" before "what a log that is appended to had"
tail -n +2 log | head -n "$(wc -l <new.lua)" | cmp -s - new.lua || fail "what was appended to the log"
mkfifo pipe
cat pipe >piped &
expect_exit 0 "$TRAUMA" $show -o pipe
wait $!
cmp -s piped new.lua || fail "what came through a FIFO"
[ -p pipe ] || fail "the FIFO was replaced"
expect_exit 0 "$TRAUMA" $show -o /dev/null

# ---- a question's temporary results are gone however it ends ----
mkdir temporary
for signal in INT KILL; do
    TMPDIR=$WORK/temporary "$STRAY" launch "$TRAUMA" measure latency --time 5 >"$WORK/out" 2>"$WORK/err" &
    child=$!
    for i in $(seq 100); do
        ls -l /proc/$child/fd 2>/dev/null | grep -q "deleted" && break
        sleep 0.1
    done
    kill -$signal $child
    wait $child 2>/dev/null || true
    expect_same "$(ls -A temporary)" "" "what a question leaves that SIG$signal ended"
done

# ---- a patched file has its input's permissions ----
expect_exit 0 "$GCN_FILE" hsa-64 gfx900 object.co "s_movk_i32 s7, 0x7a5a
s_endpgm"
patch="$TRAUMA patch object.co --marker --field cu,sh,se"
for mode in 644 755 600 711; do
    chmod $mode object.co
    expect_exit 0 $patch -o patched$mode.co
    expect_same "$(stat -c %a patched$mode.co)" $mode "permissions of a patched file"
    expect_exit 0 $patch -o patched.co
    expect_same "$(stat -c %a patched.co)" $mode "permissions of a file that was there and is patched"
done
cp object.co itself.co
chmod 640 itself.co
expect_exit 0 "$TRAUMA" patch itself.co --marker --field cu,sh,se -o itself.co
cmp -s itself.co patched.co || fail "a file patched in its own place"
expect_same "$(stat -c %a itself.co)" 640 "permissions of a file patched in its own place"
echo before >log
$patch -q -o /dev/stdout >>log 2>"$WORK/err" || fail "no patching to /dev/stdout"
expect_same "$(head -n 1 log)" before "what a log that is appended to had"

# ---- a limit on the size of files is an error, not a signal ----
mkdir limited
cp old.lua limited/m.lua
got=0
sh -c 'ulimit -f 0; { "$@" && echo done; } 2>&1' sh "$TRAUMA" $show -o limited/m.lua | cat >said
grep -q "cannot write limited/m.lua: File too large" said || fail "a file that is too large: $(cat said)"
cmp -s limited/m.lua old.lua || fail "a file that did not fit is not the old one"
expect_exit 1 sh -c 'ulimit -f 1; exec "$@"' sh "$TRAUMA" gen small.lua -m pentium-pro -q -o limited/suite
expect_text err "File too large"
expect_same "$(ls -A limited)" m.lua "what is left where files are limited"

# ---- a full disk ----
if mkdir tiny && mount -t tmpfs -o size=32k none tiny 2>/dev/null; then
    trap 'umount "$WORK/tiny"' EXIT
    cp old.lua tiny/m.lua
    head -c 1000000 /dev/zero >tiny/fill 2>/dev/null || true
    expect_exit 1 "$TRAUMA" $show -o tiny/m.lua
    expect_text err "No space left"
    cmp -s tiny/m.lua old.lua || fail "a file that had no room is not the old one"
    expect_exit 1 "$TRAUMA" gen small.lua -m pentium-pro -q -o tiny/suite
    expect_text err "No space left"
    # Merged results are written with their traces or not at all.
    mkdir -p traced.traces/b traced.traces/c
    for trace in b c; do
        { echo "t_s,channel,value" && seq -f "%.0f,power,1" 5000; } >traced.traces/$trace/p.csv
    done
    echo '{"schema":1,"kind":"context","machine":{"name":"m"}}' >traced.jsonl
    for trace in b c; do
        echo '{"kind":"point","benchmark":"'$trace'","name":"p","point":{},"target":"x86_64","program_hash":"aa","trace":"traced.traces/'$trace'/p.csv"}'
    done >>traced.jsonl
    for room in 0 40000 80000; do
        rm -f tiny/fill
        mount -o remount,size=$((32768 + room)) tiny
        head -c 20000 /dev/zero >tiny/fill
        expect_exit 1 "$TRAUMA" merge traced.jsonl -o tiny/merged.jsonl
        expect_text err "No space left"
        expect_same "$(ls -A tiny | tr '\n' ' ')" "fill m.lua " "what a merge leaves on a disk with $room bytes more"
    done
    expect_exit 0 "$TRAUMA" merge traced.jsonl -o merged.jsonl
    expect_exit 0 diff -r traced.traces merged.traces
else
    echo "not tried: no small file system may be mounted here"
fi

# ---- any call that fails, and a kill before any call ----
# faulty CALL HOW COMMAND...: runs it with the fault; its exit code is in $got.
faulty()
{
    at=$1
    how=$2
    shift 2
    got=0
    FAIL_AT=$at FAIL_WITH=$how LD_PRELOAD=$FAILING_CALLS ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
        "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
}

count_calls()
{
    FAIL_COUNT="$WORK/count"
    export FAIL_COUNT
    faulty 1000000 EIO "$@"
    unset FAIL_COUNT
    expect_same "$got" 0 "exit code of $*"
    calls=$(cat "$WORK/count")
}

tried=0
for named in "" yes; do
    [ -z "$named" ] || export NO_TMPFILE=yes
    for there in "" old; do
        rm -rf place
        mkdir place
        [ -z "$there" ] || cp old.lua place/m.lua
        count_calls "$TRAUMA" $show -o place/m.lua
        [ "$calls" -ge 3 ] || fail "only $calls calls were seen"
        for how in kill EIO ENOSPC EINTR short; do
            call=1
            while [ $call -le "$calls" ]; do
                rm -rf place
                mkdir place
                [ -z "$there" ] || cp old.lua place/m.lua
                faulty $call $how "$TRAUMA" $show -o place/m.lua
                tried=$((tried + 1))
                is=broken
                [ -e place/m.lua ] || is=none
                ! cmp -s place/m.lua new.lua || is=new
                ! cmp -s place/m.lua old.lua || is=old
                case "$how $got $is$there" in
                "kill 137 none" | "kill 137 oldold" | "kill 137 new" | "kill 137 newold") ;;
                *" 0 new$there" | *" 1 none" | *" 1 oldold") ;;
                *) fail "call $call, $how, '$named', '$there': exit code $got and $is: $(cat "$WORK/err")" ;;
                esac
                left=$(ls -A place | grep -vx m.lua || true)
                [ "$how" = kill ] || [ -z "$left" ] || fail "call $call, $how: left $left"
                if [ -n "$left" ]; then # is named by the next, and its command removes it
                    expect_exit 0 "$TRAUMA" $show -o place/m.lua
                    expect_text err "a killed command left place/$left: \`rm -r place/$left\` removes it"
                    rm -r "place/$left"
                    expect_exit 0 "$TRAUMA" $show -o place/m.lua
                    expect_same "$(ls -A place)" m.lua "what was left after the next writer"
                fi
                call=$((call + 1))
            done
        done
    done
done
unset NO_TMPFILE

# ---- a trace takes the place of none: not of the renamed results', nor of another program's of the point ----
mkdir -p tree/sys/class/powercap/intel-rapl:0
echo package-0 >tree/sys/class/powercap/intel-rapl:0/name
echo 1000000 >tree/sys/class/powercap/intel-rapl:0/energy_uj
echo 262143328850 >tree/sys/class/powercap/intel-rapl:0/max_energy_range_uj
powered="env LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 $TRAUMA run small.lua -m pentium-pro --filter hit=0.5 --time 0.05 --reps 1 --counters bytes,plan"
powered="$powered --sysfs-root tree --power powercap -q -o powered.jsonl"
expect_exit 0 $powered
mv powered.jsonl first.jsonl
trace=$(json first.jsonl trace | tail -n 1)
cp "$trace" trace
expect_exit 0 $powered
cmp -s trace "$trace" || fail "the trace of renamed results was written over"
second=$(json powered.jsonl trace | tail -n 1)
[ "$second" != "$trace" ] && [ -s "$second" ] || fail "the trace of the second run is '$second'"
expect_exit 0 $powered --resume
expect_same "$(ls powered.traces/small | wc -l)" 2 "traces of two runs"

# ---- results: whole lines, and --resume goes on ----
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -q -o suite
run="$TRAUMA run suite -o r.jsonl --resume --time 0.01 --reps 1 --counters bytes,plan"
count_calls $run
points=2
for how in kill EIO ENOSPC EINTR short; do
    call=1
    while [ $call -le "$calls" ]; do
        rm -rf r.jsonl r.traces
        faulty $call $how $run
        tried=$((tried + 1))
        case "$how $got" in "kill 137" | *" 0" | *" 1") ;; *) fail "call $call, $how: exit code $got: $(cat "$WORK/err")" ;; esac
        if [ "$got" -ne 137 ] && [ -s r.jsonl ]; then
            [ -z "$(tail -c 1 r.jsonl)" ] || grep -q "is now cut" "$WORK/err" || fail "call $call, $how: a cut line"
        fi
        [ "$got" -ne 1 ] || [ -s r.jsonl ] || [ ! -e r.jsonl ] || fail "call $call, $how: an empty file of results"
        expect_exit 0 $run
        expect_same "$(json r.jsonl kind | grep -cx context) $(json r.jsonl name | tail -n +2 | sort -u | wc -l)" \
            "1 $points" "call $call, $how: contexts and points in the end"
        expect_same "$(json r.jsonl name | tail -n +2 | wc -l)" "$points" "call $call, $how: lines of points"
        call=$((call + every))
    done
done
echo "$tried faults"
