# The report: one well-formed, self-contained page in which text cannot become markup, and which a real browser shows
# without errors.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"
need_program xmllint
need_program gnuplot

mkdir -p pages/data
write_context pages/data/results.jsonl
write_points pages/data/results.jsonl
expect_exit 0 "$TRAUMA" report pages/data/results.jsonl -o pages/report.html
# As XML, which forgives nothing.
expect_exit 0 xmllint --noout pages/report.html
of_page() { xmllint --xpath "$1" pages/report.html; }

expect_same "$(of_page "count(//*[local-name()='script'])")" 0 "scripts"
expect_same "$(of_page "count(//@*[starts-with(name(), 'on')])")" 0 "event handlers"
expect_same "$(of_page "count(//@src | //*[local-name()='link'] | //*[local-name()='image'])")" 0 "outer resources"
of_page "//*[local-name()='a']/@href" | grep -v 'href="#\|href="\./' && fail "a link that is not relative"
of_page "//*[local-name()='a']/@href" | grep -qF 'href="./data/results.jsonl"' || fail "no link to the raw data"
of_page "//*[local-name()='a']/@href" | grep -qF 'href="./data/results.traces/b/n=1.csv"' || fail "no link to a trace"
expect_same "$(of_page "count(//*[@id]) = count(//*[@id][not(@id = following::*/@id)])")" true "every id is there once"
expect_same "$(of_page "count(//*[local-name()='table'][not(*[local-name()='caption'])])")" 0 "tables without a caption"
expect_same "$(of_page "count(//*[local-name()='figure'][not(*[local-name()='figcaption'])])")" 0 "figures without a caption"
expect_same "$(of_page "count(//*[local-name()='svg'][not(@aria-label)])")" 0 "pictures without a name"

# What matters leads: the counts, the figures, a row per point; then the rates, of which only failures lie open.
expect_same "$(of_page "string(//*[local-name()='body']/*[1]/*[@id='counts'])")" "4 points: 1 pass; 1 pass (code); \
1 pass, disputed; 2 fail; 1 inconclusive; 1 unobserved; 1 point that did not run; 1 point that this machine cannot run" \
    "the line of counts"
expect_same "$(xmllint --xpath "//*[local-name()='section']/@id" pages/report.html | tr -d ' \n')" \
    'id="figures"id="points"id="verdicts"id="warnings"id="power"id="unseen"id="context"id="raw"' "the order of sections"
points="//*[@id='points']//*[local-name()='tr']"
expect_same "$(of_page "count($points)")" 5 "rows of points, with their head"
expect_same "$(of_page "(${points})[1]/*/text()" | tr '\n' ' ')" "point ms/pass main rate IPC GB/s dynamic W verdict " "columns of points"
expect_same "$(of_page "(${points})[2]/*[position() > 1]//text()" | tr '\n' ' ')" "15.00 ipc 0.5 0.5 L2 12.50 3 ? ✗ fail " "the first point"
expect_same "$(of_page "string((${points})[3]/*[last()])")" "✗ did not run" "the second point"
folds="//*[@id='verdicts']//*[local-name()='details']"
expect_same "$(of_page "count($folds)")" 2 "folds of rates"
expect_same "$(of_page "count((${folds})[1][@open]/*[@class='scroll']//*[@class='fail'])")" 3 "failures that lie open"
expect_same "$(of_page "count((${folds})[2][@open])")" 0 "other rates that lie open"

rows="//*[@id='verdicts']//*[local-name()='tbody']/*"
expect_same "$(of_page "count($rows)")" 9 "verdict rows"
expect_same "$(of_page "string($rows[1]/@class)")" fail "the first row's verdict"
expect_same "$(of_page "count($rows[@class='fail'])")" 3 "failures, one of them a point that did not run"
expect_same "$(of_page "count($rows[@class='fail'][position() > 3])")" 0 "failures below others"
expect_same "$(of_page "count(//*[local-name()='input'])")" 6 "choices of the filter: all, and each other verdict that is there"
for text in 'cpupower frequency-set -g performance' 'the noise is above the power' 'perf: there is no PMU' \
    'ended by signal 4' 'it needs 64 cores' '&lt;script&gt;document.title='; do
    expect_text pages/report.html "$text"
done

expect_exit 2 "$TRAUMA" report pages/data/results.jsonl
expect_exit 2 "$TRAUMA" report pages/data/results.jsonl pages/data/results.jsonl -o pages/two.html
expect_exit 2 "$TRAUMA" report pages/data/none.jsonl -o pages/none.html
[ ! -e pages/none.html ] || fail "a page of nothing was written"

# Warnings of points that differ in numbers alone are one row with the range; names and the whole run's own are not numbers.
# A long reason of many rates is one note.
long="no source was asked that could see what this rate is about, and so nothing is said of it here"
{
    sed -n 1p pages/data/results.jsonl | sed 's/"warnings":\[.*\],"benchmarks"/"warnings":[{"what":"it was 2 s late","mend":null}],"benchmarks"/'
    i=0
    for late in 1.5 12 3; do
        i=$((i + 1))
        printf '{"kind":"point","benchmark":"b","name":"n=%d","point":{"n":%d},"target":"x86_64","program_hash":"%d","rates":{%s},"warnings":[{"what":"cpu%d was %s s late (of 7)","mend":null},{"what":"L2 took %s s","mend":"wait"}]}\n' \
            "$i" "$i" "$i" "$(rate ipc 0.5 "$long" '')" "$((i / 3))" "$late" "$late"
    done
} >pages/data/like.jsonl
expect_exit 0 "$TRAUMA" report pages/data/like.jsonl -o pages/like.html
expect_exit 0 xmllint --noout pages/like.html
like="//*[@id='warnings']//*[local-name()='tbody']/*"
of_like() { xmllint --xpath "$1" pages/like.html; }
expect_same "$(of_like "count($like)")" 4 "rows of warnings"
expect_same "$(of_like "string($like[1]/*[1])")" "it was 2 s late" "a warning of the whole run"
expect_same "$(of_like "string($like[2]/*[1])")" "cpu0 was 1.5 to 12 s late (of 7)" "the range"
expect_same "$(of_like "string($like[2]/*[2])")" "b/n=1 and 1 more" "where"
expect_same "$(of_like "string($like[3]/*[1])")" "L2 took 1.5 to 12 s" "the other range"
expect_same "$(of_like "string($like[4]/*[1])")" "cpu1 was 3 s late (of 7)" "the other processor"
expect_same "$(grep -c "\[1\] $long" pages/like.html)" 1 "notes"
expect_same "$(of_like "count(//*[@id='verdicts']//*[local-name()='td'][.='[1]'])")" 3 "cells that name the note"

# Without gnuplot there is a page all the same, that says what is missing.
mkdir bare
expect_exit 0 env PATH="$WORK/bare" "$TRAUMA" report pages/data/results.jsonl -o pages/bare.html
expect_text pages/bare.html "apt-get install gnuplot-nox"
expect_exit 0 xmllint --noout pages/bare.html

need_program chromium
HOME="$WORK"
export HOME
browse()
{
    timeout 600 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$WORK/profile" \
        --enable-logging=stderr --window-size=800,2400 "$@" "file://$WORK/pages/report.html" 2>"$WORK/console"
}
browse --dump-dom >dom || fail "chromium: $(tail -n 5 "$WORK/console")"
if grep 'CONSOLE' "$WORK/console"; then
    fail "the browser complains"
fi
expect_same "$(grep -c '<tr class="' dom)" 13 "rows of points and verdicts in the browser's document"
expect_text dom "<title>Report of results.jsonl</title>"
expect_text dom "✗"
expect_same "$(grep -c '<svg ' dom)" 1 "pictures in the browser's document"
browse --screenshot=page.png >/dev/null || fail "no screenshot"
# A page that shows nothing compresses to next to nothing.
[ "$(wc -c <page.png)" -gt 20000 ] || fail "the browser shows an empty page"
