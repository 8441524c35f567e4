# Simulators judged by a suite: honest ones pass, and faults are named. The independent reader of traces plays them, and
# the package pycachesim where it is installed.
. "$SOURCE/tests/e2e/lib.sh"

need_program python3
loads_plugins qemu-x86_64 || skip "traces need qemu-x86_64 with plugins"
reader=$SOURCE/tests/e2e/trace_reader.py

cat >caches.lua <<'LUA'
benchmark { name = "loads", sweep = { miss = { 0, 0.3 } },
  kernel = function(p) return { load { miss_rate = { L1 = p.miss } }, add { count = 2 } } end }
benchmark { name = "stores", sweep = { miss = { 0.1, 0.5 } }, loop = { units = 40 },
  kernel = function(p) return { load { miss_rate = { L1 = 0.25 } }, store { miss_rate = { L1 = p.miss } } } end }
benchmark { name = "walk", sweep = { size = { "24KiB", "32KiB", "64KiB" } }, loop = { units = 64 },
  kernel = function(p) return { load { working_set = p.size, stride = 64, prefetch = "invite" } } end }
benchmark { name = "pair", loop = { units = 64 },
  kernel = function() return { load { working_set = "8KiB", stride = 64, prefetch = "invite" },
                               load { working_set = "64KiB", stride = 64, prefetch = "invite" } } end }
benchmark { name = "deep", loop = { units = 40 },
  kernel = function(p) return { load { miss_rate = { L1 = 0.5, L2 = 0.5 } } } end }
LUA
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
expect_exit 0 "$TRAUMA" gen caches.lua -m simulated.lua -o suite --trace dinero

# Faults are tried with sanitizers once, below.
plain_program

# judge CODE PLAYER SETTINGS: by the reader with those settings, or by pycachesim
judge()
{
    if [ "$2" = play ]; then
        cp "tables/$3" counts.csv
    else
        python3 "$reader" "$2" suite $3 >counts.csv || fail "$2 $3"
    fi
    expect_exit "$1" "$PLAIN" check suite --simulator csv --import counts.csv -q
}

printf '%s\n' none sets=128 merged=1 cold=1 next=1 ways=7 around=1 | python3 "$reader" play suite tables || fail "the suite is not played"
judge 0 play none
expect_text out "csv: 0 of "
judge 5 play sets=128
expect_text out "it has twice the sets in L1D"
judge 5 play merged=1
expect_text out "it looks as if it counts stores as loads"
judge 5 play cold=1
expect_text out "counts the warm-up too"
judge 5 play next=1
expect_text out "it looks as if it prefetches the next line into L1D with each miss"
judge 5 play ways=7
expect_text out "it looks as if it has a single way less in L1D"
judge 5 play around=1
expect_text out "it looks as if it does not allocate lines of stores that miss L1D"
expect_exit 5 "$TRAUMA" check suite --simulator csv --import counts.csv -q --json
json "$WORK/out" verdict | grep -q wrong || fail "no line says wrong"

# Other headings.
sed '1s/l1d.misses/dcache/' tables/none >other.csv
expect_exit 0 "$TRAUMA" check suite --simulator csv --import other.csv --columns dcache=l1d.misses -q

if python3 -c 'import cachesim' 2>/dev/null; then
    judge 0 pycachesim ""
    judge 5 pycachesim sets=128
    expect_text out "it has twice the sets in L1D"
    judge 5 pycachesim policy=RR
    expect_text out "it looks as if it replaces lines of L1D at random"
    judge 5 pycachesim ways=7
    expect_text out "it looks as if it has a single way less in L1D"
else
    echo "not run: python3 has no package pycachesim"
fi

# Statistics of others, of loads/miss=0.3.
filter="--filter loads/miss=0.3"
loads=$(json_document suite/loads/miss=0.3/program.trace.json measured/loads)
instructions=$(json_document suite/loads/miss=0.3/program.trace.json measured/instructions)
misses=$((loads * 3 / 10))
cat >champsim.json <<JSON
[{"name":"Simulation","roi":{"DRAM":[],"cores":[{"cycles":9,"instructions":$instructions,"mispredict":{"BRANCH_CONDITIONAL":0}}],"cpu0_L1D":{"LOAD":{"hit":[9],"miss":[$misses],"mshr_merge":[0]},"RFO":{"hit":[0],"miss":[0]},"WRITE":{"hit":[0],"miss":[0]}},"cpu0_L2C":{"LOAD":{"hit":[$misses],"miss":[0]},"RFO":{"hit":[0],"miss":[0]},"WRITE":{"hit":[7],"miss":[7]}}},"sim":{}}]
JSON
cat >champsim.txt <<TEXT
Region of Interest Statistics

CPU 0 cumulative IPC: 2.883 instructions: $instructions cycles: 28167
CPU 0 Branch Prediction Accuracy: 100% MPKI: 0 Average ROB Occupancy at Mispredict: -

cpu0->cpu0_L1D TOTAL        ACCESS:      12980 HIT:       4882 MISS:       9999 MSHR_MERGE:          0
cpu0->cpu0_L1D LOAD         ACCESS:      12976 HIT:       4878 MISS:       $misses MSHR_MERGE:          0
cpu0->cpu0_L1D RFO          ACCESS:          0 HIT:          0 MISS:          0 MSHR_MERGE:          0
cpu0->cpu0_L1D WRITE        ACCESS:          4 HIT:          4 MISS:          0 MSHR_MERGE:          0
TEXT
cat >gem5.txt <<TEXT

---------- Begin Simulation Statistics ----------
simSeconds                                   0.000101                       # Number of seconds simulated (Second)
system.clk_domain.clock                          1000                       # Clock period in ticks (Tick)
system.cpu.dcache.demandHits::cpu.data       $((loads - misses))                       # number of demand (read+write) hits (Count)
system.cpu.dcache.demandHits::total          $((loads - misses))                       # number of demand (read+write) hits (Count)
system.cpu.dcache.demandMisses::total         $misses                       # number of demand (read+write) misses (Count)
system.cpu.dcache.ReadReq.misses::cpu.data    $misses                       # number of ReadReq misses (Count)
system.cpu.dcache.ReadReq.misses::total       $misses                       # number of ReadReq misses (Count)
system.cpu.dcache.ReadReq.accesses::cpu.data     $loads                       # number of ReadReq accesses(hits+misses) (Count)
system.cpu.dcache.ReadReq.accesses::total     $loads                       # number of ReadReq accesses(hits+misses) (Count)
system.l2.demandHits::cpu.data                $misses                       # number of demand (read+write) hits (Count)
system.l2.demandAccesses::cpu.inst                  4                       # number of demand (read+write) accesses (Count)
system.l2.demandAccesses::cpu.data            $misses                       # number of demand (read+write) accesses (Count)
system.l2.demandAccesses::total       $((misses + 4))                       # number of demand (read+write) accesses (Count)
system.l2bus.snoopFilter.hitSingleRequests          0                       # Number of requests hitting in the snoop filter (Count)
---------- End Simulation Statistics   ----------

---------- Begin Simulation Statistics ----------
system.cpu.dcache.ReadReq.misses::total             7                       # number of ReadReq misses (Count)
---------- End Simulation Statistics   ----------
TEXT
cat >drcachesim.txt <<TEXT
Cache simulation results:
Core #0 (traced CPU(s): #0)
  L1I0 (size=32768, assoc=8, block=64, LRU) stats:
    Hits:                          100,000
    Misses:                              7
  L1D0 (size=32768, assoc=8, block=64, LRU) stats:
    Hits:                          $((loads - misses))
    Misses:                        $misses
LL (size=1048576, assoc=16, block=64, LRU) stats:
    Hits:                          $misses
    Misses:                              0
TEXT
sed "/^LL/i L2 (size=1048576, assoc=16, block=64, LRU) stats:\\n    Hits:  $misses\\n    Misses:  0\\n    Local miss rate:  0.00%" drcachesim.txt >drcachesim.levels.txt
for report in champsim.json champsim.txt gem5.txt drcachesim.txt drcachesim.levels.txt; do
    # shellcheck disable=SC2086
    expect_exit 0 "$TRAUMA" check suite $filter --simulator "${report%%.*}" --import "$report"
    expect_text out "0.3000"
    sed "s/\([^0-9]\)$misses\([^0-9]\|$\)/\1$loads\2/" "$report" >wrong
    # shellcheck disable=SC2086
    expect_exit 5 "$TRAUMA" check suite $filter --simulator "${report%%.*}" --import wrong
done
if command -v valgrind >/dev/null; then
    mkdir -p stats/loads
    # shellcheck disable=SC2046
    valgrind $("$TRAUMA" machine show simulated.lua --as cachegrind) --cachegrind-out-file=/dev/null \
        suite/loads/miss=0.3/program 100 +1000 >"stats/loads/miss=0.3.txt" 2>&1 || fail "valgrind"
    # shellcheck disable=SC2086
    expect_exit 0 "$TRAUMA" check suite $filter --simulator cachegrind --import 'stats/{}.txt'
fi

# gem5 leaves out what is 0, such as the misses of a cache that has none; its TLB is not used everywhere.
cat >parts.txt <<'TEXT'
---------- Begin Simulation Statistics ----------
system.cpu.branchPred.committed_0::NoBranch                 0      0.00%      0.00% # Number of branches finally committed  (Count)
system.cpu.branchPred.committed_0::DirectCond            1000     90.91%     90.91% # Number of branches finally committed  (Count)
system.cpu.branchPred.committed_0::DirectUncond           100      9.09%    100.00% # Number of branches finally committed  (Count)
system.cpu.branchPred.committed_0::total                 1100                       # Number of branches finally committed  (Count)
system.cpu.branchPred.mispredicted_0::DirectCond          500     50.00%     50.00% # committed branches that were mispredicted (Count)
system.cpu.branchPred.condPredicted                      2000                       # Number of conditional branches predicted (Count)
system.cpu.branchPred.condIncorrect                      2000                       # Number of conditional branches incorrect (Count)
system.cpu.dcache.ReadReq.accesses::total       1000                       # number of ReadReq accesses(hits+misses) (Count)
system.cpu.dcache.replacements                     0                       # number of replacements (Count)
system.cpu.mmu.dtb.rdAccesses                   1000                       # TLB accesses on read requests (Count)
system.cpu.mmu.dtb.wrAccesses                      0                       # TLB accesses on write requests (Count)
system.cpu.mmu.dtb.rdMisses                      300                       # TLB misses on read requests (Count)
system.cpu.mmu.dtb.wrMisses                        0                       # TLB misses on write requests (Count)
---------- End Simulation Statistics   ----------
TEXT
sed 's/^}/  tlb = { data = { entries = 64, ways = 64, page = "4KiB" } },\n}/' simulated.lua >paged.lua
cat >parts.lua <<'LUA'
benchmark { name = "parts",
  kernel = function() return { load { served_by = { L1 = 1 } }, branch { accuracy = 0.75 }, tlb { miss_rate = 0.3 } } end,
  loop = { units = 40 } }
LUA
expect_exit 0 "$TRAUMA" gen parts.lua -m paged.lua -o parts --markers gem5
expect_exit 5 "$PLAIN" check parts --simulator gem5 --import parts.txt
for line in "l1d.miss_rate" "dtlb.miss_rate  *0.3000  *0.3000 " "branch.miss_rate  *0.[0-9]*  *0.5000 " "store share  *0.0000  *0.0000 "; do
    grep -q "parts/default  *$line" "$WORK/out" || fail "$line: $(cat "$WORK/out")"
done
sed 's/\(dtb.rd[A-Za-z]*  *\)[0-9]*/\10/' parts.txt >unused.txt
expect_exit 5 "$PLAIN" check parts --simulator gem5 --import unused.txt
! grep -q dtlb "$WORK/out" || fail "a TLB that is not used is judged"

# Programs with gem5's markers are executed without them, for traces and to try faults; those by address cannot be.
for machine in simulated.lua neoverse-n1 sifive-u74; do
    isa=$("$TRAUMA" machine show $machine --json | sed -n 's/.*"isa": *"\([a-z0-9_]*\)".*/\1/p' | head -n 1)
    loads_plugins "qemu-$isa" || continue
    for markers in none gem5; do
        expect_exit 0 "$TRAUMA" gen caches.lua -m $machine -o "$markers.$isa" $filter --trace dinero \
            $([ $markers = none ] || echo --markers gem5)
    done
    cmp none.$isa/loads/miss=0.3/program.din gem5.$isa/loads/miss=0.3/program.din || fail "markers of $isa change the trace"
done
sed "s/\([^0-9]\)$misses\([^0-9]\|$\)/\1$((misses / 9))\2/" gem5.txt >fewer.txt
expect_exit 5 "$PLAIN" check gem5.x86_64 --simulator gem5 --import fewer.txt
expect_text out "it looks as if it has twice the sets in L1D"
# shellcheck disable=SC2086
expect_exit 0 "$TRAUMA" gen caches.lua -m simulated.lua -o address $filter --markers gem5-address
expect_exit 5 "$PLAIN" check address --simulator gem5 --import fewer.txt
expect_text out "no fault could be tried"
expect_text err "qemu does not execute the markers gem5-address"

# What is refused.
expect_exit 2 "$TRAUMA" check suite --simulator spice --import counts.csv
expect_text err "champsim, gem5"
expect_exit 2 "$TRAUMA" check suite --simulator champsim
expect_exit 2 "$TRAUMA" check suite --simulator champsim --import champsim.json
expect_text err "{}"
expect_exit 2 "$TRAUMA" check suite --simulator champsim --import counts.csv --filter deep
echo "program,loads" >empty.csv
expect_exit 2 "$TRAUMA" check suite --simulator csv --import empty.csv
expect_text err "no row"

# Machines as simulators have them.
expect_exit 0 "$TRAUMA" machine show simulated.lua --as champsim
expect_same "$(json_document "$WORK/out" L1D/sets L1D/ways)" "$(printf '64\t8')" "sets and ways"
expect_same "$(json_document "$WORK/out" page_size)" 2097152 "pages that hold every cache's index"
sed 's/^}/  tlb = { data = { entries = 64, ways = 4, page = "4KiB" } },\n}/' simulated.lua >paged.lua
expect_exit 0 "$TRAUMA" machine show paged.lua --as champsim
expect_same "$(json_document "$WORK/out" page_size DTLB/sets DTLB/ways)" "$(printf '4096\t16\t4')" "the TLB"
expect_text err "describes no predictor"
for simulator in gem5 drcachesim; do
    expect_exit 0 "$TRAUMA" machine show simulated.lua --as $simulator
    expect_text out 32768
done
expect_exit 0 "$TRAUMA" machine show paged.lua --as gem5
expect_text out "system.cpu.mmu.dtb.size = 64"
expect_text out "LQEntries = 1"
expect_text err "has no sets"
for isa in riscv64 aarch64; do
    sed "s/x86_64/$isa/" paged.lua >paged.$isa.lua
    expect_exit 0 "$TRAUMA" machine show paged.$isa.lua --as gem5 -o $isa.py
    expect_text err "uses no TLB in system-call emulation"
done
grep -q '"Riscv" + ' riscv64.py && grep -q '"Arm" + ' aarch64.py || fail "the script's processor is not the machine's"
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$WORK/out" || fail "gem5's script is no Python"
expect_exit 2 "$TRAUMA" machine show h100 --as gem5
expect_exit 2 "$TRAUMA" machine show simulated.lua --as csv
expect_exit 2 "$TRAUMA" machine list --as gem5
sed '/L2/s/$/ L3 = { size = "3MiB", ways = 16, line = 64, policy = "lru" },/' simulated.lua >odd.lua
expect_exit 2 "$TRAUMA" machine show odd.lua --as champsim
expect_text err "2048 sets"
