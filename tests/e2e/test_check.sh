# Verdicts and their exit codes: pass, a missed rate, a rate that no source here observes.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

# verdicts METRIC: which verdicts check --json gave it.
verdicts()
{
    json "$WORK/out" metric verdict | sed -n "s/^$1	//p" | sort -u
}

# The shipped recipe does what it says, at every point.
expect_exit 0 "$TRAUMA" check traumagen-2001/dcache -m pentium-pro --json
expect_same "$(json "$WORK/out" point | sort -u | wc -l)" 33 "points"
expect_same "$(verdicts l1d.miss_rate)" "pass (code)" "verdicts on l1d.miss_rate"
expect_same "$(verdicts l2.miss_rate)" "$(printf 'not applicable\npass (code)')" "verdicts on l2.miss_rate"
expect_same "$(verdicts body.share)" pass "verdicts on body.share"
expect_exit 0 "$TRAUMA" check traumagen-2001/dcache -m pentium-pro --filter 'hit=0.3$' --strict
expect_text out "3 points"

# A suite is judged as its recipe is.
write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite
expect_exit 0 "$TRAUMA" check suite --json
expect_same "$(verdicts l1d.miss_rate)" "pass (code)" "verdicts on the suite"

# A bound of the author's that does not hold.
write_recipe bounded.lua 'expect = { ["l1d.miss_rate"] = { max = 0.3 } },'
expect_exit 5 "$TRAUMA" check bounded.lua -m pentium-pro
expect_text out "fail"
expect_exit 0 "$TRAUMA" check bounded.lua -m pentium-pro --filter hit=0.75

# A suite whose manifest promises what its program does not do.
sed -i '/"targets"/,/}/s/"l1d.miss_rate": 0.5/"l1d.miss_rate": 0.45/' suite/small/hit=0.5/manifest.json
expect_exit 5 "$TRAUMA" check suite --as-is --json
expect_same "$(verdicts l1d.miss_rate)" "$(printf 'fail\npass (code)')" "verdicts on the tampered suite"

# What no source sees is never a pass.
write_recipe unseen.lua 'expect = { ["l3.miss_rate"] = { max = 0.1 } },'
expect_exit 0 "$TRAUMA" check unseen.lua -m pentium-pro --json
expect_same "$(verdicts l3.miss_rate)" unobserved "verdict on what nothing sees"
expect_exit 4 "$TRAUMA" check unseen.lua -m pentium-pro --strict

# What no source would see with a PMU either is not for want of one.
write_recipe never.lua 'expect = { ["bandwidth.L1"] = { min = 1e9 }, loads_per_tick = { min = 9 }, ticks_per_load = { max = 9 }, ["power.total_w"] = { max = 9 } },'
expect_exit 0 "$TRAUMA" check never.lua -m pentium-pro --filter hit=0.5 --json
expect_same "$(json "$WORK/out" metric reason | grep "^bandwidth.L1	")" \
    "bandwidth.L1	timing: pentium-pro is not the machine that this runs on" "why no bandwidth is observed"
for metric in loads_per_tick ticks_per_load power.total_w; do
    expect_same "$(json "$WORK/out" metric verdict reason | grep "^$metric	")" \
        "$metric	unobserved	no source used here observes it" "why $metric is unobserved"
done

# A bound that is one number is shown as one.
write_recipe exact.lua 'expect = { ["l1d.miss_rate"] = 0.25 },'
expect_exit 5 "$TRAUMA" check exact.lua -m pentium-pro
expect_text out " 0.25 "
expect_no_text out "0.25 to 0.25"

# The plan alone decides nothing, and then nothing was checked.
expect_exit 4 "$TRAUMA" check small.lua -m pentium-pro --counters plan
expect_same "$(grep -c 'nothing was observed' "$WORK/out")" 1 "lines that say that nothing was observed"
expect_exit 4 "$TRAUMA" check small.lua -m pentium-pro --counters plan --json
expect_text err "nothing was observed"
expect_same "$(verdicts l1d.miss_rate)" unobserved "verdict by the plan"

# A machine whose sets cachegrind cannot simulate: said, not guessed.
cat >odd.lua <<'MACHINE'
machine {
  name = "odd", isa = "x86_64",
  caches = {
    L1I = { size = "8KiB",  ways = 4, line = 32, policy = "lru" },
    L1D = { size = "8KiB",  ways = 4, line = 32, policy = "lru" },
    L2  = { size = "96KiB", ways = 4, line = 32, policy = "lru" },
  },
}
MACHINE
expect_exit 0 "$TRAUMA" check small.lua -m odd.lua --counters cachegrind,bytes --json
expect_same "$(verdicts l1d.miss_rate)" unobserved "verdict with an L2 of 768 sets"
expect_text out "power of two"

# Lines shorter than cachegrind takes: the same.
sed -i 's/size = "96KiB"/size = "128KiB"/; s/line = 32/line = 16/g' odd.lua
expect_exit 0 "$TRAUMA" check small.lua -m odd.lua --json
expect_same "$(verdicts l1d.miss_rate)" unobserved "verdict with lines of 16 bytes"

# Results are judged again from what they hold.
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o results.jsonl --time 0.01 --reps 2
expect_exit 0 "$TRAUMA" check results.jsonl --json
expect_same "$(verdicts l1d.miss_rate)" "pass (code)" "verdicts on results"


# Inconclusive: what was seen straddles the target's tolerance. 0, and 4 under --strict.
sed '2,$s/"observations":\[{"source":"cachegrind","kind":"simulated","value":\([0-9.]*\),"low":[0-9.]*,"high":[0-9.]*/"observations":[{"source":"cachegrind","kind":"simulated","value":\1,"low":0,"high":1/g' \
    results.jsonl >straddling.jsonl
expect_exit 0 "$TRAUMA" check straddling.jsonl
expect_text out "inconclusive"
expect_exit 4 "$TRAUMA" check straddling.jsonl --strict
expect_exit 2 "$TRAUMA" check results.jsonl small.lua -m pentium-pro
