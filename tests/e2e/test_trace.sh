# Traces for simulators: what an independent reader finds in them is what the programs promise, on every processor ISA.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

need_program python3
reader=$SOURCE/tests/e2e/trace_reader.py

cat >mixed.lua <<'LUA'
benchmark {
  name   = "mixed",
  sweep  = { miss = { 0.1, 0.5 } },
  loop   = { units = 40 },
  kernel = function(p)
    return { load { miss_rate = { L1 = p.miss } }, store { miss_rate = { L1 = 0.25 } }, branch { accuracy = 0.9 },
             add { count = 2 } }
  end,
}
LUA
for isa in x86_64 aarch64 riscv64; do
    cat >$isa.lua <<LUA
machine {
  name = "simulated", isa = "$isa", index = "virtual",
  caches = {
    L1I = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L1D = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L2  = { size = "1MiB",  ways = 16, line = 64, policy = "lru" },
  },
}
LUA
done

ran=0
for isa in x86_64 aarch64 riscv64; do
    loads_plugins qemu-$isa || continue
    for format in dinero champsim drmemtrace; do
        expect_exit 0 "$TRAUMA" gen mixed.lua -m $isa.lua -o $isa.$format --trace $format --passes 100
        for miss in 0.1 0.5; do
            expect_exit 0 python3 "$reader" check $isa.$format/mixed/miss=$miss
            expect_text out "$format $isa: "
        done
    done
    ran=$((ran + 1))
done
[ $ran -gt 0 ] || skip "no qemu-user here loads plugins"
loads_plugins qemu-x86_64 || exit 0

# The same bytes again, and in parallel; a suite with traces is replaced by one without.
expect_exit 0 "$TRAUMA" gen mixed.lua -m x86_64.lua -o again --trace champsim --passes 100 -j2
expect_exit 0 diff -r x86_64.champsim again
expect_exit 0 "$TRAUMA" gen mixed.lua -m x86_64.lua -o again
[ ! -e again/mixed/miss=0.1/program.trace.json ] || fail "the old suite's trace is still there"

# More passes of a packed trace take few bytes more.
expect_exit 0 "$TRAUMA" gen mixed.lua -m x86_64.lua -o long --trace champsim --passes 1000 --filter miss=0.1
expect_exit 0 python3 "$reader" check long/mixed/miss=0.1

# What is refused.
expect_exit 2 "$TRAUMA" gen mixed.lua -m x86_64.lua -o no --trace elf
expect_text err "champsim, drmemtrace, dinero"
expect_exit 2 "$TRAUMA" gen mixed.lua -m x86_64.lua -o no --passes 10
expect_text err "--trace"
expect_exit 2 "$TRAUMA" gen mixed.lua -m x86_64.lua -o no --trace dinero --passes 0
[ ! -e no ] || fail "a refused suite was left"
