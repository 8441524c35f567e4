# branch{} beside code{} on the three ISAs: a taken branch leads to the same code once more in the same line of L1I, so
# that the outcomes show, lines and instructions of a pass stay what they are, and code is entered once either way.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >pieces.lua <<'RECIPE'
local forms = {
  last  = function() return { add { count = 2 }, branch { accuracy = 0.8, taken = 0.7 } } end,
  first = function() return { branch { accuracy = 1, taken = 0.3 }, add { count = 3 } } end,
  two   = function() return { branch { accuracy = 0.9, taken = 0.5 }, branch { accuracy = 0.7, taken = 0.4 }, add {} } end,
  loads = function()
    return { load { served_by = { L1 = 0.5, L2 = 0.5 } }, store { served_by = { L1 = 1 } }, branch { accuracy = 0.9, taken = 0.6 } }
  end,
}
benchmark {
  name   = "pieces",
  sweep  = { form = { "last", "first", "two", "loads" }, miss = { 0.13, 0.5 } },
  kernel = function(p)
    local unit = forms[p.form]()
    table.insert(unit, p.form == "last" and 1 or #unit + 1, code { served_by = { L1I = 1 - p.miss, L2 = p.miss } })
    return unit
  end,
}
RECIPE

# counts PROGRAM PASSES: the plugin's instructions, lines entered, branches and blind ones of a whole run.
counts()
{
    "qemu-$isa" -cpu "$cpu" -plugin "$COUNTING_PLUGIN,l1i=32768:2:64:lru,l1d=32768:8:64:lru" "$1" "$2" 2>"$WORK/err" |
        tail -n 1 | tr ',{}' '\n' | sed -n 's/"\(instructions\|lines_entered\|branches\|blind\)":/\1 /p'
}

judged=0
plain_program
program=$TRAUMA
while read -r isa cpu machine; do
    command -v "qemu-$isa" >/dev/null 2>&1 || command -v "qemu-system-$isa" >/dev/null 2>&1 || {
        echo "without qemu-$isa and qemu-system-$isa"
        continue
    }
    direct=$(loads_plugins "qemu-$isa") && direct=yes
    expect_exit 0 "$program" gen pieces.lua -m "$machine" -o "$machine" -q
    for manifest in "$machine"/*/*/manifest.json; do
        [ "$direct" = yes ] || continue
        counts "${manifest%/*}/program" 20 >few
        counts "${manifest%/*}/program" 120 >many
        # Set-up is the same but for the digits of the numbers of passes and of nanoseconds, either way.
        awk -v instructions="$(json_document "$manifest" instructions)" \
            -v lines="$(json_document "$manifest" code_lines_entered)" '
            NR == FNR { few[$1] = $2; next } { of[$1] = ($2 - few[$1]) / 100 }
            END {
                off = of["instructions"] - instructions
                if (off < -0.5 || off > 0.5) { print of["instructions"] " instructions, not " instructions; exit 1 }
                off = of["lines_entered"] - lines
                if (off < -0.5 || off > 0.5) { print of["lines_entered"] " lines, not " lines; exit 1 }
                if (of["branches"] < 10) { print of["branches"] " branches"; exit 1 }
                if (of["blind"] > 2) { print of["blind"] " of them blind"; exit 1 }
            }' few many >wrong || fail "${manifest%/*}: $(cat wrong)"
    done
    expect_exit 0 "$program" check "$machine" --counters qemu,bytes
    grep -v ' pass ' "$WORK/out" | grep -q 'unobserved\|fail' && fail "$machine: $(cat "$WORK/out")"
    for metric in branch.miss_rate branch.taken_rate l1i.miss_rate; do
        [ "$(grep -c " $metric .* pass (code) .* qemu" "$WORK/out")" -ge 7 ] || fail "$machine, $metric: $(cat "$WORK/out")"
    done
    judged=$((judged + 1))
    [ "$direct" = yes ] || echo "$direct, to count by hand"
    program=$PLAIN
done <<'ISAS'
x86_64 max skylake-sp
aarch64 max cortex-a72
riscv64 rv64 sifive-u74
ISAS
[ "$judged" -gt 0 ] || skip "no qemu is installed"

# Code that is too long for its twin to fit beside it has one on lines of its own, and stays in L1I with it: any number of
# branches, indirect ones too, of which none is blind. Long code is cut, so that it leaves sets to the lines that miss.
cat >apart.lua <<'RECIPE'
benchmark {
  name   = "apart",
  sweep  = { miss = { 0.02, 0.1 }, kind = { "conditional", "both" }, test = { "each", "shared" } },
  where  = function(p) return p.miss == 0.1 or p.test == "shared" end,
  kernel = function(p)
    return {
      code   { served_by = { L1I = 1 - p.miss, L2 = p.miss }, count = 12 },
      load   { served_by = { L1 = 0.9, L2 = 0.1 }, count = 20 },
      branch { accuracy = 0.95, taken = 0.4, count = 100, test = p.test },
      p.kind == "both" and branch { kind = "indirect", accuracy = 0.9, count = 10, test = p.test },
      add    { count = 500 },
      jump   { count = 10 },
    }
  end,
}
RECIPE
while read -r isa machine; do
    command -v "qemu-$isa" >/dev/null 2>&1 || command -v "qemu-system-$isa" >/dev/null 2>&1 || continue
    expect_exit 0 "$PLAIN" check apart.lua -m "$machine" --counters qemu,bytes
    grep -q 'unobserved\|fail' "$WORK/out" && fail "$machine: $(cat "$WORK/out")"
    for metric in branch.miss_rate branch.taken_rate l1i.miss_rate mix.jump; do
        [ "$(grep -c " $metric .* pass" "$WORK/out")" = 6 ] || fail "$machine, $metric: $(cat "$WORK/out")"
    done
done <<'ISAS'
x86_64 skylake-sp
aarch64 cortex-a72
riscv64 sifive-u74
ISAS

# All code misses, and fits only once into a line: both ways lead to the same instruction, and the reason is said.
cat >long.lua <<'RECIPE'
benchmark {
  name   = "long", target = "x86_64",
  kernel = function()
    return { code { served_by = { L2 = 1 } }, branch { accuracy = 0.9, taken = 0.5 }, add { count = 15 } }
  end,
}
RECIPE
command -v qemu-x86_64 >/dev/null 2>&1 || command -v qemu-system-x86_64 >/dev/null 2>&1 || exit 0
expect_exit 0 "$TRAUMA" check long.lua -m skylake-sp --counters qemu,bytes
expect_text out "branches leave no trace of their outcome: the code up to the next code{} fits only once into a line of L1I"
grep -q 'branch.taken_rate .* unobserved' "$WORK/out" || fail "$(cat "$WORK/out")"
