# Too few open files end a command with a message that names the limit and exit code 1, and leave no partial output.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/limits.sh"

for files in 5 6 7 8 12 16; do
    all "-n $files"
done
[ "$well" -eq 8 ] || fail "with 16 open files $well of 8 commands end well"

# A program that cannot be started for want of files is no reason to end without a reason.
if command -v valgrind >/dev/null 2>&1; then
    under "-n 16" check small.lua -m pentium-pro -j1 --counters bytes,cachegrind --filter 0.5
    grep -qE "cachegrind 0|.ulimit -n. allows 16" out || fail "neither evidence nor why there is none: $(cat out)"
fi
