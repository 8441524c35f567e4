# An invalid recipe ends with exit code 3, file and line; an impossible one with the reason. Nothing is written.
. "$SOURCE/tests/e2e/lib.sh"

# refused TEXT: gen of bad.lua ends with 3 and says TEXT.
refused()
{
    expect_exit 3 "$TRAUMA" gen bad.lua -m "${machine:-pentium-pro}" -o suite
    expect_text err "$1"
    expect_empty out
    [ ! -e suite ] || fail "a suite was written for a recipe that is wrong"
}

cat >bad.lua <<'RECIPE'
benchmark {
  name = "bad",
  kernel = function(p)
    return { load { serve_by = { L1 = 1 } } }
  end,
}
RECIPE
refused "bad.lua:4: "
expect_text err "did you mean 'served_by'?"

sed -i 's/serve_by = { L1 = 1 }/served_by = { L1 = 0.5, L2 = 0.4 }/' bad.lua
refused "bad.lua:4: "
expect_text err "sum to 1"

sed -i 's/L1 = 0.5, L2 = 0.4/L1 = 1.5/' bad.lua
refused "bad.lua:4: "
expect_text err "between 0 and 1"

echo 'benchmark {' >bad.lua
refused "bad.lua:"

echo 'while true do end' >bad.lua
refused "bad.lua"

write_recipe bad.lua
cat >tiny.lua <<'MACHINE'
-- Lines that conflict in L1D do not fit in this L2 together, so nothing can miss L1D and hit L2.
machine {
  name = "tiny", isa = "x86_64",
  caches = {
    L1I = { size = "8KiB", ways = 4, line = 32, policy = "lru" },
    L1D = { size = "8KiB", ways = 4, line = 32, policy = "lru" },
    L2  = { size = "8KiB", ways = 1, line = 32, policy = "lru" },
  },
}
MACHINE
machine=tiny.lua refused "bad.lua"
expect_text err "stay in L2"

# A level that the machine lacks.
sed 's/L1 = p.hit, L2 = 1 - p.hit/L1 = p.hit, L3 = 1 - p.hit/' bad.lua >no-l3.lua
mv no-l3.lua bad.lua
refused "has no L3 cache"

echo 'machine { name = "wrong", isa = "x86_64", caches = { L1D = { size = "8KB" } } }' >wrong.lua
write_recipe good.lua
expect_exit 3 "$TRAUMA" gen good.lua -m wrong.lua -o suite
expect_text err "wrong.lua"

# Words that change stay where a pass has them: no eviction set goes on from pass to pass, and the refusal says what one pass wants.
echo 'benchmark { name = "bad", loop = { units = 20 }, kernel = function()
  return { load { served_by = { L1 = 0.5, L2 = 0.5 }, data = pattern.toggle(0.25) } } end }' >bad.lua
expect_exit 3 "$TRAUMA" gen bad.lua -m zen5 -o none
expect_text err "20 units of one pass, in which changing words have their places, have fewer misses"
expect_text err "the nearest reachable miss rate is 0.65"
sed -i 's/units = 20/units = 26/' bad.lua
expect_exit 0 "$TRAUMA" gen bad.lua -m zen5 -o some

# What is wrong with a sweep or with where is said of the field's own line, not of the call's.
# at LINE TEXT FIELDS: a benchmark with these lines from its line 3 on.
at()
{
    printf 'benchmark {\n  name = "bad", kernel = function() return { add {} } end,\n%s\n}\n' "$3" >bad.lua
    machine=pentium-pro refused "bad.lua:$1: "
    expect_text err "$2"
}
at 5 "sweep.b has b=1 twice" '  sweep = {
    a = { 1, 2 },
    b = { 1, 1 },
  },'
at 5 'sweep names a parameter that is "x y"' '  sweep = {
    a = { 1, 2 },
    ["x y"] = { 1 },
  },'
at 4 "sweep.a is the parameter 'a' twice" '  sweep = {
    a = { 1, 2 },
    zip { a = { 1 }, c = { 2 } },
  },'
at 4 "the point's name has 252 characters" "  title = 't',
  sweep = { a = { '$(printf '%0250d' 0)' } },"
at 4 "benchmark.where drops every point" '  sweep = { a = { 1, 2 } },
  where = function() return false end,'
at 4 "benchmark.measure.time is 1e+300: expected seconds, at least 0 and at most a day" '  measure = {
    time = 1e300 },'

# A suite has files of these names beside its benchmarks' folders.
for name in suite.json trauma.h manifest.json; do
    echo "benchmark { name = '$name', kernel = function() return { add {} } end }" >bad.lua
    machine=pentium-pro refused "benchmark.name is \"$name\": a suite has a file of that name"
done

# A byte order mark and a first line for the shell are no Lua: they are left out, and lines count as they stand.
mark=$(printf '\357\273\277')
plain='benchmark { name = "marked", kernel = function() return { add {} } end }'
for head in "$mark" "#!/usr/bin/env lua
" "$mark#!/usr/bin/env lua
"; do
    printf '%s%s\n' "$head" "$plain" >marked.lua
    expect_exit 0 "$TRAUMA" gen marked.lua -m pentium-pro -o marked -q
    printf '%s' "$head" | cat - "$SOURCE/recipes/machines/pentium-pro.lua" >marked-machine.lua
    expect_exit 0 "$TRAUMA" machine show marked-machine.lua
done
printf '#!/usr/bin/env lua\nbenchmark {\n  nme = 1 }\n' >bad.lua
machine=pentium-pro refused "bad.lua:3: "
printf '\377\376b\0' >bad.lua
machine=pentium-pro refused "UTF-16: expected UTF-8"
printf '\357\273\277\033Lua' >bad.lua
machine=pentium-pro refused "compiled Lua"
