# The report: one well-formed page that needs nothing beside it, in which no text is more than text, and which a real
# browser shows without a complaint.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"
need_program xmllint
need_program gnuplot

mkdir data pages
write_context data/results.jsonl
write_points data/results.jsonl
expect_exit 0 "$TRAUMA" report data/results.jsonl -o pages/report.html
# As XML, which forgives nothing.
expect_exit 0 xmllint --noout pages/report.html
of_page() { xmllint --xpath "$1" pages/report.html; }

expect_same "$(of_page "count(//*[local-name()='script'])")" 0 "scripts"
expect_same "$(of_page "count(//@*[starts-with(name(), 'on')])")" 0 "event handlers"
expect_same "$(of_page "count(//@src | //*[local-name()='link'] | //*[local-name()='image'])")" 0 "outer resources"
of_page "//*[local-name()='a']/@href" | grep -v 'href="#\|href="\./' && fail "a link that is not relative"
of_page "//*[local-name()='a']/@href" | grep -qF 'href="./../data/results.jsonl"' || fail "no link to the raw data"
of_page "//*[local-name()='a']/@href" | grep -qF 'href="./../data/results.traces/b/n=1.csv"' || fail "no link to a trace"
expect_same "$(of_page "count(//*[@id]) = count(//*[@id][not(@id = following::*/@id)])")" true "every id is there once"
expect_same "$(of_page "count(//*[local-name()='table'][not(*[local-name()='caption'])])")" 0 "tables without a caption"
expect_same "$(of_page "count(//*[local-name()='figure'][not(*[local-name()='figcaption'])])")" 0 "figures without a caption"
expect_same "$(of_page "count(//*[local-name()='svg'][not(@aria-label)])")" 0 "pictures without a name"

rows="//*[@id='verdicts']//*[local-name()='tbody']/*"
expect_same "$(of_page "count($rows)")" 8 "verdict rows"
expect_same "$(of_page "string($rows[1]/@class)")" fail "the first row's verdict"
expect_same "$(of_page "count($rows[@class='fail'])")" 3 "failures, one of them a point that did not run"
expect_same "$(of_page "count($rows[@class='fail'][position() > 3])")" 0 "failures below others"
expect_same "$(of_page "count(//*[local-name()='input'])")" 6 "choices of the filter: all, and each verdict that is there"
for text in 'cpupower frequency-set -g performance' 'the noise is above the power' 'perf: there is no PMU' \
    'ended by signal 4' 'it needs 64 cores' '&lt;script&gt;document.title='; do
    expect_text pages/report.html "$text"
done

expect_exit 2 "$TRAUMA" report data/results.jsonl
expect_exit 2 "$TRAUMA" report data/results.jsonl data/results.jsonl -o pages/two.html
expect_exit 2 "$TRAUMA" report data/none.jsonl -o pages/none.html
[ ! -e pages/none.html ] || fail "a page of nothing was written"

# Without gnuplot there is a page all the same, that says what is missing.
mkdir bare
expect_exit 0 env PATH="$WORK/bare" "$TRAUMA" report data/results.jsonl -o pages/bare.html
expect_text pages/bare.html "apt-get install gnuplot-nox"
expect_exit 0 xmllint --noout pages/bare.html

need_program chromium
HOME="$WORK"
export HOME
browse()
{
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$WORK/profile" \
        --enable-logging=stderr --window-size=800,2400 "$@" "file://$WORK/pages/report.html" 2>"$WORK/console"
}
browse --dump-dom >dom || fail "chromium: $(tail -n 5 "$WORK/console")"
if grep 'CONSOLE' "$WORK/console"; then
    fail "the browser complains"
fi
expect_same "$(grep -c '<tr class="' dom)" 8 "verdict rows in the browser's document"
expect_text dom "<title>Report of results.jsonl</title>"
expect_text dom "✗"
expect_same "$(grep -c '<svg ' dom)" 1 "pictures in the browser's document"
browse --screenshot=page.png >/dev/null || fail "no screenshot"
# A page that shows nothing compresses to next to nothing.
[ "$(wc -c <page.png)" -gt 20000 ] || fail "the browser shows an empty page"
