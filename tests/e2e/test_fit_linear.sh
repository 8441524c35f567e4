# A user's own linear model: known coefficients, of the results' power and of one channel's; a form that is wrong; what is
# misspelled or cannot be told apart; predictions; and every model's coefficients, covariance and rows as tables.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program python3
results() { python3 "$SOURCE/tests/e2e/linear_results.py" "$@"; }

# inside FILE NAME TRUTH: whether the coefficient's interval holds it.
inside()
{
    python3 -c 'import json, sys
c = json.load(open(sys.argv[1]))["coefficients"][sys.argv[2]]
sys.exit(not c["low"] <= float(sys.argv[3]) <= c["high"])' "$@"
}

plain_program
outside=0
doubted=0
for seed in $(seq 1 20); do
    results known.jsonl "$seed"
    "$PLAIN" fit linear known.jsonl --x loads,counter.l2_misses --intercept -o model.json >out || fail "not fitted"
    inside model.json loads 8e-10 || outside=$((outside + 1))
    inside model.json counter.l2_misses 6e-8 || outside=$((outside + 1))
    inside model.json intercept 3 || outside=$((outside + 1))
    grep -q "do not trust" out && doubted=$((doubted + 1))
done
[ "$outside" -le 6 ] || fail "$outside of 60 intervals do not hold the truth"
[ "$doubted" -le 1 ] || fail "$doubted of 20 machines are doubted that have the model's form"

results known.jsonl 1
expect_exit 0 "$TRAUMA" fit linear known.jsonl --x loads,counter.l2_misses --intercept -o model.json --figure fit.svg
expect_text out "leaving out whole recipes: mean error 0."
expect_text out "mean error by program: program0 0."
expect_text out "largest variance inflation"
expect_text out "largest residuals, measured less predicted: program"
grep -q "Measured less predicted" fit.svg || fail "the residuals are not drawn"

# A constant that is left out is found, with its size.
expect_exit 0 "$TRAUMA" fit linear known.jsonl --x loads,counter.l2_misses -o wrong.json
head -n 1 "$WORK/out" | grep -q "do not trust this model: its residuals follow a constant of [23].* W" || fail "$(cat "$WORK/out")"
inside wrong.json loads 8e-10 || fail "the interval does not hold the coefficient of the form with a constant"
printf '{"loads": 1e9, "l2_misses": 3e7, "seconds": 1}' >counters.json
expect_exit 0 "$TRAUMA" predict wrong.json counters.json
head -n 1 "$WORK/out" | grep -q "do not trust this model" || fail "predict does not repeat it"
results square.jsonl 1 square
expect_exit 0 "$TRAUMA" fit linear square.jsonl --x loads,counter.l2_misses --intercept
head -n 1 "$WORK/out" | grep -q "the square of the rate of loads" || fail "$(cat "$WORK/out")"

# 3 W, 0.8 W and 1.8 W.
expect_exit 0 "$TRAUMA" predict model.json counters.json
grep -q "^dynamic_w  *5\.[56]" out || fail "$(cat "$WORK/out")"
printf '{"loads": 1e9, "seconds": 1}' >counters.json
expect_exit 2 "$TRAUMA" predict model.json counters.json
expect_text err "the counters lack counter.l2_misses"

# Another channel, by its domain and by its name.
for channel in dram powercap:intel-rapl:0:0; do
    expect_exit 0 "$TRAUMA" fit linear known.jsonl --x counter.l2_misses --intercept --channel "$channel" -o dram.json
    inside dram.json counter.l2_misses 3e-8 && inside dram.json intercept 1 || fail "memory's energies are not found"
done
expect_exit 2 "$TRAUMA" fit linear known.jsonl --x loads --channel core
expect_text err "no power channel 'core'; powercap:intel-rapl:0 (package-0), powercap:intel-rapl:0:0 (dram)"

# A coefficient that would be negative is held at 0.
expect_exit 0 "$TRAUMA" fit linear square.jsonl --x loads,counter.l2_misses --intercept --nonnegative -o held.json
expect_text out "intercept would be below 0 and is held at 0"
python3 -c 'import json; c = json.load(open("held.json"))["coefficients"]; assert all(x["low"] >= 0 for x in c.values()), c'

expect_exit 2 "$TRAUMA" fit linear known.jsonl --x loads,counter.l2_mises
expect_text err "did you mean 'counter.l2_misses'?"
expect_exit 2 "$TRAUMA" fit linear known.jsonl --y power.dynamic --x loads
expect_text err "no repetition of the results has a number 'power.dynamic'"
expect_exit 2 "$TRAUMA" fit linear known.jsonl --x loads,instructions
expect_text err "loads and instructions move together"
expect_exit 2 "$TRAUMA" fit linear known.jsonl --x loads,loads
expect_text err "--x names loads twice"
expect_exit 2 "$TRAUMA" fit linear known.jsonl
expect_text err "no regressors"
expect_exit 2 "$TRAUMA" fit idle known.jsonl --x loads
expect_text err "--x belongs to the model linear"

# Tables: a row for each coefficient, with its covariances; a row for each point.
expect_exit 0 "$TRAUMA" export model.json -o coefficients.csv
python3 -c 'import csv, json
rows = list(csv.DictReader(open("coefficients.csv")))
assert [r["coefficient"] for r in rows] == ["loads", "counter.l2_misses", "intercept"], rows
for a in rows:
    assert abs(float(a["covariance." + a["coefficient"]]) ** 0.5 / float(a["error"]) - 1) < 1e-9
    for b in rows:
        x, y = float(a["covariance." + b["coefficient"]]), float(b["covariance." + a["coefficient"]])
        assert abs(x - y) <= 1e-9 * abs(x)'
expect_exit 0 "$TRAUMA" export model.json --wide --json
[ "$(wc -l <"$WORK/out")" -eq 18 ] || fail "$(wc -l <"$WORK/out") rows for 18 points"
