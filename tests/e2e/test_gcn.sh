# Programs for AMD's GPUs: kernels of every kind keep their promises when their code is executed, as assembly and as OpenCL C
# that a compiler and trauma patch made into code; every processor's program is what LLVM's assembler makes of it.
. "$SOURCE/tests/e2e/lib.sh"

cat >kinds.lua <<'LUA'
local l2 = { L2 = 1 }
local kinds = {
  wide     = function() return { load { served_by = l2, width = 16 }, load { served_by = { L1 = 0.5, MEM = 0.5 }, width = 8 } } end,
  stream   = function() return { load { served_by = l2, cache = "stream" } } end,
  shared   = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, width = 8, data = pattern.toggle(0.25) } } end,
  chases   = function() return { load { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.5 }, address = "chase" } } end,
  random   = function() return { load { served_by = l2, address = "chase", stride = "random" } } end,
  memory   = function() return { load { served_by = { MEM = 1 }, address = "chase" } } end,
  stores   = function() return { load { served_by = { L1 = 1 } }, store { served_by = { MEM = 1 }, width = 16, cache = "stream", data = pattern.ones() } } end,
  shelves  = function() return { load { served_by = l2 }, store { served_by = { SHARED = 1 } } } end,
  work     = function() return { load { served_by = l2 }, add { dependents = 1 }, mul {}, xor { dependents = 1 }, shift {}, fadd {}, fmul {}, fma {}, nop { count = 2 } } end,
  quads    = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, width = 16 }, store { served_by = { SHARED = 1 }, width = 16 } } end,
  bus      = function() return { load { served_by = { SHARED = 1 }, width = 16, data = pattern.toggle(0.3) } } end,
  buses    = function() return { load { served_by = { SHARED = 0.5, L1 = 0.5 }, data = pattern.toggle(1) }, load { served_by = { L2 = 1 }, count = 2, width = 8, data = pattern.toggle(0.25) } } end,
  narrow   = function() return { load { served_by = { SHARED = 0.5, L2 = 0.5 }, data = pattern.toggle(0.25, { bus = 256 }) } } end,
  branches = function() return { load { served_by = { L2 = 1 } }, branch { divergence = 0.375 }, branch {} } end,
  parting  = function() return { load { served_by = { SHARED = 1 } }, branch { divergence = 1, count = 2 } } end,
  chains   = function() return { load { served_by = l2 }, add { chain = 4, count = 8 } } end,
}
local names = {}
for name in pairs(kinds) do names[#names + 1] = name end
table.sort(names)
benchmark { name = "kinds", target = "gcn", sweep = { kind = names }, grid = { threads = 128 }, kernel = function(p) return kinds[p.kind]() end }
LUA
cat >places.lua <<'LUA'
local function read(rate, width) return { load { served_by = { L2 = 1 }, width = width, data = pattern.toggle(rate) } } end
benchmark { name = "engine", target = "gcn", sweep = { toggle = { 0, 0.3, 1 } }, place = { se = 1, l2_channels = { 0, 1, 2, 3 } },
  kernel = function(p) return read(p.toggle, 4) end }
benchmark { name = "units", target = "gcn", grid = { threads = 64 }, place = { se = 0, sh = 0, cu = { 0, 3, 7 }, l2_channels = { 4, 5, 6, 7 } },
  kernel = function() return read(0.5, 16) end }
benchmark { name = "ring", target = "gcn", grid = { threads = 64 }, place = { se = { 1, 2 }, l2_channels = { 8, 9 } },
  kernel = function() return { load { served_by = { L2 = 1 }, address = "chase" } } end }
LUA
expect_exit 0 "$TRAUMA" gen places.lua -m w9100 -o suite
[ -s suite/ring/default/program.co ] || skip "this LLVM assembles nothing for AMD's GPUs"

# all_pass WORDS: everything that was wanted was seen.
all_pass()
{
    expect_text out " pass"
    ! grep -Eq '(fail|unobserved|unclear|did not run)' out || fail "$1: $(grep -Ev ' pass ' out)"
}

# The channels of these a hash chooses: theirs are refused, and the rest holds as if they stood in turn.
expect_exit 3 "$TRAUMA" gen places.lua -m mi100 -o none
for machine in mi100 mi210; do
    sed 's/wave = 64,/wave = 64, l2_channels = 32, interleave = "256B",/' "$SOURCE/recipes/machines/$machine.lua" >$machine.lua
done
for machine in w9100 fiji vega10 mi100.lua mi210.lua; do
    expect_exit 0 "$TRAUMA" check places.lua kinds.lua -m $machine --counters wave
    all_pass "$machine"
done
expect_exit 0 "$TRAUMA" check places.lua -m w9100 --counters wave
awk '$2 ~ /^place.cu[037].share/ && $3 < 0.34 && $4 == "pass" { n++ } END { exit n != 3 }' out || fail "three units do not share the work"
grep -Eq '^engine/toggle=0.3 +l2.far_share +1 +pass +wave 1$' out || fail "engine 1 is not far from quadrant 0"
expect_exit 0 "$TRAUMA" check "$SOURCE/recipes/interconnect-2016/amd-paths.lua" "$SOURCE/recipes/interconnect-2016/amd-idle.lua" -m w9100 --counters wave
all_pass "the 2016 paper's recipes"
grep -Eq '^paths/.*path=short.* l2.far_share +0 +pass +wave 0$' out || fail "the short path leaves its quadrant"
grep -Eq '^paths/.*path=long.* l2.far_share +1 +pass +wave 1$' out || fail "the long path is short"
expect_exit 3 "$TRAUMA" gen "$SOURCE/recipes/interconnect-2016/amd-paths.lua" -m fiji -o none
expect_text err "expected gpu.quadrants"

# Random kernels, the same for every run.
awk 'function pick(n) { return int(rand() * n) }
BEGIN {
    srand(7)
    split("4 8 16", width, " "); split("l2 stream", cache, " ")
    for (i = 0; i < 12; i++) {
        w = width[1 + pick(3)]
        one = w == 16 ? 1 : (1 + pick(4)) * 0.25
        printf "benchmark { name = \"r%d\", target = \"gcn\", grid = { blocks = %d, threads = %d }, loop = { units = %d }, ", i, 8 + pick(80), 64 * (1 + pick(4)), 4 * (1 + pick(6))
        if (pick(2)) printf "place = { se = %d }, ", pick(4)
        printf "kernel = function() return { load { served_by = { L2 = %g, SHARED = %g }, width = %d, cache = \"%s\", data = pattern.toggle(%g), order = \"%s\" }", one, 1 - one, w, cache[1 + pick(2)], pick(9) / 8, pick(2) ? "even" : "burst"
        if (w == 4 && pick(2)) printf ", add { count = %d, dependents = 1 }", 1 + pick(3)
        if (pick(3) == 0) printf ", store { served_by = { L2 = 1 }, width = %d }", width[1 + pick(3)]
        print " } end }"
    }
}' >random.lua
for machine in w9100 vega10; do
    expect_exit 0 "$TRAUMA" check random.lua -m $machine --counters wave
    all_pass "random kernels on $machine"
done

# machine_with GFX: a machine file like Vega 10's, with that processor.
machine_with()
{
    case $1 in
    gfx1*) wave=32 ;;
    *) wave=64 ;;
    esac
    sed "s/\"gfx900\"/\"$1\"/; s/\"vega10\"/\"m-$1\"/; s/wave = 64/wave = $wave/" "$SOURCE/recipes/machines/vega10.lua" >"$1.lua"
}

command -v llvm-mc-19 >/dev/null 2>&1 || skip "llvm-mc-19 is not installed"
for gfx in gfx701 gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100; do
    machine_with $gfx
    expect_exit 0 "$TRAUMA" gen kinds.lua -m $gfx.lua -o on-$gfx
    for program in on-$gfx/kinds/*/program.s; do
        llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=$gfx -filetype=obj -o mc.o "$program" || fail "$program does not assemble"
        llvm-objcopy-19 -O binary --only-section=.text mc.o mc.text
        llvm-objcopy-19 -O binary --only-section=.text "${program%s}co" own.text
        [ -s mc.text ] || fail "$program has no code"
        size=$(wc -c <mc.text)
        cmp -n "$size" mc.text own.text || fail "$program: other bytes than LLVM's"
        # What LLVM's printer puts behind the code where the hardware fetches ahead: s_code_end, and s_nop on CDNA.
        ! od -An -v -tx4 -w4 -j "$size" own.text | grep -qv 'bf9f0000\|bf800000' || fail "$program: more than LLVM's bytes"
    done
done

# The OpenCL C, compiled as ROCm does (its library's functions stand in the header), patched and executed.
command -v clang-19 >/dev/null 2>&1 && command -v ld.lld-19 >/dev/null 2>&1 || exit 0
cat >library.h <<'CL'
#define get_group_id(n) __builtin_amdgcn_workgroup_id_x()
#define get_local_id(n) __builtin_amdgcn_workitem_id_x()
#define barrier(flags) (__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier())
#define fma __builtin_fmaf
#define rotate(x, n) ((x) << (n) | (x) >> (32 - (n)))
CL
# compiled GFX MACHINE: the suites with compiled programs keep the same promises.
compiled()
{
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen places.lua kinds.lua -m "$2" -o suite
    find suite -name program.cl | while read -r source; do
        flags=
        grep -q '"=s"(place)' "$source" && flags=-DTRAUMA_PLACEMENT
        # shellcheck disable=SC2086
        clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu="$1" -nogpulib -O2 -Xclang -finclude-default-header \
            -include library.h $flags -o program.co "$source" 2>clang.err || fail "$source: $(cat clang.err)"
        if [ -n "$flags" ]; then
            expect_exit 0 "$TRAUMA" patch program.co -o "${source%cl}co" --marker --field cu,sh,se
            expect_text out "1 instruction replaced"
        else
            mv program.co "${source%cl}co"
        fi
    done || exit 1
    expect_exit 0 "$TRAUMA" check suite --counters wave
    all_pass "compiled for $1"
}
compiled gfx701 w9100
compiled gfx900 vega10
