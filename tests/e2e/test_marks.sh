# A number without an interval, or in doubt, has a "?" with its reason wherever it is shown; none is printed as "nan".
. "$SOURCE/tests/e2e/lib.sh"

WHY="all repetitions were disturbed"

# point HIT IPC BOUNDS: one whose IPC has these members besides.
point()
{
    printf '{"kind":"point","benchmark":"b","name":"hit=%s","point":{"hit":%s},"target":"x86_64","program_hash":"%s","reps":[],' \
        "$1" "$1" "$1"
    printf '"time":{"ticks_per_pass":{"value":40,"low":39,"high":41,"n":3}},"rates":{'
    printf '"ipc":{"target":null,"expect":{"min":1},"verdict":"pass","code":null,"silicon":"pass","observations":[{"source":"timing","kind":"inferred","value":%s,%s,"n":3}]},' \
        "$2" "$3"
    printf '"pass.ns":{"target":null,"verdict":"observed","code":null,"silicon":"observed","observations":[{"source":"timing","kind":"inferred","value":%s,%s,"n":3}]}},' \
        "$2" "$3"
    printf '"power":{"from":["p:0"],"power.dynamic_w":{"value":5,"low":4,"high":6,"n":3},"verdict":"%s","reason":"%s"}}\n' \
        "$4" "$5"
}

NONE="\"low\":null,\"high\":null,\"doubt\":\"$WHY\""
{
    echo '{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0"},"machine":{"name":"m"},"present":true,"host":"h","sensors":["p"],"benchmarks":[{"name":"b","title":"B","plot":[{"title":"B","x":"hit","y":["ipc"]}]}]}'
    point 0 4 '"low":3.9,"high":4.1' trustworthy ""
    point 0.5 3 "$NONE" untrustworthy "the sensor stood still"
    point 0.75 3.5 "$NONE" trustworthy ""
    point 1 2 '"low":1.9,"high":2.1,"doubt":"the clock changed"' trustworthy ""
} >made.jsonl

# no_nan FILE: nothing that is no number is shown as one.
no_nan()
{
    ! grep -qiw 'nan' "$WORK/$1" || fail "$1 has a nan: $(grep -iw nan "$WORK/$1" | head -n 3)"
}

# Verdicts: without an interval nothing is decided, and the reason is there, -q or not.
for quiet in "" -q; do
    expect_exit 0 "$TRAUMA" check made.jsonl -v $quiet
    no_nan out
    expect_text out "timing 3 per cycle ?"
    expect_text out "timing 2 [1.9, 2.1] per cycle ?"
    expect_text out "? $WHY (b/hit=0.5; b/hit=0.75)"
    expect_text out "? the clock changed (b/hit=1)"
    expect_text out "inconclusive"
    expect_text out "timing saw 3 per cycle without an interval: $WHY"
done
expect_exit 0 "$TRAUMA" check made.jsonl --json
no_nan out
expect_same "$(grep -c "\"low\":null,\"high\":null,\"n\":3,\"doubt\":\"$WHY\"" out)" 4 "marked observations"

expect_exit 0 "$TRAUMA" export made.jsonl -o table.csv
no_nan table.csv
expect_text table.csv "timing,inferred,3,,,3,$WHY,"
expect_text table.csv "timing,inferred,2,1.9,2.1,3,the clock changed,"
expect_text table.csv "measured,5,4,6,3,the sensor stood still,"
expect_exit 0 "$TRAUMA" export made.jsonl --json
no_nan out
expect_exit 0 "$TRAUMA" export made.jsonl --wide -v
no_nan out
expect_text out "ipc: $WHY"
expect_text out "power.dynamic_w: the sensor stood still"

expect_exit 0 "$TRAUMA" report made.jsonl -o page.html
no_nan page.html
expect_text page.html '<td class="number">3.000 ?</td>'
expect_text page.html "? $WHY (b/hit=0.5; b/hit=0.75)"
expect_text page.html "? the sensor stood still (b/hit=0.5)"

need_program gnuplot
expect_exit 0 "$TRAUMA" plot made.jsonl -o figure.svg
no_nan figure.svg
expect_text figure.svg "? (2 of 4): $WHY"
expect_text figure.svg "? (1 of 4): the clock changed"
# Reasons that differ in their numbers alone share a line.
awk -v why="$WHY" '{ while (index($0, why)) sub(why, "L2 lost " 9 + 3.5 * n++ " % in 2 turns"); print }' made.jsonl >numbers.jsonl
expect_exit 0 "$TRAUMA" plot numbers.jsonl -o numbers.svg
grep -Eq '[?] [(]2 of 4[)]: L2 lost [0-9.]+ to [0-9.]+ % in 2 turns' numbers.svg || fail "$(grep ' of 4)' numbers.svg)"
expect_exit 0 "$TRAUMA" plot made.jsonl -o log.svg --x hit --y pass.ns
no_nan log.svg
