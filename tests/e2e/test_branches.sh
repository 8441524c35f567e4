# Branches: the emitted code, counted, and its miss rate under cachegrind's predictor, alone and beside cache misses.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

cat >branches.lua <<'LUA'
benchmark {
  name = "branches",
  sweep = { accuracy = { 0.5, 0.62, 0.87, 0.95, 1 } },
  kernel = function(p, m)
    return {
      load { served_by = { L1 = 1 } },
      add { count = 3 },
      branch { accuracy = p.accuracy },
    }
  end,
}
benchmark {
  name = "mixed",
  kernel = function(p, m)
    return {
      load { miss_rate = { L1 = 0.1 } },
      branch { accuracy = 0.95 },
      add { count = 2, dependents = 2 },
      branch { accuracy = 0.75 },
    }
  end,
}
LUA
for machine in odd-24k pentium-pro interlagos; do
    expect_exit 0 "$TRAUMA" check branches.lua -m $machine --counters cachegrind,bytes --strict --json
    json "$WORK/out" metric verdict >verdicts
    expect_same "$(grep -c '^branch.miss_rate	pass' verdicts)" 6 "branch rates on $machine"
    expect_same "$(grep -c '^l1d.miss_rate	pass' verdicts)" 6 "cache rates on $machine"
done

# Every branch but the back edge stands in the loop and, with the same operations around it, in the twin.
expect_exit 0 "$TRAUMA" gen branches.lua -m pentium-pro --filter 'accuracy=0.87' -o suite
program=suite/branches/accuracy=0.87/program.s
sed -n '/^trauma_loop:/,/^trauma_advance:/p' $program | grep '^ ' | sed 's/\.L[ab]/.L/' >loop
sed -n '/^trauma_twin:/,/^\.Ltrauma_leave:/p' $program | grep '^ ' | sed 's/\.L[ab]/.L/' | sed '/decq %rdi/,$d' >twin
expect_same "$(cat twin)" "$(cat loop)" "the twin's code"
manifest=suite/branches/accuracy=0.87/manifest.json
expect_same "$(grep -c ': random' loop)" "$(json_document $manifest branches/random)" "random branches"
expect_same "$(grep -c ': not taken' loop)" "$(json_document $manifest branches/not_taken)" "branches not taken"
expect_same "$(($(grep -c ': taken' loop) + 1))" "$(json_document $manifest branches/taken)" "branches taken, with the back edge"

cat >wrong.lua <<'LUA'
benchmark { name = "b", kernel = function() return { branch { accuracy = 0.9, taken = 0.95 } } end }
LUA
expect_exit 3 "$TRAUMA" gen wrong.lua -m zen5 -o never
expect_text err "leaves 0.1 to 0.9"
