# Structures of this core: each size has an interval and a curve, or says why it is not told. How large they are is not
# tested: a neighbour on the core has a part of them.
. "$SOURCE/tests/e2e/lib.sh"

plain_program
got=0
"$PLAIN" machine probe --structures --time 2 --json -o core.lua >probe.json 2>"$WORK/err" </dev/null || got=$?
[ "$got" -ne 4 ] || skip "$(head -n 1 "$WORK/err")"
expect_same "$got" 0 "exit code of machine probe --structures"
[ ! -s "$WORK/err" ] || fail "the probe says something where nobody watches"
value()
{
    json_document probe.json "values/$1/$2"
}
for name in reorder_buffer load_queue store_queue registers.integer registers.vector scheduler.integer scheduler.load branches \
    return_stack branch_targets.16.first miss_buffers tlb.first tlb.second; do
    [ -n "$(value $name remark)" ] || fail "$name says neither how nor why not"
    [ "$(value $name found)" = true ] || continue
    seen="$(value $name low) $(value $name value) $(value $name high)"
    expect_same "$seen" "$(echo "$seen" | tr ' ' '\n' | sort -g | xargs)" "the interval of $name in order"
done
[ "$(json_document probe.json '#structures')" -ge 10 ] || fail "there are too few curves"
points=$(($(json_document probe.json '#structures/0/alone') + $(json_document probe.json '#structures/0/shared')))
[ "$points" -ge 10 ] || unless_busy "the curve of the reorder buffer has $points points"
expect_exit 0 "$TRAUMA" machine show ./core.lua

# What it does not do.
expect_exit 2 "$TRAUMA" machine probe --structures -t ptx
expect_text err "not a GPU"
expect_exit 2 "$TRAUMA" machine detect --structures
expect_text err "probe does"
expect_exit 2 "$TRAUMA" machine probe -o core.html
