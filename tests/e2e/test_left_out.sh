# Data that no model is fitted to: points that are untrustworthy, failed, throttled or off their clock, outlier
# repetitions, and duplicates; physically impossible energies and coefficients; points that differ in what a model
# does not use. Each is reported.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/incremental_results.sh"
. "$SOURCE/tests/e2e/interconnect_results.sh"
write_incremental good.jsonl
write_interconnect paths.jsonl
expect_exit 0 "$TRAUMA" fit incremental good.jsonl
sed -n '/^E_/p' out >costs
expect_exit 0 "$TRAUMA" fit interconnect paths.jsonl --set distance=10.5
sed -n '/^constant/p; /^floor/p' out >watts

# with WHAT SED: the program's points, and once more with another energy, marked so that no model takes these.
with()
{
    sed -n "2,\$p" "$2" | sed "s/\"energy_j\":{\"\([a-z]*\)\":\([0-9]\)/\"energy_j\":{\"\1\":1\2/g; $1" >marked
    cat "$2" marked >"$3"
}

# The same policy for all models: what is marked changes no coefficient, and is told.
for model in incremental interconnect; do
    file=good.jsonl
    kept=costs
    [ $model = incremental ] || { file=paths.jsonl; kept=watts; }
    for mark in 'power cannot be trusted:s/"power":{/&"verdict":"untrustworthy","reason":"noisy",/; s/"verdict":"trustworthy",//' \
        'one of their rates failed:s/"rates":{/&"l1d.miss_rate":{"verdict":"fail","observations":[]},/' \
        'the processor was throttled:s/"reps":/"warnings":[{"what":"processors were throttled by their heat 3 times","mend":null}],&/' \
        'their clock was more than 2 % off:s/"reps":/"state":{"wanted":{"frequency":3},"observed":{"clock":{"core_ghz":{"value":2.9}}}},&/' \
        'outlier repetitions:s/"iterations":/"outlier":true,&/g'; do
        with "${mark#*:}" $file marked.jsonl
        # A point of the same key replaces the one before it: these are of a second file.
        { head -n 1 $file; cat marked; } >second.jsonl
        expect_exit 0 "$TRAUMA" fit $model $file second.jsonl --set $([ $model = incremental ] && echo factor=1.75 || echo distance=10.5)
        expect_text out "${mark%%:*}"
        sed -n '/^E_/p; /^constant/p; /^floor/p' out | cmp -s - $kept || fail "$model takes what is marked: ${mark%%:*}: $(cat out)"
    done

    # A clock within 2 % of the wish is the wish; copies count once.
    sed 's/"reps":/"state":{"wanted":{"frequency":3},"observed":{"clock":{"core_ghz":{"value":2.95}}}},&/' $file >near.jsonl
    expect_exit 0 "$TRAUMA" fit $model near.jsonl --set $([ $model = incremental ] && echo factor=1.75 || echo distance=10.5)
    if grep -q 'their clock was more than' out; then fail "1.7 % is off the clock"; fi
    expect_exit 0 "$TRAUMA" fit $model $file $file $file --json
    cp out copies.json
    expect_text copies.json "are duplicates and count once"
    expect_exit 0 "$TRAUMA" fit $model $file --json
    cp out once.json
    coefficient=$([ $model = incremental ] && echo E_L3 || echo constant)
    expect_same "$(json_document copies.json coefficients/$coefficient/n)" "$(json_document once.json coefficients/$coefficient/n)" copies
done

# A model that lacks what was left out says so.
sed '/MB_L3"/s/"rates":{/&"l3.miss_rate":{"verdict":"fail","observations":[]},/' good.jsonl >failed.jsonl
expect_exit 2 "$TRAUMA" fit incremental failed.jsonl
expect_text err "there are no results for MB_L3"
expect_text err "for example program=MB_L3: l3.miss_rate"

# What physics forbids.
sed 's/"energy_j":{"m":/&-/g' good.jsonl >negative.jsonl
expect_exit 2 "$TRAUMA" fit incremental negative.jsonl
expect_text err "cannot be below 0"
sed '/"reps"/s/"power":{/&"power.total_w":{"value":400,"low":390,"high":410},/' good.jsonl >other.jsonl
expect_exit 2 "$TRAUMA" fit incremental other.jsonl
expect_text err "but power.total_w is 400 W"
milli()
{
    awk '{ line = ""; rest = $0
    while (match(rest, /"(m|chip)":[0-9.]+/)) {
        value = substr(rest, RSTART, RLENGTH)
        sub(/.*:/, "", value)
        line = line substr(rest, 1, RSTART + RLENGTH - length(value) - 1) value / 1000
        rest = substr(rest, RSTART + RLENGTH)
    }
    print line rest }' "$1"
}
milli good.jsonl >milli.jsonl
expect_exit 2 "$TRAUMA" fit incremental milli.jsonl
expect_text err "energies in another unit"
milli paths.jsonl >milli.jsonl
expect_exit 2 "$TRAUMA" fit interconnect milli.jsonl --set distance=10.5
expect_text err "12 of 12 points draw less than when idle"
expect_text err "joules"
# A level that takes less than the one before it explains: its clock, or its names, are another's.
sed '/MB_L2"/s/"stall_cycles":{"value":19000,"low":19000,"high":19000}/"stall_cycles":{"value":29000,"low":29000,"high":29000}/' good.jsonl >stalls.jsonl
expect_exit 2 "$TRAUMA" fit incremental stalls.jsonl
expect_text err "E_L2 is fitted as"
sed 's/long-path/tmp-path/; s/short-path/long-path/; s/tmp-path/short-path/' paths.jsonl >swapped.jsonl
expect_exit 2 "$TRAUMA" fit interconnect swapped.jsonl --set distance=10.5
expect_text err "swapped"

# Points that differ in what the model does not name.
sed 's/"point":{/&"unroll":100,/' good.jsonl >short.jsonl
sed 's/"point":{/&"unroll":200,/; s/"instructions":1000/"instructions":2000/' good.jsonl >long.jsonl
expect_exit 0 "$TRAUMA" fit incremental short.jsonl
expect_exit 2 "$TRAUMA" fit incremental short.jsonl long.jsonl
expect_text err "MB_NOP was measured in two ways: unroll is 100 in program=MB_NOP and 200"
sed 's/"instructions":1000/"instructions":2000/' good.jsonl >longer.jsonl
expect_exit 2 "$TRAUMA" fit incremental good.jsonl longer.jsonl
expect_text err "instructions is 1000"
sed '/MB_NOP/s/"reps":/"state":{"observed":{"clock":{"core_ghz":{"value":2.1}}}},&/; /MB_L2"/s/"reps":/"state":{"observed":{"clock":{"core_ghz":{"value":2.6}}}},&/' \
    good.jsonl >clocks.jsonl
expect_exit 2 "$TRAUMA" fit incremental clocks.jsonl
expect_text err "ran at 2.1 GHz and program=MB_L2 at 2.6 GHz"
sed '1s/"benchmarks"/"host":"here",&/' good.jsonl >here.jsonl
sed '1s/"benchmarks"/"host":"there",&/; s/"seconds":2/"seconds":2.0000001/g' good.jsonl >there.jsonl
expect_exit 2 "$TRAUMA" fit incremental here.jsonl there.jsonl
expect_text err "there.jsonl has results of the host there, and other files of here"
sed '/MB_L3"/s/"m"/"other"/g' good.jsonl >meters.jsonl
expect_exit 2 "$TRAUMA" fit incremental meters.jsonl
expect_text err "different meters measure different parts of the machine"
