# --failed-in: a second run, or check, of only those points that did not pass in a results file.
. "$SOURCE/tests/e2e/lib.sh"

cat >some.lua <<'RECIPE'
benchmark {
  name   = "some",
  sweep  = { n = { 1, 2, 3 } },
  loop   = { units = 20 },
  kernel = function(p) return { add { count = p.n } } end,
  expect = { ["pass.instructions"] = { max = 50 } },
}
RECIPE
run="$TRAUMA run some.lua -m pentium-pro --counters bytes --power none --reps 1 --time 0.001 -q"
expect_exit 5 $run -o old.jsonl
expect_exit 5 $run --failed-in old.jsonl -o again.jsonl
expect_same "$(json again.jsonl benchmark name | sed 1d)" "$(printf 'some\tn=3')" "the points that ran again"
expect_exit 5 "$TRAUMA" check some.lua -m pentium-pro --counters bytes --failed-in old.jsonl
expect_no_text out "n=1"
# Together with other selections.
expect_exit 2 $run --failed-in old.jsonl --filter n=1 -o none.jsonl
expect_text err "select none of 3 points"
# A point that did not run, or that a rate left open, did not pass either.
grep -v '"name":"n=3"' old.jsonl >open.jsonl
sed -n '/"name":"n=3"/s/"rates":{/"rates":{"ipc":{"target":2,"verdict":"unobserved","observations":[]},/p' old.jsonl >>open.jsonl
expect_exit 5 $run --failed-in open.jsonl -o again2.jsonl
expect_same "$(json again2.jsonl name | sed 1d)" "n=3" "a point whose rate is unobserved"
printf '%s\n' '{"kind":"point","benchmark":"some","name":"n=1","point":{"n":1},"target":"x86_64","program_hash":"1","error":{"what":"ended by signal 4"},"rates":{}}' >>old.jsonl
expect_exit 5 $run --failed-in old.jsonl -o again3.jsonl
expect_same "$(json again3.jsonl name | sed 1d | sort | tr '\n' ' ')" "n=1 n=3 " "points that failed or did not run"
# Nothing to do is an error, not an empty run.
sed 's/max = 50/max = 500/' some.lua >changed.lua
mv changed.lua some.lua
expect_exit 0 $run -o good.jsonl
expect_exit 2 $run --failed-in good.jsonl -o none.jsonl
expect_text err "all of its 3 points passed"
expect_exit 2 $run --failed-in nowhere.jsonl -o none.jsonl
[ ! -e none.jsonl ] || fail "results of nothing"
