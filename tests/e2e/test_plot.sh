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

# What the recipe forgot: --x, --y and --by, of results whose recipes have no plot.
two() # HIT SIZE IPC
{
    printf '{"kind":"point","benchmark":"two","name":"hit=%s,size=%s","point":{"hit":%s,"size":%s},"target":"x86_64","program_hash":"%s%s","rates":{"ipc":{"target":null,"verdict":"observed","observations":[{"source":"timing","kind":"inferred","value":%s,"low":%s,"high":%s,"n":3}]}},"time":{"ticks_per_pass":{"value":%s0,"low":%s0,"high":%s1,"n":3}}}\n' "$1" "$2" "$1" "$2" "$1" "$2" "$3" "$3" "$3" "$3" "$3" "$3"
}
{
    echo '{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0"},"machine":{"name":"m"},"present":true,"host":"h","sensors":[],"benchmarks":[{"name":"two","title":"Two"},{"name":"other","title":"Other"}]}'
    for size in 1024 4096 16384 65536; do two 0 $size 2; two 1 $size 3; done
    echo '{"kind":"point","benchmark":"other","name":"n=1","point":{"n":1},"target":"x86_64","program_hash":"o","rates":{}}'
} >two.jsonl
# Metrics on the right alone: the axis on the left has no label.
sed 's/"title":"Two"/&,"plot":[{"x":"size","by":"hit","y":[],"right":["ipc"]}]/' two.jsonl >right.jsonl
expect_exit 0 "$TRAUMA" plot right.jsonl -o right.svg
expect_text right.svg "IPC"
expect_exit 0 "$TRAUMA" plot two.jsonl -o asked.svg --x size --y ipc,time.ticks_per_pass --by hit
expect_text err "other is not drawn"
# 2048 is a mark on a logarithmic axis alone, which geometric steps get.
for text in 'hit = 0' 'hit = 1' 'Instructions per cycle' 'Ticks per pass' '>size<' '>2048<'; do
    expect_text asked.svg "$text"
done
expect_no_text asked.svg 'size = '
expect_exit 0 "$TRAUMA" plot two.jsonl -o alone.svg --x hit --y ipc --benchmark two
expect_text alone.svg 'size = 65536'
expect_empty err
refused() # WORDS OPTION...
{
    words=$1
    shift
    expect_exit 2 "$TRAUMA" plot two.jsonl -o refused.svg "$@"
    expect_text err "$words"
    [ ! -e refused.svg ] || fail "drawn all the same: $*"
}
refused "did you mean 'size'?" --x sizes --y ipc
refused "--y ipx: no point has this metric; did you mean 'ipc'?" --x size --y ipx
refused "there are: ipc, time.ticks_per_pass" --x size --y power.dynamic_w
refused "--by ipc: no point has this sweep parameter" --x size --y ipc --by ipc
refused "--x is given without --y" --x size
refused "--y is given without --x" --y ipc
refused "--by is given without --x and --y" --by size
refused "no benchmark has --x n together with a metric of --y ipc" --x n --y ipc
