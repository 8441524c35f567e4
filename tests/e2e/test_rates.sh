# Rates that a kernel states together are met together, on an L1D of six ways.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# write_machine ISA
write_machine()
{
    cat >"$1.lua" <<MACHINE
machine { name = "box", isa = "$1", vendor = "Acme", clock_ghz = 1.6, issue_width = 2,
  caches = { L1I = { size = "32KiB", ways = 4, line = 64, policy = "lru" },
             L1D = { size = "48KiB", ways = 6, line = 64, policy = "lru" },
             L2 = { size = "768KiB", ways = 12, line = 64, policy = "lru" } },
  tlb = { data = { entries = 56, ways = 56, page = "4KiB" } } }
MACHINE
}

# Accesses that miss the TLB only in some passes of a period show their working set another part of its lines in
# the next period: the warm-up lasts until all of them are in L1D.
cat >pair.lua <<'RECIPE'
benchmark {
  name = "pair",
  sweep = { miss = { 0.17, 0.61 } },
  kernel = function(p)
    return { load { miss_rate = { L1 = p.miss, L2 = 0.29 }, address = "chase" }, xor { count = 2, dependents = 1 },
             branch { accuracy = 0.87 }, tlb { miss_rate = 0.05 } }
  end,
}
RECIPE
for isa in x86_64 aarch64 riscv64; do
    write_machine "$isa"
    for seed in 1 4 6; do
        expect_exit 0 "$TRAUMA" gen pair.lua -m "$isa.lua" --seed "$seed" -o "$isa-$seed"
    done
done
need_program qemu-aarch64
expect_exit 0 "$TRAUMA" check pair.lua -m aarch64.lua --counters qemu

# Of 211 accesses, of which 30 are alone in a behaviour, 41 miss the data TLB: the same share of each would be no whole access.
cat >parts.lua <<'RECIPE'
benchmark {
  name = "parts", loop = { units = 1 },
  kernel = function()
    local unit = { load { served_by = { L1 = 1 }, count = 181 }, tlb { miss_rate = 41 / 211 } }
    for i = 1, 30 do unit[#unit + 1] = load { served_by = { L1 = 1 }, width = i % 2 == 0 and 4 or 8 } end
    return unit
  end,
}
RECIPE
expect_exit 0 "$TRAUMA" check parts.lua -m cortex-a72 --counters bytes,qemu
grep -qE "dtlb.miss_rate +0\.1943[0-9]* +pass" out || fail "the data TLB of parts: $(cat out)"

# Few accesses of a pass go to L3, over many of its sets, beside lines in pages of their own.
cat >pages.lua <<'RECIPE'
benchmark { name = "pages", loop = { units = 1 }, kernel = function() return {
    load { served_by = { L1 = 1 }, count = 223, width = 4, data = pattern.words { 1, 3, 7, 15 } },
    load { served_by = { L1 = 207 / 400, L2 = 137 / 400, L3 = 56 / 400 }, count = 20, width = 4 },
    store { served_by = { L1 = 1 }, count = 50 }, tlb { miss_rate = 5 / 293 }, add { count = 200 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check pages.lua -m skylake-sp --counters bytes,qemu
grep -q "dtlb.miss_rate .* pass (code)" out && grep -q "served.L3 .* pass (code)" out || fail "pages beside L3: $(cat out)"

# What memory serves lies in no more huge pages than their TLB reaches.
cat >memory.lua <<'RECIPE'
benchmark { name = "memory", loop = { units = 3 }, kernel = function() return {
    load { served_by = { L1 = 1 }, count = 137, data = pattern.words { 1, 3, 7, 15 } },
    load { served_by = { L1 = 6 / 10, L2 = 1 / 10, MEM = 3 / 10 }, count = 10 },
    store { served_by = { L1 = 49 / 50, MEM = 1 / 50 }, count = 50 }, store { served_by = { L1 = 1 }, count = 7, width = 4 },
    tlb { miss_rate = 0 }, add { count = 200 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check memory.lua -m skylake-sp --counters bytes,qemu
grep -q "dtlb.miss_rate .* pass (code)" out && grep -q "l3.miss_rate .* pass (code)" out || fail "memory: $(cat out)"

# Of few accesses a pass, it lies in more huge pages, and passes that follow one another are in the same.
sed 's/units = 3/units = 1/; s/name = "memory"/name = "few"/' memory.lua >few.lua
for machine in skylake-sp zen5 fx-8320; do
    expect_exit 0 "$TRAUMA" check few.lua -m $machine --counters bytes,qemu
    grep -q "dtlb.miss_rate .* pass (code)" out && grep -q "l3.miss_rate .* pass (code)" out || fail "$machine: $(cat out)"
done
