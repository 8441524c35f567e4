# trauma merge: joins shards and nodes to one file, equivalent to that of a single run.
. "$SOURCE/tests/e2e/lib.sh"

points()
{
    json "$1" benchmark name program_hash | tail -n +2 | sort
}

# Shards of a run have the points of the whole run.
write_recipe small.lua
sed -i 's/hit = { [^}]* }/hit = range(0.3, 0.9, 0.1)/' small.lua
run="$TRAUMA run small.lua -m pentium-pro --time 0.002 --reps 1 --counters bytes --order given -q"
expect_exit 0 $run -o whole.jsonl
mkdir parts
for i in 1 2 3; do
    expect_exit 0 $run --shard $i/3 -o parts/$i.jsonl
done
expect_exit 0 "$TRAUMA" merge parts/3.jsonl parts/1.jsonl parts/2.jsonl -o merged.jsonl
expect_text out "7 points of 3 files in merged.jsonl"
expect_empty err
points whole.jsonl >wanted
points merged.jsonl >found
cmp wanted found || fail "the shards have other points than the whole"
expect_same "$(json merged.jsonl name)" "$(json whole.jsonl name)" "the order of the points"
expect_same "$(json merged.jsonl "#contexts" | head -n 1)" 2 "contexts beside the first"
expect_same "$(json merged.jsonl shard/index | head -n 1)" 3 "the first file's own context"
expect_exit 0 "$TRAUMA" check merged.jsonl
expect_exit 0 "$TRAUMA" merge parts -o folder.jsonl
points folder.jsonl | cmp - wanted || fail "a folder's files have other points"
# A merged file is a results file: a run goes on with it, and it is merged again.
expect_exit 0 $run -o merged.jsonl --resume
expect_same "$(wc -l <merged.jsonl | tr -d ' ')" 8 "lines after a run that went on"
expect_exit 0 "$TRAUMA" merge merged.jsonl folder.jsonl parts/2.jsonl -o again.jsonl
points again.jsonl | cmp - wanted || fail "what was merged twice has other points"
expect_text out "the same in several"
expect_exit 0 "$TRAUMA" export --schema -o schema.json
expect_exit 0 "$SCHEMA_LINES" schema.json again.jsonl
# A shard that is not there is told.
expect_exit 0 "$TRAUMA" merge parts/1.jsonl parts/3.jsonl -o gap.jsonl
expect_text err "shard 2 of 3 is not among the results"
expect_exit 4 "$TRAUMA" merge parts/1.jsonl parts/3.jsonl -o strict.jsonl --strict
[ ! -e strict.jsonl ] || fail "a part was written in spite of --strict"
# Nothing is overwritten, an input least of all.
cp parts/1.jsonl kept
expect_exit 2 "$TRAUMA" merge parts/1.jsonl parts/2.jsonl -o parts/1.jsonl
expect_text err "exists already"
cmp kept parts/1.jsonl || fail "an input was written over"

# made FILE HOST HASH EXTRA TICKS: one point, measured on HOST.
made()
{
    cat >"$1" <<LINE
{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0.1.0"},"seed":1,"machine":{"name":"m","cores":2},"cpu":"A cpu","host":"$2","benchmarks":[{"name":"$6"}]}
{"kind":"point","benchmark":"$6","name":"p","program_hash":"$3"$4,"time":{"ticks_per_pass":{"value":$5,"low":$5,"high":$5,"n":1}},"rates":{}}
LINE
}
# Nodes of one type merge, and each point keeps its own: its host, its trace, all benchmarks.
mkdir node1 node2
made node1/r.jsonl node1 aa ',"trace":"r.traces/b/p.csv"' 1 b
made node2/r.jsonl node2 bb ',"trace":"r.traces/b/p.csv"' 2 b
made node2/c.jsonl node2 cc ',"trace":"r.traces/none.csv"' 3 c
mkdir -p node1/r.traces/b node2/r.traces/b
echo "t_s,channel,value 1" >node1/r.traces/b/p.csv
echo "t_s,channel,value 2" >node2/r.traces/b/p.csv
mkdir out.d
expect_exit 0 "$TRAUMA" merge node1/r.jsonl node2/r.jsonl node2/c.jsonl -o out.d/all.jsonl
expect_text err "without its trace"
expect_same "$(json out.d/all.jsonl program_hash trace context | tail -n +2)" \
    "$(printf 'aa\tall.traces/b/p.csv\t-\nbb\tall.traces/b/p-bb.csv\t1\ncc\t-\t2')" "the points"
cmp node1/r.traces/b/p.csv out.d/all.traces/b/p.csv || fail "the first trace"
cmp node2/r.traces/b/p.csv out.d/all.traces/b/p-bb.csv || fail "the second trace"
expect_same "$(json out.d/all.jsonl benchmarks/0/name benchmarks/1/name contexts/0/host | head -n 1)" \
    "$(printf 'b\tc\tnode2')" "the first line"
expect_exit 0 "$TRAUMA" export out.d/all.jsonl
expect_text out ",node2,bb"
# What cannot be written leaves no traces either.
mkdir full
expect_exit 1 sh -c 'ulimit -f 1; exec "$@"' sh "$TRAUMA" merge node1/r.jsonl node2/r.jsonl node2/c.jsonl -o full/all.jsonl -q
expect_text err "File too large"
expect_same "$(ls -A full)" "" "what a merge that failed left"

# A trace that leads elsewhere is not followed.
echo secret >secret
sed 's/r.traces.b.p.csv/..\/secret/' node1/r.jsonl >node1/bad.jsonl
expect_exit 0 "$TRAUMA" merge node1/bad.jsonl -o bad.jsonl
expect_text err "not beside the results"
[ ! -e bad.traces ] || fail "a trace from elsewhere was copied"
sed 's/"name":"p"/"name":"..\/..\/p"/' node1/r.jsonl >node1/up.jsonl
expect_exit 2 "$TRAUMA" merge node1/up.jsonl -o up.jsonl

# The same point twice.
made one.jsonl node1 aa '' 1 b
sed '2s/"time".*/"error":"it faulted"}/' one.jsonl >failed.jsonl
for order in "one.jsonl failed.jsonl" "failed.jsonl one.jsonl"; do
    rm -f twice.jsonl
    expect_exit 0 "$TRAUMA" merge $order -o twice.jsonl
    expect_same "$(json twice.jsonl error time/ticks_per_pass/value | tail -n +2)" "$(printf -- '-\t1')" "of $order"
    expect_text out "1 had failed in one and finished in another"
    expect_empty err
done
made late.jsonl node1 aa '' 2 b
rm twice.jsonl
expect_exit 0 "$TRAUMA" merge one.jsonl late.jsonl -o twice.jsonl
expect_text err "was measured in several files"
expect_same "$(json twice.jsonl time/ticks_per_pass/value | tail -n +2)" 2 "of two measurements"

# What is not comparable is refused, with what it is.
refused()
{
    sed "1s/$1/$2/" one.jsonl >odd.jsonl
    expect_exit 2 "$TRAUMA" merge one.jsonl odd.jsonl -o refused.jsonl
    expect_text err "odd.jsonl:1: $3"
    [ ! -e refused.jsonl ] || fail "it was merged all the same"
}
refused '"seed":1' '"seed":2' "the seed is 2, but 1 in one.jsonl"
refused '0\.1\.0' '0.2.0' "the version of trauma is 0.2.0, but 0.1.0"
refused '"name":"m"' '"name":"n"' "the machine is n, but m"
refused '"cores":2' '"cores":4' "the machine is described differently"
refused '"A cpu"' '"B cpu"' "the processor is B cpu, but A cpu"
# Garbage.
sed '2s/"rates":{}/"rates":[]/' one.jsonl >broken.jsonl
expect_exit 2 "$TRAUMA" merge one.jsonl broken.jsonl -o refused.jsonl
expect_text err "broken.jsonl:2: "
expect_exit 2 "$TRAUMA" merge one.jsonl missing.jsonl -o refused.jsonl
mkdir empty
expect_exit 2 "$TRAUMA" merge empty -o refused.jsonl
expect_exit 2 "$TRAUMA" merge one.jsonl
expect_exit 2 "$TRAUMA" merge -o refused.jsonl
head -n 1 one.jsonl >bare.jsonl
expect_exit 1 "$TRAUMA" merge bare.jsonl -o refused.jsonl
head -c 300 one.jsonl >cut.jsonl
expect_exit 0 "$TRAUMA" merge one.jsonl cut.jsonl -o cut-merged.jsonl
expect_text err "incomplete"
expect_exit 1 "$TRAUMA" merge one.jsonl -o /proc/nowhere/refused.jsonl
[ ! -e refused.jsonl ] || fail "something was written"
