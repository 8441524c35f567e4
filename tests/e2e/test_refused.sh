# A point that is refused is one point: the others are made, run, checked and listed, everything names it with its reason, and the
# command ends with 3.
. "$SOURCE/tests/e2e/lib.sh"

# Two of the points have a rate that two units cannot make, and one has a kernel that fails.
recipe()
{
    cat <<RECIPE
benchmark {
  name   = "$1",
  sweep  = { hit = $2 },
  loop   = { units = 2 },
  kernel = function(p)
    if p.hit == 0.25 then error("no quarter") end
    return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } } }
  end,
}
RECIPE
}
recipe some "{ 1, 0.123, 0.25, 0, 0.5, 0.321 }" >some.lua
machine="-m pentium-pro --counters bytes"
run="--counters bytes --power none --reps 1 --time 0.001 --here -m pentium-pro --seed 3"
planned="a miss rate cannot be reached with up to 2 units"

# check
expect_exit 3 "$TRAUMA" check some.lua $machine --failed --junit some.xml
expect_same "$(sed -n 1p out | sed 's/[:;].*;/:/')" "6 points: 3 refused" "the counts"
expect_same "$(grep -c "some/hit=0.123 and 1 more point, with other numbers: $planned" err)" 1 "equal refusals are one line"
expect_text err "trauma: some.lua:6: some/hit=0.25: no quarter"
expect_same "$(sed -n '/^point  *verdict/,/^$/s/^some.hit=\([0-9.]*\) *\(.*\)$/\1 \2/p' out | grep refused | tr '\n' ' ')" \
    "0.123 refused 0.25 refused 0.321 refused " "rows of the points"
expect_text some.xml '<testcase classname="some" name="some/hit=0.25" time="0.000000">'
expect_text some.xml '<error message="refused: no quarter" type="refused"/>'
expect_text some.xml 'tests="21" failures="0" errors="3"'
expect_exit 3 "$TRAUMA" check some.lua $machine -j2 -q --tap
expect_text out "not ok 7 - some/hit=0.123"
expect_text out "# refused: no quarter"
expect_text err "no quarter"
expect_exit 3 "$TRAUMA" check some.lua $machine --json
expect_same "$(json "$WORK/out" point verdict | uniq | grep refused | cut -f 1 | tr '\n' ' ')" "hit=0.123 hit=0.25 hit=0.321 " "its lines"
# The first and the last; those of a shard; one of two recipes.
recipe edges "{ 0.123, 1, 0.25 }" >edges.lua
expect_exit 3 "$TRAUMA" check edges.lua $machine
expect_text out "3 points: "
expect_exit 0 "$TRAUMA" check edges.lua $machine --shard 2/3
expect_exit 3 "$TRAUMA" check edges.lua $machine --shard 1/3
expect_exit 3 "$TRAUMA" check edges.lua some.lua $machine
expect_text out "9 points: "
expect_same "$(sed -n '/^point  *verdict/,/^$/p' out | grep -c refused)" 5 "refused in two recipes"
expect_exit 0 "$TRAUMA" check some.lua $machine --filter 'hit=(1|0|0.5)$'
# All of them, as of a wrong file.
expect_exit 3 "$TRAUMA" check some.lua $machine --filter 0.25
expect_text err "trauma: some.lua:6: some/hit=0.25: no quarter"
expect_exit 3 "$TRAUMA" check some.lua $machine --filter 0.123
expect_text err "$planned"
# A kernel that is impossible is named by list too; what a machine lacks is known there.
expect_exit 3 "$TRAUMA" list some.lua -m pentium-pro -v
expect_same "$(grep -c ^some/ out)" 6 "points listed"
expect_text err "no quarter"
cat >levels.lua <<'RECIPE'
benchmark {
  name   = "levels",
  sweep  = { level = { "L2", "L3", "L1" } },
  kernel = function(p) return { load { served_by = { [p.level] = 1 } } } end,
}
RECIPE
expect_exit 3 "$TRAUMA" check levels.lua $machine
expect_text err 'levels/level=L3: load.served_by.L3 is 1: the machine "pentium-pro" has no L3 cache'
expect_exit 0 "$TRAUMA" check levels.lua -m skylake-sp --counters bytes
# A missed rate beside it: the refusal decides.
sed 's/^}$/  expect = { ["pass.instructions"] = { max = 1 } },\n}/' some.lua >missed.lua
expect_exit 3 "$TRAUMA" check missed.lua $machine
expect_exit 5 "$TRAUMA" check missed.lua $machine --filter 'hit=1$'

# gen, and what becomes of the suite
expect_exit 3 "$TRAUMA" gen some.lua -m pentium-pro -o suite
expect_text out "3 programs for pentium-pro in suite; 3 points refused"
expect_exit 3 "$TRAUMA" gen some.lua -m pentium-pro -o again -j3 --json
expect_text out '"programs":3,"refused":3'
cmp suite/suite.json again/suite.json || fail "the index depends on the number of workers"
expect_exit 3 "$TRAUMA" gen some.lua -m pentium-pro -o suite
[ -x suite/some/hit=0/program ] || fail "the suite was not replaced"
expect_exit 3 "$TRAUMA" gen some.lua -m pentium-pro -o none --filter 0.123
[ ! -e none ] || fail "a suite of nothing"
expect_exit 3 "$TRAUMA" check suite --counters bytes
expect_same "$(sed -n 1p out | sed 's/[:;].*;/:/')" "6 points: 3 refused" "the counts of the suite"
expect_text out "no quarter"
expect_exit 3 "$TRAUMA" run suite --counters bytes --power none --reps 1 --time 0.001 -o of_suite.jsonl
expect_same "$(json of_suite.jsonl name code | sed 1d | grep -c '3$')" 3 "refused points of the suite's results"
expect_exit 0 "$TRAUMA" diff suite again
sed 's/0.25 then/0.75 then/' some.lua >changed.lua
expect_exit 3 "$TRAUMA" gen changed.lua -m pentium-pro -o changed
expect_exit 5 "$TRAUMA" diff suite changed
expect_text out "refused in OLD"

# explain takes the first point that has a program.
expect_exit 3 "$TRAUMA" explain edges.lua $machine
expect_text out "edges/hit=1 on pentium-pro"
expect_text err "$planned"
expect_text err "1 more point;"

# run: in any order, told in the recipe's.
expect_exit 3 "$TRAUMA" run some.lua $run -o results.jsonl --order random
expect_same "$(sed -n '/^point.*verdict$/,/^$/s/^some.hit=\([0-9.]*\).*/\1/p' out | tr '\n' ' ')" "1 0.123 0.25 0 0.5 0.321 " \
    "the order of the table"
expect_same "$(json results.jsonl name error code | grep quarter)" "$(printf 'hit=0.25\tno quarter\t3')" "its line"
expect_exit 3 "$TRAUMA" check results.jsonl --junit results.xml
expect_same "$(sed -n 1p out | sed 's/[:;].*;/:/')" "6 points: 3 refused" "the counts of the results"
expect_same "$(sed -n '/^point.*verdict$/,/^$/s/^some.hit=\([0-9.]*\).*/\1/p' out | tr '\n' ' ')" "1 0.123 0.25 0 0.5 0.321 " \
    "the order of the check"
expect_text results.xml '<error message="refused: no quarter" type="refused"/>'
expect_exit 0 "$TRAUMA" export results.jsonl -o results.csv
expect_text results.csv "refused"
expect_text results.csv "no quarter"
expect_exit 0 "$TRAUMA" report results.jsonl -o results.html
expect_text results.html "no quarter"
expect_exit 0 "$TRAUMA" diff results.jsonl results.jsonl
# A second run of the same adds nothing; of a recipe in which the point is possible, only that point.
lines=$(wc -l <results.jsonl)
expect_exit 3 "$TRAUMA" run some.lua $run -o results.jsonl --resume
expect_same "$(wc -l <results.jsonl)" "$lines" "lines after another try"
sed 's/p.hit == 0.25/false/' some.lua >mended.lua
mv mended.lua some.lua
expect_exit 3 "$TRAUMA" run some.lua $run -o results.jsonl --resume
expect_same "$(wc -l <results.jsonl)" "$((lines + 1))" "lines when the point is possible"
expect_exit 3 "$TRAUMA" check results.jsonl
expect_same "$(sed -n 1p out | sed 's/[:;].*;/:/')" "6 points: 2 refused" "the mended point stands once"
expect_exit 3 "$TRAUMA" check some.lua $machine --failed-in results.jsonl
expect_text out "some/hit=0.123  refused"

# merge: shards stand in the recipe's order; the run of a point takes the place of its refusal.
for shard in 1 2; do
    expect_exit $((shard == 1 ? 0 : 3)) "$TRAUMA" run some.lua $run -q -o "shard$shard.jsonl" --shard "$shard/2" --order random
done
expect_exit 0 "$TRAUMA" merge shard2.jsonl shard1.jsonl -o merged.jsonl
expect_text out "6 points of 2 files in merged.jsonl; 2 refused"
expect_same "$(json merged.jsonl index | sed 1d | tr '\n' ' ')" "0 1 2 3 4 5 " "the order of the merged points"
sed 's/units = 2 /units = 50 /' some.lua >other.lua
mv other.lua some.lua
expect_exit 0 "$TRAUMA" run some.lua $run -q -o other.jsonl --filter 0.321
for order in "merged.jsonl other.jsonl" "other.jsonl merged.jsonl"; do
    rm -f both.jsonl
    expect_exit 0 "$TRAUMA" merge $order -o both.jsonl
    expect_text out "6 points of 2 files in both.jsonl; 1 refused; 1 had failed in one and finished in another"
done
