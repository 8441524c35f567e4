# RDNA (GFX10 to GFX12): programs of every kind meet their rates when their code is executed, as assembly and as
# OpenCL C; the decoder reads every instruction of them as LLVM does; a wrong word does not pass.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/gcn_kinds.sh"

sed -i 's/cu = { 0, 3, 7 }/cu = { 0, 2, 4 }/' places.lua
cat >more.lua <<'LUA'
benchmark { name = "mixed", target = "gcn", grid = { threads = 128 },
  kernel = function() return { load { served_by = { SHARED = 0.25, L1 = 0.25, L2 = 0.25, MEM = 0.25 } } } end }
benchmark { name = "doubles", target = "gcn", grid = { threads = 128 },
  kernel = function() return { load { served_by = { L2 = 1 } }, fma { width = 8, count = 2 } } end }
LUA

# machine NAME GFX: a machine file like rdna2's with that processor and a smaller L2, that tells which channels are near which
# engine.
machine()
{
    sed "s/\"rdna2\"/\"$1\"/; s/\"gfx1030\"/\"$2\"/; s/4MiB/1MiB/
        s/gpu = {/gpu = { quadrants = { { 0, 1, 2, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 }, { 12, 13, 14, 15 } },/" \
        "$SOURCE/recipes/machines/rdna2.lua" >"$1.lua"
}
machine near gfx1030
machine navi31 gfx1100
machine navi10 gfx1010
machine strix gfx1151
machine navi48 gfx1201
for machine in rdna2 near.lua navi31.lua navi10.lua strix.lua navi48.lua; do
    kinds="kinds.lua more.lua"
    case $machine in rdna2 | navi10.lua | strix.lua) kinds= ;; esac
    # shellcheck disable=SC2086
    expect_exit 0 "$TRAUMA" check places.lua $kinds "$SOURCE/recipes/interconnect-2016/amd-idle.lua" -m $machine
    all_pass "$machine"
    awk '$2 ~ /^place.cu[024].share/ && $3 > 0.33 && $3 < 0.34 && $4 " " $5 == "pass (code)" { n++ } END { exit n != 3 }' out || fail "$machine: three units do not share the work"
done
for machine in near.lua navi31.lua navi48.lua; do
    expect_exit 0 "$TRAUMA" check "$SOURCE/recipes/interconnect-2016/amd-paths.lua" -m $machine
    all_pass "the 2016 paper's paths on $machine"
    grep -Eq '^paths/.*path=long.* l2.far_share +1 +pass \(code\) +wave 1$' out || fail "the long path is short"
done
expect_exit 3 "$TRAUMA" check "$SOURCE/recipes/interconnect-2016/amd-paths.lua" -m rdna2
expect_text err "expected gpu.quadrants"
sed 's/cu = { 0, 2, 4 }/cu = { 5 }/' places.lua >beyond.lua
expect_exit 3 "$TRAUMA" gen beyond.lua -m rdna2 -o none
expect_text err "place.cu names 5: the machine rdna2 has 0 to 4"

random_recipe 11 8 32
for machine in near.lua navi31.lua navi48.lua; do
    expect_exit 0 "$TRAUMA" check random.lua -m $machine --counters wave
    all_pass "random kernels on $machine"
done

# agree FOLDER FEWEST: the decoder's text of every instruction of the programs is LLVM's.
agree()
{
    find "$1" -name '*.co' -exec "$GCN_DECODED" {} + >out 2>err || fail "$1: $(grep -m 3 LLVM out)"
    awk -v fewest="$2" '{ n += $1 } END { exit n < fewest }' out || fail "$1 has few instructions: $(cat out)"
}
for machine in near.lua navi31.lua navi48.lua; do
    expect_exit 0 "$TRAUMA" gen places.lua kinds.lua more.lua random.lua "$SOURCE/recipes/interconnect-2016/amd-paths.lua" \
        "$SOURCE/recipes/interconnect-2016/amd-idle.lua" -m $machine -o all-$machine
    agree all-$machine 5000
done

# Wrong words in the place of s_getreg_b32 s27, hwreg(HW_REG_HW_ID1, 18, 2), or 18, 3.
# wrong MACHINE WORD CODE OCTAL TEXT
wrong()
{
    rm -rf wrong
    cp -r "all-$1" wrong
    program="wrong/engine/toggle=0/program.co"
    at=$(od -An -v -tx4 -w4 "$program" | awk -v word="$2" '$1 == word { print NR - 1; exit }')
    [ -n "$at" ] || fail "no instruction of $1 reads the shader engine"
    printf "$4" | dd of="$program" bs=4 seek="$at" conv=notrunc 2>"$WORK/dd"
    expect_exit "$3" "$TRAUMA" check wrong --as-is --counters wave --filter "engine/toggle=0$"
    cat out err >both
    expect_text both "$5"
}
wrong near.lua b91b0c97 1 '\227\014\233\270' "0xb89b0c97 at offset 0x"            # as GFX11 has it
wrong near.lua b91b0c97 1 '\204\014\033\271' "reads hardware register 4,"     # HW_ID, which went
wrong near.lua b91b0c97 1 '\227\024\033\271' "waves on the 4 x 2 x 5 compute units worked" # a size for a size less one
wrong near.lua b91b0c97 1 '\227\004\033\271' "20 of the grid's blocks work and 20 leave; by the manifest 10 would work and 30 leave" # one bit: SE 3 passes too
wrong near.lua b91b0c97 1 '\127\014\033\271' "20 of the grid's blocks work and 20 leave; by the manifest 10 would work and 30 leave" # a bit too low: SE 0 and 2 pass
wrong navi31.lua b89b1497 1 '\227\024\033\271' "writes hardware register 23"  # as GFX10 has it
wrong navi31.lua b89b1497 1 '\227\034\233\270' "waves on the 4 x 2 x 5 compute units worked"
wrong navi48.lua b89b1497 1 '\204\024\233\270' "reads hardware register 4,"    # STATE_PRIV
wrong navi48.lua be820075 1 '\163\000\202\276' "is not its entry of the record" # ttmp7 in the place of ttmp9

command -v clang-19 >/dev/null 2>&1 && command -v ld.lld-19 >/dev/null 2>&1 || skip "the rest: clang-19 and ld.lld-19 are not installed"
cat >library.h <<'CL'
#define get_group_id(n) __builtin_amdgcn_workgroup_id_x()
#define get_local_id(n) __builtin_amdgcn_workitem_id_x()
#define barrier(flags) (__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier())
#define fma __builtin_fmaf
#define rotate(x, n) ((x) << (n) | (x) >> (32 - (n)))
CL
# placed SOURCE: program.co with its marker patched. HW_ID1's fields have gaps between: several are read with them, from the lowest on.
placed()
{
    case $1 in
    *units*)
        expect_exit 2 "$TRAUMA" patch program.co -o "${1%cl}co" --marker --field wgp,sa,se
        bits=$(sed -n 's/.*\(hwreg(HW_REG_HW_ID1, 10, [0-9]*)\).*/\1/p' err)
        register=$(llvm-objdump-19 -d program.co | sed -n 's/.*s_movk_i32 \(s[0-9]*\), 0x7a5a.*/\1/p')
        expect_exit 0 "$TRAUMA" patch program.co -o "${1%cl}co" --marker --with "s_getreg_b32 $register, $bits"
        ;;
    *) expect_exit 0 "$TRAUMA" patch program.co -o "${1%cl}co" --marker --field se ;;
    esac
    expect_text out "1 instruction replaced"
}
# compiled GFX MACHINE: the suites with compiled programs keep the same promises.
compiled()
{
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen places.lua kinds.lua more.lua -m "$2" -o suite
    find suite -name program.cl | while read -r source; do
        flags=
        grep -q '"=s"(place)' "$source" && flags=-DTRAUMA_PLACEMENT
        # shellcheck disable=SC2086
        clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu="$1" -nogpulib -O2 -Xclang -finclude-default-header \
            -include library.h $flags -o program.co "$source" 2>clang.err || fail "$source: $(cat clang.err)"
        if [ -n "$flags" ]; then
            placed "$source"
        else
            mv program.co "${source%cl}co"
        fi
    done || exit 1
    agree suite 3000
    expect_exit 0 "$TRAUMA" check suite --as-is --counters wave
    all_pass "compiled for $1"
}
compiled gfx1030 near.lua
compiled gfx1100 navi31.lua
compiled gfx1201 navi48.lua
