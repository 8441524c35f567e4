# A run records changes of the machine's state before making them, one run at a time; what a run killed together with
# its guard left behind is restored by the next command, or reported. On mock trees.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/state_tree.sh"

make_tree tree
cp -r tree before
write_recipe state.lua 'state = { frequency = 3.6, boost = false, governor = "performance", idle_states = "C1",
    prefetchers = false },'
sed -i 's/hit = { [^}]* }/hit = 0.5/' state.lua
run="$TRAUMA run state.lua -m pentium-pro --counters bytes --power none --sysfs-root tree --reps 1 --allow-state"
put_back="$TRAUMA sensors --sysfs-root tree --allow-state --power none"

# start TIME FILE: a run that sets the state and stays; its number is in child.
start()
{
    "$STRAY" launch $run --time "$1" -o "$2" >"$2.out" 2>"$2.err" &
    child=$!
    until_true 120 is_set || fail "nothing was set in 120 s: $(cat "$2.err")"
    journal=$(journals)
}

# The guard: of the children that have the journal open the first; another may be just starting.
guard_of()
{
    for task in /proc/"$1"/task/*/children; do
        for pid in $(cat "$task" 2>/dev/null); do
            if ls -l "/proc/$pid/fd" 2>/dev/null | grep -q '/traumagen/state/'; then
                echo "$pid"
            fi
        done
    done
}

# kill_both FILE: a run and its guard are killed at once, so that nobody puts anything back.
kill_both()
{
    start 600 "$1"
    guard=$(guard_of $child | head -n 1)
    [ -n "$guard" ] || fail "the run has no guard"
    kill -STOP $guard # or it might have begun before it is killed, too
    kill -KILL $child $guard
    wait $child 2>/dev/null || true
    until_true 120 [ ! -e "/proc/$guard/fd/0" ] || fail "the guard lives"
    as_before && fail "the state was put back by nobody"
    [ -s $journal ] || fail "no journal was left"
}

# Two at once: the second is refused and names the first, and takes nothing that the first has set for its own.
start 8 first.jsonl
expect_exit 4 $run --time 0.01 -o second.jsonl
expect_text err "process $child is already setting the machine's state"
expect_exit 4 "$TRAUMA" check state.lua --filter hit=0.5 --counters bytes --sysfs-root tree --allow-state
[ ! -e second.jsonl ] || fail "results of a run that was refused"
is_set || fail "the second run put back what the first had set"
# Others run, say nothing of it on their own, and are told that it is not the machine's usual state.
expect_exit 0 "$TRAUMA" list state.lua
expect_exit 0 "$TRAUMA" sensors --sysfs-root tree --power none
expect_text out "process $child has set the machine's state"
wait $child || fail "the first run failed: $(cat first.jsonl.err)"
as_before || fail "after two runs at once: $(cat differences)"
no_journal || fail "a journal was left by a run that ended"

# The run alone, its group, and the guard alone: all is put back.
for who in run group guard; do
    start 600 "$who.jsonl"
    guard=$(guard_of $child | head -n 1)
    case $who in
    run) kill -KILL $child ;;
    group) kill -KILL -$child ;;
    guard)
        kill -TERM $guard
        kill -HUP $guard
        kill -INT $guard
        kill -INT $child
        ;;
    esac
    wait $child 2>/dev/null || true
    until_true 120 as_before || fail "after the $who was killed: $(cat differences)"
    until_true 120 no_journal || fail "after the $who was killed the journal stays"
done

# Without its guard a run changes nothing more, and puts back itself what it has changed.
start 5 alone.jsonl
kill -KILL "$(guard_of $child | head -n 1)"
wait $child || fail "a run without its guard failed: $(cat alone.jsonl.err)"
as_before || fail "after a run without its guard: $(cat differences)"
no_journal || fail "the journal of a run without its guard stays"

# Both at once: any later command that may write to the tree puts it back, and says what.
kill_both both.jsonl
expect_exit 0 "$TRAUMA" list state.lua
expect_same "$(grep -c . "$WORK/err")" 0 "words of a command of another root"
as_before && fail "a command of another root put it back"
expect_exit 0 "$TRAUMA" sensors --sysfs-root tree --power none
expect_text err "process $child was killed before it could restore the machine's state, and nothing there is written without"
expect_text err "\`trauma sensors --allow-state --sysfs-root tree\` does"
expect_text out "waits to be restored"
is_set || fail "a tree was written to without --allow-state"
expect_exit 0 $put_back
expect_text err "process $child was killed before it could restore the machine's state"
expect_text err 'state.governor: cpufreq/scaling_governor is restored from "performance" to "powersave" (in 2 places)'
expect_text err 'state.prefetchers: a register is restored from 0xf to 0x0 (in 2 places)'
expect_text err 'state.boost: cpufreq/boost is restored from "0" to "1"'
as_before || fail "after sensors: $(cat differences)"
no_journal || fail "the journal stays after all was put back"
expect_exit 0 $put_back
expect_no_text err "restored"
expect_text out "no change waits to be restored"

# So does the next run that sets it, before it takes anything for the machine's own.
kill_both next.jsonl
expect_exit 0 $run --time 0.01 -o after.jsonl
expect_text err "process $child was killed before it could"
as_before || fail "after the next run: $(cat differences)"

# What somebody has changed since stays as it is, and is named.
kill_both changed.jsonl
echo ondemand >tree/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor
expect_exit 0 $put_back
expect_text err 'state.governor: cpufreq/scaling_governor is "ondemand" instead of "performance"'
expect_same "$(cat tree/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor)" ondemand "a value that is somebody else's"
echo powersave >tree/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor
as_before || fail "but for the one: $(cat differences)"
no_journal || fail "the journal stays though nothing waits"

# After another boot nothing is put back.
kill_both boot.jsonl
rm -rf tree/sys
cp -r before/sys tree/sys
sed -i 's/"boot": *"[^"]*"/"boot": "another"/' $journal
cp $journal void.journal
cp -r tree booted
expect_exit 0 $put_back
expect_text err "process $child left the machine's state changed before the last boot"
as_before tree booted || fail "after a boot: $(cat differences)"
no_journal || fail "a journal of before the boot stays"
rm -r tree
cp -r before tree

# A journal with half a line at its end: what the line was for was not changed. One that is none is left alone, and
# nothing is set beside it.
kill_both half.jsonl
printf '{"knob": "governor", "path": "/sys/dev' >>$journal
expect_exit 0 $put_back
as_before || fail "after half a line: $(cat differences)"
for text in 'no journal' '{"schema": 99, "kind": "state"}' '{"schema": 1, "kind": "state", "pid": 1, "started": 1, "boot": ""}
{"knob": "governor", "path": "/etc/passwd", "old": "x", "wrote": "y"}' '{"schema": 1, "kind": "state", "pid": 1, "started": 1, "boot": ""}
{"knob": "governor", "path": "/sys/devices/system/cpu/../../../../x", "old": "x", "wrote": "y"}'; do
    printf '%s\n' "$text" >$journal
    expect_exit 0 $put_back
    expect_text err "this is not a line of a machine-state journal"
    rm -f refused.jsonl
    expect_exit 4 $run --time 0.01 -o refused.jsonl
    expect_same "$(cat $journal)" "$text" "a journal that cannot be read"
    as_before || fail "beside a broken journal: $(cat differences)"
done
# One that others may write to is ignored.
rm $journal
kill_both others.jsonl
chmod 666 $journal
expect_exit 0 $put_back
expect_text err "is ignored: it is not a regular file"
expect_no_text err powersave
expect_text out "is ignored: it is not a regular file"
is_set || fail "a journal that anybody could have written was obeyed"
chmod 644 $journal

$put_back >/dev/null 2>&1
as_before || fail "when nobody else may write it: $(cat differences)"

# What lies in a tree is not this program's state: a journal and links in it change nothing, with and without leave.
echo "mine, mine" >bashrc
mkdir -p tree/run/traumagen
ln -sf "$WORK/bashrc" tree/dev/cpu/0/msr
ln -sf "$WORK/bashrc" tree/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor
printf '%s\n' '{"schema": 1, "kind": "state", "pid": 1, "started": 1, "boot": ""}' \
    '{"knob": "prefetchers", "path": "/dev/cpu/0/msr", "offset": 0, "old": "6c697665", "wrote": "656e696d"}' \
    '{"knob": "governor", "path": "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "old": "evil\n", "wrote": "mine, mine\n"}' \
    >tree/run/traumagen/state.journal
cp -r tree planted
for leave in "" --allow-state; do
    expect_exit 0 "$TRAUMA" sensors --sysfs-root tree --power none $leave
    expect_no_text err restored
    expect_same "$(cat bashrc)" "mine, mine" "what a link in a tree led to"
    as_before tree planted || fail "a planted journal was obeyed: $(cat differences)"
done
rm -f planted.jsonl
expect_exit 0 $run --time 0.01 -o planted.jsonl
expect_text err "scaling_governor cannot be written: Too many levels of symbolic links"
expect_same "$(cat bashrc)" "mine, mine" "what a link in a tree led to after a run"
as_before tree planted || fail "after a run in a planted tree: $(cat differences)"
no_journal || fail "a run in a planted tree left its journal"
