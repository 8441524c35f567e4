# Recipes that no program for an AMD GPU can fulfil are refused at their line, with the reason; similar ones work.
. "$SOURCE/tests/e2e/lib.sh"

# machine_with GFX EDIT: a machine file like the W9100's, with that processor, changed by sed.
machine_with()
{
    sed "s/\"gfx701\"/\"$1\"/; s/\"w9100\"/\"m-$1\"/; $2" "$SOURCE/recipes/machines/w9100.lua" >"$1.lua"
}

# The line that errors of its processor name: the field's own.
line=$(grep -n 'arch = ' "$SOURCE/recipes/machines/w9100.lua" | cut -d: -f1)
caches=$(grep -n 'caches = ' "$SOURCE/recipes/machines/w9100.lua" | cut -d: -f1)

# recipe FIELDS KERNEL: a benchmark of them in r.lua, on line 1.
recipe()
{
    echo "benchmark { name = \"r\", target = \"gcn\", $1 kernel = function() return { $2 } end }" >r.lua
}

# refused MACHINE TEXT...: r.lua is refused with each text.
refused()
{
    expect_exit 3 "$TRAUMA" gen r.lua -m "$1" -o none
    shift
    for text in "$@"; do
        expect_text err "$text"
    done
}

recipe "" "load { served_by = { L2 = 1 } }"
for gfx in gfx600 gfx601 gfx602; do
    machine_with $gfx ""
    refused $gfx.lua "$gfx.lua:$line: machine.gpu.arch is \"$gfx\"" "GFX6 lacks the FLAT instructions"
done
machine_with gfx1201 ""
refused gfx1201.lua "expected gpu.wave = 32 for GFX10 and later"
machine_with gfx799 ""
refused gfx799.lua "gfx799.lua:$line: machine.gpu.arch is \"gfx799\", which LLVM does not support"
machine_with gfx900 "s/wave = 64/wave = 32/"
refused gfx900.lua "machine.gpu.wave is 32"
machine_with gfx701 "s/caches = {/caches = { SHARED = { size = \"32KiB\" },/"
refused gfx701.lua "gfx701.lua:$caches: machine.caches.SHARED" "gpu.shared = \"32KiB\""
machine_with gfx701 "s/caches = {/caches = { texture = 5,/"
refused gfx701.lua "expected one of L1, L1D, L1I, L2"
expect_no_text err "SHARED"

expect_exit 0 "$TRAUMA" gen r.lua -m w9100 -o suite
[ -s suite/r/default/program.co ] || skip "this LLVM assembles nothing for AMD's GPUs"
for gfx in gfx802 gfx805; do # hardware that fixes the number of SGPRs
    machine_with $gfx ""
    expect_exit 0 "$TRAUMA" gen r.lua -m $gfx.lua -o suite-$gfx
done

recipe "loop = { units = 20000 }," "load { served_by = { L1 = 1 } }"
refused w9100 "r.lua:1:" "the loop's 20000 units" "156 KiB of code" "loop = { units = 15872 }"
recipe "loop = { units = 15872 }," "load { served_by = { L1 = 1 } }"
expect_exit 0 "$TRAUMA" gen r.lua -m w9100 -o long
recipe "grid = { threads = 65 }," "branch { divergence = 0.5 }"
refused w9100 "branch.divergence is 0.5" "one thread, which cannot diverge"
recipe "grid = { blocks = 3 }, place = { se = 3 }," "load { served_by = { L1 = 1 } }"
refused w9100 "none reaches one that place names"
recipe "grid = { blocks = 3 }, place = { se = 3 }," "load { served_by = { L2 = 0.5, MEM = 0.5 } }"
refused w9100 "none reaches one that place names"
recipe "place = { l2_channels = { 0, 1 } }," "load { working_set = 65536 }"
refused w9100 "load.working_set with place.l2_channels"
recipe "loop = { units = 3 }, grid = { threads = 64 }, place = { l2_channels = { 0, 1 } }," "load { served_by = { L2 = 1 } }"
refused w9100 "are not a multiple of the 2 that 2 channels hold contiguously"
# What is advised is taken.
recipe "grid = { threads = 256 }, place = { l2_channels = { 0, 1, 2, 3, 4, 5, 6 } }," "load { served_by = { L2 = 1 } }"
refused w9100 "7 channels hold 1792B contiguously" "threads = 64 } fits lanes of 4 bytes"
recipe "loop = { units = 63 }, grid = { threads = 64 }, place = { l2_channels = { 0, 1, 2, 3, 4, 5, 6 } }," "load { served_by = { L2 = 1 } }"
rm -rf long
expect_exit 0 "$TRAUMA" gen r.lua -m w9100 -o long
machine_with gfx803 "s/l2_channels = 16/l2_channels = 12/; /quadrants/d"
refused gfx803.lua "expected a machine whose gpu.l2_channels times gpu.interleave is a power of two"

# Texts of the user's own, apart by what begins a comment there.
recipe "" "load { served_by = { L1 = 1 } }, asm { gcn = \"v_mov_b32 v1, 0; v_mov_b32 v2, 0\" }"
expect_exit 0 "$TRAUMA" gen r.lua -m w9100 -o own
grep -qx '    v_mov_b32 v2, 0' own/r/default/program.s || fail "the second instruction is part of a comment"

grep -q '^#error "a text of asm{} is in program.s and program.co alone' own/r/default/program.cl || fail "program.cl has no word of the text"
grep -q 'v_mov_b32' own/r/default/program.cl && fail "program.cl has GCN in it"

# A directive would read any file into the program, or end LLVM; nothing of the loop may be lost either.
refuse_text()
{
    recipe "" "load { served_by = { L1 = 1 } }, asm { gcn = '$1' }"
    refused w9100 "r.lua:1: r/default: asm" "$2"
}
echo secret-word >secret
refuse_text ".incbin \"$WORK/secret\"" "is not a single self-contained instruction"
refuse_text "s_nop 0; .include \"$WORK/secret\"" "is not a single self-contained instruction"
refuse_text 's_nop 0; .size x, y' "is not a single self-contained instruction"
refuse_text 'x: s_nop 0' "is not a single self-contained instruction"
refuse_text '' "no instruction"
refuse_text 'v_bogus v1' "is not an instruction of gfx701"
refuse_text 's_mov_b32 s16, 0' "writes what the loop needs"
refuse_text 'v_add_f64 v[7:8], v[6:7], v[6:7]' "writes what the loop needs"
refuse_text 'v_add_i32 v5, s[4:5], v6, v7' "writes what the loop needs"
refuse_text 'v_sin_f32 v9, v6' "writes what the loop needs"
refuse_text 's_mov_b64 exec, 0' "writes what the loop needs"
refuse_text 'v_cmpx_eq_u32 vcc, v1, v2' "which threads take part"
refuse_text 's_and_saveexec_b64 vcc, vcc' "which threads take part"
refuse_text 's_endpgm' "ends the program"
refuse_text 's_barrier' "waits for other waves"
refuse_text 's_setprio 3' "changes how the wave runs"
refuse_text 'v_movreld_b32 v5, v6' "is not among the instructions whose writes are known"
refuse_text 'v_mov_b32 v5, src_lds_direct' "reaches memory"
refuse_text 's_cbranch_scc0 2' "jumps"
refuse_text 'ds_read_b32 v5, v6' "reaches memory"
recipe "" "load { served_by = { L1 = 1 } }, asm { gcn = 's_mov_b32 s27, 5; v_add_f64 v[6:7], v[6:7], v[6:7]; v_cmp_eq_u32 vcc, v1, v2; s_cmp_eq_u32 s27, 0', count = 2 }"
expect_exit 0 "$TRAUMA" check r.lua -m w9100 --counters wave
expect_no_text out "did not run"

# Words of another maker's GPUs, and operations that this one has no instruction for.
recipe "place = { sm = 1 }," "load { served_by = { L2 = 1 } }"
refused w9100 "benchmark.place.sm: AMD's compute units are identified by shader engine"
recipe "place = { side = 'near' }," "load { served_by = { L2 = 1 } }"
refused w9100 "benchmark.place.side: on AMD, l2_channels selects near and far channels"
recipe "" "load { served_by = { L2 = 1 } }, div {}"
refused w9100 "div{}: no instruction of gcn programs is one; expected load, store"
recipe "" "load { served_by = { L2 = 1 } }, settle {}" # a row of the generator's own
refused w9100 "unknown name 'settle'"

# Clocks of a sweep: those of frequencies, of vf, or said.
points()
{
    "$TRAUMA" list interconnect-2016/amd-paths "$@" 2>/dev/null | awk '$2 == "dvfs" { print $3 }'
}
machine_with gfx701 "s/clock_ghz = 0.93,/clock_ghz = 0.93, frequencies = { 0.3, 0.6, 0.93 },/"
expect_same "$(points -m gfx701.lua)" 6 "the clocks of frequencies"
machine_with gfx701 "s/vf = {/vf = { { volts = 0.9, ghz = 0.3 },/"
expect_same "$(points -m gfx701.lua)" 4 "the clocks of vf"
expect_same "$(points -m w9100)" 2 "the one clock of the W9100"
expect_same "$(points -m w9100 --set ghz=0.3,0.6,0.9)" 6 "clocks of the command line"
# What is named to change is what then works.
recipe "place = { l2_channels = { 0, 1 } }," "load { served_by = { L2 = 1 }, width = 16 }"
refused w9100 "one access of a block spans 4KiB" "grid = { blocks =, threads = 32 } fits lanes of 16 bytes"
recipe "place = { l2_channels = { 0, 1 } }, grid = { threads = 32 }," "load { served_by = { L2 = 1 }, width = 16 }"
expect_exit 0 "$TRAUMA" gen r.lua -m w9100 -o two-channels
