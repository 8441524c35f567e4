# AMD GPU programs from recipe to results through OpenCL: on PoCL, which runs OpenCL C on the processor, and on a mock
# GPU (tests/runner/fake_opencl.c) that accepts the code objects.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_opencl.so" ] || skip "the made-up GPU is not built"

cat >gcn.lua <<'RECIPE'
benchmark {
  name   = "gcn", target = "gcn",
  sweep  = { level = { "SHARED", "L1", "L2", "MEM" }, address = { "independent", "chase" } },
  grid   = { blocks = 4, threads = 64 },
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, address = p.address } }
  end,
}
RECIPE
cat >placed.lua <<'RECIPE'
benchmark {
  name   = "placed", target = "gcn",
  grid   = { blocks = 16, threads = 64 },
  place  = { se = { 0 } },
  kernel = function(p) return { load { served_by = { L2 = 1 } } } end,
}
RECIPE
expect_exit 0 "$TRAUMA" gen gcn.lua -m w9100 -o suite
expect_exit 0 "$TRAUMA" gen placed.lua -m w9100 -o placed

# No loader, or one that finds nothing: nothing runs, and why is said, with what to do. Checking goes on without it.
TRAUMA_OPENCL=/nonexistent/libOpenCL.so.1
export TRAUMA_OPENCL
expect_exit 4 "$TRAUMA" run suite -o none.jsonl
expect_text err "libOpenCL.so.1: cannot open shared object file"
expect_text err "ocl-icd-libopencl1"
[ ! -f none.jsonl ] || fail "results of nothing were written"
expect_exit 0 "$TRAUMA" check suite
expect_exit 4 "$TRAUMA" machine detect -t gcn
TRAUMA_OPENCL=$libraries/libfake_opencl.so
FAKE_OPENCL=Hawaii,none expect_exit 4 "$TRAUMA" run suite -o none.jsonl
expect_text err "no OpenCL platform is installed"
expect_text err "pocl-opencl-icd"

# A GPU that takes code objects: found, described, measured; where its blocks worked, and its own power.
FAKE_OPENCL=gfx701,se0
export FAKE_OPENCL
expect_exit 0 "$TRAUMA" sensors
expect_text out "opencl:0  (Fake FirePro W9100, gfx701, 44 compute units, 16.0 GiB)"
expect_exit 0 "$TRAUMA" machine detect -t gcn -o mine.lua
expect_exit 0 "$TRAUMA" machine show mine.lua
expect_text out 'arch = "gfx701"'
mkdir -p tree/sys/class/hwmon/hwmon0 tree/sys/devices/0000:03:00.0
echo amdgpu >tree/sys/class/hwmon/hwmon0/name
echo 212000000 >tree/sys/class/hwmon/hwmon0/power1_average
ln -s ../../../devices/0000:03:00.0 tree/sys/class/hwmon/hwmon0/device
expect_exit 0 "$TRAUMA" run placed --sysfs-root tree --power hwmon-gpu --reps 3 --time 0.2 -o r.jsonl
expect_no_text err "runs on"
sed 1d r.jsonl >points
expect_same "$(json points module/from)" program.co "what ran"
expect_same "$(json points rates/place.se0.share/observations/0/value)" 1 "the share of where blocks ran"
expect_same "$(json points reps/0/record/worked)" 8 "blocks that worked"
expect_same "$(json points power/from/0)" "amdgpu@0000:03:00.0:power1 average" "whose power it is"
json points time/ticks_per_pass/value >values
while read -r ticks; do
    awk -v t="$ticks" 'BEGIN { exit !(t > 999.9 && t < 1000.1) }' || fail "$ticks ns a pass, expected 1000"
done <values
"$TRAUMA" export --schema >schema.json
"$SCHEMA_LINES" schema.json r.jsonl >count 2>err || fail "the results do not fit the schema"

# A GPU whose platform compiles program.cl (here Clang did): one instruction is patched, and only that.
if command -v clang-19 >/dev/null && command -v ld.lld-19 >/dev/null; then
    # compile GFX SOURCE FILE [FLAG...]
    compile()
    {
        gfx=$1
        source=$2
        file=$3
        shift 3
        clang-19 -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu="$gfx" -nogpulib -O2 -Xclang -finclude-default-header "$@" \
            '-Dget_group_id(x)=__builtin_amdgcn_workgroup_id_x()' '-Dget_local_id(x)=__builtin_amdgcn_workitem_id_x()' \
            '-Dbarrier(x)=__builtin_amdgcn_s_barrier()' -c "$source" -o compiled.o 2>clang.err || fail "$source: $(cat clang.err)"
        ld.lld-19 -shared compiled.o -o "$file"
    }
    compile gfx701 "$(find placed -name program.cl)" compiled.so -DTRAUMA_PLACEMENT
    FAKE_OPENCL_BINARY=$PWD/compiled.so FAKE_OPENCL_LOADED=$PWD/loaded.so FAKE_OPENCL=Hawaii,se0 \
        expect_exit 0 "$TRAUMA" run placed --power none --reps 1 --time 0.01 -o compiled.jsonl
    sed 1d compiled.jsonl >points
    expect_same "$(json points module/from)" program.cl "what ran"
    expect_same "$(json points module/placement/instructions)" 1 "instructions that were patched"
    expect_same "$(json points rates/place.se0.share/observations/0/value)" 1 "the share of where blocks ran"
    cmp -l compiled.so loaded.so >changed || true # they differ
    awk '{ word[int(($1 - 1) / 4)] } END { n = 0; for (w in word) n++; exit n != 1 }' changed ||
        fail "other words than one were changed: $(cat changed)"
    # Its blocks' places are those of the binary that ran, too.
    expect_same "$(json points rates/place.se0.share/verdict)" pass "what silicon and the patched binary agree on"

    # What is judged is the binary that the platform made, not program.co beside it.
    near="suite/gcn/address=independent,level=L1/program.cl"
    far="suite/gcn/address=independent,level=L2/program.cl"
    FAKE_OPENCL=Hawaii
    # runs LEVEL FILE: the point with the platform's binary in FILE.
    runs()
    {
        rm -f judged.jsonl
        code=0
        FAKE_OPENCL_BINARY=$PWD/$2 "$TRAUMA" run suite --filter "independent,level=$1" --power none --reps 1 --time 0.01 \
            -o judged.jsonl >out 2>err || code=$?
        sed 1d judged.jsonl >points
    }
    # served LEVEL VERDICT WORDS: what is said of the level, and why.
    served()
    {
        expect_same "$(json points "rates/served.$1/verdict")" "$2" "the verdict on $1"
        json points "rates/served.$1" | grep -qF "$3" || fail "$1: $(json points "rates/served.$1")"
    }
    compile gfx701 "$near" near.so
    compile gfx701 "$far" far.so
    runs L2 far.so
    expect_same "$code" 0 "exit code"
    expect_same "$(json points module/made/bytes)" "$(wc -c <far.so)" "bytes of the platform's binary"
    served L2 'pass (code)' '"wave"'
    runs L1 near.so
    served L1 'pass (code)' '"wave"'
    # Older runtimes put the code object into another ELF file.
    if command -v llvm-mc-19 >/dev/null; then
        printf '.text\n.incbin "near.so"\n' >outer.s
        llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu=gfx701 -filetype=obj outer.s -o outer.so
        runs L1 outer.so
        expect_same "$(json points module/made/bytes)" "$(wc -c <outer.so)" "bytes of the platform's binary"
        served L1 'pass (code)' '"wave"'
    fi
    # The platform's compiler spoils it: program.co, which did not run, would pass.
    sed 's/\*(__global const uint \*)(data/*(volatile __global const uint *)(data/' "$near" >spoilt.cl
    compile gfx701 spoilt.cl spoilt.so
    runs L1 spoilt.so
    expect_same "$code" 5 "exit code"
    served L1 fail '"wave"'
    FAKE_OPENCL_BINARY=$PWD/spoilt.so expect_exit 5 "$TRAUMA" check suite --filter "independent,level=L1"
    expect_text out "served.L1"
    TRAUMA_OPENCL=/nonexistent expect_exit 0 "$TRAUMA" check suite --filter "independent,level=L1"
    expect_text out " pass"
    # A compiler without the builtins has other loads past L1; one that made plain loads of them is refused.
    compile gfx701 "$far" far.so -U__has_builtin
    runs L2 far.so
    served L2 'pass (code)' '"wave"'
    sed 's/TRAUMA_PAST_L1(uint, \(.*\));/*(__global const uint *)(\1);/' "$far" >plain.cl
    compile gfx701 plain.cl plain.so
    runs L2 plain.so
    expect_same "$code" 4 "exit code"
    expect_text err "made plain loads, which L1 serves, of loads that go past L1"
    # What wave cannot execute is not judged by what did not run.
    compile gfx906 "$near" other.so
    printf '//\n// Generated by NVIDIA NVVM Compiler\n//\n.version 8.0\n' >ptx.so
    cp "$(command -v cat)" host.so
    make=$("$GCN_FILE" catalyst-32 gfx701 catalyst.so 's_endpgm' 2>&1) || fail "$make"
    for words in "other.so code for gfx906" "ptx.so PTX" "host.so an ELF file for the machine" "catalyst.so Catalyst"; do
        runs L1 "${words%% *}"
        expect_same "$code" 0 "exit code"
        served L1 unobserved "the binary that ran is ${words#* }"
        served L1 unobserved "program.co did not run"
    done
    runs L1 missing.so
    served L1 unobserved "the platform returns no binary"
    FAKE_OPENCL_BINARY=$PWD/ptx.so expect_exit 4 "$TRAUMA" check suite --filter "independent,level=L1"
    FAKE_OPENCL=gfx701,se0
fi

# PoCL, where it is: every kind of stream runs, a deeper level takes longer, and placement is refused with the reason.
unset TRAUMA_OPENCL FAKE_OPENCL
"$TRAUMA" sensors >out 2>err
grep -q "opencl:0" out || skip "the rest: no OpenCL device is here (Debian: pocl-opencl-icd)"
grep -q "opencl:0 .*gfx" out && skip "the rest: there is an AMD GPU here, which is not PoCL"
expect_exit 4 "$TRAUMA" run suite --power none --reps 1 --time 0.01 -o other.jsonl
expect_text err "the program is for w9100 (gfx701), and "
expect_text err "is of type CPU"
expect_no_text other.jsonl '"bandwidth.'
TRAUMA_ANY_DEVICE=1
export TRAUMA_ANY_DEVICE
expect_exit 0 "$TRAUMA" run suite --power none --reps 2 --time 0.05 -o pocl.jsonl
expect_text err "is for w9100, but runs on"
sed 1d pocl.jsonl >points
expect_same "$(wc -l <points)" 8 "points"
expect_same "$(json points module/from | sort -u)" program.cl "what ran"
expect_same "$(json points reps/0/record/timed_by | sort -u)" event "what timed it"
expect_same "$(json points reps/0/record/worked | sort -u)" 4 "blocks that worked"
# A processor's program is not the GPU's beside it: what the GPU's would do is no verdict.
grep -q '"verdict":"pass' pocl.jsonl && fail "PoCL's program was judged by program.co"
for level in SHARED L1 L2 MEM; do
    expect_same "$(json points "rates/served.$level/verdict" | grep -vx -e - | sort -u)" unobserved "the verdict on $level"
done
grep -q "the binary that ran is PoCL's own form" pocl.jsonl || fail "no reason is given for what is not judged"
ticks_of()
{
    grep "\"name\":\"address=$1,level=$2\"" points >point
    json point time/ticks_per_pass/value
}
for address in independent chase; do
    awk -v near="$(ticks_of $address L1)" -v far="$(ticks_of $address MEM)" 'BEGIN { exit !(near > 0 && far > near) }' ||
        fail "$address: a pass over memory took $(ticks_of $address MEM) ns, over L1's data $(ticks_of $address L1)"
done
"$SCHEMA_LINES" schema.json pocl.jsonl >count 2>err || fail "the results do not fit the schema"
expect_exit 4 "$TRAUMA" run placed --power none --reps 1 --time 0.01 -o refused.jsonl
expect_text err "a wave cannot learn where it runs"

# What goes wrong ends one point, at the line of program.cl, and the others run.
sed '/trauma_kernel(/s|^|wrong |' "suite/gcn/address=chase,level=L1/program.cl" >text
line=$(grep -n "^wrong " text | cut -d: -f1)
cp text "suite/gcn/address=chase,level=L1/program.cl"
expect_exit 1 "$TRAUMA" run suite --filter address=chase --power none --reps 1 --time 0.01 -o wrong.jsonl
expect_text err "program.cl:$line: the driver's compiler rejects the program"
grep -q '"name":"address=chase,level=L2".*"ticks_per_pass"' wrong.jsonl || fail "the other points did not run"
