# Hostile texts in results, files and options: no control character, no mark that changes the writing direction and no
# invalid UTF-8 reaches a terminal, table, page, picture, CSV or TAP; escapes are shown instead. JSON escapes them
# itself.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"

# expect_clean FILE...: nothing in them but printable characters, blanks and ends of lines.
expect_clean()
{
    for file in "$@"; do
        if LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$file" | grep -q .; then
            fail "control characters in $file: $(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$file" | od -c | head -n 3)"
        fi
        for mark in '\302\233' '\342\200\256' '\342\200\250' '\342\201\246'; do # CSI, RLO, a line separator, LRI
            if LC_ALL=C grep -qF -e "$(printf "$mark")" "$file"; then
                fail "$mark in $file"
            fi
        done
    done
}

nasty='\u001b]0;pwned\u0007 \u009b31m\u202e\u2066\u2028 \u007f\rx\ntrauma: warning: forged'
context()
{
    printf '{"schema":1,"kind":"context","tool":{"name":"trauma","version":"0"},"machine":{"name":"%s"},"present":true,"host":"%s","cpu":"%s","sensors":[{"name":"%s","label":"%s","quantity":"energy","unit":"J","period_s":0.01,"update_s":null,"resolution":0.001}],"warnings":[{"what":"%s","mend":"%s"}],"benchmarks":[{"recipe":"r.lua","name":"b","title":"%s","plot":[{"x":"n","y":["ipc"],"by":"k"}]}]}\n' \
        "$nasty" "$nasty" "$nasty" "$nasty" "$nasty" "$nasty" "$nasty" "$nasty"
}
# point NUMBER VALUE: whose every text is nasty.
point()
{
    printf '{"kind":"point","benchmark":"b","name":"%s %s","point":{"n":%s,"k":"%s","%s":"%s"},"target":"%s","program_hash":"%s","rates":{%s,%s},"power":{"power.dynamic_w":{"value":3,"low":1,"high":3,"n":3},"verdict":"untrustworthy","reason":"%s","sensors":{"%s":{"power.dynamic_w":3,"reason":"%s"}}},"warnings":[{"what":"%s","mend":"%s"}],"trace":"%s.csv"}\n' \
        "$nasty" "$1" "$1" "$nasty" "$nasty" "$nasty" "$nasty" "$nasty" "$(rate "$nasty" 0.1 "$nasty" "$(observation perf measured "$2" "$2" "$2")")" \
        "$(rate ipc 0.1 "$nasty" "$(observation "$nasty" measured "$2" "$2" "$2")")" "$nasty" "$nasty" "$nasty" "$nasty" "$nasty" "$nasty"
    printf '{"kind":"point","benchmark":"b","name":"broken %s","point":{"n":%s},"target":"x86_64","program_hash":"%s","error":"%s"}\n' "$1" "$1" "$nasty" "$nasty"
}
{ context; point 1 0.5; point 2 0.4; } >nasty.jsonl
{ context; point 1 0.5; point 2 0.1; point 3 0.1; } >other.jsonl

mkdir seen
for command in "check nasty.jsonl" "check -v nasty.jsonl" "check --tap nasty.jsonl" "check --junit seen/junit.xml nasty.jsonl" \
    "diff nasty.jsonl other.jsonl" "diff -v nasty.jsonl other.jsonl" "export nasty.jsonl" "export -v nasty.jsonl" \
    "report nasty.jsonl -o seen/page.html" "merge nasty.jsonl other.jsonl -o merged.jsonl" "fit idle nasty.jsonl"; do
    "$TRAUMA" $command >out 2>err </dev/null || true
    [ -s out ] || [ -s err ] || [ -s seen/page.html ] || fail "$command printed nothing"
    expect_clean out err
    if grep -q '^trauma: warning: forged' err; then
        fail "$command: a text made a line of its own"
    fi
done
expect_clean seen/junit.xml seen/page.html
"$TRAUMA" export nasty.jsonl >out
expect_text out '\x1b]0;pwned\x07 \u009b31m\u202e\u2066\u2028 \x7f\rx'
"$TRAUMA" check --tap nasty.jsonl >out 2>err || true
expect_same "$(grep -c '^ok\|^not ok' out)" "$(sed -n 's/^1\.\.//p' out)" "TAP's tests"

# Data stays what it was: JSON has its own escapes.
"$TRAUMA" check --json nasty.jsonl >out 2>err || true
expect_clean out
expect_same "$(json "$WORK/out" host | wc -l)" "$(wc -l <out)" "lines of JSON"
"$TRAUMA" merge nasty.jsonl -o again.jsonl -q >out
expect_same "$(json again.jsonl point/k | sed -n 2p | od -c | head -n 1)" "$(json nasty.jsonl point/k | sed -n 2p | od -c | head -n 1)" "a merged text"

# Names of files and arguments.
name=$(printf 'a\033[31mb\nc')
for command in check report plot export; do
    "$TRAUMA" $command "$name.jsonl" -o seen/x.svg >out 2>err </dev/null || true
    expect_clean out err
    expect_same "$(wc -l <err)" 1 "lines of $command's message"
done
expect_exit 2 "$TRAUMA" check "$(printf 'a\377b.lua')"
expect_text err "a\\xffb.lua"
printf 'error("\\27[31mred\\226\\128\\174")\n' >error.lua
expect_exit 3 "$TRAUMA" list error.lua
expect_clean "$WORK/out" "$WORK/err"

# A spreadsheet takes no cell for a formula; numbers with a sign stay numbers.
{
    context
    for text in '=1+1' '+1+1' '-1+cmd' '@SUM(A1)' '-5' '+3.5e3' '\t=1' 'plain' "-"; do
        printf '{"kind":"point","benchmark":"b","name":"%s","point":{"k":"%s","n":-7},"target":"x86_64","program_hash":"1","error":"%s"}\n' "$text" "$text" "$text"
    done
} >formulas.jsonl
expect_exit 0 "$TRAUMA" export formulas.jsonl
for text in "'=1+1" "'+1+1" "'-1+cmd" "'@SUM(A1)" "-5" "+3.5e3" 'plain' "'-"; do
    expect_text out "b,$text,x86_64,$text,-7,"
done
expect_text out "$(printf "b,'\\t=1,")"

# A page leads nowhere out of its folder.
{
    context
    for trace in ../../etc/passwd /etc/passwd 'javascript:alert(1)' x/../../y.csv inner/good.csv inner/leads.csv; do
        printf '{"kind":"point","benchmark":"b","name":"%s","point":{"n":1},"target":"x86_64","program_hash":"1","trace":"%s"}\n' "$trace" "$trace"
    done
} >seen/traces.jsonl
mkdir seen/inner pages
echo 't_s,channel,value' >seen/inner/good.csv
echo 't_s,channel,value' >outside.csv
ln -s ../../outside.csv seen/inner/leads.csv
expect_exit 0 "$TRAUMA" report seen/traces.jsonl -o seen/traces.html
grep -o 'href="[^"#][^"]*"' seen/traces.html | sort >links
printf '%s\n' 'href="./inner/good.csv"' 'href="./javascript%3Aalert%281%29"' 'href="./traces.jsonl"' | sort >wanted
cmp -s links wanted || fail "the page's links are: $(cat links)"
expect_text ../"${WORK##*/}"/seen/traces.html '../../etc/passwd' 2>/dev/null || grep -qF '../../etc/passwd' seen/traces.html ||
    fail "a trace outside is not named"
expect_exit 0 "$TRAUMA" report seen/traces.jsonl -o pages/traces.html
if grep -q 'href="[^#]' pages/traces.html; then
    fail "a page in another folder links: $(grep -o 'href="[^#][^"]*"' pages/traces.html)"
fi
# Nor is what lies outside copied.
expect_exit 0 "$TRAUMA" merge seen/traces.jsonl -o pages/merged.jsonl
expect_same "$(find pages -name '*.csv' | wc -l)" 1 "traces copied"

# Titles and labels of every kind are drawn, and nothing in them is run.
command -v gnuplot >/dev/null || skip "gnuplot is not installed: titles are not drawn"
for title in "'lead" "''" "'" "'''a' b" "x' . system('touch pwned') . '" '`touch pwned`' "'\`touch pwned\`" '$(touch pwned)' '@x {/=50 b} ^_ %d %' '\\\\' "'\\\\" '\"' "'\\\"" "$nasty" "'$nasty"; do
    {
        printf '{"schema":1,"kind":"context","machine":{"name":"%s"},"benchmarks":[{"recipe":"r.lua","name":"b","title":"%s","plot":[{"x":"k","y":["ipc"],"by":"n","xlabel":"%s"}]}]}\n' "$title" "$title" "$title"
        printf '{"kind":"point","benchmark":"b","name":"1","point":{"n":"%s","k":"%s"},"target":"x86_64","program_hash":"1","rates":{%s}}\n' \
            "$title" "$title" "$(rate ipc 0.5 '' "$(observation perf measured 0.5 0.5 0.5)")"
    } >title.jsonl
    for kind in svg png; do
        expect_exit 0 "$TRAUMA" plot title.jsonl -o seen/title.$kind
        [ -s seen/title.$kind ] || fail "no picture of the title $title"
    done
    expect_clean seen/title.svg
    [ ! -e pwned ] || fail "the title $title was run"
done
"$TRAUMA" plot title.jsonl -o seen/title.svg
