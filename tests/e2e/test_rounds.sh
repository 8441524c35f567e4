# Repetitions of all points are taken in rounds, each in a new order; what needs them in a row says why.
. "$SOURCE/tests/e2e/lib.sh"

cat >placed.lua <<'RECIPE'
benchmark {
  name   = "placed",
  sweep  = { n = { 1, 2, 3, 4, 5 } },
  place  = { cores = { 0 } },
  loop   = { units = 40 },
  kernel = function(p) return { add { count = p.n }, mul {} } end,
}
RECIPE
expect_exit 0 "$TRAUMA" run placed.lua --power none --counters bytes,plan --reps 4 --time 0.005 -o r.jsonl
# The programs' clock tells the order in which they ran.
python3 - r.jsonl <<'SCRIPT' || fail "the order of repetitions"
import json, sys
runs = []
points = [json.loads(line) for line in open(sys.argv[1])][1:]
names = [point["name"] for point in points]
assert names == ["n=1", "n=2", "n=3", "n=4", "n=5"], names
for point in points:
    assert 4 <= len(point["reps"]) <= 8, len(point["reps"])
    assert "one_by_one" not in point
    runs += [(rep["threads"][0]["start"], point["name"]) for rep in point["reps"]]
order = [name for _, name in sorted(runs)]
rounds = [order[i:i + 5] for i in range(0, 20, 5)]
assert all(sorted(one) == names for one in rounds), order
assert len({tuple(one) for one in rounds}) > 1, order
SCRIPT

# A later run takes the same order: it follows from the seed. With --order given there is none to shuffle.
expect_exit 0 "$TRAUMA" run placed.lua --power none --counters bytes,plan --reps 2 --time 0.005 --order given -o g.jsonl
python3 - g.jsonl <<'SCRIPT' || fail "the given order"
import json, sys
points = [json.loads(line) for line in open(sys.argv[1])][1:]
runs = sorted((rep["threads"][0]["start"], point["name"]) for point in points for rep in point["reps"][:2])
assert [name for _, name in runs][:5] == [point["name"] for point in points], runs
SCRIPT

# Warm-up and idle time keep the repetitions of a point together, and the results say so.
sed 's/loop   =/measure = { warmup = 0.01 }, loop =/' placed.lua >warm.lua
expect_exit 0 "$TRAUMA" run warm.lua --power none --counters bytes,plan --reps 2 --time 0.005 --set n=1 -o w.jsonl
expect_same "$(json w.jsonl one_by_one | tail -n 1)" "its recipe requests idle time or a warm-up" "the reason"

# One repetition has no interval, and a point's time says why.
expect_exit 0 "$TRAUMA" run placed.lua --power none --counters timing --reps 1 --time 0.005 --set n=1 -o one.jsonl
expect_text one.jsonl '"low":null,"high":null,"n":1,"doubt":"timed in one repetition alone"'
python3 - one.jsonl <<'SCRIPT' || fail "the interval of one round"
import json, sys
rates = [json.loads(line) for line in open(sys.argv[1])][1]["rates"]
for metric in ("unit.ns", "ipc"):
    seen = rates[metric]["observations"][0]
    assert seen["low"] is None and seen["high"] is None and seen["doubt"], seen
SCRIPT
