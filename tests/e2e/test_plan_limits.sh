# The search for a kernel is bounded: an impossible one is refused within a limited number of steps, with the reason;
# and the result does not depend on the machine's load.
. "$SOURCE/tests/e2e/lib.sh"

# CPU seconds for a program that a sanitizer may slow down; without the limits these take minutes there.
MOST_CPU_S=${MOST_CPU_S:-60}

# limited CODE NAME MACHINE [OPTIONS...]: gen ends with the code, within the time; twice with the same words.
limited()
{
    code=$1 name=$2 machine=$3
    shift 3
    (ulimit -t "$MOST_CPU_S" && expect_exit "$code" "$TRAUMA" gen "$name.lua" -m "$machine" -q -o "suite-$name" "$@")
}

# Lines that must come to miss every cache, in a loop as long as may be: each depth, size and number of colors.
cat >levels.lua <<'RECIPE'
benchmark { name = "b", loop = { instructions = 20000 }, kernel = function() return {
  store { served_by = { L1 = 1 - 0.0333333 - 0.01, MEM = 0.0333333, L2 = 0.01 }, count = 97, order = "burst", data = pattern.toggle(0.01), prefetch = "invite" },
  store { served_by = { L1 = 1 - 0.05, L3 = 0.05 }, count = 3, prefetch = "invite" },
  load { served_by = { L1 = 1 }, count = 10 },
  load { served_by = { L1 = 1 - 0.7, MEM = 0.7 }, count = 1, data = pattern.toggle(0.25) },
  load { working_set = 1073741824, count = 1, stride = 256 },
  load { served_by = { L1 = 1 - 0.01 - 0.001, L2 = 0.01, L3 = 0.001 }, count = 10, order = "even", address = "chase" },
} end }
RECIPE
limited 3 levels skylake-sp
expect_text err "levels.lua:1: b/default: "
expect_text err "served_by.L3 = 0"

# Walks through much data beside stated rates, of which nothing is promised.
cat >walks.lua <<'RECIPE'
benchmark { name = "b", loop = { fill = "L1I" }, kernel = function() return {
  code { served_by = { L1I = 0, L2 = 1 } },
  branch { accuracy = 0.75, taken = 0.3, count = 5 },
  load { working_set = 268435456, count = 10 },
  load { served_by = { L1 = 1 - 0.01 - 0.123456789, MEM = 0.01, L2 = 0.123456789 }, count = 7, address = "chase" },
  store { working_set = 1048576, count = 7, data = pattern.toggle(0.123456) },
  load { served_by = { L1 = 0.5, L3 = 0.5 }, count = 7 },
} end }
RECIPE
limited 3 walks fx-8320 --index virtual
expect_text err "walks.lua:1: b/default: "

# With tlb{} every access of every pass matters, and there are too many: refused before the search begins.
cat >pages.lua <<'RECIPE'
benchmark { name = "b", loop = { fill = "L1I" }, kernel = function() return {
  load { served_by = { L1 = 1 }, count = 1000, order = "burst" },
  branch { accuracy = 0.9, taken = 0.3, count = 50 },
  tlb { miss_rate = 0.1 },
  load { served_by = { L1 = 1 - 0.05, L3 = 0.05 }, count = 2 },
} end }
RECIPE
limited 3 pages fx-8320
expect_text err "so few accesses of a pass go to L3"
expect_text err "the nearest rate within its limit"

# So rare, among so many lines that move, that the cache model could not follow it: refused before it begins.
cat >rare.lua <<'RECIPE'
benchmark { name = "b", kernel = function() return {
  load { served_by = { L1 = 0.5, L2 = 0.5 }, prefetch = "invite", count = 3 },
  load { served_by = { L1 = 1 - 1e-5, L3 = 1e-5 } },
} end }
RECIPE
limited 3 rare zen5
expect_text err "rare.lua:1: b/default: so few accesses of a pass go to L3"
expect_text err "the nearest rate within its limit is about served_by.L3 = "

# Rare alone is planned, and quickly.
cat >alone.lua <<'RECIPE'
benchmark { name = "b", kernel = function()
  return { load { served_by = { L1 = 0.5 - 1e-4, L2 = 0.5, L3 = 1e-4 } } }
end }
RECIPE
limited 0 alone zen5

# Code that L2 has to serve beside data that fill it: refused without a search for places that do not exist.
cat >filled.lua <<'RECIPE'
benchmark { name = "b", kernel = function() return {
  code { served_by = { L1I = 0.5, L2 = 0.5 } },
  load { working_set = "1GiB" },
  add { count = 2 },
} end }
RECIPE
limited 3 filled zen5
expect_text err "has room for 0 of them beside the kernel's data"
