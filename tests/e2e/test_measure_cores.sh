# trauma measure cores: the matrix of hand-overs, or the reason why there is none.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
expect_exit 0 "$TRAUMA" measure cores --help
expect_text out "takes from each core to each other"
expect_exit 2 "$TRAUMA" measure cores 3
expect_text err "trauma measure cores takes no argument '3'"

cores=$("$TRAUMA" machine show 2>/dev/null | sed -n 's/.* cores = \([0-9]*\).*/\1/p')
if [ "$(nproc)" -lt 2 ] || [ "${cores:-1}" -lt 2 ]; then
    expect_exit 4 "$TRAUMA" measure cores
    expect_text out "cores 0 and 1: "
    skip "a matrix needs two processors, and there is one"
fi
# What other programs disturbed has a mark and no interval: it is measured again, as a user would.
for try in 1 2 3 4 5; do
    rm -rf cores.jsonl cores.traces
    expect_exit 0 "$TRAUMA" measure cores --set a=0 --set b=1 --reps 5 -o cores.jsonl
    expect_text out "core 0"
    ! grep -q "intervals are within" "$WORK/out" || break
    expect_text out "?"
    [ "$try" -lt 5 ] || skip "other programs disturbed each of five measurements"
done
expect_text out "one way; lower quartiles whose intervals are within"
grep -E '^core 0 +- +[0-9.]+$' out >/dev/null || fail "no time from core 0 to core 1: $(cat out)"
there=$(awk '$1 == "core" && $2 == 0 { print $4 }' out)
back=$(awk '$1 == "core" && $2 == 1 { print $3 }' out)
expect_same "$there" "$back" "the matrix is symmetric"
# A hand-over crosses between cores: no core does it in 5 ns, and on a loaded machine it waits for slices of the scheduler.
awk -v ns="$there" 'BEGIN { exit !(ns > 5 && ns < 5e6) }' || fail "a hand-over takes $there ns"
sed 1d cores.jsonl >point

# Beside other programs on every processor the number is as near to the lower quartile of many short rounds, or in doubt.
hogs=""
for i in 1 2; do
    sh -c 'while :; do :; done' &
    hogs="$hogs $!"
done
expect_exit 0 "$TRAUMA" measure cores --set a=0 --set b=1 --json -q
# shellcheck disable=SC2086 # a word for each
kill $hogs
n=$(json_document out rates/coherence.pingpong_ns/observations/0/n)
doubt=$(json_document out rates/coherence.pingpong_ns/observations/0/doubt 2>/dev/null || true)
[ "$n" -ge 60 ] || [ -n "$doubt" ] || fail "a hand-over from $n rounds, without a doubt"
expect_same "$(json point benchmark point/a point/b | tr '\t' ' ')" "cores 0 1" "the recipe's point"
expect_exit 0 "$TRAUMA" measure cores --set a=0 --set b=1 --reps 3 --json
expect_text out '"coherence.pingpong_ns"'

# The matrix as a picture: a cell for each core and each other.
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" plot cores.jsonl -o cores.svg
    expect_text cores.svg "Hand-over of a line (ns)"
fi
printf 'benchmark { name = "m", sweep = { a = { 1, 2 } }, plot = { x = "a", y = "ipc", kind = "map" }, %s }\n' \
    'kernel = function() return { nop{} } end' >map.lua
expect_exit 3 "$TRAUMA" list map.lua
expect_text err "by is missing: a map has a column for each value of x and a row for each value of by"

# As core-to-core-latency writes it: a line per core, the cores before it, then nothing.
expect_exit 0 "$TRAUMA" measure cores --csv -q
expect_same "$(sed -n 1p out)" "$(sed -n 2p out | sed 's/[0-9.]*//g')" "as many columns in each line"
grep -Eq '^[0-9.]+,' out || fail "no time in the second line: $(cat out)"
expect_exit 0 "$TRAUMA" measure cores --set a=0 --set b=1
expect_text out "each pair had no other beside it"
expect_text err "1 pair in 1 round, about"

# A cpuset with one of two processors leaves no pair: the reason of each, as before.
expect_exit 4 taskset -c 0 "$TRAUMA" measure cores --set a=0 --set b=1 -q
expect_text out "this process may not use logical processor 1"

# Lines that another core left: one number here, as the machine that tests may be loaded.
expect_exit 0 "$TRAUMA" measure sharing --help
expect_text out "modified, exclusive or shared"
expect_exit 2 "$TRAUMA" measure sharing --op write
expect_text err "--op: expected latency, read or copy, found 'write'"
expect_exit 0 "$TRAUMA" measure sharing --op read --set place=L1 --set state=modified --set total=1MiB --time 0.001 --reps 3
expect_text out "read, GB/s"
expect_text out "L1"
expect_text out "more that each core loaded; 95 % intervals; source: timing"
