# Machine-readable output of check: JSON lines, TAP and JUnit agree and are well-formed.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

write_recipe small.lua 'expect = { ["l1d.miss_rate"] = { max = 0.3 }, ["l3.miss_rate"] = { max = 1 } },'

expect_exit 5 "$TRAUMA" check small.lua -m pentium-pro --json
for field in benchmark point target metric verdict '#observations'; do
    expect_same "$(json "$WORK/out" "$field" | grep -cx -e - || true)" 0 "lines without $field"
done
lines=$(json "$WORK/out" verdict | grep -cvx observed) # what was only observed is no test
missed=$(json "$WORK/out" verdict | grep -cx fail)
json "$WORK/out" metric observations/0/source observations/0/kind observations/0/value observations/0/low \
    observations/0/high observations/0/n | grep '^l1d' >seen
expect_no_text seen "$(printf '\t-')"

expect_exit 5 "$TRAUMA" check small.lua -m pentium-pro --tap --junit report.xml
expect_same "$(head -n 1 "$WORK/out")" "TAP version 13" "first line of TAP"
expect_text out "1..$lines"
expect_same "$(grep -c '^ok \|^not ok ' "$WORK/out")" "$lines" "TAP's tests"
expect_same "$(grep -c '^not ok ' "$WORK/out")" "$missed" "TAP's failures"
grep -q '^ok .*# SKIP' "$WORK/out" || fail "what nothing saw is no SKIP in TAP"
expect_same "$(sed -n 's/^\(not \)*ok \([0-9]*\).*/\2/p' "$WORK/out" | tr '\n' ' ')" "$(seq "$lines" | tr '\n' ' ')" \
    "TAP's numbers"

expect_same "$(grep -c '<testcase ' report.xml)" "$lines" "JUnit's tests"
expect_same "$(grep -c '<failure' report.xml)" "$missed" "JUnit's failures"
grep -q '<skipped' report.xml || fail "what nothing saw is not skipped in JUnit"
if command -v xmllint >/dev/null 2>&1; then
    expect_exit 0 xmllint --noout report.xml
fi
