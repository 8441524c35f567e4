# Many working sets at once: every one has a register, or the kernel is refused; loops shrink to fit the caches.
. "$SOURCE/tests/e2e/lib.sh"

cat >small.lua <<'LUA'
machine {
  name = "small", isa = "x86_64", features = { "sse2" },
  caches = {
    L1I = { size = "32KiB",  ways = 8,  line = 64, policy = "lru" },
    L1D = { size = "24KiB",  ways = 12, line = 64, policy = "lru" },
    L2  = { size = "128KiB", ways = 8,  line = 64, policy = "lru" },
  },
}
LUA
cat >even.lua <<'LUA'
machine {
  name = "even", isa = "x86_64", features = { "sse2" },
  caches = {
    L1I = { size = "16KiB",  ways = 8,  line = 64, policy = "lru" },
    L1D = { size = "32KiB",  ways = 8,  line = 64, policy = "lru" },
    L2  = { size = "256KiB", ways = 16, line = 64, policy = "lru" },
  },
}
LUA
cat >many.lua <<'LUA'
benchmark {
  name   = "many",
  sweep  = { address = { "independent", "chase" }, more = { 0, 1 } },
  loop   = { units = 40 },
  kernel = function(p)
    return {
      p.more == 1 and store { served_by = { L1 = 0.5, MEM = 0.5 }, stride = 512 },
      load  { served_by = { MEM = 0.1, L2 = 0.01, L1 = 0.89 }, count = 3, stride = 1024, address = p.address },
      store { served_by = { L2 = 1 } },
      store { served_by = { L1 = 0.7, L2 = 0.2, MEM = 0.1 }, count = 2 },
      branch { accuracy = 0.5 },
    }
  end,
}
benchmark {
  name   = "strided",
  kernel = function() return { load { served_by = { L2 = 1 }, stride = 2048 } } end,
}
LUA

expect_exit 0 "$TRAUMA" gen many.lua -m even.lua -o suite --filter "independent,more=0"
expect_exit 0 suite/many/address=independent,more=0/program 1000
expect_text out '{"iterations":1000,"ticks":'
expect_same "$(json_document suite/many/address=independent,more=0/manifest.json '#data/bases')" 3 "working sets with a base"

# A pass of some 800 loads of one color would not stay in this L2: a smaller one does.
expect_exit 0 "$TRAUMA" gen many.lua -m small.lua -o strided --filter strided
expect_exit 0 strided/strided/default/program 1000

# A chase has a register of its own, and no two roles share one.
expect_exit 3 "$TRAUMA" gen many.lua -m even.lua -o never --filter "chase,more=1"
expect_text err "x86_64 has too few registers for 4 working sets, stores, branches, a chase in one loop"
expect_text err "fewer levels"
