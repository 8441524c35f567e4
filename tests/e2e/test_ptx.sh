# PTX programs of the shipped recipes: generated for each architecture, reproducibly, accepted by ptxas if present;
# and what a GPU cannot do is refused with a message.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# machine ARCH: one of that architecture, in $WORK/ARCH.lua.
machine()
{
    sed "s/name = \"h200\"/name = \"$1\"/; s/sm_90/$1/" "$SOURCE/recipes/machines/h200.lua" >"$1.lua"
}

architectures="sm_75 sm_80 sm_89 sm_90 sm_100 sm_120"
for arch in $architectures; do
    machine "$arch"
done

# Every recipe, some points of each.
points="
gpu-energy-2024/identify size=(16384|1048576|1073741824)$|size=(16384|1048576|1073741824),
gpu-energy-2024/load seconds=4,threads=(1|1024)$
gpu-energy-2024/store seconds=4,threads=32$
gpu-energy-2024/div div=1,.*seconds=4,threads=8$
gpu-bandwidth/latency .
gpu-bandwidth/bandwidth threads=512,width=16|threads=128,width=4
gpu-bandwidth/divergence threads=256
gpu-bandwidth/throttle duty=0.4
"
cat >more.lua <<'RECIPE'
local function one(name, unit, more)
  local fields = { name = name, target = "ptx", kernel = function() return unit end }
  for key, value in pairs(more or {}) do fields[key] = value end
  benchmark(fields)
end
one("mixed", { load { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.25, MEM = 0.25 }, count = 2 }, add { count = 2, dependents = 1 } })
one("chases", { load { served_by = { L1 = 0.5, L2 = 0.5 }, address = "chase", stride = "random" }, fma { chain = 2 }, fadd { width = 8 } })
one("data", { load { served_by = { L2 = 1 }, width = 16, data = pattern.toggle(0.25, { bus = 256 }) } })
one("placed", { load { served_by = { L2 = 1 } }, nop {}, mul { width = 4 }, shift {}, xor {} }, { place = { sm = { 0, 1, 77 } } })
one("stores", { store { served_by = { L2 = 0.5, SHARED = 0.5 }, data = pattern.ones() }, div {} })
one("lanes", { load { served_by = { MEM = 1 }, lane = 32, cache = "cs" }, load { served_by = { L2 = 1 }, cache = "cv" } },
    { grid = { blocks = 7, threads = 33 } })
one("far-apart", { load { working_set = 12 << 30, stride = 16 << 20 } }, { grid = { blocks = 2, threads = 1 }, loop = { units = 64 } })
RECIPE

for arch in $architectures; do
    echo "$points" | while read -r recipe filter; do
        [ -n "$recipe" ] || continue
        expect_exit 0 "$TRAUMA" gen "$recipe" -t ptx -m "$arch.lua" --filter "$filter" -o "suite-$arch/$recipe"
    done
    expect_exit 0 "$TRAUMA" gen more.lua -t ptx -m "$arch.lua" -o "more-$arch"
done

# The same again; and what the header says.
expect_exit 0 "$TRAUMA" gen more.lua -t ptx -m sm_90.lua -j1 -o again
diff -r more-sm_90 again >"$WORK/err" || fail "another run made other programs"
program=more-sm_90/placed/default
grep -q '^\.target sm_90$' "$program/program.ptx" || fail "no target in the program"
grep -q 'trauma_places\[5\] = {0x00000003, 0x00000000, 0x00002000, 0x00000000, 0x00000000}' "$program/program.ptx" ||
    fail "not the places of the recipe: $(grep trauma_places "$program/program.ptx")"
expect_same "$(json_document "$program/manifest.json" grid/blocks)" 132 "blocks"

# ---- refusals ----

# refuse WORDS UNIT [FIELDS]: on an L2 of one part, exit 3 and a sentence.
sed 's/name = "ada"/name = "one"/' "$SOURCE/recipes/machines/ada.lua" >one.lua
refuse()
{
    echo "benchmark { name = 'no', target = 'ptx', kernel = function() return { $2 } end, ${3:-} }" >no.lua
    expect_exit 3 "$TRAUMA" gen no.lua -t ptx -m one.lua -o no
    expect_text err "$1"
    [ ! -e no/no ] || fail "a program was made all the same"
}
one='load { served_by = { L2 = 1 } }'
refuse "is one part" "$one" 'place = { side = "near" }'
refuse "L3" 'load { served_by = { L3 = 1 } }'
refuse "prefetcher" 'load { served_by = { L2 = 1 }, prefetch = "defeat" }'
refuse "bypasses L1" 'load { served_by = { L1 = 1 }, cache = "cg" }'
refuse "1024" "$one" 'grid = { threads = 1025 }'
refuse "multiprocessors 0 to 127" "$one" 'place = { sm = { 128 } }'
refuse "did you mean 'c" 'load { served_by = { L2 = 1 }, cache = "cq" }'
refuse "does not keep stores" 'store { served_by = { L1 = 1 } }'
refuse "gpu.bandwidth" "$one, throttle { duty = 0.5 }"
refuse "identified by number; expected sm" "$one" 'place = { se = 1 }'
refuse "identified by number; expected sm" "$one" 'place = { cu = { 0 } }'
refuse "rows overlap" 'load { served_by = { MEM = 1 }, stride = 32 }'

# ---- ptxas ----

PATH=$PATH:/usr/local/cuda/bin
need_program ptxas
taken=0
for arch in $architectures; do
    ptxas --help | grep -q "$arch'" || continue
    for program in "suite-$arch"/*/*/*/*/program.ptx "more-$arch"/*/*/program.ptx; do
        ptxas -arch="$arch" "$program" -o "$WORK/cubin" >"$WORK/err" 2>&1 || fail "ptxas refuses $program for $arch"
        taken=$((taken + 1))
    done
done
[ "$taken" -ge 100 ] || fail "ptxas saw $taken programs only"
echo "ptxas took $taken programs"
