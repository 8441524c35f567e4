# predict --follow --allow-state sets the clock that keeps a cap, step by step, on the processors of the trace, and restores
# what was before at the trace's end, after signals, a kill and errors; on a made-up tree.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/state_tree.sh"
make_tree tree
cp -r tree before
system=tree/sys/devices/system/cpu

"$FX8320" results 1 >results.jsonl
"$FX8320" trace >trace.csv
expect_exit 0 "$TRAUMA" fit ppep results.jsonl -o ppep.json
follow="$TRAUMA predict ppep.json grows.csv --follow --allow-state --sysfs-root tree"

# clocks_are KHZ...: the minima and maxima of both processors.
clocks_are()
{
    [ "$(cat $system/cpu[01]/cpufreq/scaling_m??_freq | tr '\n' ' ')" = "$* " ]
}
# begin OPTIONS...: a trace of the first seconds, at 100 W, and who follows it. begins also of an own trace.
begin()
{
    [ -n "${own:-}" ] || sed '/^2.0,/,$d' trace.csv >grows.csv
    env --default-signal=INT $follow "$@" >steps 2>log &
    child=$!
}
ended()
{
    got=0
    wait $child || got=$?
    expect_exit 0 as_before
    expect_exit 0 no_journal
}

# ---- one step down when the cap falls, up when there is room, and back at the end ----

begin
until_true 60 clocks_are 3500000 3500000 3500000 3500000 || fail "not set: $(cat log)"
[ -n "$(journals)" ] || fail "no journal"
sed -n '/^2.0,/p' trace.csv >>grows.csv
until_true 60 clocks_are 1700000 1700000 1700000 1700000 || fail "not lowered: $(cat log)"
sed -n '/^2.2,/,/^4.0,1/p' trace.csv >>grows.csv
until_true 60 clocks_are 3500000 3500000 3500000 3500000 || fail "not raised: $(cat log)"
sed -n '/^4.2,/,$p' trace.csv >>grows.csv
until_true 60 clocks_are 1700000 1700000 1700000 1700000 || fail "not lowered again: $(cat log)"
echo end >>grows.csv
ended
expect_same "$got" 0 "the exit code at the end"
expect_text log "0.200 s: logical processors 0,1: 0.8 to 3.5 GHz -> 3.5 GHz: it keeps the cap of 100 W"
expect_text log "2.000 s: logical processors 0,1: 3.5 GHz -> 1.7 GHz: it keeps the cap of 30 W"
expect_text log "4.000 s: logical processors 0,1: 1.7 GHz -> 3.5 GHz"
expect_text log "1.7 GHz -> 0.8 to 3.5 GHz: restored at the end of the trace"
expect_same "$(grep -c ' -> ' log)" 5 "lines of the log"
expect_text steps "4 changes of the clock"
# Steps and choices are those of the replay, which sets nothing.
expect_exit 0 "$TRAUMA" predict ppep.json trace.csv
expect_same "$(grep '^  *[0-9]' out)" "$(grep '^  *[0-9]' steps)" "steps"

# ---- signals ----

for signal in INT TERM KILL; do
    begin
    until_true 60 clocks_are 3500000 3500000 3500000 3500000 || fail "nothing was set before $signal: $(cat log)"
    kill -$signal $child
    wait $child 2>/dev/null || true
    until_true 60 as_before || fail "after $signal: $(cat differences)"
    until_true 60 no_journal || fail "after $signal the journal stays"
    [ $signal = KILL ] || expect_text log "restored after a signal"
done

# ---- as JSON, of one processor, within what it was limited to ----

echo 2400000 >$system/cpu1/cpufreq/scaling_max_freq
cp $system/cpu1/cpufreq/scaling_max_freq before/sys/devices/system/cpu/cpu1/cpufreq/
own=1
awk -F, 'NR == 1 || $2 == 1' trace.csv >grows.csv
echo end >>grows.csv
begin --json
ended
expect_same "$got" 0 "the exit code of one processor"
grep '"kind":"change"' steps >changes || fail "no changes: $(cat steps)"
expect_same "$(json changes t_s processors from_ghz/1 to_ghz/1 | head -n 1 | tr '\t' ' ')" "0.2 [1] 2.4 2.3" "the first change"
expect_same "$(json changes to_ghz/0 to_ghz/1 | tail -n 1 | tr '\t' ' ')" "0.8 2.4" "restored"
tail -n 1 steps >summary
expect_same "$(json summary changes)" "$(($(wc -l <changes) - 1))" "changes"
echo 3500000 >$system/cpu1/cpufreq/scaling_max_freq
cp $system/cpu1/cpufreq/scaling_max_freq before/sys/devices/system/cpu/cpu1/cpufreq/

# A trace without numbers of processors means all; another cap is that of --set.
sed 1d trace.csv | awk -F, '$2 == 0' | cut -d, -f1,3-5,7- >rows
head -n 1 trace.csv | cut -d, -f1,3-5,7- | cat - rows >grows.csv
begin --set cap_w=25
until_true 60 clocks_are 1700000 1700000 1700000 1700000 || fail "not all are set: $(cat log)"
expect_text log "s: all logical processors: "
echo end >>grows.csv
ended

# ---- refusals: nothing is set, and no step is told ----

sed -n '1,5p' trace.csv >grows.csv
echo end >>grows.csv
expect_exit 2 "$TRAUMA" predict ppep.json grows.csv --allow-state --sysfs-root tree
expect_text err "add --follow"
cut -d, -f1-5,7- trace.csv | sed -n 1,5p >capless.csv
expect_exit 2 "$TRAUMA" predict ppep.json capless.csv --follow --time 0.1 --allow-state --sysfs-root tree
expect_text err "--set cap_w=WATTS"
[ ! -s out ] || fail "a step was told: $(cat out)"
mkdir -p bare/sys/devices/system/cpu
echo 0-1 >bare/sys/devices/system/cpu/online
expect_exit 4 "$TRAUMA" predict ppep.json grows.csv --follow --allow-state --sysfs-root bare
expect_text err "no clock can be set here"
[ ! -s out ] || fail "a step was told: $(cat out)"
# A processor that cannot be set: the other is restored.
mv $system/cpu1/cpufreq/scaling_max_freq kept
sed -n '1p;/^2.0,/,/^2.4,1/p' trace.csv >grows.csv
echo end >>grows.csv
ln -s "$PWD/kept" $system/cpu1/cpufreq/scaling_max_freq
expect_exit 4 $follow
expect_text err "cpu1/cpufreq/scaling_max_freq cannot be written"
expect_text err "restored after an error"
[ ! -s out ] || fail "a step was told: $(cat out)"
rm $system/cpu1/cpufreq/scaling_max_freq
mv kept $system/cpu1/cpufreq/scaling_max_freq
expect_exit 0 as_before
expect_exit 0 no_journal
# Two at once.
unset own
begin
until_true 60 clocks_are 3500000 3500000 3500000 3500000 || fail "nothing was set: $(cat log)"
expect_exit 4 $follow
expect_text err "process $child"
echo end >>grows.csv
ended

# Without leave nothing is touched.
expect_exit 0 "$TRAUMA" predict ppep.json trace.csv --follow --time 0.1 --sysfs-root tree
expect_exit 0 as_before
