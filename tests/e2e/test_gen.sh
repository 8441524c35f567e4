# Suites: their contents, that only a suite is ever replaced, and that the same inputs give the same bytes.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
gen()
{
    expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro "$@"
}

# What is in a suite.
gen -o one
for point in hit=0.5 hit=0.75; do
    for file in program program.s program.o manifest.json; do
        [ -s "one/small/$point/$file" ] || fail "one/small/$point/$file is missing"
    done
    [ -x "one/small/$point/program" ] || fail "program is not executable"
done
expect_same "$(json_document one/suite.json '#programs')" 2 "programs in suite.json"
expect_same "$(json_document one/small/hit=0.75/manifest.json parameters/hit targets/l1d.miss_rate)" \
    "$(printf '0.75\t0.25')" "parameter and target"
[ "$(json_document one/small/hit=0.5/manifest.json '#accesses')" -gt 0 ] || fail "the manifest has no accesses"

# The same bytes, whatever the number of processes and whatever was made before; other bytes for another seed.
gen -o two
expect_exit 0 diff -r one two
gen -o jobs -j2
expect_exit 0 diff -r one jobs

# Without -j a suite of many points is made on all cores, and is what one process makes.
cat >many.lua <<'LUA'
benchmark { name = "many", sweep = { hit = range(0, 1, 0.005) },
            kernel = function(p) return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { count = 2 } } end }
LUA
expect_exit 0 "$TRAUMA" gen many.lua -m pentium-pro -q -o many_default
expect_exit 0 "$TRAUMA" gen many.lua -m pentium-pro -q -j1 -o many_one
expect_exit 0 diff -r many_one many_default
gen -o part --filter hit=0.75
expect_exit 0 diff -r one/small/hit=0.75 part/small/hit=0.75
gen -o seeded --seed 2
expect_exit 1 cmp one/small/hit=0.5/program seeded/small/hit=0.5/program

# A suite is replaced whole.
[ ! -e part/small/hit=0.5 ] || fail "--filter did not filter"
gen -o seeded --filter hit=0.5
[ ! -e seeded/small/hit=0.75 ] || fail "the old suite's point is still there"
expect_exit 0 diff -r one/small/hit=0.5 seeded/small/hit=0.5

# An empty folder will do; a folder with anything else in it is refused and left alone.
mkdir empty other
gen -o empty
echo mine >other/notes.txt
expect_exit 2 "$TRAUMA" gen small.lua -m pentium-pro -o other
expect_same "$(ls -A other)" notes.txt "what is in the folder that was refused"
expect_same "$(cat other/notes.txt)" mine "the file in it"
echo mine >file
expect_exit 2 "$TRAUMA" gen small.lua -m pentium-pro -o file
expect_same "$(cat file)" mine "the file that was refused"

# A recipe that fails leaves the suite that was there.
sed 's/0.5, 0.75/0.999998, 0.999999/' small.lua >bad.lua
expect_exit 3 "$TRAUMA" gen bad.lua -m pentium-pro -o one
expect_exit 0 diff -r one two

# --dry-run says how much and writes nothing; shards are parts that add up.
gen -o dry --dry-run
[ ! -e dry ] || fail "--dry-run wrote"
gen -o shard1 --shard 1/2
gen -o shard2 --shard 2/2
expect_same "$(ls shard1/small shard2/small | grep -c =)" 2 "points of two shards"

# A folder under its other names; a link stays and what it leads to is replaced.
gen -o ./seeded/.
expect_exit 0 diff -r one seeded
gen -o seeded/./ --filter hit=0.5
[ ! -e seeded/small/hit=0.75 ] || fail "the suite was not replaced"
ln -s seeded link
gen -o link
[ -L link ] || fail "the link was replaced"
expect_exit 0 diff -r one seeded
ln -s nowhere dangling
expect_exit 2 "$TRAUMA" gen small.lua -m pentium-pro -o dangling
expect_text err "is a dangling link"
mkdir inside
cd inside
expect_exit 2 "$TRAUMA" gen ../small.lua -m pentium-pro -o .
cd "$WORK"

# One of anything.
gen -o part --filter hit=0.75
expect_text out "1 program for"

# A writer that is stopped leaves nothing.
sed 's/hit = { 0.5, 0.75 }/hit = range(0, 1, 0.002)/' small.lua >long.lua
for jobs in 1 2; do
    "$TRAUMA" gen long.lua -m pentium-pro -o stopped -j $jobs >"$WORK/out" 2>"$WORK/err" </dev/null &
    child=$!
    until ls -d .trauma-*/suite/small/* >/dev/null 2>&1; do
        kill -0 $child || fail "the writer ended too soon"
        sleep 0.01
    done
    kill -TERM $child
    got=0
    wait $child || got=$?
    expect_same "$got" 143 "exit code of a writer that was stopped with -j $jobs"
    expect_text err "stopped by a signal"
    expect_same "$(ls -d stopped* .trauma-* 2>/dev/null || true)" "" "what the stopped writer left"
done

# Nothing is left beside the suites.
expect_same "$(ls -d .??* ./*tmp* 2>/dev/null || true)" "" "files left behind"
