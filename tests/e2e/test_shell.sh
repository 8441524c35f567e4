# Every command describes itself in two ways of asking; lists have styles on a terminal alone.
. "$SOURCE/tests/e2e/lib.sh"
cd "$WORK"

"$TRAUMA" --help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' >overview
while read -r command; do
    "$TRAUMA" "$command" --help >help
    "$TRAUMA" help "$command" >asked
    cmp -s asked help || fail "help $command is not $command --help"
done <overview
[ "$(wc -l <overview)" -ge 17 ] || fail "the overview lacks commands: $(cat overview)"
expect_exit 2 "$TRAUMA" help nothing

# ---- the list of all recipes, of which two may have a benchmark of one name ----
expect_exit 0 "$TRAUMA" list
expect_text out bandwidth/latency
expect_text out measure/latency

# ---- styles: only on a terminal, and not with NO_COLOR ----
# script may end before its program's output is through, so a few tries.
on_terminal() # FILE: the table as a terminal gets it
{
    for try in 1 2 3 4 5; do
        (sleep $try) | script -qec "'$TRAUMA' list" /dev/null >"$1" 2>&1 || true
        grep -q ppep-2014 "$1" && return 0
    done
    return 1
}
if command -v script >/dev/null 2>&1 && on_terminal styled && NO_COLOR=1 on_terminal plain; then
    grep -q "$(printf '\033')\[4m" styled || fail "a terminal gets no style"
    grep -q "$(printf '\033')\[4m" plain && fail "NO_COLOR is ignored"
else
    echo "styles are not looked at: no script, or it shows nothing"
fi
exit 0
