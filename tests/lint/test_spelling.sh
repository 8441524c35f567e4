# Every word of every page is British English or in docs/words.txt.
. "$SOURCE/tests/e2e/lib.sh"
need_program python3
need_program hunspell
unset LC_ALL
echo colour | hunspell -d en_GB -l >/dev/null 2>&1 || skip "hunspell has no British dictionary (Debian: hunspell-en-gb)"
python3 "$SOURCE/tests/e2e/pages.py" spelling >"$WORK/out" 2>"$WORK/err" || fail "$(cat "$WORK/out")"
