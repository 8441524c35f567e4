# Every relative link of every page leads to a file, and its anchor to one heading there.
. "$SOURCE/tests/e2e/lib.sh"
need_program python3
unset LC_ALL
python3 "$SOURCE/tests/e2e/pages.py" links >"$WORK/out" 2>"$WORK/err" || fail "$(cat "$WORK/out")"
