# Too little memory ends a command with a message that names the limit and exit code 1, without an abort or partial
# output.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/limits.sh"

# Sanitizers need more addresses than any limit leaves: a build without them beside this one stands in.
with_sanitizers()
{
    ldd "$1" | grep -q libasan
}
if with_sanitizers "$TRAUMA"; then
    TRAUMA=$(dirname "$TRAUMA")/../build/trauma
    [ -x "$TRAUMA" ] || skip "a program with sanitizers runs under no ulimit -v, and build/trauma is not built"
    [ -z "$(find "$SOURCE/cli" "$SOURCE/base" -name '*.c' -newer "$TRAUMA")" ] || skip "build/trauma is older than its sources"
    ! with_sanitizers "$TRAUMA" || skip "build/trauma has sanitizers too"
fi
# The least that the program can be loaded with ends it in its own words; below, the loader does.
need=0
for more in $(seq 60000 2000 400000); do
    if (ulimit -v "$more" && "$TRAUMA" --version) >"$WORK/out" 2>"$WORK/err"; then
        need=$more
        break
    fi
done
[ "$need" -gt 0 ] || fail "trauma --version runs in no 400 MB"
for more in $(seq "$((need + 150))" 450 "$((need + 7000))"); do
    all "-v $more"
done
all "-v $((need + 200000))"
[ "$well" -eq 8 ] || fail "with 200 MB more than it needs $well of 8 commands end well"
