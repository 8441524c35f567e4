# trauma diff decides on what no run chooses for itself: once for all that one cause moves, not on numbers in doubt, and on code
# apart from its clock.
. "$SOURCE/tests/e2e/lib.sh"

# seen METRIC VALUE [REASON]: within 1 %, or without an interval for that reason.
seen()
{
    printf '"%s":{"target":null,"verdict":"observed","code":null,"silicon":"observed","observations":[{"source":"timing","kind":"inferred","value":%s,' "$1" "$2"
    if [ "${3-}" ]; then
        printf '"low":null,"high":null,"n":9,"doubt":"%s"}]}' "$3"
    else
        awk -v v="$2" 'BEGIN { printf "\"low\":%.10g,\"high\":%.10g,\"n\":9}]}", v * 0.99, v * 1.01 }'
    fi
}

# made NS CYCLES [UNITS [DOUBT]]: results of one point, whose pass has so many units.
made()
{
    units=${3:-10}
    value() { awk -v x="$1" 'BEGIN { printf "%.10g", '"$2"' }'; }
    printf '{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0"},"machine":{"name":"m"},"host":"h"}\n'
    printf '{"kind":"point","benchmark":"b","name":"p","program_hash":"%s","time":{"ticks_per_pass":{"value":%s,"low":%s,"high":%s,"n":5}},"rates":{' \
        "$units" "$(value "$1" "x * $units * 3")" "$(value "$1" "x * $units * 2.97")" "$(value "$1" "x * $units * 3.03")"
    seen unit.ns "$1" "${4-}"
    printf ,
    seen unit.cycles "$2" "${4-}"
    for metric in "load.ns x" "latency.L1_ns x" "bandwidth.L1 1e9/x" "pass.ns x*$units"; do
        printf ,
        seen "${metric% *}" "$(value "$1" "${metric#* }")" "${4-}"
    done
    for metric in "ipc 40/x" "latency.L1 x" "pass.cycles x*$units"; do
        printf ,
        seen "${metric% *}" "$(value "$2" "${metric#* }")" "${4-}"
    done
    printf ',"l1d.miss_rate":{"target":0.5,"verdict":"pass","code":"pass","silicon":null,"observations":[{"source":"cachegrind","kind":"simulated","value":0.5,"low":0.5,"high":0.5,"n":9}]}},'
    printf '"power":{"power.dynamic_w":{"value":20,"low":19.9,"high":20.1,"n":5},"energy.dynamic_j":{"value":%s,"low":1,"high":1,"n":5},"verdict":"trustworthy"}}\n' "$1"
}

# differs CODE OLD NEW TEXT...: diff exits so, and prints each text.
differs()
{
    expect_exit "$1" "$TRAUMA" diff "$2" "$3"
    shift 3
    for text in "$@"; do
        expect_text out "$text"
    done
}

# rows: how many there are.
rows()
{
    expect_same "$(grep -c '^b/p' out || true)" "$1" "rows"
}

made 10 30 >old.jsonl
# The same, also with another number of units in a pass and repetitions of another length.
made 10.1 30.2 >same.jsonl
differs 0 old.jsonl same.jsonl "0 of 4 comparisons are past"
rows 0
made 10.1 30.2 38 | sed 's/"energy.dynamic_j":{"value":[0-9.]*/"energy.dynamic_j":{"value":77/' >longer.jsonl
differs 0 old.jsonl longer.jsonl "another program" "0 of 4 comparisons are past"
rows 1

# A tenth slower: one row, which the others follow, however many units a pass has.
made 11 33 >slow.jsonl
differs 5 old.jsonl slow.jsonl "slower; 9 numbers follow" "1 of 4 comparisons is past"
expect_same "$(grep 'slower' out | awk '{ print $2 }')" unit.ns "what decides"
made 11 33 9 >slow_short.jsonl
differs 5 old.jsonl slow_short.jsonl "slower; 6 numbers follow"
expect_exit 5 "$TRAUMA" diff old.jsonl slow.jsonl -v
expect_text out "follows unit.ns"
differs 5 slow.jsonl old.jsonl "faster; 9 numbers follow"

# The clock alone: told, and no change of the code.
made 11.5 30.1 >clock.jsonl
differs 0 old.jsonl clock.jsonl "clock, not code" "1 time changed by the clock alone"
made 11.5 33 >both.jsonl
differs 5 old.jsonl both.jsonl "slower"
expect_no_text out "clock"

# In doubt on either side: not judged, whatever moved.
made 14 42 10 "all repetitions were disturbed" >marked.jsonl
differs 0 old.jsonl marked.jsonl "marked" "1 marked number is not judged" "? all repetitions were disturbed (b/p)"
differs 0 marked.jsonl old.jsonl "1 marked number is not judged"
expect_exit 0 "$TRAUMA" diff old.jsonl marked.jsonl --json
expect_same "$(json out metric what past doubt | sed -n '/unit.ns/p')" \
    "$(printf 'unit.ns\tmarked\tfalse\tall repetitions were disturbed')" "a marked row"
expect_exit 0 "$TRAUMA" diff marked.jsonl marked.jsonl
expect_no_text out nan

# Results of before, which have a pass alone.
before() { sed 's/"\(unit\.ns\|unit\.cycles\|load\.ns\)":{[^]]*]},//g' "$1" >"$2"; }
before old.jsonl old_before.jsonl
before slow.jsonl slow_before.jsonl
expect_no_text old_before.jsonl unit.ns
differs 0 old_before.jsonl same.jsonl "0 of 3 comparisons"
differs 5 old_before.jsonl slow.jsonl "pass.ns" "slower"
differs 5 old_before.jsonl slow_before.jsonl "pass.ns" "slower"
expect_no_text out "per pass" # the same program has as many units
made 11 33 11 >other.jsonl
before other.jsonl other_before.jsonl
differs 5 old_before.jsonl other_before.jsonl "slower; 6 numbers follow; per pass, which may have another number of units"

# Points that were refused.
sed '2s/"time":.*/"error":"a level that the machine lacks","code":3}/' old.jsonl >refused.jsonl
differs 5 old.jsonl refused.jsonl "does not run now"
differs 0 refused.jsonl refused.jsonl "runs in neither"

# What others do only lengthens a time: one that varies may be as much too long, and intervals that only just part are no change.
vary() # VALUE LOW HIGH
{
    sed -n 1p old.jsonl
    printf '{"kind":"point","benchmark":"b","name":"p","program_hash":"a","rates":{"unit.ns":{"target":null,"verdict":"observed","observations":[{"source":"timing","kind":"inferred","value":%s,"low":%s,"high":%s,"n":9}]}}}\n' "$@"
}
vary 10 9.8 10.2 >steady.jsonl
vary 11 10.8 11.2 >slower.jsonl
vary 11 10.4 11.6 >varies.jsonl
differs 5 steady.jsonl slower.jsonl "slower"
differs 0 steady.jsonl varies.jsonl "0 of 1 comparisons"
