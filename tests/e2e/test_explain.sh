# trauma explain says all that the kernel says, and nothing that does not hold for the machine.
. "$SOURCE/tests/e2e/lib.sh"

cat >all.lua <<'LUA'
benchmark {
  name = "all",
  loop = { units = 20 },
  kernel = function()
    return {
      load { served_by = { L1 = 0.5, L2 = 0.5 }, width = 4, data = pattern.ones() },
      add { count = 4, dependents = 1 },
      xor { count = 4, chain = 2 },
      branch { accuracy = 0.9, taken = 0.5 },
    }
  end,
}
LUA
expect_exit 0 "$TRAUMA" explain all.lua -m pentium-pro --counters plan
expect_text out "4 bytes wide, of data 0xffffffff"
expect_text out "4 add: 1 of them consumes the last load"
expect_text out "4 xor: 0 of them consume the last load, in chains of 2"
expect_text out "1 branch: accuracy 0.9, 0.5 taken"
expect_text out "branches a pass"
expect_text out "the line of all hits is in L1D set 0"
expect_no_text out "1 conflict groups"

golden=$SOURCE/tests/golden/one-set
expect_exit 0 "$TRAUMA" explain "$golden/recipe.lua" -m "$golden/machine.lua" --counters plan
expect_text out "each hit reads the line of the miss before it"
expect_no_text out "the line of all hits is in"
expect_text out "1 conflict group,"
