# Answers in their units on this processor: bandwidth and latency in run's table, check, export, expect and figures, and the
# questions that print them. Numbers are only compared with each other: the machine may be busy.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

case $(uname -m) in
x86_64 | aarch64 | riscv64) ;;
*) skip "no programs are generated for $(uname -m)" ;;
esac

cat >speed.lua <<'RECIPE'
benchmark {
  name = "chase", kernel = function() return { load { served_by = { L1 = 1 }, address = "chase" } } end,
  expect = { ["latency.L1"] = { min = 0.5, max = 1000 }, ["latency.L1_ns"] = { min = 0.01 } },
}
benchmark {
  name = "stream", sweep = { threads = { 1, 2 } }, threads = function(p) return p.threads end,
  kernel = function() return { load { working_set = "8KiB", stride = 8, prefetch = "invite" } } end,
  expect = { ["bandwidth.L1"] = { min = 1e6 } },
  plot = { x = "threads", y = "bandwidth.L1" },
}
RECIPE
sources="--counters timing,bytes --power none --time 0.01"

# of FILE METRIC: value, low, high and source of the first point that has it
of()
{
    json "$1" "rates/$2/observations/0/value" "rates/$2/observations/0/low" "rates/$2/observations/0/high" \
        "rates/$2/observations/0/source" | grep -v '^-' | head -n 1
}

# near A B SHARE WORDS...
near()
{
    awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1 + s && b / a < 1 + s) }' ||
        fail "$4: $1 and $2"
}

expect_exit 0 "$TRAUMA" run speed.lua --filter chase $sources -o chase.jsonl
for text in 'ns/unit' 'GB/s' 'latency, cycles' 'latency, ns' ' L1 '; do expect_text out "$text"; done
cycles=$(of chase.jsonl latency.L1 | cut -f1)
ns=$(of chase.jsonl latency.L1_ns | cut -f1)
loads=$(json chase.jsonl per_pass/loads | grep -v '^-')
near "$(of chase.jsonl pass.ns | cut -f1)" "$(awk -v a="$ns" -v n="$loads" 'BEGIN { print a * n }')" 0.001 "time of a pass"
near "$(of chase.jsonl pass.cycles | cut -f1)" "$(awk -v a="$cycles" -v n="$loads" 'BEGIN { print a * n }')" 0.001 "its cycles"
near "$(of chase.jsonl bandwidth.L1 | cut -f1)" "$(awk -v a="$ns" 'BEGIN { print 8 / a * 1e9 }')" 0.001 "8 bytes per latency"
expect_same "$(of chase.jsonl latency.L1 | cut -f4)" timing "who tells the latency"
near "$(of chase.jsonl load.ns | cut -f1)" "$ns" 0.001 "a load of a chase and its latency"
near "$(of chase.jsonl unit.ns | cut -f1)" "$ns" 0.001 "a unit of one load"
near "$(of chase.jsonl unit.cycles | cut -f1)" "$cycles" 0.001 "its cycles"
near "$ns" "$cycles" 20 "a clock below 20 GHz and above 50 MHz"

expect_exit 0 "$TRAUMA" report chase.jsonl -o chase.html
for text in '>ns/unit<' '>minimum of repetitions<' '>maximum of repetitions<'; do expect_text chase.html "$text"; done
grep -v '"kind":"point"' chase.jsonl >old.jsonl
grep '"kind":"point"' chase.jsonl | sed 's/"units":[0-9]*,//; s/"unit\.ns":/"forgotten":/' >>old.jsonl
expect_exit 0 "$TRAUMA" report old.jsonl -o old.html # made before results said how many units a pass has
expect_text old.html '>ns/pass<'
expect_exit 0 "$TRAUMA" check chase.jsonl
expect_text out ">= 0.01 ns"
expect_text out "0.5 to 1000 cycles"
expect_exit 0 "$TRAUMA" export chase.jsonl
for row in 'latency.L1,cycles,' 'latency.L1_ns,ns,' 'bandwidth.L1,B/s,' 'pass.cycles,cycles,' 'pass.ns,ns,' \
    'unit.cycles,cycles,' 'unit.ns,ns,' 'unit.ns.min,ns,' 'unit.ns.max,ns,' 'load.ns,ns,' 'pass.instructions,instructions,'; do
    expect_text out ",$row"
done

# A bound in the results' unit is told in people's, and missed like a rate.
sed 's/min = 1e6/min = 1e15/' speed.lua >fast.lua
for attempt in 1 2 3 4 5 6; do # a number that others disturbed in all rounds decides nothing
    got=0
    "$TRAUMA" check fast.lua --filter stream/threads=1 --counters timing >out 2>err || got=$?
    [ "$got" != 0 ] || ! grep -q inconclusive out || continue
    break
done
if [ "$got" = 0 ] && grep -q "inconclusive .*GB/s ?" out; then
    echo "not run: a missed bandwidth ends with 5: other programs disturbed each of six measurements"
elif [ "$got" != 5 ]; then
    fail "exit code $got instead of 5: check fast.lua: $(cat out)"
fi
expect_text out ">= 1e+06 GB/s"
expect_text out "wanted >= 1e+06 GB/s, timing saw"
expect_exit 0 "$TRAUMA" check speed.lua --filter stream/threads=1 --counters timing
expect_text out "GB/s"

# A level that serves a part of the loads has no latency and no bandwidth; a bound on them names what there is.
cat >part.lua <<'RECIPE'
benchmark {
  name = "part", sweep = { hit = 0.9 },
  kernel = function(p) return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, address = "chase" } } end,
  expect = { ["latency.L1"] = { max = 1000 }, ["bandwidth.L1"] = { min = 1 }, ["load.ns"] = { min = 1e-3 } },
  plot = { x = "hit", y = "latency.L1_ns" },
}
RECIPE
# The verdict on load.ns is in doubt while the clock moves, or others disturb: then it is measured again.
for try in 1 2 3; do
    rm -f part.jsonl
    expect_exit 0 "$TRAUMA" run part.lua $sources -o part.jsonl
    verdicts=$(json part.jsonl rates/latency.L1/verdict rates/bandwidth.L1/verdict rates/load.ns/verdict | grep -v '^-')
    settled=1
    [ "${verdicts##*	}" = inconclusive ] || break
    settled=0
done
for level in L1 L2 L3 MEM; do
    for metric in latency.$level latency.${level}_ns bandwidth.$level; do
        [ -z "$(of part.jsonl $metric)" ] || fail "$metric of a chase through two levels"
    done
done
if [ "$settled" -eq 1 ]; then
    expect_same "$verdicts" "unobserved	unobserved	pass" "bounds on what there is none of"
    expect_exit 0 "$TRAUMA" check part.jsonl
else
    echo "not run: a bound that holds passes: each of three measurements is in doubt"
    expect_same "${verdicts%	*}" "unobserved	unobserved" "bounds on what there is none of"
    expect_exit 5 "$TRAUMA" check part.jsonl
fi
expect_text out "L1 does not serve all accesses of the kernel: load.ns is the time per load"
if command -v gnuplot >/dev/null 2>&1; then
    "$TRAUMA" plot part.jsonl -o part.svg >out 2>err || :
    expect_text err "load.ns is the time per load"
fi

# So is a bound per unit, which another number of units in the loop does not change.
cat >unit.lua <<'RECIPE'
benchmark {
  name = "unit", sweep = { units = { 20, 400 } }, loop = function(p) return { units = p.units } end,
  kernel = function() return { load { count = 2, served_by = { L1 = 1 }, address = "chase" }, store { served_by = { L1 = 1 } } } end,
  expect = { ["unit.ns"] = { max = 1e-3 }, ["store.ns"] = { min = 1e-3 }, ["branch.ns"] = { min = 0 } },
}
RECIPE
# What other programs disturbed is no failure but in doubt: then it is measured again.
for try in 1 2 3 4 5; do
    rm -rf unit.jsonl
    got=0
    "$TRAUMA" check unit.lua --counters timing >checked 2>"$WORK/err" || got=$?
    # shellcheck disable=SC2086 # a word for each
    [ "$got" -ne 5 ] || "$TRAUMA" run unit.lua $sources -o unit.jsonl >out 2>"$WORK/err" || got=1$?
    [ "$got" -ne 15 ] || break
    [ "$got" -eq 0 ] || [ "$got" -eq 5 ] || fail "exit code $got: $(cat checked "$WORK/err")"
    grep -q "?" checked out || fail "no failure, and nothing in doubt: $(cat checked)"
    [ "$try" -lt 5 ] || skip "other programs disturbed each of five measurements"
done
grep -q "wanted <= 0.001 ns, timing saw" checked || fail "$(cat checked)"
json unit.jsonl rates/unit.ns/observations/0/value rates/load.ns/observations/0/value \
    rates/store.ns/observations/0/value rates/branch.ns/verdict | grep -v '^-' >units
awk '{ if ($1 / $2 < 1.999 || $1 / $2 > 2.001 || $1 != $3 || $4 != "unobserved") exit 1; ns[NR] = $1 }
     END { exit NR != 2 }' units || fail "times per unit: $(cat units)"
awk '{ ns[NR] = $1 } END { exit !(ns[1] / ns[2] < 3 && ns[2] / ns[1] < 3) }' units ||
    unless_busy "times per unit depend on their number: $(cat units)"

# together FILE COMMAND...: runs the command until its copies ran beside each other: on a busy machine one may run after the
# other, and then the file says that no bandwidth of them together follows. The longer they run, the longer both do; shorter
# ones rarely do.
together()
{
    file=$1
    shift
    for seconds in 0.2 1 2 4; do
        rm -f copies.jsonl
        expect_exit 0 "$@" --time $seconds
        grep -q "no bandwidth of them together" "$file" || return 0
    done
    unless_busy "no copies ran together, not even for $seconds s"
}

# Copies add up.
if [ "$(nproc)" -ge 2 ]; then
    together copies.jsonl "$TRAUMA" run speed.lua --filter stream/threads=2 $sources --reps 3 -o copies.jsonl
    sum=$(json copies.jsonl threads/0/rates/bandwidth.L1/value threads/1/rates/bandwidth.L1/value | awk '{ print $1 + $2 }' | tail -n 1)
    near "$(of copies.jsonl bandwidth.L1 | cut -f1)" "$sum" 0.001 "two copies and their sum"
    expect_exit 0 "$TRAUMA" export copies.jsonl
    expect_text out ",copy 2,bandwidth.L1,B/s,"
fi
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" run speed.lua --filter stream/threads=1 $sources -o one.jsonl
    expect_exit 0 "$TRAUMA" plot one.jsonl -o one.svg
    expect_text one.svg "Bandwidth, L1 (GB/s)"
fi

# The questions.
expect_exit 0 "$TRAUMA" measure latency --filter level=L1 --time 0.01 -o latency.jsonl
expect_same "$(sed -n 1p out | tr -s ' ')" "level cycles ns source" "the table's head"
sed -n 2p out | grep -Eq '^L1 +[0-9.e+]+ \[[0-9.e+]+, [0-9.e+]+\] +[0-9.e+]+ \[[0-9.e+]+, [0-9.e+]+\] +timing|perf' ||
    fail "no latency: $(cat out)"
# Each question about the present machine measures a core's share of L3 first, for seconds; of its file it asks nothing.
expect_exit 0 "$TRAUMA" machine detect -o here.lua
expect_exit 0 "$TRAUMA" measure bandwidth -m here.lua --op write --filter level=L1 --time 0.01
expect_same "$(sed -n 1p out | tr -s ' ' | cut -c1-19)" "level op GB/s sourc" "the table's head"
grep -Eq '^L1 +write +[0-9.e+]+ (\[[0-9.e+]+, [0-9.e+]+\] +(timing|perf)$|.*\?)' out || fail "no bandwidth: $(cat out)"
expect_exit 0 "$TRAUMA" measure bandwidth -m here.lua --op read --filter level=L1 --time 0.01 --json
expect_same "$(json out point/op point/level point/threads)" "read	L1	1" "the point of --op read"
if [ "$(nproc)" -ge 2 ]; then
    together err "$TRAUMA" measure bandwidth -m here.lua --op copy --threads 2 --filter level=L1
    expect_text out "sum of 2"
    expect_text out "copy 2, CPU"
fi
expect_exit 2 "$TRAUMA" measure bandwidth --op raed
expect_text err "did you mean 'read'?"
expect_exit 2 "$TRAUMA" measure bandwidth --threads 0
expect_exit 2 "$TRAUMA" measure latency --op read
expect_text err "takes no option --op"
