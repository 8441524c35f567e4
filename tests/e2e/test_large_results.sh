# With many points, time is proportional to their number and memory depends on what is shown. Measures processor time
# and peak memory, which load does not affect; sanitizers multiply both.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/results.sh"

# make_results FILE POINTS: of ten lines of one plot; each reason and warning tells another number, x is a word.
make_results()
{
    write_context "$1"
    awk -v points="$2" '
    function seen(source, kind, value) {
        return sprintf("{\"source\":\"%s\",\"kind\":\"%s\",\"value\":%.4f,\"low\":%.4f,\"high\":%.4f,\"n\":5}", source, kind, value, value - 0.001, value + 0.001)
    }
    function rate(metric, value, reason) {
        return sprintf("\"%s\":{\"target\":0.5,\"verdict\":\"%s\",\"reason\":\"%s\",\"observations\":[%s]}", metric, reason == "" ? "pass" : "unobserved", reason, reason == "" ? seen("plan", "predicted", value) "," seen("cachegrind", "simulated", value) "," seen("perf", "measured", value) : "")
    }
    BEGIN {
        for (i = 0; i < points; i++) {
            printf "{\"kind\":\"point\",\"recipe\":\"r.lua\",\"benchmark\":\"b\",\"name\":\"k=%d,n=w%d\",\"point\":{\"k\":%d,\"n\":\"w%d\"},\"target\":\"x86_64\",\"program_hash\":\"%08x\",\"reps\":[", i % 10, i / 10, i % 10, i / 10, i
            for (j = 0; j < 5; j++)
                printf "%s{\"iterations\":1000,\"ticks\":%d,\"wall_s\":0.5,\"cpu\":1,\"energy_j\":{\"a\":%d}}", j ? "," : "", i + j, j
            printf "],\"rates\":{%s,%s,%s,%s},", rate("ipc", 0.5 + i % 3 / 1000, ""), rate("l1d.miss_rate", 0.5, ""), rate("l2.miss_rate", 0.5, ""), rate("l3.miss_rate", 0, "perf: no counter " i)
            printf "\"time\":{\"wall_s\":{\"value\":0.5,\"low\":0.4,\"high\":0.6,\"n\":5}},\"power\":{\"power.dynamic_w\":{\"value\":3,\"low\":2,\"high\":4,\"n\":5},\"verdict\":\"trustworthy\",\"sensors\":{}},\"warnings\":[{\"what\":\"cpu%d was late by %d s\",\"mend\":\"wait %d\"}]}\n", i, i, i
        }
    }' >>"$1"
}
make_results few.jsonl 2500
make_results many.jsonl 10000

# measure FILE COMMAND...: its processor time in hundredths of a second and its peak in KiB, in the file.
command -v python3 >/dev/null || skip "python3 is not installed: nothing measures memory"
measure()
{
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1" python3 - "$@" <<'PY'
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=open("out", "w"), stderr=open("err", "w"))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write("%d %d\n" % (100 * (used.ru_utime + used.ru_stime), used.ru_maxrss))
sys.exit(0 if code in (0, 5) else 1)
PY
}

# Start-up in hundredths of a second, much more than it takes. With sanitizers these commands run in other tests.
plain_program
slack=20
[ "$PLAIN" != "$TRAUMA" ] || slack=100
tools="export report diff merge check tap"
if command -v gnuplot >/dev/null; then
    tools="$tools plot"
fi
for tool in $tools; do
    for size in few many; do
        case $tool in
        export) set -- export $size.jsonl -o table.csv ;;
        report) set -- report $size.jsonl -o page.html ;;
        diff) set -- diff $size.jsonl $size.jsonl ;;
        merge) set -- merge $size.jsonl -o merged-$size.jsonl ;;
        check) set -- check $size.jsonl ;;
        tap) set -- check --tap $size.jsonl ;;
        plot) set -- plot $size.jsonl -o figure.svg ;;
        esac
        measure "$tool.$size" "$PLAIN" "$@" || fail "trauma $*: $(cat err)"
    done
    read -r few_time few_peak <"$tool.few"
    read -r many_time many_peak <"$tool.many"
    echo "$tool: $few_time -> $many_time hundredths of a second, $few_peak -> $many_peak KiB"
    # Four times the points: linear is 4, quadratic 16. Start-up counts for nothing against it.
    [ "$many_time" -le $((9 * few_time + slack)) ] || fail "$tool takes $few_time of 2,500 points and $many_time of 10,000"
    # The whole document in memory took 32 KiB a point, 240 MB for these 7,500 more.
    more=$((many_peak - few_peak))
    [ "$more" -le 150000 ] || fail "$tool takes $more KiB more for 7,500 more points"
done
cmp -s merged-many.jsonl merged-few.jsonl && fail "what was merged is the same"
expect_same "$(wc -l <merged-many.jsonl)" 10001 "merged lines"

# Lines that are no results, or too much of one.
refused()
{
    expect_exit 2 "$TRAUMA" export "$1"
    expect_text err "$2"
    expect_exit 2 "$TRAUMA" check "$1"
    expect_text err "$2"
}
head -n 3 few.jsonl >start.jsonl
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
