# The source "qemu" judges what cachegrind cannot: replacement policies, numbers of sets that are not powers of two,
# three levels in one run, the data TLB. It also detects errors.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program qemu-x86_64

# write_machine POLICY L2-SIZE L2-WAYS
write_machine()
{
    cat >machine.lua <<MACHINE
machine {
  name = "odd", isa = "x86_64",
  caches = {
    L1I = { size = "16KiB", ways = 4, line = 64, policy = "$1" },
    L1D = { size = "24KiB", ways = 6, line = 64, policy = "$1" },
    L2  = { size = "$2", ways = $3, line = 64, policy = "$1" },
    L3  = { size = "1920KiB", ways = 15, line = 64, policy = "$1" },
  },
  tlb = { data = { entries = 64, ways = 4, page = "4KiB" } },
  features = { "sse2", "avx", "avx2" },
}
MACHINE
}

cat >rates.lua <<'RECIPE'
local shares = { { L1 = 0.37, L2 = 0.63 }, { L2 = 0.6, L3 = 0.4 }, { L1 = 0.25, L2 = 0.25, L3 = 0.25, MEM = 0.25 } }
benchmark {
  name   = "levels",
  sweep  = { mix = { 1, 2, 3 } },
  kernel = function(p) return { load { served_by = shares[p.mix], address = "chase" } } end,
}
benchmark {
  name   = "wide",
  kernel = function() return { load { served_by = { L1 = 0.5, L2 = 0.5 }, width = 32 } } end,
}
benchmark {
  name   = "pages",
  sweep  = { miss = { 0, 0.25, 1 } },
  kernel = function(p) return { load { miss_rate = { L1 = 0 } }, tlb { miss_rate = p.miss } } end,
}
benchmark {
  name   = "code",
  kernel = function() return { load { miss_rate = { L1 = 0 } }, code { served_by = { L1I = 0.7, L2 = 0.3 } } } end,
}
RECIPE

# Every rate that it judges passes, and it judges those that are stated; $1: the least number of passes.
expect_all()
{
    expect_exit 0 "$TRAUMA" check rates.lua -m machine.lua --index virtual --counters qemu --json
    awk -v least="$1" '
        /"metric":"(mix|body|data)/ { next }
        /"wanted":null/ { next }
        /"verdict":"pass \(code\)"/ { passed++ }
        /"verdict":"(fail|inconclusive|unobserved)"/ { print; wrong++ }
        END { if (passed < least) { print passed + 0 " passes"; wrong++ } exit wrong > 0 }' "$WORK/out" >"$WORK/wrong" ||
        fail "$(head -c 2000 "$WORK/wrong")"
}

# 24 KiB in 6 ways are 64 sets; 240 KiB in 10 ways are 384, and 1,920 KiB in 15 ways 2,048.
write_machine tree-plru 240KiB 10
expect_all 30
write_machine lru 240KiB 10
expect_all 30
write_machine fifo 240KiB 10
expect_all 30

# TLBs replace by their policy; one that keeps some of what should always miss is refused.
sed 's/page = "4KiB"/page = "4KiB", policy = "fifo"/' machine.lua >tlb.lua
expect_exit 0 "$TRAUMA" check rates.lua -m tlb.lua --filter pages --counters qemu
[ "$(grep -c 'dtlb.miss_rate .* pass (code) .* qemu' "$WORK/out")" -eq 3 ] || fail "$(cat "$WORK/out")"
sed -i 's/"fifo" } }/"random" } }/' tlb.lua
expect_exit 0 "$TRAUMA" check rates.lua -m tlb.lua --filter pages/miss=0$ --counters qemu
grep -q 'dtlb.miss_rate *0  pass (code) .* qemu 0$' "$WORK/out" || fail "$(cat "$WORK/out")"
expect_exit 3 "$TRAUMA" check rates.lua -m tlb.lua --filter pages/miss=0.25 --counters qemu
expect_text err "with random replacement the data TLB of 64 entries keeps some of the pages that should always miss it"

# Replacement by chance: a mean of several seeds with its interval.
write_machine random 256KiB 8
expect_exit 0 "$TRAUMA" check rates.lua -m machine.lua --index virtual --filter mix=1 --counters qemu
grep -q 'served.L2 *0.63 *pass (code) *qemu 0.6[23][0-9]* \[0.6' "$WORK/out" || fail "no interval: $(cat "$WORK/out")"

# By default it is asked where cachegrind lacks the machine's sets or its TLB, and nowhere else.
write_machine lru 240KiB 10
expect_exit 0 "$TRAUMA" check rates.lua -m machine.lua --index virtual --filter miss=0.25
expect_text out "qemu 0.25"
write_machine lru 256KiB 8
expect_exit 0 "$TRAUMA" check rates.lua -m machine.lua --index virtual --filter wide
expect_no_text out "qemu"

# A TLB of more entries than a word has bits, and one whose huge pages have entries of their own. Beside loads that miss
# L1 and L2, the data TLB keeps its rate: other lines lie in huge pages, which the program asks for.
cat >pages.lua <<'RECIPE'
benchmark {
  name   = "pages",
  sweep  = { tlb = { 0, 0.2, 0.37 }, miss = { 0.07, 0.43 }, deep = { 0, 1 / 7 } },
  kernel = function(p)
    local deep = p.deep * p.miss
    return { load { served_by = { L1 = 1 - p.miss, L2 = p.miss - deep, L3 = deep }, address = "chase" },
             store { served_by = { L1 = 1 } }, tlb { miss_rate = p.tlb } }
  end,
}
RECIPE
for tlb in "data = { entries = 96, ways = 96, page = '4KiB' }" "data = { entries = 48, ways = 4, page = '4KiB' }" \
    "data = { entries = 64, ways = 4, page = '4KiB' }, huge = { entries = 32, ways = 4 }"; do
    write_machine lru 240KiB 10
    sed "s/tlb = .*/tlb = { $tlb },/" machine.lua >paged.lua
    expect_exit 0 "$TRAUMA" check pages.lua -m paged.lua --index virtual --counters qemu --json
    [ "$(grep -c '"metric":"dtlb.miss_rate".*"verdict":"pass (code)"' "$WORK/out")" -eq 12 ] ||
        fail "$tlb: $(grep dtlb "$WORK/out" | grep -v '"verdict":"pass"' | head -n 3)"
done

# Ways of L1D longer than a page: lines a page apart are in different sets. Words that change are their loads' own.
cat >long.lua <<'RECIPE'
benchmark {
  name   = "long",
  sweep  = { l1 = { 0, 0.31 }, pages = { 0, 0.2 } },
  where  = function(p) return p.pages <= p.l1 end,
  kernel = function(p)
    return { load { served_by = { L1 = p.l1, L2 = 0.79 - p.l1, L3 = 0.21 }, data = pattern.toggle(0.25) },
             tlb { miss_rate = p.pages } }
  end,
}
RECIPE
write_machine lru 256KiB 4
sed 's/L3  = .*/L3 = { size = "5632KiB", ways = 11, line = 64, policy = "lru" },/' machine.lua >short-ways.lua
sed 's/L1D = .*/L1D = { size = "32KiB", ways = 4, line = 64, policy = "lru" },/' short-ways.lua >long-ways.lua
for machine in short-ways.lua long-ways.lua; do
    expect_exit 0 "$TRAUMA" check long.lua -m $machine --counters qemu,bytes --json
    [ "$(grep -c '"metric":"data.toggle_rate".*"verdict":"pass"' "$WORK/out")" -eq 3 ] || fail "$(cat "$WORK/out")"
done

# It counts taken branches by their share, random ones with the interval of chance.
cat >taken.lua <<'RECIPE'
benchmark {
  name   = "taken",
  sweep  = { taken = { 0.2, 0.5, 0.8 }, accuracy = { 0.9, 1 } },
  kernel = function(p) return { add { count = 3 }, branch { accuracy = p.accuracy, taken = p.taken } } end,
}
RECIPE
write_machine lru 240KiB 10
expect_exit 0 "$TRAUMA" check taken.lua -m machine.lua --counters qemu
[ "$(grep -c 'branch.taken_rate .* pass (code) .* qemu 0\.' "$WORK/out")" -eq 6 ] || fail "$(cat "$WORK/out")"

# What misses its bounds fails.
cat >wrong.lua <<'RECIPE'
benchmark {
  name   = "wrong",
  expect = { ["dtlb.miss_rate"] = { max = 0.4 }, ["l1d.miss_rate"] = { min = 0.1 } },
  kernel = function() return { load { miss_rate = { L1 = 0 } }, tlb { miss_rate = 0.5 } } end,
}
RECIPE
expect_exit 5 "$TRAUMA" check wrong.lua -m machine.lua --counters qemu
expect_text out "dtlb.miss_rate  0.5, <= 0.4  fail            qemu 0.5; wanted <= 0.4"

loads_plugins qemu-x86_64 || exit 0

# A random page map and an index that takes upper bits: the plan past L1 holds to a hundredth.
expect_exit 0 "$TRAUMA" gen rates.lua -m machine.lua --filter mix=2 -o suite
program=suite/levels/mix=2/program
for options in "pages=4096,seed=1" "pages=4096,seed=2" "pages=2097152,hashed=1"; do
    for passes in 20 120; do
        qemu-x86_64 -cpu max -plugin "$COUNTING_PLUGIN,l1i=16384:4:64:lru,l1d=24576:6:64:lru,l2=262144:8:64:lru,l3=1966080:15:64:lru,$options" \
            "$program" $passes >"$passes.line" 2>"$WORK/err" || fail "qemu failed with $options"
        tail -n 1 "$passes.line" | tr ',{}' '\n' | sed 's/"//g' | tr ':' ' ' >"$passes.counts"
    done
    awk 'NR == FNR { few[$1] = $2; next } { of[$1] = $2 - few[$1] }
         END { rate = of["l2_load_misses"] / of["loads"]; print rate; exit !(rate > 0.39 && rate < 0.41) }' \
        20.counts 120.counts >"$WORK/rate" || fail "with $options L3 serves $(cat "$WORK/rate") of the loads, not 0.4"
done

# The plugin refuses what it does not know, in a sentence.
for bad in l1d=24576:6:64:mru l1d=24577:6:64:lru l4=1:1:1:lru; do
    expect_exit 1 qemu-x86_64 -plugin "$COUNTING_PLUGIN,l1i=16384:4:64:lru,$bad" "$program" 1
    expect_text err "cannot use \"$bad\""
done
