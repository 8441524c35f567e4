# An application is recorded as it is: its input, output, exit code and signals pass through; a made-up chip of known watts
# gives the joules of its integral, whole and by interval; its results are results, and predict reads them.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# ---- as it is ----

echo hello | "$TRAUMA" record --power none --counters none -o plain.jsonl -- cat >out 2>err || fail "cat: $(cat err)"
expect_same "$(cat out)" hello "what cat printed"
expect_text err "cat: "
expect_exit 3 "$TRAUMA" record -q --power none --counters none --resume -o plain.jsonl -- sh -c 'echo to stderr >&2; exit 3'
expect_same "$(tail -n 1 err)" "to stderr" "its stderr"
expect_exit 137 "$TRAUMA" record -q --power none --counters none --resume -o plain.jsonl -- sh -c 'kill -9 $$'
sed 1d plain.jsonl >points
"$JSON_LINES" points kind name exit_code >found
printf 'application\tcat\t0\napplication\tsh_-c_echo_to_stderr___2__exit_3\t3\napplication\tsh_-c_kill_-9___\t137\n' >wanted
cmp found wanted || fail "exit codes: $(cat found)"
# A script that names no interpreter, a file that stays open, an argument like an option.
printf 'echo "$1" "$2" >&7\n' >script
chmod +x script
expect_exit 0 "$TRAUMA" record -q --power none --counters none -o script.jsonl -- ./script -o -- 7>seven
expect_same "$(cat seven)" "-o --" "the script's arguments"

# A signal to the recorder reaches the application, which decides; the recording is whole.
: >signalled
"$TRAUMA" record -q --power none --counters none -o signal.jsonl -- \
    sh -c 'trap "echo caught; exit 9" TERM; echo ready; while :; do sleep 0.05; done' >signalled 2>err &
recorder=$!
until grep -q ready signalled; do sleep 0.05; done
kill -TERM $recorder
got=0
wait $recorder || got=$?
expect_same "$got" 9 "the exit code after the trap"
expect_text signalled caught
expect_same "$(sed 1d signal.jsonl | wc -l)" 1 "lines of an application that was signalled"

# ---- what is refused, before anything runs ----

expect_exit 2 "$TRAUMA" record -o none.jsonl sort
expect_text err "trauma record -o none.jsonl -- sort"
expect_exit 4 "$TRAUMA" record --power none -o none.jsonl -- no-such-program
expect_text err "no executable program"
expect_exit 2 "$TRAUMA" record --power none -o plain.jsonl -- touch ran
expect_text err "--resume"
expect_exit 2 "$TRAUMA" record --power none --counters cachegrind -o none.jsonl -- touch ran
expect_text err "cachegrind observes programs of a suite"
expect_exit 2 "$TRAUMA" record --power none --counters no_such_count -o none.jsonl -- touch ran
expect_exit 2 "$TRAUMA" record --interval 0.2x -o none.jsonl -- touch ran
[ ! -e ran ] && [ ! -e none.jsonl ] || fail "it ran, or left a file"

# ---- power ----

domain=tree/sys/class/powercap/intel-rapl:0
mkdir -p $domain tree/sys/class/hwmon/hwmon0 tree/sys/devices/system/cpu/cpu0/cpufreq
echo package-0 >$domain/name
echo 262143328850 >$domain/max_energy_range_uj
echo 1000000 >$domain/energy_uj
echo k10temp >tree/sys/class/hwmon/hwmon0/name
echo 45000 >tree/sys/class/hwmon/hwmon0/temp1_input
for cpu in $(seq 0 $(($(nproc --all) - 1))); do
    mkdir -p tree/sys/devices/system/cpu/cpu$cpu/cpufreq
    echo 2400000 >tree/sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_cur_freq
done
expect_exit 3 env LD_PRELOAD="$BURNING_CHIP" ASAN_OPTIONS=verify_asan_link_order=0 "$TRAUMA" record --sysfs-root tree \
    --interval 200ms -o power.jsonl -- sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; sleep 0.3; exit 3'
expect_text err " J, "
# 10 W, and 40 W of processor time.
sed 1d power.jsonl >lines
grep '"kind":"interval"' lines >intervals
grep '"kind":"application"' lines >application
rapl=powercap:intel-rapl:0
"$JSON_LINES" intervals seconds energy_j/$rapl power_w temperature_c ghz >steps
"$JSON_LINES" application reps/0/seconds reps/0/energy_j/$rapl rates/time.user/observations/0/value \
    rates/time.system/observations/0/value power/power.static_w/value power/power.total_w/value >whole
awk -F'\t' 'NR == FNR { seconds += $1; joules += $2; bad += !($3 >= 9.5 && $3 < 51 && $4 == 45 && $5 == 2.4); next }
    { wanted = 10 * $1 + 40 * ($3 + $4)
      exit !(bad == 0 && seconds / $1 > 0.999 && seconds / $1 < 1.001 && joules / $2 > 0.999 && joules / $2 < 1.001 &&
          $2 / wanted > 0.98 && $2 / wanted < 1.02 && $5 > 9.8 && $5 < 10.3 && $6 > 10) }' steps whole ||
    fail "joules: $(cat steps; echo; cat whole)"
[ "$(wc -l <steps)" -ge 3 ] || fail "intervals: $(cat steps)"

# ---- results ----

expect_exit 0 "$TRAUMA" export --schema
mv out schema.json
for file in plain power signal; do
    "$SCHEMA_LINES" schema.json $file.jsonl >count 2>err || fail "$file.jsonl does not fit the schema: $(cat count)"
done
expect_exit 0 "$TRAUMA" export power.jsonl -o power.csv
grep -q 'time.wall,s,.*,measured,' power.csv && grep -q 'power.total_w' power.csv || fail "no time or power: $(cat power.csv)"
expect_exit 0 "$TRAUMA" report power.jsonl -o power.html
expect_exit 0 "$TRAUMA" diff power.jsonl power.jsonl
if command -v gnuplot >/dev/null; then
    expect_exit 0 "$TRAUMA" plot power.jsonl -o power.svg
fi

# ---- counters: the kernel's own events need no PMU ----

if "$TRAUMA" record -q --power none --counters nanoseconds -o probe.jsonl -- true 2>err; then
    # Two children at a time: their time is counted, by core and in all, as the system's own.
    expect_exit 0 "$TRAUMA" record -q --power none --counters nanoseconds,perf::PAGE-FAULTS --interval 100ms -o counts.jsonl -- \
        sh -c 'for i in 1 2; do (i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done) & done; wait'
    tail -n 1 counts.jsonl >last
    "$JSON_LINES" last counters/nanoseconds/value rates/time.user/observations/0/value \
        rates/time.system/observations/0/value counters/perf::PAGE-FAULTS/value >counted
    grep '"kind":"interval"' counts.jsonl >intervals
    "$JSON_LINES" intervals counters/nanoseconds >parts
    awk -F'\t' 'NR == FNR { parts += $1; next }
        { exit !(1e-9 * $1 / ($2 + $3) > 0.9 && 1e-9 * $1 / ($2 + $3) < 1.1 && parts / $1 > 0.99 && parts / $1 < 1.01 && $4 > 10) }' \
        parts counted || fail "counts: $(cat parts; echo; cat counted)"
else
    echo "not run: this kernel counts nothing for an ordinary user"
fi

# ---- predict ----

"$FX8320" results 1 >results.jsonl
"$FX8320" trace >trace.csv
expect_exit 0 "$TRAUMA" fit ppep results.jsonl -o ppep.json
# The same steps as record writes them.
head -n 1 results.jsonl >recorded.jsonl
awk -F, 'NR == 1 { for (i = 7; i <= NF; i++) name[i] = $i; columns = NF; next }
    $2 == 0 { head = sprintf("\"t_s\":%s,\"seconds\":0.2,\"ghz\":%s,\"temperature_c\":%s,\"power_w\":%s", $1, $3, $4, $5) }
    { core = ""
      for (i = 7; i <= columns; i++) { core = core (i > 7 ? "," : "") "\"" name[i] "\":" $i; sum[i] += $i }
      cores = cores ($2 == 0 ? "" : ",") "{\"cpu\":" $2 ",\"counters\":{" core "}}" }
    $2 == 1 { all = ""
      for (i = 7; i <= columns; i++) { all = all (i > 7 ? "," : "") "\"" name[i] "\":" sum[i]; sum[i] = 0 }
      print "{\"kind\":\"interval\",\"benchmark\":\"application\",\"name\":\"server\"," head ",\"counters\":{" all "},\"cores\":[" \
          cores "]}"
      cores = "" }' trace.csv >>recorded.jsonl
printf '%s\n' '{"kind":"application","recipe":"application","benchmark":"application","name":"server","point":{},"program_hash":"","command":["./server","it'"'"'s"],"exit_code":0,"reps":[{"iterations":1,"ticks":0,"wall_s":8.0,"seconds":8.0,"temperature_c":{"k10temp:temp1":50}}],"state":{"observed":{"clock":{"cpufreq_ghz":{"value":3.5,"low":3.5,"high":3.5,"n":9}}}},"counters":{"cycles":{"value":1.0,"low":1.0,"high":1.0}}}' >>recorded.jsonl
sed 1d recorded.jsonl >lines # the first is of a simulator
"$SCHEMA_LINES" schema.json lines >count 2>err || fail "recorded.jsonl does not fit the schema"
expect_exit 0 "$TRAUMA" predict ppep.json trace.csv
awk '/^ *[0-9]+\.[0-9]/ { print $1, $2, $3, $4 }' out >wanted
expect_exit 0 "$TRAUMA" predict ppep.json recorded.jsonl
awk '/^ *[0-9]+\.[0-9]/ && $1 > 0 { print $1, $2, $3, $4 }' out >found
cmp found wanted || fail "other predictions than of the trace: $(diff found wanted)"
# As it grows, until the application's line; the file may come later.
(sleep 0.2; head -n 3 recorded.jsonl >grows.jsonl; sleep 0.2; sed -n '4,$p' recorded.jsonl >>grows.jsonl) &
expect_exit 0 "$TRAUMA" predict ppep.json grows.jsonl --follow
expect_same "$(grep -c '^ *[0-9]*\.[0-9]' out)" 40 "steps of a recording that grows"
# With leave, the clock of its processors keeps a cap, and is restored at the application's line (e2e/capping).
. "$SOURCE/tests/e2e/state_tree.sh"
make_tree chip
cp -r chip before
expect_exit 0 "$TRAUMA" predict ppep.json recorded.jsonl --follow --set cap_w=30 --allow-state --sysfs-root chip --json
grep -q '"processors":\[0,1\],"from_ghz":\[0.8,3.5\],"to_ghz":\[1.7,1.7\]' out || fail "changes: $(grep change out)"
expect_exit 0 as_before chip
# What is missing is named with the command that records it.
grep -v '"interval"' recorded.jsonl >whole.jsonl
expect_exit 2 "$TRAUMA" predict ppep.json whole.jsonl
expect_text err "trauma record --counters perf,"
expect_text err "-- ./server 'it'\\''s'"
