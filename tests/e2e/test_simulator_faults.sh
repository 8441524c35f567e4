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

# judge_control CODE TEXT SETTINGS...
judge_control()
{
    code=$1
    text=$2
    shift 2
    python3 "$reader" play control "$@" >control.csv || fail "control $*"
    expect_exit "$code" "$PLAIN" check control --simulator csv --import control.csv -q
    expect_text out "$text"
}
plain_program
judge_control 0 "csv: 0 of "
judge_control 5 "it looks as if it predicts each conditional branch as taken" predicts=taken
judge_control 5 "it looks as if it predicts no conditional branch as taken" predicts=untaken
judge_control 5 "reports correct predictions as wrong ones" opposite=1
judge_control 5 "it looks as if it has one counter for all branches" shared=1
judge_control 5 "it looks as if it never knows where an indirect branch leads" untargeted=1
judge_control 5 "it looks as if it counts conditional branches alone" conditional=1
judge_control 5 "it looks as if it counts each misprediction twice" twice=1
judge_control 5 "it looks as if it has twice the ways in the TLB" tlb.ways=8
judge_control 5 "it looks as if it has pages of twice the size" page=13
judge_control 5 "has huge pages alone" page=21

# What L1D keeps: LRU keeps the small working set beside the large one, FIFO does not.
cat >pair.lua <<'LUA'
benchmark { name = "loads",
  kernel = function() return { load { miss_rate = { L1 = 0.3 } }, add { count = 2 } } end }
benchmark { name = "pair", loop = { units = 64 },
  kernel = function() return { load { working_set = "8KiB", stride = 64, prefetch = "invite" },
                               load { working_set = "64KiB", stride = 64, prefetch = "invite" } } end }
LUA
expect_exit 0 "$TRAUMA" gen pair.lua -m simulated.lua -o pair --trace dinero
while read -r fault words; do
    python3 "$reader" play pair $fault >counts.csv || fail "$fault"
    expect_exit 5 "$TRAUMA" check pair --simulator csv --import counts.csv -q
    expect_text out "$words"
done <<'FAULTS'
policy=FIFO it looks as if it replaces the oldest line in L1D (FIFO)
skipped=1 it finds L1D's set by address bits that are one too high
FAULTS
if python3 -c 'import cachesim' 2>/dev/null; then
    python3 "$reader" pycachesim pair policy=FIFO >counts.csv || fail "pycachesim"
    expect_exit 5 "$PLAIN" check pair --simulator csv --import counts.csv -q
    expect_text out "it looks as if it replaces the oldest line in L1D (FIFO)"
fi

# The shipped suites: of each fault in the TLB, in a cache's size and in what it counts, the verdict names it alone.
expect_exit 0 "$TRAUMA" gen simulator/caches -m simulated.lua -o caches --trace dinero
expect_exit 0 "$TRAUMA" gen simulator/pages -m paged.lua -o pages --trace dinero --passes 1000
while read -r suite fault words; do
    python3 "$reader" play "$suite" ${fault%none} >counts.csv || fail "$fault"
    if [ "$fault" = none ]; then
        expect_exit 0 "$PLAIN" check "$suite" --simulator csv --import counts.csv -q
        continue
    fi
    expect_exit 5 "$PLAIN" check "$suite" --simulator csv --import counts.csv -q
    expect_text out "it looks as if it $words: that explains"
    ! grep -q "or as if" "$WORK/out" || fail "$fault: $(cat "$WORK/out")"
done <<'FAULTS'
caches none
caches ways=4 has half the ways in L1D
caches ways=7 has a single way less in L1D
caches ways=16 has twice the ways in L1D
caches sets=32 has half the sets in L1D
caches sets=128 has twice the sets in L1D
caches skipped=1 finds L1D's set by address bits that are one too high
caches policy=FIFO replaces the oldest line in L1D (FIFO)
caches policy=MRU replaces the line used last in L1D
caches counts=2 counts each miss of L1D twice
caches again=1 counts each access that misses L1D twice
caches l2.ways=15 has a single way less in L2
caches l2.ways=32 has twice the ways in L2
caches l2.sets=512 has half the sets in L2
pages none
pages tlb.ways=2 has half the ways in the TLB
pages tlb.ways=3 has a single way less in the TLB
pages tlb.ways=8 has twice the ways in the TLB
pages tlb.sets=8 has half the sets in the TLB
pages tlb.sets=32 has twice the sets in the TLB
pages tlb.policy=FIFO replaces the oldest entry in the TLB (FIFO)
pages tlb.policy=MRU replaces the entry used last in the TLB
pages tlb.loads=1 counts no misses of stores in the TLB
pages page=13 has pages of twice the size
pages page=21 has huge pages alone
FAULTS
