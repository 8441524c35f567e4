# Programs for AMD GPUs against other tools: every processor's program equals the output of LLVM's assembler, and the
# OpenCL C meets the same rates after a compiler and trauma patch.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/gcn_kinds.sh"

# machine_with GFX: a machine file like Vega 10's, with that processor and half the compute units.
machine_with()
{
    case $1 in
    gfx1*) wave=32 ;;
    *) wave=64 ;;
    esac
    dies=
    case $1 in
    gfx94* | gfx950) dies=", xcc = 1" ;;
    esac
    sed "s/\"gfx900\"/\"$1\"$dies/; s/\"vega10\"/\"m-$1\"/; s/wave = 64/wave = $wave/; s/cu_per_sh = 16/cu_per_sh = 8/" "$SOURCE/recipes/machines/vega10.lua" >"$1.lua"
}

plain_program
command -v llvm-mc-19 >/dev/null 2>&1 || skip "llvm-mc-19 is not installed"
for gfx in gfx701 gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1201; do
    machine_with $gfx
    expect_exit 0 "$PLAIN" gen kinds.lua -m $gfx.lua -o on-$gfx
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
command -v clang-19 >/dev/null 2>&1 && command -v ld.lld-19 >/dev/null 2>&1 || skip "clang-19 or ld.lld-19 is not installed"
cat >library.h <<'CL'
#define get_group_id(n) __builtin_amdgcn_workgroup_id_x()
#define get_local_id(n) __builtin_amdgcn_workitem_id_x()
#define barrier(flags) (__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier())
#define fma __builtin_fmaf
#define rotate(x, n) ((x) << (n) | (x) >> (32 - (n)))
CL
# Loads past L1 have the bits of program.s, with the compiler's builtins and without.
expect_exit 0 "$TRAUMA" gen kinds.lua -m w9100 --filter 'kind=(memory|stream)' -o loads
# bits KIND GFX BITS FLAG...: all loads from global memory have them.
bits()
{
    kind=$1
    gfx=$2
    wanted=$3
    shift 3
    clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu="$gfx" -nogpulib -O2 -Xclang -finclude-default-header \
        -include library.h "$@" -S -o loads.s "loads/kinds/kind=$kind/program.cl" 2>clang.err || fail "$kind: $(cat clang.err)"
    grep -E '^\s(global|flat)_load_' loads.s | sed 's/ *;.*//' >found
    [ -s found ] || fail "$kind of $gfx loads nothing"
    ! grep -vE "(]|off|offset:-?[0-9]+) $wanted\$" found || fail "$kind of $gfx: not all loads are '$wanted'"
}
for row in "gfx701:glc" "gfx900:glc" "gfx90a:glc" "gfx942:sc0 sc1" "gfx1030:glc dlc" "gfx1100:glc" "gfx1201:scope:SCOPE_SYS"; do
    bits memory "${row%%:*}" "${row#*:}"
    bits memory "${row%%:*}" "${row#*:}( dlc)?" -U__has_builtin
done
for row in "gfx701:glc slc" "gfx900:glc slc" "gfx942:sc0 sc1 nt" "gfx1030:glc dlc slc" "gfx1100:glc slc"; do
    bits stream "${row%%:*}" "${row#*:}"
done
! (bits stream gfx701 "" -U__has_builtin) 2>refused || fail "a compiler that marks no access made a load for early eviction"
grep -q "this compiler marks no such access for early eviction" refused || fail "$(cat refused)"
rm -rf loads # GFX12's words are in its own programs alone
expect_exit 0 "$TRAUMA" gen kinds.lua -m gfx1201.lua --filter 'kind=stream' -o loads
bits stream gfx1201 "th:TH_LOAD_NT scope:SCOPE_DEV"

# compiled GFX FILE: the suites with compiled programs keep the same promises: places on the machine of that file, kinds on one with
# two compute units in an array.
compiled()
{
    rm -rf places kinds
    expect_exit 0 "$PLAIN" gen places.lua -m "$2" -o places
    sed 's/cu_per_sh = [0-9]*/cu_per_sh = 2/' "$2" >fewer.lua
    expect_exit 0 "$PLAIN" gen kinds.lua -m fewer.lua -o kinds
    find places kinds -name program.cl | while read -r source; do
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
    for suite in places kinds; do
        expect_exit 0 "$PLAIN" check $suite --as-is --counters wave
        all_pass "$suite compiled for $1"
    done
}
compiled gfx701 "$SOURCE/recipes/machines/w9100.lua"
compiled gfx900 gfx900.lua
