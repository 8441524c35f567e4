# throttle{}: the number of idle instructions follows from the unit's cycles at peak and the duty; otherwise a
# refusal.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >machine.lua <<'LUA'
machine {
  name = "paced", isa = "x86_64", issue_width = 4, ports = { load = 2, store = 1 }, latency = { L1D = 5, L2 = 16 },
  per_cycle = { add = 4, xor = 4, mul = 1, fma = 2, branch = 1 }, features = { "sse2", "avx", "fma" },
  caches = { L1I = { size = "32KiB", ways = 8, line = 64 }, L1D = { size = "32KiB", ways = 8, line = 64 },
             L2 = { size = "256KiB", ways = 8, line = 64 } },
}
LUA

# recipe UNIT: a benchmark of that unit, in throttled.lua
recipe()
{
    cat >throttled.lua <<LUA
benchmark { name = "throttled", kernel = function() return { $1 } end, loop = { units = 10 } }
LUA
}

# idle COUNT UNIT: each unit gets that many idle instructions, and the program says so of itself.
idle()
{
    recipe "$2"
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen throttled.lua -m machine.lua -o suite -q
    idles='notq|rolq [$]3'
    expect_same "$(grep -cE "$idles" suite/throttled/default/program.s)" "$((10 * $1))" "idle instructions of { $2 }"
    expect_exit 0 "$TRAUMA" check suite --counters bytes,plan -q
    expect_exit 0 suite/throttled/default/program 100
}

idle 4 'load { served_by = { L1 = 1 }, count = 4 }, throttle { duty = 0.5 }'
idle 10 'load { served_by = { L1 = 1 }, address = "chase" }, throttle { duty = 0.5 }'
idle 26 'load { served_by = { L1 = 0.5, L2 = 0.5 }, address = "chase" }, throttle { duty = 0.4 }'
idle 8 'store { served_by = { L1 = 1 }, count = 2 }, load { served_by = { L1 = 1 } }, throttle { duty = 0.25 }'
idle 8 'add { count = 8 }, throttle { duty = 0.25 }'
idle 16 'fma { count = 8 }, throttle { duty = 0.25 }'
idle 32 'mul { count = 8 }, throttle { duty = 0.25 }'
idle 16 'mul { count = 8 }, fma { count = 4 }, throttle { duty = 0.5 }'
idle 0 'load { served_by = { L1 = 1 }, count = 4 }, throttle { duty = 1 }'

# At full rate nothing is idle, also where a unit's cycles are no whole number: the source duty compares with such a loop.
sed 's/xor = 4/xor = 3/' machine.lua >third.lua
recipe 'xor { count = 4 }, throttle { duty = 1 }'
expect_exit 0 "$TRAUMA" gen throttled.lua -m third.lua -o full -q
expect_same "$(grep -c notq full/throttled/default/program.s || true)" 0 "idle instructions at duty 1"

# A machine file without ports: how many accesses a cycle has is not guessed, unless more of something else bounds the unit.
sed 's/ports = { load = 2, store = 1 }, //' machine.lua >portless.lua
recipe 'load { served_by = { L1 = 1 }, count = 8 }, throttle { duty = 0.5 }'
expect_exit 3 "$TRAUMA" gen throttled.lua -m portless.lua -o refused
expect_text err "the number of loads per cycle of the machine paced is unknown; its file can state it: ports = { load = NUMBER }"
recipe 'store { served_by = { L1 = 1 }, count = 8 }, load { served_by = { L1 = 1 } }, throttle { duty = 0.5 }'
expect_exit 3 "$TRAUMA" gen throttled.lua -m portless.lua -o refused
expect_text err "the number of stores per cycle of the machine paced is unknown"
for unit in 'load { served_by = { L1 = 1 } }, mul { count = 8 }, throttle { duty = 0.5 }' \
    'load { served_by = { L1 = 1 }, count = 8 }, throttle { duty = 1 }' \
    'load { served_by = { L1 = 1 }, count = 8 }, throttle { duty = 0.5, peak = "ports" }'; do
    recipe "$unit"
    rm -rf portless
    expect_exit 0 "$TRAUMA" gen throttled.lua -m portless.lua -o portless -q
done

# Idle instructions stand evenly among the others, of which a processor sees only some dozens ahead.
# longest_idle UNIT: as many of them as stand in a row.
longest_idle()
{
    recipe "$1"
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen throttled.lua -m machine.lua -o suite -q
    awk '/notq/ { row++; if (row > most) most = row } !/notq/ && /^    [a-z]/ { row = 0 } END { print most + 0 }' \
        suite/throttled/default/program.s
}
expect_same "$(longest_idle 'mul { count = 64 }, throttle { duty = 0.5 }')" 2 "idle instructions in a row beside 64 mul"
expect_same "$(longest_idle 'throttle { duty = 0.25 }, mul { count = 5 }, nop { count = 3 }')" 3 "in a row beside 5 mul and 3 nop"

# On Intel's cores a waiting instruction does not change its port: beside operations that keep one busy, the idle ones use another.
# of_one_port MACHINE UNIT: how many of the idle instructions avoid the port of multiplications.
of_one_port()
{
    recipe "$2"
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen throttled.lua -m "$1" -o suite -q
    grep -c 'rolq [$]3' suite/throttled/default/program.s || true
}
sed 's/isa = "x86_64",/isa = "x86_64", vendor = "Intel",/' machine.lua >intel.lua
expect_same "$(of_one_port intel.lua 'mul { count = 8 }, throttle { duty = 0.25 }')" 320 "beside mul on Intel's"
expect_same "$(of_one_port intel.lua 'add { count = 8 }, throttle { duty = 0.25 }')" 0 "beside add on Intel's"
expect_same "$(of_one_port machine.lua 'mul { count = 8 }, throttle { duty = 0.25 }')" 0 "beside mul elsewhere"

# refused SENTENCE UNIT
refused()
{
    recipe "$2"
    expect_exit 3 "$TRAUMA" gen throttled.lua -m machine.lua -o refused
    expect_text err "$1"
}

refused "so it needs 1.667 idle ones, which is not a whole number" \
    'load { served_by = { L1 = 1 } }, throttle { duty = 0.3 }'
refused "a unit 3 times as long" 'load { served_by = { L1 = 1 } }, throttle { duty = 0.3 }'
refused "no machine description states the rate at which a level beyond L1 serves independent loads" 'load { served_by = { L2 = 1 } }, throttle { duty = 0.5 }'
refused "the latency of MEM is unknown for the machine paced" \
    'load { served_by = { MEM = 1 }, address = "chase" }, throttle { duty = 0.5 }'
refused "idle instructions in a unit, more than" \
    'load { served_by = { L2 = 1 }, address = "chase", count = 100 }, throttle { duty = 0.1 }'
refused "has two throttle{}" 'add { count = 8 }, throttle { duty = 0.5 }, throttle { duty = 0.5 }'

# Operations of another width than 8 bytes have a rate of their own: vectors, and divisions of any.
sed -i 's/branch = 1 }/branch = 1, ["add.32"] = 2, fdiv = 0.25, ["fdiv.32"] = 0.125, ["div.4"] = 0.2 }/' machine.lua
sed -i 's/"avx", "fma"/"avx", "avx2", "fma"/' machine.lua
idle 16 'add { count = 8, width = 32 }, throttle { duty = 0.25 }'
idle 32 'fdiv { count = 4 }, throttle { duty = 0.5 }'
idle 64 'fdiv { count = 4, width = 32 }, throttle { duty = 0.5 }'
idle 40 'div { count = 4, width = 4 }, throttle { duty = 0.5 }'
expect_same "$(grep -c notq suite/throttled/default/program.s || true)" 0 "idle instructions that take a divider's turns"
refused "the number of fdiv.16 per cycle of the machine paced is unknown" 'fdiv { width = 16 }, throttle { duty = 0.5 }'
refused "the number of div per cycle of the machine paced is unknown" 'div {}, throttle { duty = 0.5 }'
refused "the number of add.16 per cycle of the machine paced is unknown; its file can state it: per_cycle = { [\"add.16\"] = OPERATIONS PER CYCLE }; \`trauma machine probe -o FILE\`, run on that machine, measures it" \
    'add { count = 8, width = 16 }, throttle { duty = 0.5 }'

# What bounds a unit is its own bottleneck, or the unit is refused.
refused "the number of fmul per cycle of the machine paced is unknown" 'fmul { count = 8 }, throttle { duty = 0.5 }'
refused "which ports its operations share" 'mul { count = 8 }, add { count = 32 }, throttle { duty = 0.5 }'
refused "an idle instruction takes an issue slot from the unit in each cycle; expected at most 0.75" \
    'add { count = 8 }, throttle { duty = 0.8 }'
refused "its chain waits for its own results" 'add { count = 8, chain = 4 }, throttle { duty = 0.5 }'
refused "some are mispredicted" 'branch { accuracy = 0.9, count = 4 }, throttle { duty = 0.5 }'
refused "it is the recipe's own" 'add { count = 8 }, asm { x86_64 = "incq {r0}", registers = 1 }, throttle { duty = 0.5 }'
refused "throttle{} is in 1 of 2 phases" 'phases = { { add { count = 8 }, throttle { duty = 0.5 } }, { nop {} } }'
refused "throttle.duty is 0.5 in one phase and 0.25 in another" \
    'phases = { { add { count = 8 }, throttle { duty = 0.5 } }, { add { count = 8 }, throttle { duty = 0.25 } } }'

# The machines that come with the program have the rates of the common operations, of the widths that they have: each gets
# as many idle instructions as its rate says, and the bytes agree. What no published source tells is refused with advice.
# shipped MACHINE OP IDLE [WIDTH]: idle instructions of 24 at a duty of a half.
shipped()
{
    recipe "$2 { count = 24, width = ${4:-8} }, throttle { duty = 0.5 }"
    sed -i 's/units = 10/units = 1/' throttled.lua
    rm -rf shipped
    expect_exit 0 "$TRAUMA" gen throttled.lua -m "$1" -o shipped -q
    expect_same "$(grep -cE "$idles" shipped/throttled/default/program.s)" "$3" "idle instructions of 24 $2.${4:-8} on $1"
    expect_exit 0 "$TRAUMA" check shipped --counters bytes,plan -q
}
for row in "zen5 add 8" "zen5 mul 16" "zen5 fma 24" "zen5 fdiv 240" "zen5 fma 24 32" "zen5 add 12 32" \
    "skylake-sp add 12" "skylake-sp xor 12" "skylake-sp mul 48" "skylake-sp shift 24" "skylake-sp div 1016" \
    "skylake-sp div 288 4" "skylake-sp fma 24 64" "skylake-sp fdiv 384 32" "skylake-sp sub 16 16" \
    "fx-8320 add 24" "fx-8320 div 2064" "fx-8320 div 1296 4" "fx-8320 fadd 24" "fx-8320 fadd 48 32" "fx-8320 fdiv 432" \
    "interlagos add 24" "interlagos mul 192" "interlagos mul 96 4" "interlagos fadd 48 32" \
    "pentium-pro sub 24" "pentium-pro mul 48"; do
    # shellcheck disable=SC2086 # the words of the row
    shipped $row
done
recipe 'fsqrt { count = 4 }, throttle { duty = 0.5 }'
expect_exit 3 "$TRAUMA" gen throttled.lua -m zen5 -o refused
expect_text err "the number of fsqrt per cycle of the machine zen5 is unknown; its file can state it: per_cycle"

# On a GPU, idle instructions fill the time of what the blocks in use move: the executor of AMD's sees that they do, and for
# NVIDIA's the source duty says why it does not.
on_gpu()
{
    echo "benchmark { name = 'gpu', target = '$1', grid = { blocks = 4, threads = 256 }, loop = { units = 8 }, kernel = function()
      return { load { served_by = { L2 = 1 } }, throttle { duty = $3 } } end }" >gpu.lua
    # The manifest has what is asked; each unit as many idle instructions as it says.
    rm -rf gpu
    expect_exit 0 "$TRAUMA" gen gpu.lua -m "$2" -o gpu -q
    expect_same "$(json_document gpu/gpu/default/manifest.json targets/throttle.duty idle)" "$3	$4" "the duty on $2"
    expect_same "$(grep -c "$5" "gpu/gpu/default/program.$6")" "$((8 * $4))" "idle instructions on $2"
    "$TRAUMA" check gpu.lua -m "$2" --json >"$WORK/out" 2>"$WORK/err" || true
    expect_same "$(json "$WORK/out" metric wanted verdict | grep throttle.duty)" "throttle.duty	$3	$7" "the duty on $2"
    "$TRAUMA" explain gpu.lua -m "$2" >"$WORK/out" 2>"$WORK/err"
    expect_text out "throttle: $4 idle instructions per unit, computed from the machine's gpu.bandwidth"
}
# Four blocks have four multiprocessors' ports: 1024 bytes at 128 a cycle, and at 64.
on_gpu ptx h200 0.33 6 'add.u32 %\(a8, %a8, %b8\|b8, %b8, %a8\);' ptx unobserved
on_gpu gcn w9100 0.5 8 's_nop 0' s 'pass (code)'

# The peak is that of the channels that place leaves in use (64 bytes a cycle each), and of the 11 units of an engine (64 each): 44
# blocks of 1 KiB take 176, 88, 64 cycles, of which a half rate needs as many idle ones again; an idle instruction has 4.
channels()
{
    list=$(seq -s, 0 $(($1 - 1)))
    echo "benchmark { name = 'gpu', target = 'gcn', grid = { blocks = 176, threads = 256 }, loop = { units = 16 },
      place = { se = { 0 }, l2_channels = { $list } }, kernel = function()
      return { load { served_by = { L2 = 1 }, cache = 'l2' }, throttle { duty = 0.5 } } end }" >channels.lua
    rm -rf channels
    expect_exit 0 "$TRAUMA" gen channels.lua -m w9100 -o channels -q
    expect_same "$(grep -c 's_nop 0' channels/gpu/default/program.s)" "$((16 * $2))" "idle instructions on $1 channels"
    expect_exit 0 "$TRAUMA" check channels --counters wave --json
    expect_same "$(json out metric verdict | grep throttle.duty)" "throttle.duty	pass (code)" "the duty on $1 channels"
}
channels 16 32
channels 8 44
channels 4 88
# As many as for the whole chip's L2 leave four channels at their full rate, which is seen.
sed 's/L2 = 1024/L2 = 4096/' "$SOURCE/recipes/machines/w9100.lua" >fast.lua
expect_exit 0 "$TRAUMA" gen channels.lua -m fast.lua -o few -q
sed -i 's/4096/1024/' few/suite.json
grep -Eq '"L2": ?1024' few/suite.json || fail "the suite does not state the bandwidth of its machine"
expect_exit 5 "$TRAUMA" check few --counters wave
expect_text out "wanted 0.5 ± 0.015, wave saw 1"

# Where it runs, its blocks' record times it against the same loop without idle instructions.
libraries=$(dirname "$JSON_LINES")
if [ -f "$libraries/libfake_cuda.so" ]; then
    TRAUMA_CUDA=$libraries/libfake_cuda.so FAKE_CUDA=paced=41
    export TRAUMA_CUDA FAKE_CUDA
    expect_exit 0 "$TRAUMA" machine detect -t ptx -o fake.lua
    sed -i 's/arch = "sm_90",/arch = "sm_90", bandwidth = { L1 = 128, L2 = 400 },/' fake.lua
    echo "benchmark { name = 'gpu', target = 'ptx', grid = { blocks = 4, threads = 256 }, loop = { units = 8 }, kernel = function()
      return { load { served_by = { L2 = 1 }, width = 16 }, throttle { duty = 0.25 } } end }" >gpu.lua
    # On a chip that needs 41 ticks for what takes 41 by its file, and on one that needs 80.
    expect_exit 0 "$TRAUMA" check gpu.lua -m fake.lua --counters duty
    grep -Eq '^gpu/default +throttle.duty +0.25 +pass +duty 0.25$' out || fail "the duty where it runs: $(cat out)"
    FAKE_CUDA=paced=80
    expect_exit 5 "$TRAUMA" check gpu.lua -m fake.lua --counters duty
    grep -Eq '^gpu/default +throttle.duty +0.25 +fail +.*duty saw 0.48' out || fail "another duty where it runs: $(cat out)"
    unset TRAUMA_CUDA FAKE_CUDA
fi
refused_on_gpu()
{
    echo "benchmark { name = 'gpu', target = '$1', grid = { blocks = 4, threads = 64 }, loop = { units = 8 }, kernel = function()
      return { load { served_by = { L2 = 1 } }, $3 } end }" >gpu.lua
    expect_exit 3 "$TRAUMA" gen gpu.lua -m "$2" -o refused
    expect_text err "$4"
}
refused_on_gpu ptx h200 'throttle { duty = 0.3 }' "1.667 idle instructions per unit, which is not a whole number; a unit 3 times as long"
refused_on_gpu gcn w9100 'throttle { duty = 0.3 }' "3.333 idle instructions per unit, which is not a whole number; a unit 3 times as long"
refused_on_gpu ptx h200 'throttle { duty = 0.5 }, throttle { duty = 0.5 }' "has two throttle{}"

# The duty is promised, and told where the machine is another's by nobody.
recipe 'fma { count = 8 }, throttle { duty = 0.25 }'
expect_exit 0 "$TRAUMA" check throttled.lua -m machine.lua --json
expect_same "$(json "$WORK/out" metric wanted verdict reason | grep throttle.duty)" \
    "throttle.duty	0.25	unobserved	duty: paced is not the machine that this runs on" "the duty of another machine"

# On this machine it is measured: the same program as for half the rates has another duty, and is found out.
expect_exit 0 "$TRAUMA" machine detect -o here.lua
with()
{
    sed "s/^}/  per_cycle = { fma = 2, mul = $1 },\n}/" here.lua >with.lua
    "$TRAUMA" check throttled.lua -m with.lua --counters duty --json >"$WORK/out" 2>"$WORK/err" || true
    json "$WORK/out" metric observations/0/value | awk -F'\t' '$1 == "throttle.duty" { print $2 }'
}
recipe 'mul { count = 16 }, throttle { duty = 0.25 }'
low=$(with 1)
high=$(with 4)
[ -n "$low" ] && [ -n "$high" ] || fail "throttle.duty is not measured on the present machine: '$low' '$high'"
awk -v low="$low" -v high="$high" 'BEGIN { exit !(low < 0.6 * high) }' || fail "duties of $low and $high are not told apart"
