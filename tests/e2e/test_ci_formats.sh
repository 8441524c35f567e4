# Formats for CI systems: JUnit against Jenkins' and Surefire's schemas, TAP 13 with Perl's own parser, from results
# with every verdict and hostile names and reasons.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"
need_program xmllint
need_program perl

write_context results.jsonl
write_points results.jsonl
expect_exit 5 "$TRAUMA" check results.jsonl --tap --junit report.xml
cp "$WORK/out" tap

cp report.xml "$WORK/report"
expect_exit 0 xmllint --noout --schema "$SOURCE/tests/e2e/junit.xsd" report.xml
attribute() { xmllint --xpath "string(/testsuites/testsuite[$1]/@$2)" report.xml; }
expect_same "$(attribute 1 name)" b "the first suite"
expect_same "$(attribute 1 tests)" 7 "its tests"
expect_same "$(attribute 1 failures)" 1 "its failures"
expect_same "$(attribute 1 errors)" 1 "its errors: a point that did not run"
expect_same "$(attribute 1 skipped)" 2 "its skipped: inconclusive and unobserved"
expect_same "$(attribute 1 time)" 1.250000 "its time: what its repetitions took"
expect_same "$(attribute 2 skipped)" 1 "skipped of the second: what this machine cannot run"
expect_same "$(attribute 2 failures)" 1 "failures of the second"
expect_same "$(xmllint --xpath 'count(//testcase)' report.xml)" 9 "JUnit's tests"
xmllint --xpath 'string(//testcase[contains(@name, "l1d.miss_rate")]/system-out)' report.xml | grep -q '^pass, disputed: .' ||
    fail "a disputed rate does not say why it is disputed"
xmllint --xpath 'string(//testcase[contains(@name, "l1i.miss_rate")]/system-out)' report.xml |
    grep -qx 'pass (code): timing: it does not see code' || fail "a rate that the code alone passes does not say so"
xmllint --xpath 'string(//testcase[contains(@name, "branch.miss_rate")]/failure/@message)' report.xml |
    grep -qx 'fail: wanted 0.1 ± 0.01, perf saw 0.5' || fail "a failure does not name the bound"
expect_text tap "# fail: wanted 0.1 ± 0.01, perf saw 0.5"
grep -q '^ok .*l1i.miss_rate$' tap || fail "a rate that the code alone passes is not ok"
expect_text tap "# pass (code): timing: it does not see code"
xmllint --xpath 'string(//testcase[contains(@name, "l3.miss_rate")]/skipped/@message)' report.xml |
    grep -qx 'unobserved: perf: there is no PMU' || fail "an unobserved rate does not say why"
xmllint --xpath 'string(//error/@message)' report.xml | grep -q 'ended by signal 4' || fail "no word of the signal"

perl -MTAP::Parser -e '
    local $/;
    my $parser = TAP::Parser->new({ tap => scalar <> });
    1 while $parser->next;
    die "errors: " . join("; ", $parser->parse_errors) if $parser->parse_errors;
    printf "version %s planned %s run %s failed %s skipped %s todo %s\n", $parser->version, $parser->tests_planned,
        $parser->tests_run, scalar $parser->failed, scalar $parser->skipped, scalar $parser->todo;
' tap >parsed 2>err || fail "TAP::Parser: $(cat err)"
expect_text parsed "version 13 planned 9 run 9 failed 3 skipped 3 todo 0"

# Nothing to check is no failure of the format.
write_context empty.jsonl
printf '{"kind":"point","benchmark":"b","name":"n=1","point":{"n":1},"target":"x86_64","program_hash":"1","rates":{}}\n' >>empty.jsonl
expect_exit 4 "$TRAUMA" check empty.jsonl --tap --junit empty.xml
expect_text err "nothing was observed"
expect_exit 0 xmllint --noout --schema "$SOURCE/tests/e2e/junit.xsd" empty.xml
expect_same "$(xmllint --xpath 'count(//testcase)' empty.xml)" 0 "tests of nothing"
