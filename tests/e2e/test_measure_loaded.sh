# trauma measure loaded: a chase beside streams, or the reason why there is no row.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
expect_exit 0 "$TRAUMA" measure loaded --help
expect_text out "one core chases while others stream"
expect_exit 2 "$TRAUMA" measure loaded 3
for op in 1:x 0:0 3: 9:9 chase; do
    expect_exit 2 "$TRAUMA" measure loaded --op "$op"
    expect_text err "--op: expected read, write or copy, or N:M, reads to writes, of 1 to 16 together, found '$op'"
done
expect_exit 2 "$TRAUMA" measure bandwidth --op 3:1
expect_text err "--op: expected read, write or copy, found '3:1'"

# What cannot be: no L3, an L3 of one core, no core that streams, a mix that is none, streams that L2 holds.
one="--set duty=0.01 --set op=read"
expect_exit 3 "$TRAUMA" gen measure/loaded -m cortex-a72 $one --set level=L3 -o no
expect_text err "has no L3 cache"
expect_same "$("$TRAUMA" list measure/loaded -m cortex-a72 -v | grep -c level=L3)" 0 "points of an L3 that is not there"
sed 's/name = "[^"]*"/name = "lonely"/; s/shared_by = [0-9]*/shared_by = 1/' "$SOURCE/recipes/machines/zen5.lua" >lonely.lua
expect_exit 3 "$TRAUMA" gen measure/loaded -m lonely.lua $one --set level=L3 -o no
expect_text err "no other core shares core 0's L3"
expect_exit 3 "$TRAUMA" gen measure/loaded -m zen5 $one --set level=MEM --set streams=0 -o no
expect_text err "expected at least 1 core that streams"
expect_exit 3 "$TRAUMA" gen measure/loaded -m zen5 --set duty=0.01 --set op=3:x --set level=MEM -o no
expect_text err "op is '3:x': expected read, write, copy or N:M"

# Programs for other machines: the chase on core 0, streams on others; 3 loads to a store; idle instructions by the duty.
expect_exit 0 "$TRAUMA" gen measure/loaded -m zen5 --set duty=0.01 --set op=3:1 --set level=MEM --set streams=2 -o suite -q
expect_same "$(cd suite/loaded && echo * | tr ' ' '\n' | cut -d , -f 1 | tr '\n' ' ')" "core=0 core=1 core=2 " "a program per core"
stream=$(echo suite/loaded/core=2*)
expect_same "$(json_document "$stream/manifest.json" kernel/unit/0/op kernel/unit/0/count kernel/unit/1/op kernel/unit/1/count kernel/unit/2/peak | tr '\t' ' ')" \
    "load 6 store 2 ports" "the mix"
expect_same "$(json_document "$stream/manifest.json" targets | grep -c throttle)" 0 "a duty that promises nothing"
expect_exit 0 "$TRAUMA" check suite --counters bytes,plan -q
expect_exit 3 "$TRAUMA" gen measure/loaded -m h100 $one -o no

if [ "$(nproc)" -lt 2 ] || ! taskset -c 0,1 true 2>/dev/null; then
    expect_exit 4 "$TRAUMA" measure loaded --op read --set level=MEM --set duty=1
    skip "a chase beside a stream needs two processors"
fi
# Each question about the present machine measures a core's share of L3 first, for seconds; of its file it asks nothing.
expect_exit 0 "$TRAUMA" machine detect -o machine.lua
expect_exit 4 taskset -c 0 "$TRAUMA" measure loaded -m machine.lua --op read --set level=MEM --set duty=1 --json -q
expect_text out '"withheld":'
expect_text out "may not use logical processor 1"
expect_same "$(json_document out bandwidth_bps latency_ns streams | tr '\t' ' ')" "null null 0" "a row without numbers"

# Rows, raw and as JSON: what the stream did is of the chase's time alone.
set -- --op read --set level=MEM --set duty=0,1 --streams 1 --reps 3
expect_exit 0 "$TRAUMA" measure loaded "$@" -o loaded.jsonl -q
expect_text out "MEM, read: "
expect_text out "the share of the chase during which they ran"
grep '"duty":1,' loaded.jsonl >point
expect_same "$(wc -l <point | tr -d ' ')" 1 "points of core 0 alone"
expect_exit 0 "$TRAUMA" gen measure/loaded --set op=read --set level=MEM --set duty=1 --set streams=1 -o here -q
bytes=$(json_document here/loaded/core=1*/manifest.json kernel/unit/0/width kernel/unit/0/count units | awk '{ print $1 * $2 * $3 }')
for rep in 0 1 2; do
    json point reps/$rep/threads/0/start reps/$rep/threads/0/ticks reps/$rep/company/0/start reps/$rep/company/0/ticks \
        reps/$rep/company/0/iterations reps/$rep/company/0/bytes |
        awk -F '\t' -v b="$bytes" '!($3 >= $1 && $3 + $4 <= $1 + $2 + 1 && $5 > 0 && $6 > 0.9998 * b * $5 - b && $6 < 1.0002 * b * $5 + b) { exit 1 }' ||
        fail "repetition $rep: the stream is not that of the chase's time: $(cat point)"
done
expect_same "$(json point rates/solo.unit.ns 2>/dev/null | grep -c value)" 0 "times of a chase that ran alone"
expect_exit 0 "$TRAUMA" measure loaded -m machine.lua "$@" --json -q
for row in 1 2; do
    sed -n ${row}p out >row
    expect_same "$(json_document row level op | tr '\t' ' ')" "MEM read" "what row $row is of"
    for name in duty streams bandwidth_bps bandwidth_bps_low bandwidth_bps_high latency_ns latency_ns_low latency_ns_high overlap; do
        grep -q "\"$name\":" row || fail "row $row has no $name: $(cat row)"
    done
done
# A row beside a stream has both numbers, of a chase that is slower than L2 and a stream that is slower than L1, or says why not.
grep -q '"withheld":' row || json_document row bandwidth_bps latency_ns overlap |
    awk -F '\t' '!($1 > 1e7 && $1 < 2e12 && $2 > 5 && $3 >= 0.95 && $3 <= 1.001) { exit 1 }' || fail "a row that cannot be: $(cat row)"
expect_exit 0 "$TRAUMA" export loaded.jsonl -o loaded.csv
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" plot loaded.jsonl -o loaded.svg
    expect_text loaded.svg "Bandwidth beside the chase"
fi
