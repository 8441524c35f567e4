# A wrong recipe ends with exit code 3, file and line; an impossible one with the reason. Nothing is written.
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

# Words that change stay where a pass has them: no conflict group goes on from pass to pass, and the refusal says what one pass wants.
echo 'benchmark { name = "bad", loop = { units = 20 }, kernel = function()
  return { load { served_by = { L1 = 0.5, L2 = 0.5 }, data = pattern.toggle(0.25) } } end }' >bad.lua
expect_exit 3 "$TRAUMA" gen bad.lua -m zen5 -o none
expect_text err "20 units of one pass, as words that change have their places in it, have fewer misses"
expect_text err "the nearest reachable miss rate is 0.65"
sed -i 's/units = 20/units = 26/' bad.lua
expect_exit 0 "$TRAUMA" gen bad.lua -m zen5 -o some
