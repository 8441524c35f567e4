# Recipes for several targets: a machine runs the benchmarks for it, --target chooses, and omissions are reported.
. "$SOURCE/tests/e2e/lib.sh"

cat >both.lua <<'LUA'
local function unit() return { load { served_by = { L1 = 1 } }, add {} } end
benchmark { name = "here", loop = { units = 20 }, kernel = unit }
benchmark { name = "there", target = "gcn", loop = { units = 20 }, kernel = unit }
benchmark { name = "everywhere", target = { "x86_64", "ptx", "gcn" }, loop = { units = 20 }, kernel = unit }
LUA

# lists MACHINE NAMES: what list says there is for a machine.
lists()
{
    expect_exit 0 "$TRAUMA" list both.lua -m "$1"
    expect_same "$(awk 'NR > 1 { print $2 }' out | tr '\n' ' ')" "$2" "the benchmarks of $1"
}
lists zen5 "here everywhere "
expect_text err "1 of 3 benchmarks of both.lua are left out, as zen5 does not run their targets"
lists w9100 "there everywhere "
expect_text out "x86_64,ptx,gcn"
lists h200 "everywhere "
expect_text err "2 of 3 benchmarks"

expect_exit 0 "$TRAUMA" gen both.lua -m zen5 -o suite
[ -s suite/here/default/program ] && [ -s suite/everywhere/default/program ] && [ ! -e suite/there ] || fail "the wrong programs"
expect_exit 0 "$TRAUMA" gen both.lua -m h200 -o other
[ -s other/everywhere/default/program.ptx ] || fail "no program for the GPU"

# Without a machine --target finds one to look at; to generate for one it must be there, or be named.
expect_exit 0 "$TRAUMA" list both.lua -t gcn
expect_same "$(awk 'NR > 1 { print $2 }' out | tr '\n' ' ')" "there everywhere " "the benchmarks for gcn"
expect_text err "evaluated for the machine w9100"
expect_no_text err "left out"
TRAUMA_CUDA=none expect_exit 4 "$TRAUMA" gen both.lua -t ptx -o none
expect_text err "-m h200 generates for that machine"
expect_exit 2 "$TRAUMA" gen both.lua -m zen5 -t ptx -o none
expect_text err "the machine zen5 runs x86_64; select one that runs ptx with -m NAME"

# So it is with a processor of another ISA. The nearest that generates is a machine that runs it.
host=$(uname -m)
for other in aarch64:neoverse-n1 riscv64:sifive-u74 x86_64:zen5; do
    target=${other%%:*}
    machine=${other#*:}
    [ "$target" != "$host" ] || continue
    expect_exit 0 "$TRAUMA" list both.lua -t "$target"
    expect_text err "recipes for the target $target are evaluated for the machine $machine; -m NAME selects another"
    expect_text out "here"
    expect_exit 0 "$TRAUMA" explain both.lua -t "$target" --point here/default --counters plan -q
    expect_text out "here/default on $machine"
    expect_exit 4 "$TRAUMA" gen both.lua -t "$target" -o none
    expect_text err "the recipe is for the target $target, but this machine runs $host"
    expect_text err "-m $machine generates for that machine"
    [ ! -e none ] || fail "a refused target made a suite"
done
expect_exit 2 "$TRAUMA" gen both.lua -m zen5 -t aarch64 -o none
expect_text err "the machine zen5 runs x86_64; select one that runs aarch64 with -m NAME"

# A file of which nothing is for the machine says why, at the first.
sed '/"here"\|everywhere/d' both.lua >gcn.lua
expect_exit 3 "$TRAUMA" gen gcn.lua -m zen5 -o none
expect_text err 'gcn.lua:2: there: benchmark.target is gcn: the machine "zen5" runs x86_64'
[ ! -e none ] || fail "a refused recipe made a suite"

# What a command line says to one of them it may say to all that read recipes.
expect_exit 0 "$TRAUMA" list both.lua -t gcn -q --seed 2
expect_empty err
expect_exit 0 "$TRAUMA" explain both.lua -t ptx --point everywhere/default --counters plan -q
expect_text out "everywhere/default on h200"

# What the machine's features do not have is refused, and the sentence names what works: widths, and a machine.
cat >wide.lua <<'LUA'
benchmark { name = "wide", sweep = { width = { 16, 32, 64 } }, kernel = function(p) return { load { served_by = { L1 = 1 }, width = p.width } } end }
LUA
cat >past.lua <<'LUA'
benchmark { name = "past", kernel = function() return { store { served_by = { MEM = 1 }, cache = "nt" } } end }
LUA
for row in "neoverse-v2:32:aarch64:sve256:4, 8 or 16:machine neoverse-v1 has it" \
    "neoverse-n1:64:aarch64:sve512:4, 8 or 16:no machine here has it" \
    "thead-c920:16:riscv64:v:4 or 8:machine spacemit-x60 has it" "sifive-u74:32:riscv64:zvl256b:4 or 8:machine spacemit-x60 has it"; do
    machine=${row%%:*} row=${row#*:}
    width=${row%%:*} row=${row#*:}
    isa=${row%%:*} row=${row#*:}
    feature=${row%%:*} row=${row#*:}
    expect_exit 3 "$TRAUMA" gen wide.lua -m "$machine" --set "width=$width" -o none
    expect_text err "load.width is $width: it needs the feature $feature, which machine $machine lacks; expected ${row%%:*} bytes, or"
    expect_text err "another machine: ${row#*:}"
    expect_exit 3 "$TRAUMA" gen past.lua -m "$machine" -o none
    expect_text err "store.cache is \"nt\": $isa has no access that goes past the caches"
done
