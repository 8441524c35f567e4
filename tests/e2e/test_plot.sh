# Figures: SVG and PNG by the file's name, written completely or not at all.
. "$SOURCE/tests/e2e/lib.sh"
need_program gnuplot
need_program valgrind

write_recipe small.lua 'plot = { x = "hit", y = { "l1d.miss_rate" } },'
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro -o results.jsonl --time 0.01 --reps 2
expect_exit 0 "$TRAUMA" plot results.jsonl -o figure.svg
expect_text figure.svg "<svg"
expect_text figure.svg "</svg>"
if command -v xmllint >/dev/null 2>&1; then
    expect_exit 0 xmllint --noout figure.svg
fi
expect_exit 0 "$TRAUMA" plot results.jsonl -o figure.png
expect_same "$(head -c 8 figure.png | od -An -tx1 | tr -d ' ')" 89504e470d0a1a0a "the PNG's first bytes"

expect_exit 2 "$TRAUMA" plot results.jsonl -o figure.gif
[ ! -e figure.gif ] || fail "a format that is not served was written"
expect_exit 2 "$TRAUMA" plot results.jsonl
expect_exit 2 "$TRAUMA" plot results.jsonl -o figure.svg --benchmark smal
expect_text err "did you mean 'small'?"
# Nobody asked for a picture: that is no lack of the machine's.
write_recipe plain.lua
expect_exit 0 "$TRAUMA" run plain.lua -m pentium-pro -o plain.jsonl --time 0.01 --reps 1 --counters plan
expect_exit 2 "$TRAUMA" plot plain.jsonl -o plain.svg
expect_text err "none of its recipes has a plot"
[ ! -e plain.svg ] || fail "a picture of nothing was written"
expect_same "$(ls -A | grep -c tmp || true)" 0 "files left behind"
