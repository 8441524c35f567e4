# Branches: the emitted code, counted, and its miss rate under cachegrind's predictor, alone and beside cache misses.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
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
benchmark {
  name = "indirect",
  sweep = { accuracy = { 0.5, 0.71, 0.94, 1 } },
  kernel = function(p, m)
    return { add { count = 3 }, branch { accuracy = p.accuracy, kind = "indirect" } }
  end,
}
benchmark {
  name = "kinds",
  sweep = { zip { conditional = { 0.5, 0.83, 1 }, indirect = { 0.92, 0.66, 1 } } },
  kernel = function(p, m)
    return {
      load { miss_rate = { L1 = 0.1 } },
      branch { accuracy = p.indirect, kind = "indirect" },
      add { count = 2, dependents = 1 },
      branch { accuracy = p.conditional, taken = 0.5 },
    }
  end,
}
LUA
for machine in odd-24k pentium-pro interlagos; do
    expect_exit 4 "$TRAUMA" check branches.lua -m $machine --counters cachegrind,bytes --strict --json
    json "$WORK/out" metric verdict >verdicts
    expect_same "$(grep -c '^branch.miss_rate	pass (code)' verdicts)" 13 "branch rates on $machine"
    expect_same "$(grep -c '^l1d.miss_rate	pass (code)' verdicts)" 9 "cache rates on $machine"
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

# Indirect ones lead to the same two places from loop and twin; the back edge is conditional.
expect_exit 0 "$TRAUMA" gen branches.lua -m pentium-pro --filter 'indirect/accuracy=0.71' -o jumps
program=jumps/indirect/accuracy=0.71/program.s
manifest=jumps/indirect/accuracy=0.71/manifest.json
total=$(json_document $manifest branches/indirect/total)
expect_same "$total" "$(($(json_document $manifest branches/total) - 1))" "all but the back edge"
sed -n '/^trauma_loop:/,/^trauma_advance:/p' $program >loop
sed -n '/^trauma_twin:/,/^\.Ltrauma_leave:/p' $program | sed '/decq %rdi/,$d' >twin
for way in loop twin; do
    expect_same "$(grep -c 'jmpq \*' $way)" "$total" "indirect branches of the $way"
    expect_same "$(grep -c ': random, indirect' $way)" "$(json_document $manifest branches/indirect/random)" "random ones"
    grep 'leaq \.L' $way | sed 's/ *leaq \(\.L[ab][0-9]*\).*/\1/' >$way.places
done
cmp -s loop.places twin.places || fail "an indirect branch of the twin leads elsewhere than the loop's"
expect_exit 0 "$TRAUMA" explain branches.lua -m pentium-pro --filter 'indirect/accuracy=0.71' --counters plan
expect_text out "accuracy 0.71, indirect"
expect_text out "$total of them are indirect"

# The distance is in cycles of the machine: bytes count the instructions between branches, by the issue width.
for machine in pentium-pro zen5 neoverse-n1 sifive-u74; do
    width=$(sed -n 's/.*issue_width = \([0-9]*\).*/\1/p' "$SOURCE/recipes/machines/$machine.lua")
    expect_exit 0 "$TRAUMA" gen traumagen-2001/branches -m $machine --filter 'accuracy=(0.7|1),distance=(0|1|4)$' -o spaced -q
    expect_exit 0 "$TRAUMA" check spaced --counters bytes --json
    grep '"metric":"branch.distance"' out >seen
    expect_same "$(wc -l <seen | tr -d ' ')" 6 "distances seen on $machine"
    while read -r line; do
        echo "$line" >line
        point=$(json line point)
        manifest=spaced/branches/$point/manifest.json
        total=$(json_document "$manifest" branches/total)
        expect_same "$(json line observations/0/source observations/0/kind)" "$(printf 'bytes\tinspected')" "who sees the distance"
        expect_same "$(json line observations/0/value | awk '{ printf "%.6g", $1 }')" \
            "$(json_document "$manifest" instructions | awk -v n="$total" -v width="$width" '{ printf "%.6g", ($1 - n) / n / width }')" \
            "$machine, $point"
        case $point in
        *distance=0) expect_same "$(json line verdict)" observed "without work between branches" ;;
        *) expect_same "$(json line verdict)" "pass (code)" "$point" ;;
        esac
    done <seen
done
expect_exit 0 "$TRAUMA" check spaced --counters bytes
expect_text out "branch.distance"

# Another width, other programs; a wrong one shows where counters see cycles.
sed 's/issue_width = 3/issue_width = 1/' "$SOURCE/recipes/machines/pentium-pro.lua" >narrow.lua
expect_exit 0 "$TRAUMA" gen traumagen-2001/branches -m narrow.lua --filter 'accuracy=1,distance=4$' -o narrow -q
expect_same "$(json_document narrow/branches/accuracy=1,distance=4/manifest.json expected | grep -c mix.add)" 0 "additions in a cycle of one"

# Without a width there is no cycle: refused where one is asked for, and not seen elsewhere.
grep -v issue_width "$SOURCE/recipes/machines/odd-24k.lua" >unknown.lua
expect_exit 3 "$TRAUMA" check traumagen-2001/branches -m unknown.lua --filter 'accuracy=1,distance=[04]$' --counters bytes
expect_text err "a distance of cycles needs the machine's issue_width"
expect_text out "branches/accuracy=1,distance=4  "
expect_no_text out "branch.distance"
cat >bound.lua <<'LUA'
benchmark { name = "b", expect = { ["branch.distance"] = { min = 1 } },
  kernel = function() return { add { count = 8 }, branch { accuracy = 1 } } end }
LUA
expect_exit 0 "$TRAUMA" check bound.lua -m unknown.lua --counters bytes
expect_text out "follow from the machine's issue_width, which is unknown"

cat >wrong.lua <<'LUA'
benchmark { name = "b", kernel = function() return { branch { accuracy = 0.9, taken = 0.95 } } end }
LUA
expect_exit 3 "$TRAUMA" gen wrong.lua -m zen5 -o never
expect_text err "leaves 0.1 to 0.9"

# A share taken that the loop's branches cannot come near is refused, with the nearest.
cat >few.lua <<'LUA'
benchmark { name = "b", loop = { units = 10 }, kernel = function() return { add {}, branch { accuracy = 0.75, taken = 0.59 } } end }
LUA
expect_exit 3 "$TRAUMA" gen few.lua -m zen5 -o never
expect_text err "10 per pass do not come close enough to the requested share taken; the nearest reachable branch.taken is 0.55"

# A loop with branches begins somewhere in a unit: there a dependent operation consumes what the last pass's chase brought.
cat >carried.lua <<'LUA'
benchmark {
  name   = "carried",
  kernel = function()
    return { load { served_by = { L1 = 0.77, L2 = 0.23 }, address = "chase" }, store { served_by = { L1 = 1 } },
             branch { accuracy = 0.81 }, add { dependents = 1 } }
  end,
}
LUA
for machine in zen5 neoverse-n1 sifive-u74; do
    expect_exit 0 "$TRAUMA" check carried.lua -m $machine --counters bytes
    expect_text out "5 pass"
done

# Branches that share tests: the same rates, fewer tests and random numbers, and bytes see where one is missing.
cat >shared.lua <<'LUA'
benchmark {
  name   = "shared",
  sweep  = { test = { "each", "shared" } },
  kernel = function(p)
    return { load { served_by = { L1 = 1 }, count = 4 }, branch { accuracy = 0.9, taken = 0.4, count = 40, test = p.test },
             branch { accuracy = 0.8, kind = "indirect", count = 10, test = p.test }, move { count = 5 }, add { count = 3 } }
  end,
}
LUA
for machine in skylake-sp neoverse-n1 sifive-u74; do
    expect_exit 0 "$TRAUMA" check shared.lua -m $machine --counters bytes,cachegrind,qemu
    expect_no_text out "  fail "
    expect_exit 0 "$TRAUMA" gen shared.lua -m $machine -o shared-$machine -q
done
for test in each shared; do
    grep -c 'imulq' "shared-skylake-sp/shared/test=$test/program.s"
    grep -c 'testq %rsi, %rsi' "shared-skylake-sp/shared/test=$test/program.s"
done | tr '\n' ' ' | awk '$3 > $1 / 3 || $4 > $2 / 3 { exit 1 }' || fail "they share no tests, or no numbers"
sed 's/count = 40,/count = 40, width = 4,/' shared.lua >narrow.lua
expect_exit 0 "$TRAUMA" check narrow.lua -m skylake-sp --counters bytes,cachegrind,qemu
expect_no_text out "  fail "
expect_exit 0 "$TRAUMA" gen narrow.lua -m skylake-sp -o narrow -q
expect_same "$(cat narrow/shared/*/program.s | grep -c 'testq %rsi, %rsi')" 0 "tests of 8 bytes"
expect_exit 3 "$TRAUMA" gen narrow.lua -m neoverse-n1 -o narrow-a64
expect_text err "has no test of 4 bytes"
sed 's/kind = "indirect",/kind = "indirect", width = 4,/' shared.lua >indirect.lua
expect_exit 3 "$TRAUMA" gen indirect.lua -m skylake-sp -o indirect
expect_text err 'branch.width requires kind = "conditional"'
sed -i 's/"test": "shared"/"test": "each"/' shared-skylake-sp/shared/test=shared/manifest.json
expect_exit 1 "$TRAUMA" check shared-skylake-sp --counters bytes --as-is --filter test=shared
expect_text out "is not what comes next"

sed 's/kind = "indirect",/width = 6,/' shared.lua >width.lua
expect_exit 3 "$TRAUMA" gen width.lua -m skylake-sp -o width
expect_text err "branch.width is 6: expected 4 or 8"

# Words in turn keep loads from missing in some passes only, and the units for that have too many branches.
cat >many.lua <<'LUA'
benchmark { name = "many", kernel = function()
  return { load { served_by = { L1 = 0.82, L2 = 0.14, MEM = 0.04 }, count = 5, data = pattern.words { 1, 2 } },
           branch { accuracy = 1, count = 120, test = "shared" } }
end }
LUA
expect_exit 3 "$TRAUMA" gen many.lua -m skylake-sp -o many
expect_text err "a pass of 5 units, whose 600 branches are more than the 128"
expect_text err "one word in the loads that miss"
sed -i 's/pattern.words { 1, 2 }/pattern.constant(1)/' many.lua
expect_exit 0 "$TRAUMA" gen many.lua -m skylake-sp -o many

# A jump{} leads to the instruction behind it: no branch of the mix, but a branch that is taken, of those that processors count.
cat >jumps.lua <<'LUA'
benchmark { name = "jumps", kernel = function()
  return { load { served_by = { L1 = 1 }, count = 4 }, jump { count = 3 }, branch { accuracy = 0.9, count = 4, test = "shared" },
           add { count = 2 }, jump {} } end }
LUA
for machine in skylake-sp neoverse-n1 sifive-u74; do
    expect_exit 0 "$TRAUMA" check jumps.lua -m $machine --counters bytes,qemu
    grep -qE "mix.jump +0\.2[0-9]+ +pass" out || fail "no share of jumps on $machine: $(cat out)"
    expect_exit 0 "$TRAUMA" gen jumps.lua -m $machine -o jumps-$machine -q
    python3 - "jumps-$machine/jumps/default/manifest.json" <<'PY' || fail "counts of jumps on $machine"
import json, sys
manifest = json.load(open(sys.argv[1]))
counts, units = manifest["counts"], manifest["units"]
assert counts["branches"] == 8 * units, counts
assert counts["branches.conditional"] == 4 * units, counts
assert counts["branches.taken"] == 6 * units, counts
PY
done
