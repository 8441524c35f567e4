# Without valgrind rates are unobserved, with the reason; without gnuplot there is no figure, and exit code 4.
. "$SOURCE/tests/e2e/lib.sh"

mkdir nothing
without_programs()
{
    PATH="$WORK/nothing" "$TRAUMA" "$@"
}

write_recipe small.lua 'plot = { x = "hit", y = { "body.share" } },'
expect_exit 0 without_programs check small.lua -m pentium-pro --json
json "$WORK/out" metric verdict reason | grep '^l1d' >seen
expect_text seen unobserved
expect_text seen "valgrind is not installed"
expect_exit 4 without_programs check small.lua -m pentium-pro --strict

expect_exit 0 without_programs run small.lua -m pentium-pro -o results.jsonl --time 0.01 --reps 2
expect_exit 0 without_programs sensors
expect_text out "valgrind is not installed"

expect_exit 4 without_programs plot results.jsonl -o figure.svg
expect_text err gnuplot
[ ! -e figure.svg ] || fail "a figure was written without gnuplot"

# What valgrind complains of is shown whole, not its first line alone.
if command -v valgrind >found; then
    TMPDIR=/nonexistent expect_exit 0 "$TRAUMA" check small.lua -m pentium-pro --counters cachegrind,bytes --json
    json "$WORK/out" metric verdict reason | grep '^l1d' >seen
    expect_text seen "valgrind: Startup or configuration error: "
    expect_text seen "create client cmdline file in /nonexistent"
fi
