# trauma export: one row per point and metric, with everything in the results and nothing else.
. "$SOURCE/tests/e2e/lib.sh"

cat >made.jsonl <<'LINES'
{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0.1.0"},"seed":1,"machine":{"name":"m"},"host":"node1","contexts":[{"kind":"context","host":"node2"}]}
{"kind":"point","benchmark":"b","name":"hit=0.5,mode=x","point":{"hit":0.5,"mode":"a \"word\", and\na line"},"target":"x86_64","program_hash":"aa","time":{"ticks_per_pass":{"value":100.5,"low":99,"high":102,"n":5}},"rates":{"l1d.miss_rate":{"target":0.5,"verdict":"pass (code)","code":"pass","silicon":null,"observations":[{"source":"cachegrind","kind":"simulated","value":0.5,"low":0.5,"high":0.5,"n":4000},{"source":"perf","kind":"measured","value":0.49,"low":0.48,"high":0.51,"n":7},{"source":"plan","kind":"predicted","value":0.5,"low":0.5,"high":0.5,"n":0}]},"ipc":{"target":null,"expect":{"min":2,"max":3},"verdict":"unobserved","reason":"nobody saw it","observations":[{"source":"plan","kind":"predicted","value":2.5,"low":2.5,"high":2.5,"n":0}]}},"power":{"from":["pkg:0","pkg:1"],"power.static_w":{"value":10,"low":9,"high":11,"n":5},"verdict":"untrustworthy","reason":"noisy","sensors":{"pkg:0":{"label":"a","quantity":"energy","power.static_w":{"value":4,"low":4,"high":4,"n":5},"verdict":"trustworthy"},"pkg:1":{"label":"b","quantity":"energy","reason":"went away"}}}}
{"kind":"point","benchmark":"b","name":"two","point":{"size":64},"program_hash":"bb","context":1,"threads":[{"cpu":3,"time":{"ticks_per_pass":{"value":7,"low":7,"high":7,"n":1}},"passes_per_s":9,"counters":{"cycles":{"value":12.5,"low":12,"high":13,"n":3}}}],"together":{"passes_per_s":18,"overlap":0.9},"rates":{}}
{"kind":"point","benchmark":"b","name":"three","point":{"hit":true},"program_hash":"cc","error":"it faulted, alas"}
LINES
expect_exit 0 "$TRAUMA" export made.jsonl
cp out table.csv
expect_same "$(head -n 1 table.csv)" "benchmark,point,target,p.hit,p.mode,p.size,part,metric,unit,wanted,min,max,verdict,\
code,silicon,source,kind,value,low,high,n,doubt,reason,host,program_hash" "the header"
# What needs quotes has them, and quotes are doubled.
expect_text table.csv 'b,"hit=0.5,mode=x",x86_64,0.5,"a ""word"", and'
expect_text table.csv 'a line",,,l1d.miss_rate,share,0.5,,,pass (code),pass,,perf,measured,0.49,0.48,0.51,7,,,node1,aa'
# What is only predicted has no value.
expect_text table.csv ',ipc,1/cycle,,2,3,unobserved,,,,,,,,,,nobody saw it,node1,aa'
expect_text table.csv ',time.ticks_per_pass,ticks,,,,,,,tsc,measured,100.5,99,102,5,,,node1,aa'
expect_text table.csv ',,power.static_w,W,,,,untrustworthy,,,pkg:0+pkg:1,measured,10,9,11,5,noisy,noisy,node1,aa'
expect_text table.csv ',pkg:0,power.static_w,W,,,,trustworthy,,,pkg:0,measured,4,4,4,5,,,node1,aa'
expect_text table.csv 'b,two,,,,64,copy 1,time.ticks_per_pass,ticks,,,,,,,tsc,measured,7,7,7,1,,,node2,bb'
expect_text table.csv 'b,two,,,,64,copy 1,counter.cycles,1/pass,,,,,,,perf,measured,12.5,12,13,3,,,node2,bb'
expect_text table.csv 'b,two,,,,64,,overlap,share,,,,,,,tsc,measured,0.9,0.9,0.9,,,,node2,bb'
expect_text table.csv 'b,three,,true,,,,,,,,,did not run,,,,,,,,,,"it faulted, alas",node1,cc'
expect_no_text table.csv cachegrind
expect_no_text table.csv predicted
expect_exit 0 "$TRAUMA" export made.jsonl -v
expect_same "$(grep -c 'l1d.miss_rate\|ipc' out)" 4 "rows of all observations"
expect_text out ",plan,predicted,2.5,"
if command -v python3 >/dev/null 2>&1; then
    python3 - table.csv <<'PY' || fail "a reader of CSV finds otherwise"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 11, len(rows)
assert all(None not in row and None not in row.values() for row in rows)
assert rows[0]["p.mode"] == 'a "word", and\na line'
PY
fi

expect_exit 0 "$TRAUMA" export made.jsonl -o written.csv
cmp table.csv written.csv || fail "-o writes another table"
expect_empty out

# The same as JSON: a list, or an object per line; the columns are the keys.
expect_exit 0 "$TRAUMA" export made.jsonl -o written.json
expect_exit 0 "$TRAUMA" export made.jsonl -o written.jsonl
expect_exit 0 "$TRAUMA" export made.jsonl --json
cmp "$WORK/out" written.jsonl || fail "--json is not what .jsonl has"
expect_same "$(json written.jsonl metric | wc -l | tr -d ' ')" "$(json_document written.json '#' | tr -d ' ')" "rows of both"
expect_same "$(json written.jsonl benchmark p.hit metric wanted source value n code | sed -n 1p)" \
    "$(printf 'b\t0.5\tl1d.miss_rate\t0.5\tperf\t0.49\t7\tpass')" "the first row"
expect_same "$(json written.jsonl metric value reason | sed -n 2p)" "$(printf 'ipc\tnull\tnobody saw it')" "a row without a value"

# One row per point, a column per metric; intervals and parts on request.
expect_exit 0 "$TRAUMA" export made.jsonl --wide
expect_same "$(sed -n 1p out)" "benchmark,point,target,p.hit,p.mode,p.size,verdict,reason,doubt,l1d.miss_rate,\
time.ticks_per_pass (ticks),power.static_w (W),passes_per_s (1/s),overlap,host,program_hash" "the wide header"
expect_same "$(grep -c '^b,' out)" 3 "wide rows"
expect_text out 'a line",,inconclusive,,power.static_w: noisy,0.49,100.5,10,,,node1,aa'
expect_text out 'b,two,,,,64,nothing promised,,,,,,18,0.9,node2,bb'
expect_text out 'b,three,,true,,,did not run,"it faulted, alas",,,,,,,node1,cc'
expect_exit 0 "$TRAUMA" export made.jsonl --wide -v
for column in ',l1d.miss_rate low,l1d.miss_rate high,' ',copy 1 counter.cycles (1/pass),' ',pkg:0 power.static_w (W),'; do
    expect_text out "$column"
done
expect_exit 0 "$TRAUMA" export made.jsonl --wide -o wide.json
expect_same "$(json_document wide.json 1/p.size 1/overlap 1/l1d.miss_rate)" "$(printf '64\t0.9\tnull')" "the second point"

# Garbage: the place of it, never a crash, and no half table.
rm written.csv
head -c 700 made.jsonl >cut.jsonl
expect_exit 0 "$TRAUMA" export cut.jsonl
expect_text err "incomplete"
broken()
{
    sed "$2" made.jsonl >broken.jsonl
    expect_exit 2 "$TRAUMA" export broken.jsonl -o written.csv
    expect_text err "broken.jsonl:$1: "
    [ ! -e written.csv ] || fail "a table of broken results was written"
}
broken 3 '3s/"rates":{}/"rates":7/'
broken 3 '3s/"threads":\[/"threads":"[/'
broken 3 '3s/}$//'
broken 2 '2s/"point":{[^}]*}/"point":[]/'
broken 3 '3s/"context":1/"context":2/'
broken 3 '3s/"context":1/"context":-1/'
broken 1 '1s/^{/[/'
expect_exit 2 "$TRAUMA" export missing.jsonl
expect_exit 2 "$TRAUMA" export
expect_exit 2 "$TRAUMA" export made.jsonl made.jsonl
head -c 3000 /dev/urandom >noise.jsonl
expect_exit 2 "$TRAUMA" export noise.jsonl
# Fields of the wrong type deep in a point are as if they were not there.
sed '2s/"low":99/"low":"x"/; 2s/"value":10,/"value":null,/; 2s/"pkg:0":{/"pkg:0":[{/; 2s/"trustworthy"}/"trustworthy"}]/' \
    made.jsonl >odd.jsonl
expect_exit 0 "$TRAUMA" export odd.jsonl
expect_no_text out null

# A name of another kind of file is refused before anything is written, here and by other commands.
other_kind()
{
    expect_exit 2 "$TRAUMA" "$@"
    expect_text err "use a name that ends in"
}
for name in x.html x.tsv x.dat folder.d/X.TXT; do
    other_kind export made.jsonl -o "$name"
    expect_text err ".csv (a table), .json (one list) or .jsonl (an object per line)"
    [ ! -e "$name" ] || fail "$name was written"
done
expect_exit 2 "$TRAUMA" export made.jsonl --json -o x.csv
other_kind export --schema -o x.csv
other_kind report made.jsonl -o x.pdf
other_kind merge made.jsonl -o x.csv
other_kind machine show zen5 -o x.json
other_kind machine show zen5 --json -o x.lua
other_kind machine probe -o x.json
write_recipe small.lua
other_kind run small.lua -m pentium-pro -o x.json
other_kind fit idle made.jsonl -o x.csv
mkdir folder.json
expect_exit 0 "$TRAUMA" export made.jsonl -o folder.json/table
expect_exit 0 "$TRAUMA" export made.jsonl -o table.CSV

# Results are known by what is in them, and no model.
cp made.jsonl made.json
expect_exit 2 "$TRAUMA" predict made.jsonl counters.csv
expect_text err "made.jsonl is a results file; expected a fitted model first"
"$TRAUMA" check made.json >"$WORK/out" 2>"$WORK/err" || true
expect_text out "b/hit=0.5,mode=x"
