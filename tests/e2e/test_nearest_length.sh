# A loop of a fixed length may hold too few accesses for a rate: the refusal names a length that meets it, which the
# recipe can state.
. "$SOURCE/tests/e2e/lib.sh"

cat >three.lua <<'MACHINE'
machine {
  name = "three", isa = "x86_64",
  caches = {
    L1I = { size = "32KiB", ways = 8, line = 64, policy = "lru" },
    L1D = { size = "40KiB", ways = 10, line = 64, policy = "lru" },
    L2  = { size = "384KiB", ways = 12, line = 64, policy = "lru" },
    L3  = { size = "3MiB", ways = 12, line = 64, policy = "lru" },
  },
}
MACHINE

recipe()
{
    cat <<RECIPE
benchmark {
  name = "b",
  loop = { units = $1 },
  kernel = function() return { load { served_by = { L1 = 0.42, L3 = 0.348, MEM = 0.232 } } } end,
}
RECIPE
}

recipe 50 >fixed.lua
expect_exit 3 "$TRAUMA" gen fixed.lua -m three.lua -q -o suite
expect_text err "l3.miss_rate = 0.4 cannot be reached"
units=$(sed -n 's/.*loop = { units = \([0-9]*\) } meets all rates.*/\1/p' err)
[ -n "$units" ] || fail "no length is named: $(cat err)"

recipe "$units" >named.lua
expect_exit 0 "$TRAUMA" gen named.lua -m three.lua -q -o suite
