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

# Displacements of this ISA reach few lines that stay where they are: what is refused is the rate that so few give.
cat >toggle.lua <<'RECIPE'
benchmark { name = "c", loop = { units = 200 }, kernel = function()
  return { load { miss_rate = { L1 = 0.3 }, data = pattern.toggle(0.25) } } end }
RECIPE
expect_exit 3 "$TRAUMA" gen toggle.lua -m machine.lua -t riscv64 -o toggle
expect_text err "with random replacement in L1D"

# The warm-up lasts until lines that hit have each found a way, so that nothing reaches L2.
cat >pages.lua <<'RECIPE'
benchmark { name = "d", kernel = function()
  return { tlb { miss_rate = 0.1 }, load { served_by = { L1 = 1 }, count = 4 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check pages.lua -m machine.lua -t riscv64
