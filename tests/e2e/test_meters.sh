# External meters on the command line: lines through a FIFO and a file become power, errors are reported before
# anything runs, and a meter that falls silent loses only its own numbers.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# meter PLACE WATTS: writes them there, in a line each, until it is killed; again when a FIFO's reader went and came.
meter()
{
    trap '' PIPE
    while :; do
        while echo "$2" && sleep 0.01; do
            :
        done >>"$1"
    done 2>/dev/null
}
mkfifo fifo
meter fifo 42 &
meters=$!
touch log
meter log 2500,ignored,12 &
meters="$meters $!"
trap 'kill $meters 2>/dev/null || true' EXIT

write_recipe small.lua 'measure = { time = 0.3, reps = 3, idle_before = 0.6, idle_after = 0.4 },'
run="$TRAUMA run small.lua -m pentium-pro --counters plan"
expect_exit 0 $run --power "line=fifo@label=wall,line=log@columns=ma:-:v" -o two.jsonl
near()
{
    awk -v value="$1" -v wanted="$2" 'BEGIN { exit !(value >= wanted - 0.001 && value <= wanted + 0.001) }' ||
        fail "$3 is $1, expected $2"
}
sed 1d two.jsonl | while IFS= read -r line; do
    echo "$line" >point
    near "$(json point power/power.static_w/value)" 42 "static power"
    near "$(json point power/power.total_w/value)" 42 "total power"
    near "$(json point power/power.dynamic_w/value)" 0 "dynamic power"
    near "$(json point power/sensors/line:log/power.static_w/value)" 30 "milliamperes times volts"
    grep -q ',line:wall,42$' "$(json point trace)" || fail "no readings in the trace"
done
# The loops are marked in the trace, each between its phases, with the time that the results have of it.
awk -F , '$2 == "mark" { at[$3] = $1 }
    END { for (i = 1; i <= 3; i++) {
              begin = at["loop " i]; end = at["loop " i " end"]; next_phase = at[i < 3 ? "rep " i + 1 : "idle_after"]
              if (begin == "" || !(at["rep " i] <= begin && begin < end && end <= next_phase)) exit 1
              print end - begin } }' "$(json point trace)" >loops || fail "the loops' marks: $(grep ,mark, "$(json point trace)")"
json point reps/0/seconds reps/1/seconds reps/2/seconds | tr '\t' '\n' >seconds
paste loops seconds | awk '!($1 - $2 < 1e-5 && $2 - $1 < 1e-5) { bad = 1 } END { exit bad || NR != 3 }' || fail "marks of other times: $(paste loops seconds)"
expect_same "$(json two.jsonl sensors/0/name sensors/0/label sensors/0/quantity | head -n 1)" \
    "$(printf 'line:wall\twall\tpower')" "the meter in the context"
expect_exit 0 "$TRAUMA" export two.jsonl
expect_text out ",line:wall,power.static_w,W,"
expect_text out ",line:log,power.static_w,W,"

# `trauma sensors` asks what is named, and says what the others need.
expect_exit 0 "$TRAUMA" sensors --power line=fifo
expect_text out "line:fifo  (line meter): 42 W now"
expect_text out "34401a"
expect_text out "name it, as in --power 34401a="
expect_exit 4 "$TRAUMA" sensors --power line=none
expect_text out "none cannot be opened: No such file or directory"
expect_text out "plan"
expect_exit 2 "$TRAUMA" sensors --power line=fifo@colums=w
expect_text err "did you mean 'columns'?"

# A wrong command line is 2, a meter that is not there or tells nothing is 4; nothing has run then.
expect_exit 2 $run --power line -o no.jsonl
expect_text err "needs its path"
expect_exit 2 $run --power line=fifo@columns=t -o no.jsonl
expect_text err "do not give a power"
expect_exit 2 $run --power 34401a=/dev/null@shunt=0.1 -o no.jsonl
expect_text err "needs rail="
expect_exit 4 $run --power line=none -o no.jsonl
expect_text err "none cannot be opened: No such file or directory"
expect_exit 4 $run --power 34401a=fifo@shunt=0.1@rail=12 -o no.jsonl
expect_text err "not a serial line"
touch still
expect_exit 4 $run --power line=still@wait=0.2 -o no.jsonl
expect_text err "wrote nothing within 0.2 s"
expect_exit 4 $run --power line=fifo@columns=t:w@wait=0.3 -o no.jsonl
expect_text err "such as '42'"
[ ! -e no.jsonl ] || fail "results without a meter"

# One that falls silent: the points stay, the numbers of the other too.
meter short 7 &
short=$!
# Not before the run has read it, however long a busy machine takes to begin.
{ until [ -s short.jsonl ]; do sleep 0.05; done; sleep 1; kill $short; } &
meters="$meters $!"
until [ -s short ]; do sleep 0.01; done
expect_exit 0 $run --power line=fifo,line=short -o short.jsonl
json short.jsonl power/power.static_w/value | sed 1d >static
while read -r watts; do
    near "$watts" 42 "static power beside a silent meter"
done <static
expect_same "$(wc -l <static | tr -d ' ')" 2 "points beside a silent meter"

# Reversed leads, and milliwatts for watts.
swings()
{
    trap '' PIPE
    while :; do
        while echo "$2" && sleep 0.01 && echo "$3" && sleep 0.01; do
            :
        done >>"$1"
    done 2>/dev/null
}
touch reversed milli
swings reversed -42 -42.1 &
meters="$meters $!"
swings milli 42000 42010 &
meters="$meters $!"
expect_exit 0 $run --power line=reversed -o reversed.jsonl --filter hit=0.5
expect_same "$(json reversed.jsonl power/verdict | sed 1d)" untrustworthy "reversed leads"
json reversed.jsonl power/reason | grep -q "below 0 .*leads may be reversed" || fail "reversed: $(json reversed.jsonl power/reason)"
expect_text err "leads may be reversed"
expect_exit 0 $run --power line=milli -o milli.jsonl --filter hit=0.5
json milli.jsonl power/reason | grep -q "the unit may be another one" || fail "mW: $(json milli.jsonl power/reason)"
