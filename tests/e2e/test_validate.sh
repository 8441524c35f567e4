# trauma validate: the table, the document by its schema, the page, the badge, an earlier scorecard, exit codes, a machine that
# is only described, and a machine file that is wrong about this one.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
cd "$WORK"

# A described machine: simulators and the bytes alone judge, and it says so.
expect_exit 0 "$TRAUMA" validate -q -m skylake-sp --filter '^(branches|mix|loads/.*share=0.5)' --badge card.svg
grep -q '^branches  *branch.miss_rate  *0.01 to 0.45 .* pass (code)  *cachegrind' out || fail "no row of branches: $(cat out)"
grep -q '^loads  *served.L3 ' out || fail "no row of L3: $(cat out)"
grep -q '^mix  *mix.load .* pass  *bytes' out || fail "no row of the mix: $(cat out)"
expect_text out "timing observes nothing here: the machine is not the present one"
expect_text out "the silicon was observed for 0 of "
expect_text card.svg "hold (code)"

# The document fits its schema, and what is changed in it does not.
expect_exit 0 "$TRAUMA" validate --schema
mv out schema.json
expect_exit 0 "$TRAUMA" validate -q -m skylake-sp --filter '^(branches|data)' --json -o card.json
mv out line.jsonl
expect_same "$("$SCHEMA_LINES" schema.json line.jsonl 2>err)" 1 "lines held against the schema"
expect_same "$(json_document line.jsonl machine/present)" "$(json_document card.json machine/present)" "the written document"
refused()
{
    sed "$1" line.jsonl >wrong.jsonl
    ! cmp -s line.jsonl wrong.jsonl || fail "nothing was changed by $1"
    ! "$SCHEMA_LINES" schema.json wrong.jsonl >out 2>err || fail "$1 fits the schema"
}
refused 's/"verdict":"pass (code)"/"verdict":"fine"/'
refused 's/"kind":"simulated"/"kind":"guessed"/'
refused 's/"asked":0.1/"asked":"much"/'

# Against an earlier one.
expect_exit 0 "$TRAUMA" validate -q -m skylake-sp --filter '^(branches|data)' --against card.json
expect_text out "0 worse, 0 changed otherwise"
sed 's/"branch.miss_rate"/"branch.taken_rate"/' card.json >other.json
expect_exit 5 "$TRAUMA" validate -q -m skylake-sp --filter '^branches' --against other.json
expect_text out "worse: branches branch.taken_rate: judged before, but not now"
expect_exit 0 "$TRAUMA" validate -m zen5 --filter '^data' --against line.jsonl
expect_text err "is of another machine"
expect_text out "0 worse, 0 changed otherwise"
expect_exit 2 "$TRAUMA" validate -q -m zen5 --against schema.json
expect_text err "is no scorecard"

# What cannot be planned is told and misses nothing; what is not reached in time is told; nothing seen exits 4.
expect_exit 0 "$TRAUMA" validate -q -m pentium-pro --filter '^(tlb|data)'
sed '/tlb *=/d' "$SOURCE/recipes/machines/skylake-sp.lua" >no-tlb.lua
! grep -q tlb no-tlb.lua || fail "the machine file still has a TLB"
expect_exit 0 "$TRAUMA" validate -q -m no-tlb.lua --filter '^(tlb|data)'
expect_text out "tlb/miss=0.1 refused: needs the data TLB of the machine file"
expect_exit 4 "$TRAUMA" validate -q -m skylake-sp --filter '^loads' --time 0.001
expect_text out "left out: the time for the check was over"
expect_exit 4 "$TRAUMA" validate -q -m skylake-sp --filter '^loads.*share=0.5' --counters plan

# Usage.
expect_exit 2 "$TRAUMA" validate loads
expect_text err "takes no argument 'loads'"
expect_exit 2 "$TRAUMA" validate -o card.csv
expect_exit 2 "$TRAUMA" validate --badge card.png
expect_exit 2 "$TRAUMA" validate --counters clock
expect_exit 2 "$TRAUMA" validate -o - --json

# The page holds no script and shows each verdict.
if command -v gnuplot >/dev/null; then
    expect_exit 0 "$TRAUMA" validate -q -m no-tlb.lua --filter '^(tlb|branches)' -o card.html
    grep -q '<svg role="img"' card.html || fail "the page has no figure"
    grep -q 'Mispredicted branches' card.html || fail "the page has no behaviour"
    grep -q 'not observed here: needs the data TLB' card.html || fail "the page hides what it cannot see"
    ! grep -q '<script' card.html || fail "the page has a script"
    if command -v xmllint >/dev/null; then
        sed 1d card.html | xmllint --noout - 2>err || fail "the page is not well-formed"
        xmllint --noout card.svg 2>err || fail "the badge is not well-formed"
    fi
fi

# The index of the scorecards in the repository is what its script makes of them.
if command -v python3 >/dev/null; then
    cp -r "$SOURCE/examples/results" results
    python3 results/index.py
    cmp results/README.md "$SOURCE/examples/results/README.md" || fail "examples/results/README.md is not what index.py writes"
fi

# A machine file that gives this machine a smaller L1: the silicon contradicts, where time shows it.
case $(uname -m) in
x86_64 | aarch64) ;;
*) exit 0 ;;
esac
expect_exit 0 "$TRAUMA" machine detect -q -o here.lua
sed 's/L1D = { size = "[0-9]*KiB", *ways = [0-9]*/L1D = { size = "8KiB",  ways = 2/' here.lua >wrong.lua
! cmp -s here.lua wrong.lua || fail "the machine file was not changed"
tries=0
until [ $tries -eq 4 ]; do
    tries=$((tries + 1))
    got=0
    "$TRAUMA" validate -q -m wrong.lua --here --filter '^chased-loads/level=L2' >out 2>err || got=$?
    [ $got -ne 5 ] || break
done
[ $got -eq 5 ] || unless_busy "exit code $got for a machine file that is wrong about L1: $(cat out)"
grep -q '^chased-loads  *served.L2 .*fail' out || fail "no row fails: $(cat out)"
