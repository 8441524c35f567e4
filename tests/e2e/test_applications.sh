# Several applications at once, as in the 2016 paper's figures 10 to 14 and the 2024 paper's figures 9 and 10: a table
# with a line per application, or a file per application. Each row equals the prediction for that application alone.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/interconnect_results.sh"
write_interconnect results.jsonl
expect_exit 0 "$TRAUMA" fit interconnect results.jsonl --set distance=10.5 --set banks=16 --set ghz=0.93 -o model.json
printf 'reg_l1,3.5\nl1_l2,10.5\nl2_mc,11.5\n' >w9100.csv

cat >all.csv <<'TABLE'
application,seconds,dynamic_w,l1_accesses,l2_hits,l2_misses,to.l2_hits,to.l2_misses,toggle
color,1,120,1e10,3e9,2e9,2e9,1.5e9,

# comments and empty lines are left out
eigen,2,60,2e9,4e9,0,3e9,0,0.5
"nbody, all",1,100,1e6,0,0,,,0.34
TABLE
expect_exit 0 "$TRAUMA" predict model.json all.csv w9100.csv --json
cp out all.json

# value FILE ROWS PART UNIT: of the row of that part.
value()
{
    i=0
    while [ "$i" -lt 30 ]; do
        if [ "$(json_document "$1" "$2/$i/part" "$2/$i/unit" | tr '\n\t' '  ' | sed 's/ *$//')" = "$3 $4" ]; then
            json_document "$1" "$2/$i/value"
            return 0
        fi
        i=$((i + 1))
    done
    fail "$1 has no $3 in $4 under $2"
}
near()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-10 * b * b) }' || fail "$3: $1 instead of $2"
}

# Each as alone: its own toggle rate goes to it and to no other.
printf 'seconds,2\ndynamic_w,60\nl1_accesses,2e9\nl2_hits,4e9\nl2_misses,0\nto.l2_hits,3e9\nto.l2_misses,0\n' >eigen.csv
expect_exit 0 "$TRAUMA" predict model.json eigen.csv w9100.csv --set toggle=0.5 --json
cp out eigen.json
near "$(value all.json applications/1/parts interconnect '% of dynamic')" "$(value eigen.json parts interconnect '% of dynamic')" eigen
expect_same "$(json_document all.json applications/2/application)" "nbody, all" "a quoted name"
expect_exit 0 "$TRAUMA" predict model.json all.csv w9100.csv --set toggle=0 --json
cp out zero.json
expect_exit 0 "$TRAUMA" predict model.json eigen.csv w9100.csv --set toggle=0 --json
cp out eigen.json
near "$(value zero.json applications/1/parts interconnect W)" "$(value eigen.json parts interconnect W)" "--set goes before a table"

# The mean is of those that tell it: nbody has no other caches.
mean=$(value all.json means 'change: L1-L2' '%')
near "$mean" -27.5 "the mean change"

expect_exit 0 "$TRAUMA" predict model.json all.csv w9100.csv
expect_text out 'what if, % of dynamic'
grep -q '^nbody, all .* - ' out || fail "what is not told is no line: $(cat out)"
grep -q '^mean ' out || fail "no mean"

# Files of their own, with a layout for all.
printf 'to_l1_l2,3.5\nto_l2_mc,12\n' >layout.csv
sed '/^to/d' eigen.csv >counted.csv
mkdir runs
grep -v '^l2' counted.csv >runs/eigen.time.csv
grep '^l2' counted.csv >runs/eigen.counters.csv
printf 'seconds,1\nl1_accesses,1e10\nl2_hits,3e9\nl2_misses,2e9\n' >runs/color.csv
expect_exit 0 "$TRAUMA" predict model.json --each runs/*.csv w9100.csv layout.csv
grep -A 9 '^change' out | grep -Eq '^eigen .*-66\.67 ' || fail "eigen goes nowhere: $(cat out)"
expect_exit 0 "$TRAUMA" predict model.json --each runs/*.csv w9100.csv layout.csv --json
expect_same "$(json_document out '#applications')" 2 "applications of three files"
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" predict model.json all.csv w9100.csv --figure all.svg
    grep -q 'L2-memory' all.svg || fail "the figure does not name its parts"
    grep -q 'eigen' all.svg || fail "the figure does not name its applications"
fi

# What is wrong is told at its line.
expect_exit 2 "$TRAUMA" predict model.json --each w9100.csv
expect_text err 'contain no application'
printf 'application,seconds,l2_hits\na,1,2e9\nb,1,many\n' >wrong.csv
expect_exit 2 "$TRAUMA" predict model.json wrong.csv w9100.csv
expect_text err "wrong.csv:3"
expect_text err "'many' of l2_hits"
printf 'application,seconds\na,1,2e9\n' >wrong.csv
expect_exit 2 "$TRAUMA" predict model.json wrong.csv w9100.csv
expect_text err '3 cells under 2 columns'
printf 'application,l2_hits,l2_misses\nslow,2e9,1\n' >wrong.csv
expect_exit 2 "$TRAUMA" predict model.json wrong.csv w9100.csv
expect_text err 'slow: the counters do not state how long'

# The page's two layouts of the 2016 paper's figure 11 give its figure 12, whatever the application.
grep '^| two layouts' "$SOURCE/docs/papers.md" >row.md
expect_text row.md 'trauma predict model.json applications.csv layouts.csv --figure f.svg'
grep -o '`[a-z0-9_]*,[0-9.]*`' row.md | tr -d '`' >layouts.csv
expect_same "$(wc -l <layouts.csv)" 4 "distances of two layouts"
printf 'application,seconds,l1_accesses,l2_hits,l2_misses\na,1,1e10,3e9,2e9\nb,1,1e10,1e9,1e9\n' >applications.csv
expect_exit 0 "$TRAUMA" predict model.json applications.csv layouts.csv --json
cp out figure12.json
for application in 0 1; do
    awk -v l2="$(value figure12.json applications/$application/parts 'change: L1-L2' '%')" \
        -v mc="$(value figure12.json applications/$application/parts 'change: L2-memory' '%')" \
        'BEGIN { exit !(sprintf("%.1f %+.1f", l2, mc) == "-79.4 +57.9") }' || fail "figure 12 is another"
done

# Files that contradict each other are refused, settings and counters, in one file and in several.
expect_exit 2 "$TRAUMA" predict model.json applications.csv w9100.csv layouts.csv
expect_text err 'l1_l2 is 10.5 in w9100.csv and 17 in layouts.csv'
printf 'seconds,1\nl1_accesses,1e10\nl2_hits,3e9\nl2_misses,2e9\n' >color.csv
expect_exit 2 "$TRAUMA" predict model.json color.csv layouts.csv w9100.csv
expect_text err 'l1_l2 is 17 in layouts.csv and 10.5 in w9100.csv'
expect_exit 0 "$TRAUMA" predict model.json color.csv layouts.csv w9100.csv --set l1_l2=17 --set l2_mc=7.6
printf 'l2_hits,4e9\n' >again.csv
expect_exit 2 "$TRAUMA" predict model.json color.csv again.csv w9100.csv
expect_text err 'l2_hits is 3000000000 in color.csv and 4000000000 in again.csv'
expect_exit 0 "$TRAUMA" predict model.json color.csv color.csv w9100.csv
printf 'l1_l2,10.5\nl1_l2,17\n' >twice.csv
expect_exit 2 "$TRAUMA" predict model.json color.csv twice.csv
expect_text err 'l1_l2 is both 10.5 and 17 in twice.csv'
expect_exit 2 "$TRAUMA" predict model.json color.csv w9100.csv --set toggle=0.3 --set toggle=0.4
expect_text err 'toggle is given twice'
mkdir each
cp color.csv each/color.one.csv
cp again.csv each/color.two.csv
expect_exit 2 "$TRAUMA" predict model.json --each each/*.csv w9100.csv
expect_text err 'color: l2_hits is 3000000000'
printf 'application,seconds,l1_accesses,l2_hits,l2_misses,toggle\na,1,1e10,3e9,2e9,0.5\n' >own.csv
printf 'toggle,0.25\n' >toggle.csv
expect_exit 2 "$TRAUMA" predict model.json own.csv toggle.csv w9100.csv
expect_text err 'a: toggle is 0.5, but 0.25 in a file that applies to all'
expect_exit 2 "$TRAUMA" predict model.json own.csv again.csv w9100.csv
expect_text err 'a: l2_hits is 3000000000, but 4000000000 in a file'
printf 'application,seconds,l1_accesses,l2_hits,l2_misses,l2_hits\na,1,1e10,3e9,2e9,4e9\n' >columns.csv
expect_exit 2 "$TRAUMA" predict model.json columns.csv w9100.csv
expect_text err 'two columns are named l2_hits'
