# The standalone executable: it needs nothing else, makes as many passes as requested, and reports them.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite --filter hit=0.5
cp suite/small/hit=0.5/program .
program=./program

for iterations in 0 1 7 1000 100000; do
    expect_exit 0 env -i "$program" "$iterations"
    expect_same "$(json "$WORK/out" iterations)" "$iterations" "iterations echoed"
    expect_same "$(wc -l <"$WORK/out")" 1 "lines of output"
    [ "$(json "$WORK/out" ticks)" -gt 0 ] || fail "no ticks"
done
expect_exit 0 "$program"
[ "$(json "$WORK/out" iterations)" -gt 0 ] || fail "no passes by default"

for words in -1 1x x 1.5 18446744073709551616 99999999999999999999999 ''; do
    expect_exit 2 "$program" "$words"
    expect_empty out
    expect_text err usage
done

# With a second number it says at that descriptor that it is ready, and waits there for one byte: at a FIFO that is open
# both ways it hears itself, at the end of a file nobody.
mkfifo meet
expect_exit 0 "$program" 7 9 9<>meet
expect_same "$(json "$WORK/out" iterations)" 7 "iterations of a program that met itself"
expect_exit 1 "$program" 7 9 9<>/dev/null
expect_empty out
for words in 1x '' -1 2147483648 99999999999999999999; do
    expect_exit 2 "$program" 1 "$words"
    expect_text err usage
done
expect_exit 1 "$program" 1 77
expect_empty out
expect_exit 2 "$program" 1 2 3

# With "-" the rounds are read there, passes to warm up and passes: each is one line, until the end.
printf '\012\0\0\0\0\0\0\0\144\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\007\0\0\0\0\0\0\0' >rounds
expect_exit 0 "$program" - 9 9<rounds
expect_same "$(sed 's/,.*//' "$WORK/out" | tr '\n' ' ')" '{"iterations":100 {"iterations":7 ' "rounds"
expect_exit 0 "$program" - 9 9</dev/null
expect_empty out
head -c 20 rounds >cut
expect_exit 1 "$program" - 9 9<cut
expect_same "$(wc -l <"$WORK/out")" 1 "lines before rounds that are cut short"

# With "+MORE" it splits after the warm-up: a child makes the passes, then it makes those and MORE.
expect_exit 0 "$program" 20 +100
expect_same "$(sed 's/,.*//' "$WORK/out" | tr '\n' ' ')" '{"iterations":20 {"iterations":120 ' "counts of both processes"
for words in '-' '- +5' '20 +' '20 +x' '20 +-1' '-- 9'; do
    # shellcheck disable=SC2086
    expect_exit 2 "$program" $words
    expect_empty out
    expect_text err usage
done
if [ -c /dev/full ]; then
    got=0
    "$program" 1 >/dev/full 2>/dev/null || got=$?
    expect_same "$got" 1 "exit code on a full disk"
fi

# Statically linked: no interpreter, nothing dynamic, no page both writable and executable.
need_program readelf
readelf -lW "$program" >headers
expect_no_text headers INTERP
expect_no_text headers DYNAMIC
expect_no_text headers RWE
