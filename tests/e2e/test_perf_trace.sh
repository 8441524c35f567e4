# What perf stat -I wrote, as text and as JSON, by processor and together, is a trace for ppep: counts by perf's names, by the
# processor's codes and by their own, the clock from cycles, power from energy-pkg; what is not counted is told or refused.
. "$SOURCE/tests/e2e/lib.sh"

"$FX8320" results 1 >results.jsonl
"$FX8320" trace >trace.csv
expect_exit 0 "$TRAUMA" fit ppep results.jsonl -o ppep.json

# as_perf text|json|together: the trace as perf writes its intervals.
as_perf()
{
    awk -F, -v form="$1" '
    BEGIN {
        split("mab0_wait_cycles r0069 uops_retired r00c1 l1i_fetches r0080 l1d_accesses r40 l2_requests r477d branches branches:u " \
            "branch_misses branch-misses l2_misses r177e", pairs, " ")
        for (i = 1; i in pairs; i += 2) event[pairs[i]] = pairs[i + 1]
    }
    NR == 1 { for (i = 7; i <= NF; i++) name[i] = $i in event ? event[$i] : $i; next }
    form == "together" && $2 > 0 { next }
    {
        for (i = 7; i <= NF; i++) line($i, "", name[i])
        if (form == "together") line("200.000000", "msec", "task-clock")
        if ($2 == 0) line(sprintf("%.6f", $5 * 0.2), "Joules", "power/energy-pkg/")
    }
    function line(value, unit, event) {
        if (form == "json")
            printf "{\"interval\" : %.9f, \"cpu\" : \"%d\", \"counter-value\" : \"%s\", \"unit\" : \"%s\", \"event\" : \"%s\", \"event-runtime\" : 200000000, \"pcnt-running\" : 100.00, \"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n", $1 + 0.2, $2, value, unit, event
        else
            printf "%16.9f,%s%s,%s,%s,200000000,100.00,,\n", $1 + 0.2, (form == "text" ? "CPU" $2 "," : ""), value, unit, event
    }' trace.csv
}
(echo "# started on Sat Nov 21 10:18:12 2026"; echo; as_perf text) >perf.csv
as_perf json >perf.json
as_perf together >together.csv

# ---- the steps of the trace ----

# rows: the clock, power and prediction of each step but the first, which the trace lacks.
rows()
{
    awk '/^ *[0-9]+\.[0-9]/ { print $2, $3, $4 }' out
}
expect_exit 0 "$TRAUMA" predict ppep.json trace.csv
rows >wanted
for file in perf.csv perf.json; do
    expect_exit 0 "$TRAUMA" predict ppep.json $file --set temperature_c=50
    rows | sed 1d | cmp - wanted || fail "other steps of $file"
    expect_text err "the clock is computed from cycles in the time of an interval"
done
expect_same "$(awk '/^ *[0-9]+\.[0-9]/ { print $1 }' out | sed -n '1p;$p' | tr '\n' ' ')" "0.200 8.000 " "times"
expect_exit 2 "$TRAUMA" predict ppep.json perf.csv --set temperature_c=50 --set temperature_c=51
expect_text err "--set temperature_c is given twice"
# What perf does not see stands in a second file, or is set.
printf 'temperature_c,50\nghz,3.5\n' >chip.csv
expect_exit 0 "$TRAUMA" predict ppep.json perf.csv chip.csv
rows | sed 1d | cmp - wanted || fail "other steps with a file beside them"
expect_no_text err "the clock is computed"
expect_exit 0 "$TRAUMA" predict ppep.json together.csv --set temperature_c=50
expect_no_text err "the clock is computed"
expect_text out "0.200        3.5"
# In a language with decimal commas, with another separator.
sed 's/,/;/g; s/\(;[0-9]*\)\.\([0-9]*;\)/\1,\2/g; s/^\( *[0-9]*\)\./\1./' together.csv >german.csv
expect_text german.csv ";100,00;"
"$TRAUMA" predict ppep.json together.csv --set temperature_c=50 >commas 2>err
expect_exit 0 "$TRAUMA" predict ppep.json german.csv --set temperature_c=50
rows >german
cp commas out
rows | cmp - german || fail "other steps with decimal commas"

# ---- as it grows, and what is set for it ----

. "$SOURCE/tests/e2e/state_tree.sh"
make_tree tree
cp -r tree before
: >grows.csv
: >steps
"$TRAUMA" predict ppep.json grows.csv --follow --time 5 --set temperature_c=50 --set cap_w=30 --allow-state --sysfs-root tree \
    >steps 2>log &
child=$!
head -n 54 perf.csv >>grows.csv
until_true 60 grep -q '^ *0.400' steps || fail "the second interval waits for the third: $(cat steps log)"
expect_same "$(cat tree/sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq)" 1700000 "what is set"
echo end >>grows.csv
wait $child || fail "followed: $(cat log)"
expect_text log "the last interval, at 0.600 s, is not whole"
expect_exit 0 as_before
expect_exit 2 "$TRAUMA" predict ppep.json grows.csv --follow --set temperature_c=50 --set ghz=3.5 --set cap_w=30 --allow-state \
    --sysfs-root tree
expect_text err "--allow-state changes the clock"

# ---- what is not there ----

grep -v 'r00c1\|r40' perf.csv >less.csv
expect_exit 2 "$TRAUMA" predict ppep.json less.csv --set temperature_c=50
expect_text err "the counters lack core0.uops_retired, core0.l1d_accesses"
expect_text err "perf stat -I 200 -x, -A -a -e r00c1,r0040"
grep -v 'fpu_assign' perf.csv >less.csv
expect_exit 2 "$TRAUMA" predict ppep.json less.csv --set temperature_c=50
expect_text err "-e cpu/config=CODE,name=fpu_assignments/"
expect_exit 2 "$TRAUMA" predict ppep.json perf.csv
expect_text err "lack temperature_c; --set temperature_c=CELSIUS"
grep -v ',cycles,' perf.csv >less.csv
expect_exit 2 "$TRAUMA" predict ppep.json less.csv --set temperature_c=50
expect_text err "the counters lack cycles"
expect_text err "-e r0076"
sed 's/fpu_assignments/r0300/' perf.csv >renamed.csv
expect_exit 0 "$TRAUMA" predict ppep.json renamed.csv --set temperature_c=50 --columns r0300=fpu_assignments
rows | sed 1d | cmp - wanted || fail "other steps with a name that is mapped"

# An interval in which nothing, or not all, was counted is no step, and is told of; so are shares of the time.
awk -F, -v OFS=, '/^ *0.60/ { $3 = "<not counted>" } /^ *0.80.*CPU1.*r00c1/ { $3 = "<not counted>" }
    /^ *1.00.*CPU1.*r0069/ { $7 = "25.00" } { print }' perf.csv >holes.csv
expect_exit 0 "$TRAUMA" predict ppep.json holes.csv chip.csv
expect_same "$(rows | wc -l)" 38 "steps between holes"
expect_text err "nothing was counted in the interval that ends at 0.600 s"
expect_text err "r00c1 was <not counted> in the interval that ends at 0.800 s"
expect_text err "r0069 was counted for 25 % of an interval"
# The other processor alone.
awk -F, -v OFS=, '/CPU1/ { $3 = "<not counted>" } { print }' perf.csv >one.csv
expect_exit 0 "$TRAUMA" predict ppep.json one.csv chip.csv --json
head -n 1 out >step
expect_same "$(json step '#cores' cores/0/core | tr '\t' ' ')" "1 0" "cores"
sed 's/,[0-9]*,,\([a-z]\)/,<not supported>,,\1/' perf.csv >without.csv
expect_exit 2 "$TRAUMA" predict ppep.json without.csv chip.csv
expect_text err "is <not supported>"

printf '0.100159492,1.18,msec,task-clock,1175514,100.00,,\n' >other.csv
expect_exit 2 "$TRAUMA" predict ppep.json other.csv chip.csv
expect_text err "the counters lack cycles, instructions"
expect_text err "perf stat -I 200 -x, -A -a -e r0076,r00c0"

# What is no processor, no clock of the model, no order in time.
sed 's/CPU/S0-D0-C/' perf.csv >cores.csv
expect_exit 2 "$TRAUMA" predict ppep.json cores.csv chip.csv
expect_text err "'S0-D0-C0' is no logical processor"
sed 's/,700000000,,cycles/,350000000,,cycles/' perf.csv >slow.csv
expect_exit 2 "$TRAUMA" predict ppep.json slow.csv --set temperature_c=50
expect_text err "1.75 GHz is not one of the model's"
(sed -n '3,52p' perf.csv; sed -n '3,27p' perf.csv) >twice.csv
expect_exit 2 "$TRAUMA" predict ppep.json twice.csv chip.csv
expect_text err "the interval does not follow the one before"
expect_exit 2 "$TRAUMA" predict ppep.json trace.csv --set temperature_c=40
expect_text err "temperature_c is 50 in the trace, and 40 beside it"

# Another model takes the whole, as before.
"$TRAUMA" predict --help | grep -q 'perf stat -I' || fail "the help does not say it"

# What perf itself writes here.
if command -v perf >/dev/null 2>&1 && perf stat -I 100 -x, -o real.csv -e task-clock,cycles,instructions sleep 0.35 2>err; then
    got=0
    "$TRAUMA" predict ppep.json real.csv chip.csv >out 2>err || got=$?
    expect_same "$got" 2 "perf's own intervals, which lack the model's counts"
    grep -q '<not supported>\|lack' err || fail "what perf wrote: $(cat err)"
fi
