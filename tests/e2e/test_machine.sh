# Machine descriptions: shown, detected, and read back as written.
. "$SOURCE/tests/e2e/lib.sh"

for file in "$SOURCE"/recipes/machines/*.lua; do
    name=$(basename "$file" .lua)
    expect_exit 0 "$TRAUMA" machine show "$name" -o "$name.lua"
    expect_exit 0 "$TRAUMA" machine show "$name" --json -o first.json
    expect_exit 0 "$TRAUMA" machine show "./$name.lua" --json -o second.json
    expect_exit 0 cmp first.json second.json
done
expect_same "$(json_document first.json isa)" x86_64 "isa in JSON"

# This machine, where the operating system tells enough of it.
got=0
"$TRAUMA" machine detect -o here.lua 2>"$WORK/err" || got=$?
if [ "$got" -ne 4 ]; then
    expect_same "$got" 0 "exit code of machine detect"
    expect_exit 0 "$TRAUMA" machine show ./here.lua --json -o first.json
    expect_exit 0 "$TRAUMA" machine detect --json -o second.json
    expect_exit 0 cmp first.json second.json
    write_recipe small.lua
    expect_exit 0 "$TRAUMA" gen small.lua -m here.lua -o suite
fi
