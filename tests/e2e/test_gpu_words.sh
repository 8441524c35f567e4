# What a GPU recipe may contain: each refusal names the line, what was found and what to do.
. "$SOURCE/tests/e2e/lib.sh"
cat >old.lua <<'MACHINE'
machine { name = "old", isa = "ptx", caches = { L1 = { size = "24KiB", line = 128, sector = 32, policy = "unknown" },
    L2 = { size = "2MiB", line = 128, sector = 32, policy = "unknown" } },
  gpu = { arch = "sm_50", sm = 5, shared = "48KiB", memory = "2GiB" } }
MACHINE

# recipe MACHINE FIELDS UNIT: the kernel returns the unit.
recipe()
{
    printf 'benchmark { name = "w", target = "ptx", %s\n  kernel = function(p, m)\n    return { load { served_by = { L2 = 1 } },\n      %s } end }\n' \
        "$2" "$3" >w.lua
    "$TRAUMA" gen w.lua -m "$1" -o suite -q >out 2>err
}
refused()
{
    recipe "$1" "$2" "$3" && fail "it is generated: $2 $3"
    grep -qF "$4" err || fail "$3 $2: $(cat err)"
}
refused h200 'threads = 4,' 'nop{}' 'w.lua:1: w: benchmark.threads: copies are for CPU programs; a GPU'"'"'s threads are grid'
refused h200 '' 'code { served_by = { L1I = 1 } }' 'w.lua:4: w/default: code{} is for CPUs only'
refused h200 '' 'prefetch{}' 'w.lua:4: w/default: prefetch{} is for CPUs only'
refused old.lua '' 'load { served_by = { L2 = 1 }, cache = "no_allocate" }' \
    'load.cache is "no_allocate": it needs sm_70, but machine old is sm_50; expected another operator'
refused h200 '' 'asm { ptx = "" }' "w.lua:4: w/default: asm's text has no statement"
refused h200 '' 'asm { ptx = ".include \"/etc/hostname\";" }' 'has a directive'
refused h200 '' 'asm { ptx = ".reg .f32 x;" }' 'outside of a scope'
refused h200 '' 'asm { ptx = "} .entry other() {" }' 'unmatched }'
refused h200 '' 'asm { ptx = "{ add.u32 {r0}, {r0}, 1;", registers = 1 }' 'unmatched {'
refused h200 '' 'asm { ptx = "add.u32 {r0}, {r0}, 1", registers = 1 }' 'expected ; after it'
refused h200 '' 'asm { ptx = "/*", registers = 1 }' 'a comment'
refused h200 '' 'asm { ptx = "add.u32 {r1}, {r0}, 1;", registers = 1 }' 'w.lua:4: w/default: asm uses {r1}: it has registers = 1'
refused h200 '' 'asm { ptx = "add.u32 {r0}, {r0}, 1;", registers = 1, memory = 8 }' 'asm.memory'
refused h200 '' 'asm { ptx = "add.u32 %a, %a, 1;", registers = { "a" } }' 'asm.registers'
refused h200 '' 'asm { ptx = "bra TRAUMA_LOOP;" }' "w.lua:4: w/default: asm's 'bra TRAUMA_LOOP' leaves the text"
refused h200 '' 'asm { ptx = "mov.u64 %left, 0;" }' "asm's 'mov.u64 %left, 0' uses %left, which is not its own: expected {r0}"
refused h200 '' 'asm { ptx = "st.global.u64 [%data], {r0:64};", registers = 1 }' 'is for memory or its addresses'
refused h200 '' 'asm { ptx = "bar.sync 0;" }' 'waits for other threads'
refused h200 '' 'store { served_by = { L2 = 1 }, data = pattern.random() }' 'all stores of a kernel write one word'
refused h200 'expect = { ["place.sx1.share"] = 1 },' 'nop{}' 'place.sx1.share'

sed 's/sm_50/sm_37/' old.lua >older.lua
refused older.lua '' 'nop{}' 'older.lua:3: machine.gpu.arch is "sm_37": expected sm_50 or later'

# A recipe's own instructions: a statement a line, in registers that nobody else has.
recipe h200 'loop = { units = 2 },' 'asm { ptx = " mad.lo.u32 {r0}, {r0}, 3, {r1}; { .reg .b64 t; mov.u64 t, {r1:64}; xor.b64 {r0:64}, {r0:64}, t; }", registers = 2 }' ||
    fail "$(cat err)"
program=suite/w/default/program.ptx
expect_same "$(grep -c '^    mad.lo.u32 %u0, %u0, 3, %u1;$' "$program")" 2 "statements of the first kind"
expect_same "$(grep -c '^    { .reg .b64 t;$' "$program")" 2 "scopes"
expect_same "$(grep -c '^    xor.b64 %w0, %w0, t;$' "$program")" 2 "statements of the last kind"
expect_same "$(grep -c 'xor.b32 %sum0, %sum0, %u[01];' "$program")" 2 "registers that end in the sum"

# Operations as on a processor, and bounds on where blocks run and how fast.
recipe h200 'expect = { ["place.sm2.share"] = { min = 0.1 }, ["bandwidth.L2"] = { min = 1 } },' \
    'sub { dependents = 1, count = 2 }, sub { width = 8 }, xor { chain = 3 }, fsqrt{}, fdiv { width = 8 }' ||
    fail "$(cat err)"
grep -q 'sqrt.rn.f32' "$program" && grep -q 'div.rn.f64' "$program" && grep -q 'sub.u64' "$program" || fail "operations are missing"
expect_same "$(grep -c '@%all sub.u32' "$program")" "$(grep -c '^    // unit' "$program")" "subtractions that consume a load"

# How fast it was: bandwidth of what the level served, judged and exported with its unit. The made-up GPU's passes take 1 us.
libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_cuda.so" ] || skip "the made-up GPU is not built"
TRAUMA_CUDA=$libraries/libfake_cuda.so
export TRAUMA_CUDA
cat >fast.lua <<'RECIPE'
benchmark { name = "fast", target = "ptx", sweep = { op = { "load", "store" } }, grid = { blocks = 4, threads = 128 },
  loop = { units = 10 }, expect = { ["bandwidth.L2"] = { min = 80e9, max = 84e9 } },
  kernel = function(p) return { (p.op == "load" and load or store) { served_by = { L2 = 1 }, width = 16 } } end,
  plot = { x = "op", y = "bandwidth.L2" } }
RECIPE
"$TRAUMA" machine detect -t ptx -o mine.lua -q
expect_exit 0 "$TRAUMA" run fast.lua -m mine.lua --power none --counters record --reps 3 --time 0.01 -o fast.jsonl
sed 1d fast.jsonl >points
expect_same "$(json points rates/bandwidth.L2/verdict | tr '\n' ' ')" "pass pass " "10 accesses of 512 threads and 16 bytes a pass"
expect_exit 0 "$TRAUMA" export fast.jsonl
grep -q ',bandwidth.L2,B/s,,80000000000,84000000000,pass,,pass,record,inferred,81' out || fail "the bandwidth is not exported: $(grep bandwidth out)"
cat >nothing.lua <<'RECIPE'
benchmark { name = "nothing", target = "ptx", kernel = function() return { store { served_by = { L2 = 1 } } } end }
RECIPE
expect_exit 0 "$TRAUMA" run nothing.lua -m mine.lua --power none --counters record --reps 1 --time 0.01 -o nothing.jsonl
expect_text out "nothing promised"
expect_text out "1 point without requirements"
