# { cores = {...} }: a program per core, each a point with its own verdict, run together.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
quick="--time 0.03 --reps 3 --counters bytes,plan"

cat >pair.lua <<'RECIPE'
benchmark {
  name   = "pair",
  sweep  = { hit = 0.5 },
  loop   = { units = 40 },
  kernel = function(p)
    return { cores = {
      [0] = { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add {} },
      [1] = { nop { count = 3 }, xor {} },
    } }
  end,
}
RECIPE
expect_exit 0 "$TRAUMA" gen pair.lua -m pentium-pro -o suite
expect_same "$(cd suite/pair && echo *)" "core=0,hit=0.5 core=1,hit=0.5" "folders of the suite"
expect_same "$(json_document suite/pair/core=1,hit=0.5/manifest.json place/cores parameters/core '#together' | tr '\t' ' ')" \
    "[1] 1 2" "what a manifest says of its core"
expect_exit 0 "$TRAUMA" check suite
expect_text out "pair/core=0,hit=0.5  l1d.miss_rate"
expect_text out "pair/core=1,hit=0.5  mix.nop"

sed 's/\[1\] =/[60000] =/' pair.lua >far.lua
expect_exit 4 "$TRAUMA" run far.lua -m pentium-pro -o far.jsonl $quick
expect_text err "names logical processor 60000"
expect_same "$(json far.jsonl code | tail -n 2 | tr '\n' ' ')" "4 4 " "neither runs without the other"

[ "$(nproc)" -ge 2 ] && taskset -c 0,1 true 2>/dev/null || skip "two processors are needed to run two programs together"
for source in pair.lua suite; do
    # One alone is chosen, and the other runs beside it all the same. A loaded machine may stop one for a while.
    for attempt in 1 2 3 4 5 6; do
        rm -f run.jsonl
        option="-m pentium-pro"
        [ $source != suite ] || option=
        expect_exit 0 "$TRAUMA" run $source $option --filter core=0 -o run.jsonl $quick
        sed 1d run.jsonl >point
        awk -v overlap="$(json point together/overlap)" 'BEGIN { exit !(overlap > 0.1) }' && break
        [ $attempt != 6 ] || unless_busy "programs overlap by $(json point together/overlap together/overlap)"
    done
    expect_same "$(json point name '#threads' threads/0/cpu '#reps/0/company' reps/0/company/0/cpu runs_with/1 | tr '\t' ' ')" \
        "core=0,hit=0.5 1 0 1 1 core=1,hit=0.5" "who ran where"
    [ "$(json point reps/0/company/0/ticks)" -gt 0 ] || fail "the other made no passes"
    [ "$(json point reps/0/company/0/iterations)" != "$(json point reps/0/iterations)" ] || fail "as many passes of another loop"
done
expect_exit 0 "$TRAUMA" run pair.lua -m pentium-pro -o both.jsonl $quick
expect_same "$(json both.jsonl name threads/0/cpu | tail -n 2 | sort | cut -f 2 | tr '\n' ' ')" "0 1 " "each point on its own core"

# A suite without one of them cannot run the other.
rm -r suite/pair/core=1,hit=0.5
expect_exit 1 "$TRAUMA" run suite --filter core=0 -o half.jsonl $quick
expect_text err "core=1,hit=0.5"

# Times are those beside the other; those of a source that runs one alone are named so.
cat >busy.lua <<'RECIPE'
benchmark { name = "busy", kernel = function() return { cores = {
  [0] = { load { served_by = { L1 = 1 }, address = "chase" } }, [1] = { load { served_by = { L1 = 1 } } }, } } end,
  expect = { ["unit.ns"] = { min = 1e-3 }, ipc = { min = 1e-6 } } }
RECIPE
for seconds in 0.03 0.1 0.4; do # on a busy machine they may never run together
    rm -f busy.jsonl
    expect_exit 0 "$TRAUMA" run busy.lua -o busy.jsonl --time $seconds --reps 3 --counters timing,bytes --power none
    cp out table
    sed 1d busy.jsonl >point
    awk -v least="$(json point together/overlap | sort -n | head -n 1)" 'BEGIN { exit !(least > 0.5) }' && break
done
expect_text table "overlap"
json point time/ticks_per_pass/value time/ticks_per_s units rates/unit.ns/observations/0/value rates/unit.ns/verdict \
    together/overlap rates/unit.ns/observations/0/doubt | # what is in doubt has no interval, and decides nothing
    awk -F '\t' '$6 > 0.5 { ns = $1 / $2 * 1e9 / $3; if (ns / $4 < 0.999 || ns / $4 > 1.001 || $5 != ($7 == "-" ? "pass" : "inconclusive")) exit 1 }' ||
    fail "a time that is not the repetitions': $(json point time/ticks_per_pass/value time/ticks_per_s units rates/unit.ns/observations/0/value)"
expect_same "$(json point rates/ipc/verdict | sort -u)" unobserved "IPC of a core beside another, which nothing saw"
json point rates/solo.unit.ns/observations/0/value rates/solo.ipc/observations/0/value >solo
grep -q '^-' solo && fail "no solo values: $(cat solo)"
expect_exit 0 "$TRAUMA" check busy.lua --counters timing,bytes --json
grep -q '"metric": *"solo.unit.ns"' out || fail "check has no solo value: $(cat out)"
grep -q '"metric": *"pass.ns"' out && fail "check, which runs each alone, tells a time of all"
expect_text out "without the other cores"
