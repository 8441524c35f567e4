# trauma measure instruction --list: a table of forms, confirmed, beside LLVM's scheduling model; as text, CSV and JSON.
. "$SOURCE/tests/e2e/lib.sh"
plain_program
TRAUMA=$PLAIN

case $(uname -m) in
x86_64) ;;
*) skip "the forms here are of x86-64; runner/instruction_emulated runs those of the other processors" ;;
esac

# The forms that ship: enough of them, each once, none that must be guessed at.
expect_exit 0 "$TRAUMA" measure instruction --list all --dry-run
[ "$(wc -l <"$WORK/out")" -ge 1000 ] || fail "only $(wc -l <"$WORK/out") forms ship"
expect_text out "vpmulld {z0}, {z1}, {z2}"
expect_same "$(sort "$WORK/out" | uniq -d | wc -l)" 0 "forms that stand twice"
expect_exit 2 "$TRAUMA" measure instruction --csv nop
expect_text err "expected --list"
expect_exit 2 "$TRAUMA" measure instruction --list nofile
expect_text err "there is no file nofile"
expect_exit 2 "$TRAUMA" measure instruction --list nop --power none
expect_text err "a table has no energy"

# What the processor lacks is left out and counted; no processor has FMA4 and AMX.
cat >list.txt <<'END'
imul {r0}, {r1}
add {r0}, {r1}
vfmaddps {x0}, {x1}, {x2}, {x3}
crc32q {r0}, {r1}
END
expect_exit 0 "$TRAUMA" measure instruction --list list.txt
expect_text out "imul {r0}, {r1}"
expect_text out "found by two runs some time apart"
grep -q "1 left out: it needs fma4, which this processor lacks" out || grep -q "vfmaddps" out || fail "nothing of vfmaddps: $(cat out)"
expect_exit 0 "$TRAUMA" measure instruction --list list.txt --csv
expect_same "$(head -n 1 out | tr ',' '\n' | wc -l)" 13 "columns of the CSV"
grep -q '^"crc32q {r0}, {r1}","{r' out || fail "no line of crc32q: $(cat out)"
expect_exit 0 "$TRAUMA" measure instruction --list list.txt --json -o results.jsonl
expect_same "$(wc -l <"$WORK/out")" 4 "lines of JSON"
cp out list.json
expect_exit 0 "$TRAUMA" export results.jsonl -o table.csv
grep -q 'insn.latency' table.csv || fail "the exported table has no latency"

# Beside the model of this core, where llvm-mca is installed and has it.
if grep -q '"model"' list.json; then
    grep -q '"beside":"equal"\|"beside":"untold"' list.json || fail "no latency of four is the model's: $(cat list.json)"
fi
expect_exit 0 env PATH="$WORK" "$TRAUMA" measure instruction --list list.txt
expect_text out "no scheduling model beside them: llvm-mca, which has LLVM's scheduling models, is not installed"

# Gathers, by each mask.
if grep -q avx2 /proc/cpuinfo; then
    expect_exit 0 "$TRAUMA" measure instruction 'vpgatherdd {y2}, ({r0},{y1},4), {y0}' --power none
    expect_text out "memory -> {y0}"
fi
