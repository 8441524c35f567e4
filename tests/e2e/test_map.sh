# check --map: qemu judges programs with their pages at random places in memory. Plans for real caches keep their rates
# under any page map and a hashed index; plans for a simulator's caches, whose sets are known, do not.
. "$SOURCE/tests/e2e/lib.sh"
need_program qemu-x86_64

cat >machine.lua <<'MACHINE'
machine {
  name = "mapped", isa = "x86_64",
  caches = {
    L1I = { size = "16KiB", ways = 4, line = 64, policy = "lru" },
    L1D = { size = "24KiB", ways = 6, line = 64, policy = "lru" },
    L2  = { size = "256KiB", ways = 8, line = 64, policy = "lru" },
    L3  = { size = "8MiB", ways = 16, line = 64, policy = "lru" },
  },
}
MACHINE
cat >levels.lua <<'RECIPE'
local shares = { { L1 = 0.37, L2 = 0.63 }, { L2 = 0.6, L3 = 0.4 }, { L1 = 0.25, L2 = 0.25, L3 = 0.25, MEM = 0.25 } }
benchmark {
  name   = "levels",
  sweep  = { mix = { 1, 2, 3 } },
  kernel = function(p) return { load { served_by = shares[p.mix], address = "chase" } } end,
}
RECIPE

for map in pages hashed; do
    expect_exit 0 "$TRAUMA" check levels.lua -m machine.lua --map $map --counters qemu
    [ "$(grep -c 'served.* pass (code) .*qemu' "$WORK/out")" -eq 9 ] || fail "$map: $(cat "$WORK/out")"
done

# Where a way of L1 is longer than a page, its lines are in huge pages.
sed 's/L1D = { size = "24KiB", ways = 6/L1D = { size = "64KiB", ways = 2/' machine.lua >wide.lua
expect_exit 0 "$TRAUMA" check levels.lua -m wide.lua --map pages --counters qemu --filter mix=1
expect_exit 0 "$TRAUMA" gen levels.lua -m wide.lua -o wide --filter mix=1
expect_same "$(json_document wide/levels/mix=1/manifest.json data/huge_pages_from)" 0 "huge pages from the first byte on"

# Several maps, with their interval, also from workers; and how far off it may be.
expect_exit 0 "$TRAUMA" check levels.lua -m machine.lua --map pages --counters qemu --filter mix=3 --json -j 2
json "$WORK/out" metric observations/0/kind >kinds
grep -q '^served.MEM	mapped$' kinds || fail "$(cat kinds)"
expect_exit 5 "$TRAUMA" check levels.lua -m machine.lua --index virtual --map hashed --counters qemu --filter mix=3
expect_text out "; wanted 0.25 ± 0.01, qemu saw 0."
expect_exit 0 "$TRAUMA" check levels.lua -m machine.lua --index virtual --map none --counters qemu --filter mix=3

# Other simulators see the program's own addresses, and say so; without qemu there is nothing to map.
expect_exit 0 "$TRAUMA" check levels.lua -m machine.lua --map pages --filter mix=1 --json
grep -q '"source":"cachegrind"' "$WORK/out" && fail "cachegrind maps no pages: $(cat "$WORK/out")"
expect_exit 2 "$TRAUMA" check levels.lua -m machine.lua --map frames
expect_text err "--map frames: expected none, pages or hashed"
expect_exit 2 "$TRAUMA" check levels.lua -m machine.lua --map pages --counters cachegrind,bytes
expect_text err "--map is for the source qemu"
expect_exit 2 "$TRAUMA" check gpu-bandwidth -m a100 --map pages
expect_text err "a100 is a GPU"
