# Loads and stores served by any level, in a real cache simulator that gets no information from trauma: two pairs of
# runs, L1 with L2 and L2 with L3, observe every rate within 0.001. Impossible rates are refused at the recipe's line.
. "$SOURCE/tests/e2e/lib.sh"

# write_machine L3: a small machine; L3 is its line, or nothing.
write_machine()
{
    cat >machine.lua <<MACHINE
machine {
  name = "small", isa = "x86_64",
  caches = {
    L1I = { size = 32768, ways = 8, line = 64, policy = "lru" },
    L1D = { size = 4096, ways = 2, line = 64, policy = "lru" },
    L2  = { size = 131072, ways = 8, line = 64, policy = "lru" },
    $1
  },
}
MACHINE
}
l3='L3 = { size = 1048576, ways = 16, line = 64, policy = "lru" },'

# refused KERNEL TEXT...: a kernel of this one behaviour is refused at its line, and the message has the texts.
refused()
{
    echo "benchmark {
  name = \"bad\",
  kernel = function(p, m)
    return { $1 } end }" >bad.lua
    shift
    expect_exit 3 "$TRAUMA" gen bad.lua -m machine.lua -o refused
    grep -qE 'bad\.lua:[1-4]: ' "$WORK/err" || fail "no line of bad.lua is named"
    for text in "$@"; do
        expect_text err "$text"
    done
    [ ! -e refused ] || fail "a suite was written for a recipe that is wrong"
}

write_machine "$l3"
refused 'load { served_by = { L1 = 0.5, L3 = 0.4 } }' 'served_by sums to 0.9'
refused 'load { served_by = { L1 = 0.5, L4 = 0.5 } }' "no level 'L4'"
refused 'load { served_by = { L1 = 0.5, SHARED = 0.5 } }' 'SHARED is a level of GPUs'
refused 'load { miss_rate = { L1 = 0.5, L3 = 1.5 } }' 'between 0 and 1'
refused 'load { miss_rate = { L2 = 0.5 } }' 'miss_rate.L1 is missing'
refused 'load { miss_rate = { L1 = 0.5, MEM = 0.1 } }' 'nothing misses memory'
refused 'load {}' 'does not state where it is served from'
refused 'load { served_by = { L1 = 1 }, working_set = 4096 }' 'more than once'
refused 'load { working_set = 32 }' 'from 64 to 1 GiB'
refused 'load { working_set = 100.5 }' 'from 64 to 1 GiB'
refused 'load { working_set = 4096, stride = 0 }' 'expected a number of bytes up to 1 GiB, a size such as "4KiB", or "random"'
refused 'load { served_by = { MEM = 1 }, stride = 100 }' 'a stride of 100 bytes cannot meet a stated rate' \
    'a multiple of the line, 64 bytes'
refused 'load { served_by = { MEM = 1 }, stride = 512, prefetch = "defeat" }' 'both prefetch = "defeat" and a stride of 512'
refused 'load { served_by = { MEM = 1 }, stride = "random", prefetch = "invite" }' 'no prefetcher follows that'
refused 'load { served_by = { MEM = 1 }, prefetch = "encourage" }' 'expected defeat or invite'
refused 'load { served_by = { L3 = 1 }, address = "chase", width = 4 }' 'which have 8 bytes'
refused 'store { served_by = { L1 = 1 }, address = "chase" }' 'a store provides no address to continue with'
refused 'store { served_by = { L1 = 1 } }, add { dependents = 1 }' 'no load precedes it'
# An L3 with the ways and sets of L2 holds nothing that misses L2.
write_machine 'L3 = { size = 131072, ways = 8, line = 64, policy = "lru" },'
refused 'load { served_by = { L3 = 1 } }' 'no lines can both miss all levels above L3 and stay in L3 (128KiB, 8-way)'
write_machine ''
refused 'load { served_by = { L1 = 0.5, L3 = 0.5 } }' 'served_by.L3 is 0.5' 'has no L3 cache'
refused 'store { miss_rate = { L1 = 1, L2 = 1, L3 = 0.5 } }' 'miss_rate.L3 is 0.5' 'has no L3 cache'

# Nothing is promised of a walk; what the cache model says of it stands in the manifest as predicted.
cat >walk.lua <<'RECIPE'
benchmark { name = "walk", kernel = function() return { load { working_set = 1 << 20, stride = 64 }, add {} } end }
RECIPE
expect_exit 0 "$TRAUMA" gen walk.lua -m machine.lua -o walk
expect_same "$(json_document walk/walk/default/manifest.json '#targets')" 0 "promises of a walk"
expect_same "$(json_document walk/walk/default/manifest.json expected/served.MEM)" 1 "share that memory is predicted to serve"

need_program valgrind
cat >levels.lua <<'RECIPE'
local kernels = {
  each      = function() return { load { served_by = { L1 = 0.4, L2 = 0.3, L3 = 0.2, MEM = 0.1 } }, add { dependents = 1 } } end,
  chase     = function() return { load { served_by = { L1 = 0.25, L3 = 0.5, MEM = 0.25 }, address = "chase" }, nop {} } end,
  -- Few of a pass's loads: the shares hold over a period.
  rare      = function() return { load { miss_rate = { L1 = 0.04, L2 = 0.25, L3 = 0.6 } }, add { count = 3 } } end,
  memory    = function() return { load { served_by = { L1 = 0.971, MEM = 0.029 }, address = "chase" }, add { count = 6 } } end,
  stores    = function() return { load { served_by = { L1 = 0.7, L2 = 0.3 } }, store { served_by = { L1 = 0.5, L3 = 0.3, MEM = 0.2 }, count = 2 } } end,
  narrow    = function() return { store { served_by = { L2 = 0.75, MEM = 0.25 }, width = 4, order = "even" } } end,
  stride    = function() return { load { served_by = { L1 = 0.5, MEM = 0.5 }, stride = 512 }, add {} } end,
  long      = function() return { load { served_by = { MEM = 1 }, stride = 8192, count = 2 }, load { served_by = { L1 = 1 } } } end,
  invited   = function() return { load { served_by = { MEM = 1 }, stride = 64, prefetch = "invite", address = "chase" } } end,
  branching = function() return { load { served_by = { L1 = 0.5, L3 = 0.25, MEM = 0.25 } }, add { count = 3 }, branch { accuracy = 0.9 } } end,
}
benchmark {
  name   = "levels",
  loop   = function(p) return p.kernel == "narrow" and { units = 200 } or {} end,
  sweep  = { kernel = { "each", "chase", "rare", "memory", "stores", "narrow", "stride", "long", "invited", "branching" } },
  kernel = function(p) return kernels[p.kernel]() end,
}
RECIPE
cat >two.lua <<'RECIPE'
benchmark {
  name   = "two",
  sweep  = { address = { "independent", "chase" }, miss = { 0.13, 0.8 } },
  kernel = function(p) return { load { miss_rate = { L1 = p.miss, L2 = 0.3 }, address = p.address }, store { served_by = { MEM = 1 } } } end,
}
RECIPE

# simulate PROGRAM ITERATIONS D1 LL: "accesses D1-misses LL-misses" of a whole run, of loads and stores. Without the
# optimizer, which would drop loads whose value nobody reads.
simulate()
{
    valgrind --tool=cachegrind --cache-sim=yes --vex-iropt-level=0 --I1=32768,8,64 "--D1=$3" "--LL=$4" \
        --cachegrind-out-file=report "$1" "$2" >/dev/null 2>"$WORK/err" || fail "valgrind failed on $1"
    awk '$1 == "events:" { for (i = 2; i <= NF; i++) at[$i] = i }
         $1 == "summary:" { print $at["Dr"] + $at["Dw"], $at["D1mr"] + $at["D1mw"], $at["DLmr"] + $at["DLmw"] }' report
}

# a_hundred_passes PROGRAM D1 LL: the same of a hundred passes; set-up and warm-up drop out of the difference.
a_hundred_passes()
{
    simulate "$1" 20 "$2" "$3" >few
    simulate "$1" 120 "$2" "$3" >many
    paste -d ' ' few many | awk '{ print $4 - $1, $5 - $2, $6 - $3 }'
}

# expect_rate MANIFEST METRIC PART WHOLE: a rate that the manifest promises, and what came to it.
expect_rate()
{
    awk -v wanted="$(json_document "$1" "targets/$2")" -v part="$3" -v whole="$4" 'BEGIN {
        if (whole == 0) exit wanted != 0
        off = part / whole - wanted
        exit off > 0.001 || off < -0.001
    }' || fail "$1: $2 is $3 of $4"
    rates=$((rates + 1))
}

programs=0
rates=0
write_machine "$l3"
expect_exit 0 "$TRAUMA" gen levels.lua -m machine.lua -o suite -q
for manifest in suite/*/*/manifest.json; do
    program=$(dirname "$manifest")/program
    a_hundred_passes "$program" 4096,2,64 131072,8,64 >upper
    a_hundred_passes "$program" 131072,8,64 1048576,16,64 >lower
    read -r accesses l1_misses l2_misses <upper
    read -r again l2_misses_alone l3_misses <lower
    wanted=$(json_document "$manifest" loads stores | awk '{ sum += $1 + $2 } END { print 100 * sum }')
    expect_same "$accesses $again" "$wanted $wanted" "accesses of a hundred passes of $program"
    expect_rate "$manifest" l1d.miss_rate "$l1_misses" "$accesses"
    expect_rate "$manifest" l2.miss_rate "$l2_misses" "$l1_misses"
    expect_rate "$manifest" l3.miss_rate "$l3_misses" "$l2_misses_alone"
    programs=$((programs + 1))
done
write_machine ''
expect_exit 0 "$TRAUMA" gen two.lua -m machine.lua -o two -q
for manifest in two/*/*/manifest.json; do
    a_hundred_passes "$(dirname "$manifest")/program" 4096,2,64 131072,8,64 >upper
    read -r accesses l1_misses l2_misses <upper
    expect_rate "$manifest" l1d.miss_rate "$l1_misses" "$accesses"
    expect_rate "$manifest" l2.miss_rate "$l2_misses" "$l1_misses"
    programs=$((programs + 1))
done
expect_same "$programs $rates" "14 38" "programs simulated, rates compared"

# trauma sees the same by its own two pairs of runs.
write_machine "$l3"
expect_exit 0 "$TRAUMA" check levels.lua -m machine.lua --filter 'each|stores' --counters cachegrind
grep -q 'kernel=each *l3.miss_rate .*pass (code) .*cachegrind 0.33' "$WORK/out" || fail "L3's rate is not seen: $(cat "$WORK/out")"

# The example's harness goes round such working sets too, from wherever the call before left them.
need_program cc
cp "$SOURCE/examples/harness.c" .
for point in each stores rare; do
    expect_exit 0 cc -std=c11 -Wall -Wextra -Werror -O2 -Isuite harness.c "suite/levels/kernel=$point/program.o" -o harness
    expect_exit 0 ./harness
    expect_text out " passes, "
done
