# trauma measure instruction: texts, lists, what a faulting line costs, results and figures. What the numbers are is for
# runner/instruction; here they only have to be there.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

expect_exit 2 "$TRAUMA" measure instruction
expect_text err "no instruction given"
case $(uname -m) in
x86_64) ;;
aarch64 | riscv64)
    expect_exit 0 "$TRAUMA" measure instruction 'mul {r0}, {r1}, {r2}' nop
    expect_text out "-> {r0}"
    skip "the rest is of x86-64; runner/instruction_emulated has the other processors"
    ;;
*)
    expect_exit 4 "$TRAUMA" measure instruction nop
    expect_text err "cannot be measured"
    skip "this processor's instructions cannot be measured"
    ;;
esac

expect_exit 0 "$TRAUMA" measure instruction 'imul {r0}, {r1}' 'add rax, rbx'
expect_text out "imul {r0}, {r1}"
expect_text out "{r0}, {r1} -> {r1}"
expect_text out "add rax, rbx"
expect_no_text out "flags"
expect_exit 0 "$TRAUMA" measure instruction -v 'add rax, rbx'
expect_text out "-> flags"

# Beside other programs a rate is the one that a second try finds, or in doubt.
hogs=""
for i in 1 2 3; do
    timeout 120 sh -c 'while :; do :; done' &
    hogs="$hogs $!"
done
for i in 1 2; do
    expect_exit 0 "$TRAUMA" measure instruction 'popcnt {r0}, {r1}' --power none --json
    cp out rate.json
    doubt=$(json_document rate.json per_cycle/0/per_cycle/doubt 2>/dev/null || true)
    echo "$(json_document rate.json per_cycle/0/per_cycle/value) ${doubt:+doubted}" >>rates
done
# shellcheck disable=SC2086 # a word for each
kill $hogs
awk '$2 == "" { n++; if (low == "" || $1 < low) low = $1; if ($1 > high) high = $1 }
     END { exit n == 2 && high > 1.02 * low }' rates || fail "two rates without a doubt differ: $(cat rates)"

# A wrong text alone is an error; among others it is a line.
expect_exit 2 "$TRAUMA" measure instruction 'imulx {r0}'
expect_text err "invalid instruction mnemonic"
expect_empty out
expect_exit 1 "$TRAUMA" measure instruction 'lock imul {r0}, {r1}'
expect_text err "signal 4"
expect_exit 2 "$TRAUMA" measure instruction missing.txt
expect_text err "there is no file missing.txt"

cat >list.txt <<'END'
# a comment, and an empty line

imul {r0}, {r1}
lock imul {r0}, {r1}
div {r0}
hlt
cmp rax, rbx
vpaddd {x0}, {x1}, {x2}
lock xadd {r0}, {memory}
END
expect_exit 1 "$TRAUMA" measure instruction list.txt -o results.jsonl
expect_text out "it ended by signal 4 (Illegal instruction)"
expect_text out "only an operating system may use it"
expect_text out "slow:2^124/2^62"
expect_text out "lock xadd"
expect_text out "-> rax"
expect_text err "list.txt:4: 2 of 7 instructions could not be measured"
expect_same "$(grep -c '"kind":"point"' results.jsonl)" 8 "points: one of each line, two of the division's"

# A list in every syntax, with the line of what is wrong; its end needs no new line, and lines may end as on Windows.
printf 'imulq %%rbx, %%rax\r\nimul rax, rbx\r\nimul {r0}, [rbx]\nlock add qword ptr [rbx], rax\nadd $1, 8(%%rax)\n# rest\nvpaddq %%zmm40, %%zmm1, %%zmm2' \
    >mixed.txt
expect_exit 2 "$TRAUMA" measure instruction mixed.txt --power none
expect_text err "mixed.txt:"
expect_text out "imulq %rbx, %rax"
expect_text out "lock add qword ptr [rbx], rax"
expect_text out "memory -> memory"
head -c 3000 /dev/zero | tr '\0' a >long.txt
expect_exit 2 "$TRAUMA" measure instruction long.txt
expect_text err "long.txt:1"
printf 'nop\nimul \377\n' >binary.txt
expect_exit 2 "$TRAUMA" measure instruction binary.txt
expect_text err "UTF-8"
expect_exit 2 "$TRAUMA" measure instruction 'shl cl, {r0}'
expect_text err "Intel's syntax"

# Without counters and sensors one line each says so; where they are, there are tables.
expect_exit 0 "$TRAUMA" measure instruction nop --power none
grep -q "^no micro-operations by port: \|^micro-operations per instruction" out || fail "no word about ports: $(cat out)"
expect_text out "no energy per instruction"

# The results are as any others.
expect_exit 2 "$TRAUMA" measure instruction nop -o results.jsonl
expect_exit 0 "$TRAUMA" export results.jsonl -o table.csv
grep -q 'insn.latency' table.csv || fail "the exported table has no latency"
grep -q 'insn.per_cycle' table.csv || fail "the exported table has no rate"

expect_exit 0 "$TRAUMA" measure instruction --json 'cmp rax, rbx' 'nop'
expect_same "$(wc -l <"$WORK/out")" 2 "lines of JSON"
expect_text out '"to":"flags"'
# Comments cost no more than reading them: each line was once compared with all that follow.
{ yes '# a comment that says what the next one says' | head -n 300000; echo nop; } >comments.txt
timeout 60 "$TRAUMA" measure instruction comments.txt >out 2>err || fail "a list with 300,000 comments: $(cat err)"
expect_text out "nop"
printf 'nop\nimul rax, rbx\n' | "$TRAUMA" measure instruction - >out 2>err || fail "a list from standard input: $(cat err)"
expect_text out "imul rax, rbx"

if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" measure instruction 'imul rax, rbx' 'add rax, rbx' --figure figure.svg
    [ -s figure.svg ] || fail "there is no figure"
fi

# What changes nothing is named, and its rate marked where registers may make copies wait; a nop's is what it is.
expect_exit 0 "$TRAUMA" measure instruction 'movq {r0}, {r0}' 'xchgq %rbx, %rbx' 'movaps {x0}, {x0}' --power none
expect_same "$(grep -c "it changes nothing: no latency" out)" 3 "instructions that change nothing"
expect_text out "whether its copies wait for each other cannot be seen"
expect_exit 0 "$TRAUMA" measure instruction nop --power none
expect_text out "it changes nothing: no latency"
expect_no_text out "cannot be seen"
expect_exit 0 "$TRAUMA" measure instruction 'cmp rax, rbx' --power none
expect_no_text out "changes nothing"

# No load takes less than a cycle: where memory is renamed, the number is marked and not the headline.
expect_exit 0 "$TRAUMA" measure instruction 'xaddq %rax, {memory}' 'movq {memory}, {r0}' 'addq %rax, {memory}' \
    'addq {memory}, {r0}' --power none --json
for line in 1 2 3 4; do
    sed -n "${line}p" out >load.json
    headline=$(json_document load.json headline)
    for row in 0 1 2 3; do
        [ "$(json_document load.json latency/$row/from)" = memory ] || continue
        cycles=$(json_document load.json latency/$row/cycles/value)
        doubt=$(json_document load.json latency/$row/cycles/doubt)
        [ "$doubt" != - ] || doubt=
        if awk -v cycles="$cycles" 'BEGIN { exit !(cycles < 0.9) }'; then
            [ -n "$doubt" ] && [ "$headline" != $row ] || fail "a load of $cycles cycles is told as a fact: $(cat load.json)"
        else
            [ -z "$doubt" ] || fail "a load of $cycles cycles is in doubt: $(cat load.json)"
        fi
    done
done
