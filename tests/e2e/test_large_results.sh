# With many points, time is proportional to their number and memory depends on what is shown. Measures processor time
# and peak memory, which load hardly affects; sanitizers multiply both.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/results.sh"

# The ratio is 4 if the time is linear and 16 if it is quadratic. The whole document in memory took 32 KiB a point.
command -v python3 >/dev/null || skip "python3 is not installed: nothing measures memory"
plain_program
python3 "$SOURCE/bench/points.py" "$PLAIN" --points 12000 --most 7 --peak "$([ "$PLAIN" = "$TRAUMA" ] && echo 4000 || echo 500)" >table 2>err ||
    fail "$(cat table err)"
cat table
expect_same "$(wc -l <table)" "$(command -v gnuplot >/dev/null && echo 22 || echo 19)" "rows of commands"

# Lines that are no results, or too much of one.
refused()
{
    expect_exit 2 "$TRAUMA" export "$1"
    expect_text err "$2"
    expect_exit 2 "$TRAUMA" check "$1"
    expect_text err "$2"
}
write_context start.jsonl
write_points start.jsonl
head -n 3 start.jsonl >three.jsonl
mv three.jsonl start.jsonl
{ cat start.jsonl; printf '{"kind":"point","benchmark":"b","name":"n","point":'; head -c 100000 /dev/zero | tr '\0' '['; echo; } >deep.jsonl
refused deep.jsonl "deep.jsonl:4: expected a JSON object on one line: maximum parsing depth reached"
{ cat start.jsonl; echo '{"kind":"point","benchmark":"b","benchmark":"c","name":"n"}'; } >twice.jsonl
refused twice.jsonl "twice.jsonl:4: expected a JSON object on one line: duplicate object key"
{ cat start.jsonl; printf '{"kind":"point","benchmark":"b\377","name":"n"}\n'; } >bytes.jsonl
refused bytes.jsonl "bytes.jsonl:4: expected a JSON object on one line: unable to decode byte 0xff"
{ cat start.jsonl; printf '{"kind":"point","benchmark":"b","name":"'; head -c 70000000 /dev/zero | tr '\0' 'a'; printf '"}\n'; } >long.jsonl
refused long.jsonl "long.jsonl:4: the line has more than 64 MiB"
{ cat start.jsonl; printf '{"kind":"point","benchmark":"b","na'; } >cut.jsonl
expect_exit 0 "$TRAUMA" export cut.jsonl
expect_text err "the last line is incomplete and left out"
