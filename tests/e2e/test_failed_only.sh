# trauma check leads with the counts, then one row per point, then the rates, failures first; --failed shows only what
# did not pass. trauma run has the same order.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"

write_context made.jsonl
write_points made.jsonl
expect_exit 5 "$TRAUMA" check made.jsonl
expect_same "$(sed -n 1p out)" "4 points: 1 pass; 1 pass (code); 1 pass, disputed; 2 fail; 1 inconclusive; 1 unobserved; \
1 point that did not run; 1 point that this machine cannot run" "the first line"
expect_same "$(sed -n 4p out | tr -s ' ')" "point ms/pass main rate IPC GB/s dynamic W verdict" "the head of the points"
expect_same "$(sed -n 5p out | tr -s ' ')" "b/n=1 15.00 ipc 0.5 0.5 L2 12.50 3 ? fail" "the first point"
expect_same "$(sed -n 10p out)" "? the noise is above the power (b/n=1)" "why the power is marked"
expect_same "$(sed -n 12p out | tr -s ' ')" "point metric wanted verdict evidence" "the head of the rates"
expect_same "$(sed -n '13,15p' out | grep -c ' fail \| did not run ')" 3 "failures first"
expect_same "$(sed -n '13,$p' out | grep -c '^b/\|^other/')" 9 "rates and points that did not run"

expect_exit 5 "$TRAUMA" check made.jsonl --failed
expect_same "$(sed -n 1p out)" "4 points: 1 pass; 1 pass (code); 1 pass, disputed; 2 fail; 1 inconclusive; 1 unobserved; \
1 point that did not run; 1 point that this machine cannot run" "the counts are of all"
expect_same "$(sed -n '13,$p' out | grep -c '^b/\|^other/')" 6 "what did not pass"
expect_same "$(sed -n '13,$p' out | grep -c 'pass')" 0 "what passed, shown as failed"
expect_exit 5 "$TRAUMA" check made.jsonl --failed --json
expect_same "$(json "$WORK/out" verdict | sort | uniq -c | tr -s ' \n' ' ')" \
    " 2 did not run 2 fail 1 inconclusive 1 unobserved " "lines of what did not pass"
expect_exit 2 "$TRAUMA" check made.jsonl --failed --tap
expect_text err "--failed shortens tables and --json; --tap has all rates"
expect_exit 5 "$TRAUMA" check made.jsonl --failed --junit failed.xml
expect_same "$(sed -n '11,$p' out | grep -c '^b/\|^other/')" 6 "what did not pass, beside a file that has all"
expect_exit 5 "$TRAUMA" check made.jsonl --junit all.xml
cmp all.xml failed.xml || fail "--failed changes the JUnit file"

# Nothing failed: the counts alone.
{ sed -n 1p made.jsonl; sed -n 2p made.jsonl | sed 's/"branch.miss_rate":{"target":0.1/"branch.miss_rate":{"target":0.5/; s/"\(l[23].miss_rate\)":{"target":0.5,/"\1":{"target":null,/g'; } >good.jsonl
expect_exit 0 "$TRAUMA" check good.jsonl --failed
expect_same "$(grep -c . out)" 2 "lines when nothing failed"
