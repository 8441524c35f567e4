# "-" as an option's file is standard output if the command writes text, in place of what it prints; elsewhere it is
# refused with the reason. No file of that name is created.
. "$SOURCE/tests/e2e/lib.sh"

write_recipe small.lua
expect_exit 0 "$TRAUMA" run small.lua -o results.jsonl --reps 1 --counters plan --power none -q

# same FILE COMMAND...: what "-" prints is what a FILE gets.
same()
{
    file=$1
    shift
    expect_exit 0 "$TRAUMA" "$@" -o "$file"
    expect_exit 0 "$TRAUMA" "$@" -o -
    mv "$WORK/out" got
    expect_exit 0 cmp got "$file"
}
same table.csv export results.jsonl -q
same schema.json export --schema
same zen5.lua machine show zen5
same here.json machine detect --json
expect_exit 0 "$TRAUMA" check small.lua -m zen5 --counters plan,bytes --junit -
expect_same "$(head -n 1 "$WORK/out")" '<?xml version="1.0" encoding="UTF-8"?>' "the first line of --junit -"
expect_same "$(tail -n 1 "$WORK/out")" '</testsuites>' "the last line of --junit -"
expect_exit 0 "$TRAUMA" report results.jsonl -o - -q
expect_text out '</html>'
expect_exit 0 "$TRAUMA" export "$WORK/results.jsonl" -o -
expect_no_text err "in -"

# A probe's machine file, in place of its table; a full disk is told.
"$TRAUMA" machine probe --time 1 -o - >probed.lua 2>"$WORK/err" </dev/null || got=$?
if [ "${got:-0}" -eq 0 ]; then
    expect_exit 0 "$TRAUMA" machine show ./probed.lua -o /dev/null
else
    expect_same "$got" 4 "exit code of machine probe -o -"
fi
if [ -e /dev/full ]; then
    expect_exit 1 sh -c '"$1" machine show zen5 -o - >/dev/full' sh "$TRAUMA"
    expect_text err "the output could not be written"
fi

# refused WHY COMMAND...
refused()
{
    why=$1
    shift
    expect_exit 2 "$TRAUMA" "$@"
    expect_text err "$why"
    [ ! -e ./- ] || fail "a file named - of: $*"
}
refused "-o - would be standard output: a suite is a folder" gen small.lua -o -
refused "-o - would be standard output: results are appended" run small.lua -o -
refused "-o - would be standard output: traces are copied" merge results.jsonl -o -
refused "-o - would be standard output: a binary is written" patch results.jsonl --marker --field cu -o -
refused "-o - would be standard output: a picture" plot results.jsonl -o -
refused "--figure - would be standard output: a picture" fit idle results.jsonl --figure -
refused "--figure - would be standard output: a picture" machine probe --figure -
refused "--figure - would be standard output: a picture" predict model.json results.jsonl --figure -
refused "./- is a file of that name" gen small.lua -o -
refused "-o - and --json both write to standard output" fit idle results.jsonl --json -o -
refused "-o - and --json both write to standard output" machine probe --json -o -
refused "--junit - and --tap both write to standard output" check small.lua --tap --junit -
refused "--junit - and --json both write to standard output" check small.lua --json --junit -
expect_exit 0 "$TRAUMA" machine show zen5 -o ./-
[ -s ./- ] || fail "./- is no file"
rm ./-
expect_exit 0 "$TRAUMA" machine show cortex-a53 --as champsim -o -
[ ! -e ./- ] || fail "a configuration for standard output is in a file"
expect_text out '"ooo_cpu"'
for command in export fit machine report gen; do
    expect_exit 0 "$TRAUMA" "$command" --help
    expect_text out "-: standard output, if the output"
done
