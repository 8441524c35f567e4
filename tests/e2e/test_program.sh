# The standalone executable: it needs nothing, makes as many passes as it is told, and says so.
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
expect_exit 2 "$program" 1 2
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
