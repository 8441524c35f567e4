# trauma measure: its questions, their help, and what holds for all of them.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" measure --help
questions=$(sed -n '/^trauma measure NAME/q; s/^  \([a-z]*\)  *[a-z].*/\1/p' "$WORK/out")
[ -n "$questions" ] || fail "measure --help lists no questions"
for question in $questions; do
    expect_exit 0 "$TRAUMA" measure "$question" --help
    expect_text out "usage: trauma measure $question"
    expect_same "$(awk 'length > 80' out)" "" "lines of its help that 80 columns do not hold"
    expect_empty err
    mv out own
    expect_exit 0 "$TRAUMA" help measure "$question"
    cmp -s own out || fail "help measure $question is not measure $question --help"
    [ -f "$SOURCE/recipes/measure/$question.lua" ] || fail "measure $question has no recipe"
    expect_exit 0 "$TRAUMA" list "measure/$question"
    expect_exit 2 "$TRAUMA" measure "$question" -o wrong.csv
    expect_text err "ends in .csv"
    expect_exit 2 "$TRAUMA" measure "$question" -o -
    expect_exit 2 "$TRAUMA" measure "$question" --figure wrong.txt
    expect_text err ".svg"
done

expect_exit 2 "$TRAUMA" measure
expect_text err "expected trauma measure QUESTION"
expect_text err "instruction"
expect_exit 2 "$TRAUMA" measure instructoin
expect_text err "did you mean 'instruction'?"
expect_exit 2 "$TRAUMA" measure instruction --outptu x
expect_text err "trauma measure instruction takes no option --outptu"
expect_exit 2 "$TRAUMA" help measure nonsense
expect_exit 2 "$TRAUMA" measure -q instruction
expect_text err "trauma measure takes no option -q"
