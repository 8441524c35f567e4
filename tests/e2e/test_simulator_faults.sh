# Simulators with faults of branches, of pages and of what L1D keeps: the independent reader of traces plays each, and the
# verdict names it.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

need_program python3
loads_plugins qemu-x86_64 || skip "traces need qemu-x86_64 with plugins"
reader=$SOURCE/tests/e2e/trace_reader.py

cat >simulated.lua <<'LUA'
machine {
  name = "simulated", isa = "x86_64", index = "virtual",
  caches = {
    L1I = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L1D = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L2  = { size = "1MiB",  ways = 16, line = 64, policy = "lru" },
  },
}
LUA

# judge SUITE: plays the suite to a simulator with each fault of the input's lines CODE FAULT WORDS, and checks what it counts:
# the verdict ends with that code and says those words, and a fault that explains all it names alone.
judge()
{
    cat >faults
    cut -d ' ' -f 2 faults | python3 "$reader" play "$1" tables || fail "$1 is not played"
    while read -r code fault words; do
        expect_exit "$code" "$TRAUMA" check "$1" --simulator csv --import "tables/$fault" -q
        expect_text out "$words"
        case $words in *": that explains") ! grep -q "or as if" "$WORK/out" || fail "$fault: $(cat "$WORK/out")" ;; esac
    done <faults
}

# Branches and pages, from traces that tell them.
cat >control.lua <<'LUA'
benchmark { name = "directions", sweep = { accuracy = { 1, 0.8 } },
  kernel = function(p) return { branch { accuracy = p.accuracy, taken = 0.6 }, add { count = 2 } } end }
benchmark { name = "targets", kernel = function() return { branch { accuracy = 0.9, kind = "indirect" }, add {} } end }
benchmark { name = "pages", sweep = { miss = { 0.1, 0.3 } }, loop = { units = 40 },
  kernel = function(p) return { load { served_by = { L1 = 1 }, count = 4 }, tlb { miss_rate = p.miss } } end }
LUA
sed 's/^}/  tlb = { data = { entries = 64, ways = 4, page = "4KiB" } },\n}/' simulated.lua >paged.lua
expect_exit 0 "$TRAUMA" gen control.lua -m paged.lua -o control --trace champsim --passes 100

judge control <<'FAULTS'
0 none csv: 0 of
5 predicts=taken it looks as if it predicts each conditional branch as taken
5 predicts=untaken it looks as if it predicts no conditional branch as taken
5 opposite=1 reports correct predictions as wrong ones
5 shared=1 it looks as if it has one counter for all branches
5 untargeted=1 it looks as if it never knows where an indirect branch leads
5 conditional=1 it looks as if it counts conditional branches alone
5 twice=1 it looks as if it counts each misprediction twice
5 tlb.ways=8 it looks as if it has twice the ways in the TLB
5 page=13 it looks as if it has pages of twice the size
5 page=21 has huge pages alone
FAULTS

# What L1D keeps: LRU keeps the small working set beside the large one, FIFO does not.
cat >pair.lua <<'LUA'
benchmark { name = "loads",
  kernel = function() return { load { miss_rate = { L1 = 0.3 } }, add { count = 2 } } end }
benchmark { name = "pair", loop = { units = 64 },
  kernel = function() return { load { working_set = "8KiB", stride = 64, prefetch = "invite" },
                               load { working_set = "64KiB", stride = 64, prefetch = "invite" } } end }
LUA
expect_exit 0 "$TRAUMA" gen pair.lua -m simulated.lua -o pair --trace dinero
judge pair <<'FAULTS'
5 policy=FIFO it looks as if it replaces the oldest line in L1D (FIFO)
5 skipped=1 it finds L1D's set by address bits that are one too high
FAULTS
if python3 -c 'import cachesim' 2>/dev/null; then
    python3 "$reader" pycachesim pair policy=FIFO >counts.csv || fail "pycachesim"
    expect_exit 5 "$TRAUMA" check pair --simulator csv --import counts.csv -q
    expect_text out "it looks as if it replaces the oldest line in L1D (FIFO)"
fi

# The shipped suites: of each fault in the TLB, in a cache's size and in what it counts, the verdict names it alone.
expect_exit 0 "$TRAUMA" gen simulator/caches -m simulated.lua -o caches --trace dinero
expect_exit 0 "$TRAUMA" gen simulator/pages -m paged.lua -o pages --trace dinero --passes 1000
judge caches <<'FAULTS'
0 none csv: 0 of
5 ways=4 it looks as if it has half the ways in L1D: that explains
5 ways=7 it looks as if it has a single way less in L1D: that explains
5 ways=16 it looks as if it has twice the ways in L1D: that explains
5 sets=32 it looks as if it has half the sets in L1D: that explains
5 sets=128 it looks as if it has twice the sets in L1D: that explains
5 skipped=1 it looks as if it finds L1D's set by address bits that are one too high: that explains
5 policy=FIFO it looks as if it replaces the oldest line in L1D (FIFO): that explains
5 policy=MRU it looks as if it replaces the line used last in L1D: that explains
5 counts=2 it looks as if it counts each miss of L1D twice: that explains
5 again=1 it looks as if it counts each access that misses L1D twice: that explains
5 l2.ways=15 it looks as if it has a single way less in L2: that explains
5 l2.ways=32 it looks as if it has twice the ways in L2: that explains
5 l2.sets=512 it looks as if it has half the sets in L2: that explains
FAULTS
judge pages <<'FAULTS'
0 none csv: 0 of
5 tlb.ways=2 it looks as if it has half the ways in the TLB: that explains
5 tlb.ways=3 it looks as if it has a single way less in the TLB: that explains
5 tlb.ways=8 it looks as if it has twice the ways in the TLB: that explains
5 tlb.sets=8 it looks as if it has half the sets in the TLB: that explains
5 tlb.sets=32 it looks as if it has twice the sets in the TLB: that explains
5 tlb.policy=FIFO it looks as if it replaces the oldest entry in the TLB (FIFO): that explains
5 tlb.policy=MRU it looks as if it replaces the entry used last in the TLB: that explains
5 tlb.loads=1 it looks as if it counts no misses of stores in the TLB: that explains
5 page=13 it looks as if it has pages of twice the size: that explains
5 page=21 it looks as if it has huge pages alone: that explains
FAULTS
