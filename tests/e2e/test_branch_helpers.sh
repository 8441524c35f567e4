# What makes a branch{}'s direction random, tests it or finds its target helps it: that is no operation of the recipe, and
# belongs to no unit.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program objdump

cat >helpers.lua <<'LUA'
local kernels = {
  conditional = function() return { add {}, mul { count = 2 }, branch { accuracy = 0.8 } } end,
  indirect    = function() return { add {}, mul { count = 2 }, branch { accuracy = 0.8, kind = "indirect" } } end,
  pieces      = function() return { mul { count = 2 }, add {}, code { served_by = { L1I = 0.5, L2 = 0.5 } }, branch { accuracy = 0.8 } } end,
}
benchmark { name = "b", sweep = { kind = { "conditional", "indirect", "pieces" } }, kernel = function(p) return kernels[p.kind]() end }
LUA

# share PER_UNIT: so many instructions of each unit among all of the loop, as numbers are written.
share()
{
    awk -v n="$1" -v units="$units" -v all="$all" 'BEGIN { printf "%.8g", n * units / all }'
}

# rounded PATH...
rounded()
{
    json_document "$manifest" "$@" | awk '{ printf "%.8g", $NF }'
}

for target in x86_64:pentium-pro aarch64:neoverse-n1 riscv64:sifive-u74; do
    machine=${target#*:}
    target=${target%:*}
    expect_exit 0 "$TRAUMA" gen helpers.lua -m $machine -o $target
    for kind in conditional indirect pieces; do
        manifest=$target/b/kind=$kind/manifest.json
        units=$(json_document $manifest units)
        all=$(json_document $manifest instructions)
        code=$([ $kind = pieces ] && echo 1 || echo 0)
        expect_same "$(rounded expected/mix.mul)" "$(share 2)" "mul of $target $kind"
        expect_same "$(rounded expected/mix.add)" "$(share 1)" "add of $target $kind"
        expect_same "$(rounded expected/mix.branch)" "$(share 1)" "branches of $target $kind, with the back edge"
        expect_same "$(rounded expected/body.share)" "$(share $((4 + code)))" "body of $target $kind"
    done
    expect_exit 0 "$TRAUMA" check helpers.lua -m $machine --counters bytes --json
    # Pieces of code{} end with jumps, which nobody stated.
    json "$WORK/out" metric verdict | grep -E '^(mix|body)' | grep -v 'observed$' >verdicts
    expect_same "$(wc -l <verdicts | tr -d ' ')" 13 "rates of the bytes of $target"
    expect_same "$(grep -vc 'pass$' verdicts)" 0 "those that do not pass on $target"
done

# The same from a disassembly: multiplications are those of the units and one for each random branch.
manifest=x86_64/b/kind=conditional/manifest.json
objdump -d --no-show-raw-insn x86_64/b/kind=conditional/program.o |
    sed -n '/<trauma_loop>:/,/<trauma_loop_end>:/p' | awk -F'\t' 'NF > 1 { print $2 }' >loop
units=$(json_document $manifest units)
expect_same "$(wc -l <loop | tr -d ' ')" "$(json_document $manifest instructions)" "instructions of the loop"
expect_same "$(grep -c '^imul' loop)" $((2 * units + $(json_document $manifest branches/random))) "multiplications of the loop"
expect_same "$(grep -c '^j' loop)" "$units" "branches of the loop"
