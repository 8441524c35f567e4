# The two sides of a verdict: what the code does, inspected and simulated, and what the silicon does, measured or
# inferred. Both must pass; what the code alone passes says so, here and for another machine.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"

# one PRESENT OBSERVATIONS: results of one rate, wanted 1, recorded on the machine that they are for, or not.
one()
{
    printf '{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0"},"machine":{"name":"m"},"present":%s,"host":"h"}\n' "$1"
    printf '{"kind":"point","benchmark":"b","name":"n=1","point":{"n":1},"target":"x86_64","program_hash":"1","rates":{%s}}\n' \
        "$(rate "${3:-l2.miss_rate}" 1 "${4:-}" "$2")"
}

# expect_sides CODE VERDICT CODE_WORD SILICON_WORD WORDS...: of one.jsonl.
expect_sides()
{
    expect_exit "$1" "$TRAUMA" check one.jsonl --json
    expect_same "$(json "$WORK/out" verdict code silicon)" "$(printf '%s\t%s\t%s' "$2" "$3" "$4")" "$5"
}

simulated=$(observation cachegrind simulated 1 1 1)
missed=$(observation cachegrind simulated 0.9 0.9 0.9)
own=$(observation qemu simulated 0.9 0.9 0.9)
timed=$(observation timing inferred 0.99 0.98 1)
contradicting=$(observation timing inferred 0.592 0.59 0.597)
counted=$(observation perf measured 1 1 1)

one true "$simulated,$timed" >one.jsonl
expect_sides 0 pass pass pass "both sides pass"
expect_exit 0 "$TRAUMA" check one.jsonl --strict

# The silicon's word is no remark: the rate fails, and is said to.
one true "$simulated,$contradicting" >one.jsonl
expect_sides 5 fail pass fail "time contradicts a simulation"
expect_exit 5 "$TRAUMA" check one.jsonl
expect_text out "the silicon contradicts: wanted 1 ± 0.03, timing saw 0.592 [0.59, 0.597]"
expect_exit 5 "$TRAUMA" check one.jsonl --tap --junit one.xml
expect_text out "not ok 1 - b/n=1 l2.miss_rate"
expect_text out "wanted 1 ± 0.03, timing saw 0.592 [0.59, 0.597]"
grep -q '<failure message=".*wanted 1 ± 0.03, timing saw 0.592 \[0.59, 0.597\]"' one.xml || fail "JUnit does not name the bound"

# What is measured outranks what is inferred, and the code's failure counts as much.
one true "$simulated,$contradicting,$counted" >one.jsonl
expect_sides 0 pass pass pass "counters outrank time"
one true "$missed,$counted" >one.jsonl
expect_sides 5 fail fail pass "a simulation fails what counters pass"

# Nothing observed the silicon: a pass of the code, which --strict does not take for one.
one true "$simulated" l2.miss_rate "perf: there is no PMU" >one.jsonl
expect_sides 0 "pass (code)" pass null "nothing observed the silicon"
expect_exit 0 "$TRAUMA" check one.jsonl
expect_text out "1 pass (code)"
expect_same "$(grep -c '^pass (code): ' "$WORK/out")" 1 "lines that say what it means"
expect_exit 0 "$TRAUMA" check one.jsonl -v
expect_text out "perf: there is no PMU"
expect_exit 4 "$TRAUMA" check one.jsonl --strict
expect_exit 0 "$TRAUMA" check one.jsonl --tap --junit one.xml
expect_text out "ok 1 - b/n=1 l2.miss_rate"
expect_no_text out "not ok"
expect_no_text out "SKIP"
grep -q 'failures="0" errors="0" skipped="0"' one.xml || fail "a pass of the code is no pass in JUnit"
expect_exit 0 "$TRAUMA" export one.jsonl -o one.csv

# Of another machine that is all that can be had: the same verdict everywhere, and --strict asks no more.
one false "$simulated" >one.jsonl
expect_sides 0 "pass (code)" pass null "another machine is judged by code"
expect_exit 0 "$TRAUMA" check one.jsonl --strict
expect_exit 0 "$TRAUMA" check one.jsonl
expect_text out "1 point: 1 pass (code)"
expect_same "$(grep -c '^pass (code): ' "$WORK/out")" 1 "lines that say what it means"
expect_exit 0 "$TRAUMA" check one.jsonl --tap --junit one.xml
expect_same "$(sed -n '3,$p' out)" "ok 1 - b/n=1 l2.miss_rate
# pass (code)" "TAP of a described machine"
grep -q '<system-out>pass (code)</system-out>' one.xml || fail "JUnit: $(cat one.xml)"

# What somebody counted there is silicon.
one false "$simulated,$counted" >one.jsonl
expect_sides 0 pass pass pass "another machine's counters"

# What the bytes alone settle wants no silicon anywhere.
for present in true false; do
    for metric in mix.add body.share data.toggle_rate pass.instructions; do
        one $present "$(observation bytes inspected 1 1 1)" $metric >one.jsonl
        expect_sides 0 pass pass null "$metric by the bytes"
        expect_exit 0 "$TRAUMA" check one.jsonl --strict
    done
done

# No row of the table of metrics that says so is of a cache, a branch or a place.
expect_exit 0 "$TRAUMA" list --metrics --json
expect_same "$(json "$WORK/out" of_bytes metric | sed -n 's/^true	//p' | tr '\n' ' ')" \
    "coherence.placed coherence.common_words pass.instructions data.toggle_rate data.toggle_rate.dealt data.ones_rate mix.* body.share " "of the bytes"

# A dispute is one among the sources of the code: ours against one that is not ours.
one false "$simulated,$own" >one.jsonl
expect_sides 0 "pass, disputed" "pass, disputed" null "our simulation disputes another's"
expect_exit 0 "$TRAUMA" check one.jsonl
expect_text out "another source disputes it: wanted 1 ± 0.002, qemu saw 0.9"

# The silicon alone.
one true "$counted" >one.jsonl
expect_sides 0 pass null pass "the silicon alone"
expect_exit 0 "$TRAUMA" check one.jsonl --strict

# Nothing at all.
one true "$(observation plan predicted 1 1 1)" >one.jsonl
expect_exit 4 "$TRAUMA" check one.jsonl
expect_text out "nothing was observed"

# What a run records, a check tells: the sides are there, and cannot be missing.
write_recipe small.lua
expect_exit 0 "$TRAUMA" run small.lua --filter hit=0.5 --counters bytes --power none --reps 1 --time 0.001 -o run.jsonl
tail -n 1 run.jsonl >point
expect_same "$(json point rates/body.share/verdict rates/body.share/code rates/body.share/silicon)" \
    "$(printf 'pass\tpass\tnull')" "the recorded sides"

# For another machine pages, exports and tables say the same.
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro --filter hit=0.5 --counters bytes,qemu --power none --reps 1 --time 0.001 -o other.jsonl
expect_text out "pass (code): no source here observes the silicon"
expect_exit 0 "$TRAUMA" export other.jsonl -o other.csv
expect_same "$(grep -c 'l1d.miss_rate,.*,pass (code),pass,,qemu,' other.csv) $(grep -c 'body.share,.*,pass,pass,,bytes,' other.csv)" "1 1" "the table"
expect_exit 0 "$TRAUMA" report other.jsonl -o other.html
expect_same "$(grep -c '<tr class="pass-code">.*>l1d.miss_rate<' other.html) $(grep -c '<tr class="pass">.*>body.share<' other.html)" "1 1" "the page"
