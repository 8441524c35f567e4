# Under random replacement a plan's rates are those that an independent simulator counts.
. "$SOURCE/tests/e2e/lib.sh"
need_program qemu-riscv64

cat >machine.lua <<'EOF'
machine { name = "chance", isa = "riscv64", vendor = "X", clock_ghz = 1.2, issue_width = 2,
  caches = { L1I = { size = "32KiB", ways = 4, line = 64, policy = "random" },
             L1D = { size = "32KiB", ways = 8, line = 64, policy = "random" },
             L2 = { size = "2MiB", ways = 16, line = 64, policy = "random" } },
  tlb = { data = { entries = 40, ways = 40, page = "4KiB" } } }
EOF

# 21 lines that stay in an 8-way set: 9 in 100 survive, where lines that move do not.
cat >shallow.lua <<'EOF'
benchmark { name = "b", kernel = function()
  return { load { miss_rate = { L1 = 0.07 }, order = "shuffled" }, add { count = 2, dependents = 1 } } end }
EOF
expect_exit 0 "$TRAUMA" check shallow.lua -m machine.lua -t riscv64

# Displacements of this ISA reach few lines that stay where they are, and some of so few survive: the plan aims at more
# misses than are wanted.
cat >toggle.lua <<'RECIPE'
benchmark { name = "c", loop = { units = 200 }, kernel = function()
  return { load { miss_rate = { L1 = 0.3 }, data = pattern.toggle(0.25) } } end }
RECIPE
expect_exit 0 "$TRAUMA" check toggle.lua -m machine.lua -t riscv64

# Where registers reach no more such lines, the loop has fewer hits beside them.
cat >hits.lua <<'RECIPE'
benchmark { name = "e", kernel = function()
  return { load { miss_rate = { L1 = 0.1 }, data = pattern.toggle(0.5) }, mul { count = 2 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check hits.lua -m sifive-u74

# The warm-up lasts until lines that hit have each found a way, so that nothing reaches L2.
cat >pages.lua <<'RECIPE'
benchmark { name = "d", kernel = function()
  return { tlb { miss_rate = 0.1 }, load { served_by = { L1 = 1 }, count = 4 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check pages.lua -m machine.lua -t riscv64

# Three levels. Lines that L2 has lost drive out others for several rotations of a working set, and the warm-up lasts as
# long; lines that memory serves share no set of L3 with those that L3 serves.
cat >three.lua <<'EOF'
machine { name = "chances", isa = "aarch64", vendor = "X", clock_ghz = 2.5, issue_width = 4,
  caches = { L1I = { size = "64KiB", ways = 4, line = 64, policy = "random" },
             L1D = { size = "64KiB", ways = 4, line = 64, policy = "random" },
             L2 = { size = "512KiB", ways = 8, line = 64, policy = "random" },
             L3 = { size = "4MiB", ways = 16, line = 64, policy = "random" } },
  tlb = { data = { entries = 48, ways = 48, page = "4KiB" } } }
EOF
cat >deep.lua <<'RECIPE'
benchmark { name = "l2", kernel = function()
  return { load { miss_rate = { L1 = 0.07, L2 = 0.47 }, order = "shuffled" }, add { count = 2, dependents = 1 } } end }
benchmark { name = "l3", kernel = function()
  return { load { miss_rate = { L1 = 0.31, L2 = 0.13, L3 = 0.37 }, order = "shuffled" }, add { count = 2 } } end }
RECIPE
need_program qemu-aarch64
expect_exit 0 "$TRAUMA" check deep.lua -m three.lua -t aarch64
