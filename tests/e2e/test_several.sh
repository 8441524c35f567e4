# Several inputs at once: each recipe gets the overrides that it knows, each suite has its own machine and seed.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
cat >other.lua <<'LUA'
benchmark {
  name   = "other",
  sweep  = { hit = { 0.5, 1 }, width = { 4, 8 } },
  loop   = { units = 40 },
  kernel = function(p) return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, width = p.width } } end,
}
LUA

# points OPTIONS...: how many points each benchmark has.
points()
{
    expect_exit 0 "$TRAUMA" list small.lua other.lua -m pentium-pro --json "$@"
    json_document "$WORK/out" '#0/points' 0/points/0 '#1/points' 1/points/0
}
expect_same "$(points)" "$(printf '2\thit=0.5\t4\thit=0.5,width=4')" "points"
expect_same "$(points --set width=8)" "$(printf '2\thit=0.5\t2\thit=0.5,width=8')" "points where one file knows the name"
expect_same "$(points --set width=8 --set hit=0.25)" "$(printf '1\thit=0.25\t1\thit=0.25,width=8')" \
    "points where one file knows one of two names"
expect_exit 2 "$TRAUMA" list small.lua other.lua -m pentium-pro --set hit=0.25 --set widht=8
expect_text err "widht"
expect_exit 2 "$TRAUMA" list other.lua -m pentium-pro --set widht=8
expect_text err "did you mean 'width'?"
expect_exit 2 "$TRAUMA" list small.lua other.lua -m pentium-pro --set hit=
expect_exit 2 "$TRAUMA" list small.lua other.lua -m pentium-pro --set hit=0.5 --set hit=1
expect_text err "twice"
sed -i 's/sweep  = .*/sweep  = { zip { hit = { 0.5, 1 }, width = { 4, 8 } } },/' other.lua
expect_exit 2 "$TRAUMA" list small.lua other.lua -m pentium-pro --set width=16
expect_text err "has no such value"

# A run has one machine and one seed: its inputs', which need not be those of the command line.
quick="--time 0.01 --reps 1 --counters bytes,plan"
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o ppro --seed 7
expect_exit 0 "$TRAUMA" gen other.lua -m interlagos -o lagos --seed 7
expect_exit 0 "$TRAUMA" gen other.lua -m pentium-pro -o seeded --seed 8
expect_exit 0 "$TRAUMA" run ppro -o results.jsonl $quick
expect_same "$(json results.jsonl machine/name seed | head -n 1)" "pentium-pro	7" "machine and seed of the context"
expect_exit 2 "$TRAUMA" run ppro lagos -o never.jsonl $quick
expect_text err "ppro and lagos are for different machines"
expect_exit 2 "$TRAUMA" run ppro seeded -o never.jsonl $quick
expect_text err "different seeds"
expect_exit 2 "$TRAUMA" run other.lua ppro -m pentium-pro -o never.jsonl $quick
expect_text err "different seeds"
[ ! -e never.jsonl ] || fail "results were written for a run that was refused"
expect_exit 0 "$TRAUMA" run other.lua ppro -m pentium-pro --seed 7 -o both.jsonl $quick
expect_same "$(json both.jsonl name | tail -n +2 | wc -l)" 4 "points of a recipe and a suite"
# More shards than points: nothing to run, and no crash.
expect_exit 0 "$TRAUMA" run ppro -o none.jsonl --shard 3/3 $quick

# A recipe's name as it is listed and recorded is one that commands take.
expect_exit 0 "$TRAUMA" list --json
json_document "$WORK/out" 0/recipe 1/recipe | tr '\t' '\n' >names
while read -r name; do
    expect_exit 0 "$TRAUMA" list "$name"
done <names
expect_exit 0 "$TRAUMA" gen traumagen-2001/dcache -m pentium-pro -o dcache --filter 'hit=1$'
expect_same "$(json_document dcache/suite.json programs/0/recipe)" traumagen-2001/dcache "the recipe in the index"
expect_exit 0 "$TRAUMA" list dcache --json
expect_same "$(json_document "$WORK/out" '#0/points')" 3 "points of a suite in the list"
expect_same "$(json_document ppro/suite.json programs/0/recipe)" small.lua "the recipe in the index"
