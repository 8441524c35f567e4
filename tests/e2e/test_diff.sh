# trauma diff: reports changes above its threshold, in results and in suites, and nothing else.
. "$SOURCE/tests/e2e/lib.sh"

# made FILE RATE TICKS LOW HIGH WATTS: results of one point.
made()
{
    cat >"$1" <<LINE
{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0.1.0"},"seed":1,"machine":{"name":"m"},"host":"node1"}
{"kind":"point","benchmark":"b","name":"p","program_hash":"aa","time":{"ticks_per_pass":{"value":$3,"low":$4,"high":$5,"n":5}},"rates":{"l1d.miss_rate":{"target":0.5,"verdict":"pass","observations":[{"source":"perf","kind":"measured","value":$2,"low":$2,"high":$2,"n":9},{"source":"cachegrind","kind":"simulated","value":0.5,"low":0.5,"high":0.5,"n":9}]}},"power":{"power.dynamic_w":{"value":$6,"low":$6,"high":$6,"n":5},"verdict":"trustworthy","sensors":{"s":{"power.dynamic_w":{"value":$6,"low":$6,"high":$6,"n":5}}}}}
LINE
}
made old.jsonl 0.5 100 99 101 20
cp old.jsonl same.jsonl
expect_exit 0 "$TRAUMA" diff old.jsonl same.jsonl
expect_text out "0 of 4 comparisons are past the threshold"
expect_same "$(wc -l <out | tr -d ' ')" 1 "lines that say that all is the same"
expect_exit 0 "$TRAUMA" diff old.jsonl same.jsonl --json
expect_empty out

# Within the thresholds, or with intervals that overlap: the same.
made near.jsonl 0.505 104 103 105 20.9
expect_exit 0 "$TRAUMA" diff old.jsonl near.jsonl
made wide.jsonl 0.5 150 100 200 20
expect_exit 0 "$TRAUMA" diff old.jsonl wide.jsonl
# Past each of them, one by one.
made rate.jsonl 0.52 100 99 101 20
expect_exit 5 "$TRAUMA" diff old.jsonl rate.jsonl
expect_text out "+0.02"
expect_text out "1 of 4 comparisons is past"
made slow.jsonl 0.5 110 109 111 20
expect_exit 5 "$TRAUMA" diff old.jsonl slow.jsonl
expect_text out "+10.0 %  slower"
expect_text out " ticks"
expect_exit 5 "$TRAUMA" diff slow.jsonl old.jsonl
expect_text out "faster"
made hot.jsonl 0.5 100 99 101 22
expect_exit 5 "$TRAUMA" diff old.jsonl hot.jsonl
expect_text out "more; 1 number follows"
expect_text out " W  "
expect_exit 5 "$TRAUMA" diff old.jsonl hot.jsonl -v
expect_text out "power.dynamic_w (s)"
expect_text out "follows power.dynamic_w"
expect_exit 5 "$TRAUMA" diff old.jsonl hot.jsonl --json
expect_same "$(json out metric part old new change relative what past | head -n 1)" \
    "$(printf 'power.dynamic_w\t\t20\t22\t0.1\ttrue\tmore\ttrue')" "a row"
# The user's thresholds.
expect_exit 0 "$TRAUMA" diff old.jsonl slow.jsonl --threshold time=0.2
expect_exit 5 "$TRAUMA" diff old.jsonl hot.jsonl --threshold time=0.2
expect_exit 0 "$TRAUMA" diff old.jsonl hot.jsonl --threshold time=0.2,power=0.11
expect_exit 5 "$TRAUMA" diff old.jsonl near.jsonl --threshold 0.001
expect_exit 0 "$TRAUMA" diff old.jsonl slow.jsonl --threshold time=20%
expect_exit 5 "$TRAUMA" diff old.jsonl slow.jsonl --threshold 5%
expect_empty err
expect_exit 0 "$TRAUMA" diff old.jsonl slow.jsonl --threshold time=any
expect_empty err
expect_exit 0 "$TRAUMA" diff old.jsonl slow.jsonl --threshold time=5
expect_text err "time allows changes up to 500 %"
for wrong in x -1 time=x tim=0.1 nan time= "" % -1% time=%; do
    expect_exit 2 "$TRAUMA" diff old.jsonl near.jsonl --threshold "$wrong"
done

# Other programs lengthen repetitions, but not pass.ns, which is timed in rounds without them: where both have it, it decides.
quiet()
{
    sed "2s/\"rates\":{/&\"pass.ns\":{\"target\":null,\"verdict\":\"observed\",\"observations\":[{\"source\":\"timing\",\"kind\":\"inferred\",\"value\":$2,\"low\":$2,\"high\":$2,\"n\":9}]},/" "$1" >"$3"
}
quiet old.jsonl 40 old_quiet.jsonl
quiet slow.jsonl 40 busy.jsonl
quiet slow.jsonl 44 slower.jsonl
expect_exit 0 "$TRAUMA" diff old_quiet.jsonl busy.jsonl -v
expect_text out "+10.0 %  decided by pass.ns"
expect_exit 5 "$TRAUMA" diff old_quiet.jsonl slower.jsonl
expect_text out "pass.ns"
expect_text out "+10.0 %  slower"
expect_exit 5 "$TRAUMA" diff old.jsonl busy.jsonl

# A source that only one has: the one that both have is compared.
sed '2s/{"source":"perf"[^}]*},//' rate.jsonl >simulated.jsonl
expect_exit 0 "$TRAUMA" diff old.jsonl simulated.jsonl
sed '2s/"verdict":"pass"/"verdict":"fail"/' near.jsonl >fails.jsonl
expect_exit 5 "$TRAUMA" diff old.jsonl fails.jsonl
expect_text out "fails now"
sed '2s/"verdict":"trustworthy"/"verdict":"untrustworthy"/; 2s/,"sensors":{"s":{[^}]*}}}//' hot.jsonl >noisy.jsonl
expect_exit 0 "$TRAUMA" diff old.jsonl noisy.jsonl
expect_text out untrustworthy

# Points of one side, and such that do not run any more.
cp old.jsonl more.jsonl
sed -n '2s/"name":"p"/"name":"q"/p' old.jsonl >>more.jsonl
expect_exit 5 "$TRAUMA" diff old.jsonl more.jsonl
expect_text out "only in NEW"
expect_exit 5 "$TRAUMA" diff more.jsonl old.jsonl
expect_text out "only in OLD"
sed '2s/"time":.*/"error":"it faulted"}/' old.jsonl >dead.jsonl
expect_exit 5 "$TRAUMA" diff old.jsonl dead.jsonl
expect_text out "does not run now"
expect_exit 0 "$TRAUMA" diff dead.jsonl old.jsonl
# Nothing to compare is not the same.
head -n 1 old.jsonl >none.jsonl
expect_exit 1 "$TRAUMA" diff none.jsonl old.jsonl
sed '2s/"rates":{.*/"rates":{}}/; 2s/"time":{"ticks_per_pass":{[^}]*}}/"time":{}/' old.jsonl >blank.jsonl
expect_exit 1 "$TRAUMA" diff blank.jsonl blank.jsonl
# Another host is told, and is no change.
sed '1s/node1/node2/' old.jsonl >host.jsonl
expect_exit 0 "$TRAUMA" diff old.jsonl host.jsonl
expect_text out node2

# Suites.
write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o one -q
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o two -q
expect_exit 0 "$TRAUMA" diff one two
expect_exit 0 "$TRAUMA" gen small.lua -m zen5 -o zen -q
expect_exit 5 "$TRAUMA" diff one zen
expect_text out "pentium-pro"
expect_text out "data/bytes"
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro --set hit=0.5,0.6 -o other -q
expect_exit 5 "$TRAUMA" diff one other
expect_text out "removed: only in OLD"
expect_text out "added: only in NEW"
sed 's/L1 = p.hit, L2 = 1 - p.hit/L1 = 1 - p.hit, L2 = p.hit/' small.lua >turned.lua
expect_exit 0 "$TRAUMA" gen turned.lua -m pentium-pro -o turned -q
expect_exit 5 "$TRAUMA" diff one turned --json
grep '"metric":"l1d.miss_rate"' out >rates
expect_same "$(json rates point old new past)" "$(printf 'small/hit=0.75\t0.25\t0.75\ttrue')" "the rate that is promised otherwise"
expect_exit 5 "$TRAUMA" diff one turned --threshold 1
# Bytes count, whatever the manifest says of them; a damaged program is no reason to stop.
chmod u+w two/small/hit=0.5/program
printf '\001' | dd of=two/small/hit=0.5/program bs=1 seek=2000 conv=notrunc 2>/dev/null
expect_exit 5 "$TRAUMA" diff one two
expect_text out "changed: 1 of"
expect_text err "differ from those generated"
echo '{' >two/small/hit=0.5/manifest.json
expect_exit 5 "$TRAUMA" diff one two
expect_text out "damaged in NEW"
expect_text out "2 points in both"

# What cannot be compared.
expect_exit 2 "$TRAUMA" diff one old.jsonl
expect_text err "only one of"
expect_exit 2 "$TRAUMA" diff one nothing
expect_text err "cannot read nothing: No such file or directory"
expect_exit 2 "$TRAUMA" diff one
expect_exit 2 "$TRAUMA" diff old.jsonl nowhere.jsonl
mkdir folder
expect_exit 2 "$TRAUMA" diff folder one
sed '2s/"rates":{/"rates":[{/' old.jsonl >broken.jsonl
expect_exit 2 "$TRAUMA" diff old.jsonl broken.jsonl
expect_text err "broken.jsonl:2: "
echo '{"schema":1,"kind":"suite","programs":7' >one/suite.json
expect_exit 2 "$TRAUMA" diff one two

# A time of 0 ticks is none: marked, with the reason, and neither slower nor faster. A power of 0 W has no relative change.
made none.jsonl 0.5 0 0 0 20
expect_exit 0 "$TRAUMA" diff none.jsonl old.jsonl
expect_no_text out "slower"
expect_no_text out "0.0 %"
expect_text out "OLD's time is not positive"
expect_text out "is not judged"
expect_exit 0 "$TRAUMA" diff old.jsonl none.jsonl
expect_no_text out "faster"
expect_text out "NEW's time is not positive"
expect_exit 0 "$TRAUMA" diff none.jsonl none.jsonl
made cold.jsonl 0.5 100 99 101 0
expect_exit 5 "$TRAUMA" diff cold.jsonl old.jsonl
expect_text out "from 0  more"
expect_exit 5 "$TRAUMA" diff cold.jsonl old.jsonl --json
expect_same "$(json out metric change | head -n 1)" "$(printf 'power.dynamic_w\tnull')" "a change from 0"
