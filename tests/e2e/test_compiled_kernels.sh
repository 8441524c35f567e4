# A recipe's own compiled kernel: gen writes its patched binary, check proves the patch and executes what it can, and what
# cannot be is refused with the reason.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# recipe FILE FROM [PLACE]
recipe()
{
    cat >"$1" <<RECIPE
benchmark { name = "k", target = "gcn", grid = { blocks = 88, threads = 64 }, place = ${3:-"{ se = { 0 }, l2_channels = { 0, 1, 2, 3 } }"},
  kernel = function() return { load { served_by = { L2 = 1 }, data = pattern.toggle(0.25) } } end, from = $2 }
RECIPE
}
cp "$SOURCE/examples/placed/kernel.co" .
recipe k.lua '"kernel.co"'
program=suite/k/default/program.co
expect_exit 0 "$TRAUMA" gen k.lua -m w9100 -o suite
expect_same "$(ls suite/k/default)" "manifest.json
program.co" "files of the point"

# It is what trauma patch makes; the manifest has the file and the words.
expect_exit 0 "$TRAUMA" patch kernel.co -o patched.co --marker --field cu,sh,se --json
cmp patched.co $program || fail "gen and patch differ"
for path in replaced/0/offset replaced/0/word_before replaced/0/word_after replaced/0/text_after fields/2/shift; do
    expect_same "$(json_document suite/k/default/manifest.json from/$path)" "$(json_document out $path)" "$path"
done
expect_same "$(json_document suite/k/default/manifest.json from/file)" kernel.co "the manifest's file"
expect_same "$(json_document suite/k/default/manifest.json from/field)" cu,sh,se "the manifest's field"
if command -v b3sum >/dev/null 2>&1; then
    expect_same "$(json_document suite/k/default/manifest.json from/hash)" "$(b3sum --no-names kernel.co)" "the file's hash"
fi
expect_exit 0 "$TRAUMA" check suite
expect_text out "place.se0.share"
! grep -Eq 'fail|unobserved|did not run' out || fail "$(cat out)"
expect_exit 0 "$TRAUMA" check k.lua -m w9100
expect_exit 0 "$TRAUMA" explain suite
expect_text out "program.co is kernel.co with 's_getreg_b32"
expect_no_text out "instructions;" # how many there are is the compiler's choice
expect_exit 0 "$TRAUMA" gen k.lua -m w9100 -o suite # replaces a suite of such programs
expect_exit 0 "$TRAUMA" gen k.lua -m w9100 -o again
cmp $program again/k/default/program.co || fail "the same recipe gives other bytes"

# A device runs that binary, whatever it takes else, and no text is compiled in its place.
fake=$(dirname "$JSON_LINES")/libfake_opencl.so
if [ -f "$fake" ]; then
    for device in gfx701 Hawaii; do
        TRAUMA_OPENCL=$fake FAKE_OPENCL=$device,se0 FAKE_OPENCL_PATCHED=1 FAKE_OPENCL_LOADED=$PWD/loaded.co \
            expect_exit 0 "$TRAUMA" run suite --power none --reps 1 --time 0.01 -o $device.jsonl
        cmp loaded.co $program || fail "$device ran another binary"
        sed 1d $device.jsonl >points
        expect_same "$(json points module/from)" program.co "what ran"
        expect_same "$(json points rates/place.se0.share/verdict)" pass "silicon and the binary agree"
        expect_same "$(json points reps/0/record/worked)" 44 "blocks that worked"
    done
    TRAUMA_OPENCL=$fake FAKE_OPENCL=gfx906 expect_exit 4 "$TRAUMA" run suite --power none --reps 1 --time 0.01 -o other.jsonl
    expect_text err "program.co is a compiled kernel for gfx701, and the device is a gfx906"
    TRAUMA_OPENCL=$fake FAKE_OPENCL=gfx701,refuse expect_exit 4 "$TRAUMA" run suite --power none --reps 1 --time 0.01 \
        -o refused.jsonl
    expect_no_text err "there is no program.cl"
fi

# The promise is the recipe's: the kernel is on shader engine 0.
recipe elsewhere.lua '"kernel.co"' '{ se = { 1 }, l2_channels = { 0, 1, 2, 3 } }'
expect_exit 5 "$TRAUMA" check elsewhere.lua -m w9100
grep -Eq "place.se1.share +1 +fail" "$WORK/out" || fail "a kernel elsewhere: $(cat "$WORK/out")"

# changed OFFSET OCTAL WORDS: program.co with that byte is found out, also where its execution would pass.
changed()
{
    cp $program kept.co
    printf "\\$2" | dd of=$program bs=1 seek="$1" conv=notrunc 2>/dev/null
    expect_exit 1 "$TRAUMA" check suite --as-is
    expect_text out "$3"
    cp kept.co $program
}
at=$(json_document suite/k/default/manifest.json from/replaced/0/offset)
changed "$at" 5 "its replaced words are not the read of cu,sh,se"           # another bit field
changed $((at + 2)) 7 "its replaced words are not the read of cu,sh,se"     # another register
changed $((at + 4)) 1 "it differs from kernel.co in more than what was replaced"
changed 7 101 "it differs from kernel.co in more than what was replaced"    # its ELF file's system
cp kernel.co $program
expect_exit 1 "$TRAUMA" check suite --as-is
expect_text out "its replaced words are not the read of cu,sh,se"
cp patched.co $program
expect_exit 0 "$TRAUMA" check suite

# What is proven and cannot be executed is unobserved, with the reason: Catalyst's kernels, and ones with other arguments.
text='s_movk_i32 s7, 0x7a5a
s_endpgm'
# kernel_of COUNT: arguments.co with that many buffers, if there is a compiler for it.
kernel_of()
{
    command -v clang-19 >/dev/null 2>&1 && command -v ld.lld-19 >/dev/null 2>&1 || return 1
    {
        echo '__kernel void k(__global uint *a0'
        for i in $(seq 2 "$1"); do echo ", __global uint *a$i"; done
        echo ') { uint id; __asm__ volatile("s_movk_i32 %0, 0x7a5a" : "=s"(id)); if ((id >> 5 & 3) == 0)'
        for i in $(seq 2 "$1"); do echo "a$i[id] = "; done
        echo 'a0[__builtin_amdgcn_workitem_id_x()] = id; }'
    } >arguments.cl
    clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx701 -nogpulib -O2 -Xclang -finclude-default-header \
        -c arguments.cl -o arguments.o && ld.lld-19 -shared arguments.o -o arguments.co
}
for kind in raw-32 raw-64 hsa-64; do
    "$GCN_FILE" $kind gfx701 catalyst.co "$text"
    recipe c.lua '{ file = "catalyst.co", kernel = "first" }'
    expect_exit 0 "$TRAUMA" gen c.lua -m w9100 -o catalyst
    expect_exit 4 "$TRAUMA" check catalyst
    expect_text out "program.co, whose patch is proven, is Catalyst's"
    ! grep -q ' pass' out || fail "$kind passes unseen"
done
for arguments in 1 5; do # buffers: too few bytes, or as many of other kinds
    kernel_of $arguments || break
    recipe a.lua '"arguments.co"'
    expect_exit 4 "$TRAUMA" check a.lua -m w9100
    expect_text out "program.co's patch is proven, but its kernel has other arguments than program.cl"
    ! grep -q ' pass' out || fail "a kernel with other arguments passes unseen"
done
"$GCN_FILE" rocm gfx701 other.co "$text"
recipe o.lua '{ file = "other.co", kernel = "second", field = "se" }'
expect_exit 0 "$TRAUMA" gen o.lua -m w9100 -o other
expect_same "$(json_document other/k/default/manifest.json from/replaced/0/word_after)" b9070b44 "the read of se alone"
expect_same "$(json_document other/k/default/manifest.json entry)" second "the kernel's name"

# refused MACHINE FROM WORDS
refused()
{
    recipe r.lua "$2" "${4:-}"
    expect_exit 3 "$TRAUMA" gen r.lua -m "$1" -o none
    expect_text err "$3"
    [ ! -e none ] || fail "a suite was written for $2"
}
ln -s kernel.co link.co
ln -s "$SOURCE/examples/placed/kernel.co" out.co
mkdir folder.co
"$GCN_FILE" catalyst-32 gfx701 source.co "$text"
head -c 900 kernel.co >cut.co
refused w9100 '"gone.co"' "from: gone.co: cannot read"
refused w9100 '"folder.co"' "it is a folder"
refused w9100 '"link.co"' "it is a link; expected a file of the recipe's own folder"
refused w9100 '"out.co"' "it is a link; expected a file of the recipe's own folder"
for name in ../kernel.co /etc/passwd ./kernel.co folder.co/x .hidden; do
    refused w9100 "\"$name\"" "expected the name of a file of the recipe's folder, without slashes"
done
refused w9100 '"cut.co"' "from: cut.co: "
refused w9100 '"k.lua"' "from: k.lua: "
refused w9100 '{ file = "source.co", kernel = "first" }' "it still contains .llvmir: a runtime that recompiles from it loses the patch"
refused w9100 '"other.co"' "2 instructions are"
refused w9100 '{ file = "other.co", kernel = "secnod" }' "did you mean 'second'?"
refused w9100 '{ file = "kernel.co", field = "cu,se" }' "are not adjacent"
refused w9100 '{ file = "kernel.co", replace = "s_nop 5" }' "no instruction is 's_nop 5'"
refused w9100 '{ file = "kernel.co", fild = "se" }' "did you mean"
refused w9100 '{ field = "se" }' "names no file"
refused w9100 '{ file = "kernel.co", occurrence = "some" }' "expected a whole number"
refused w9100 '"kernel.co"' "place names no se, sh or cu" '{ l2_channels = { 0, 1, 2, 3 } }'
refused vega10 '"kernel.co"' "it is code for gfx701, and the machine is a gfx900"
if "$GCN_FILE" rocm gfx1030 rdna.co "$text" 2>/dev/null; then
    refused rdna2 '{ file = "rdna.co", kernel = "first" }' "one read does not hold all of where a wave runs on gfx1030"
fi

# One bad point is one point: the others are written.
cat >mixed.lua <<'RECIPE'
benchmark { name = "k", target = "gcn", sweep = { file = { "kernel.co", "gone.co" } }, grid = { blocks = 88, threads = 64 },
  place = { se = { 0 }, l2_channels = { 0, 1, 2, 3 } }, from = function(p) return p.file end,
  kernel = function() return { load { served_by = { L2 = 1 } } } end }
RECIPE
expect_exit 3 "$TRAUMA" gen mixed.lua -m w9100 -o mixed
expect_text err "gone.co"
cmp "mixed/k/file=kernel.co/program.co" $program || fail "the good point was not written"
expect_exit 0 "$TRAUMA" diff suite again
