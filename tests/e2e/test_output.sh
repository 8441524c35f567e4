# Output: results on stdout, everything else on stderr, no colour where unwanted, and a full disk is a failure.
. "$SOURCE/tests/e2e/lib.sh"

escape=$(printf '\033')
write_recipe small.lua
for command in "list" "list -v" "check small.lua -m pentium-pro --counters bytes,plan" "explain small.lua -m pentium-pro" \
    "machine show pentium-pro" "sensors"; do
    expect_exit 0 env NO_COLOR=1 "$TRAUMA" $command
    expect_no_text out "$escape"
    expect_no_text err "$escape"
    [ -s "$WORK/out" ] || fail "no output of: $command"
done

# On a terminal: colours, but not under NO_COLOR; the progress bar is gone at the end.
if command -v script >/dev/null 2>&1; then
    script -qec "NO_COLOR=1 '$TRAUMA' list" /dev/null >"$WORK/out" 2>/dev/null </dev/null
    expect_no_text out "${escape}[1m"
    expect_no_text out "${escape}[3"
fi

# -q: nothing on stderr.
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite -q
expect_empty err

# --json has the same everywhere: one document or lines of documents, and nothing else on stdout.
expect_exit 0 "$TRAUMA" list --json
json_document "$WORK/out" 0/name >/dev/null
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite --json
json_document "$WORK/out" suite >/dev/null

[ -c /dev/full ] || skip "no /dev/full"
for command in "list" "machine show pentium-pro" "sensors" "check suite --counters bytes,plan" "--help"; do
    got=0
    "$TRAUMA" $command >/dev/full 2>"$WORK/err" </dev/null || got=$?
    expect_same "$got" 1 "exit code of '$command' on a full disk"
    expect_text err "written"
done
