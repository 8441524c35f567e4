# The papers' figures from synthetic results: the recipes' plots name all their data, and every one is drawn.
. "$SOURCE/tests/e2e/lib.sh"
need_program gnuplot

cp "$SOURCE/tests/e2e/figures/papers.lua" .
# One point is run for the context that the recipe makes; the others are made up.
expect_exit 0 "$TRAUMA" run papers.lua -m pentium-pro --counters plan --power none --time 0.001 --reps 1 --shard 1/1000 \
    -o ran.jsonl
mkdir made.traces
sensor='{"name":"%s","label":"%s","quantity":"%s","unit":"%s","period_s":0.01,"update_s":null,"resolution":null}'
sensors=$(printf "[$sensor,$sensor]" chip package energy J heat die temperature C)
sed -n "1s|\"sensors\":\[\]|\"sensors\":$sensors|p" ran.jsonl >made.jsonl
awk -f "$SOURCE/tests/e2e/figures/points.awk" >>made.jsonl

# expect_figure BENCHMARK TEXT...: its figure is drawn without a warning, and has these texts.
expect_figure()
{
    benchmark=$1
    shift
    expect_exit 0 "$TRAUMA" plot made.jsonl --benchmark "$benchmark" -o figure.svg
    expect_empty err
    for text in "$@"; do
        grep -qF -e ">$text<" figure.svg || fail "'$text' is not in the figure of $benchmark"
    done
}
expect_figure f2001-8 "2001, figure 8" "2001, figure 9" "L1 data-cache hit rate" "Dynamic power (W)" \
    "blocking cache (2001 paper, equation 1)" "Dynamic power measured on pentium-pro" \
    "? (3 of 33): untrustworthy"
expect_figure f2001-12 "Dynamic power (W)" "Decoded instructions per cycle" "distance = 10"
expect_figure f2001-14 "Dynamic power, value = mask" "IPC, value = bit (right)" "Instructions per cycle"
expect_figure f2013-3 "Power (W)" "Temperature (°C)" "Time (s)" "idle before" "warmup" "rep 3" "die, temperature (right)"
expect_figure f2013-7 "Dynamic energy (J)" "level = MEM" "LULESH"
expect_figure f2014 "Temperature (°C)" "ghz = 2.3" "Time (s)" "ghz = 1.4: linear, slope 0.1005, 7.98 at 0, R² 1.000"
expect_figure f2016-4 "state = DPM7: cubic, R² 1.000"
expect_figure f2016-5 "Dynamic power / that of mm = 0 path = short" "linear, slope 0.4571, 100 at 0, R² 1.000"
expect_figure f2016-7 "Dynamic power / that of pattern = random" "path = long" "half random"
expect_figure f2016-8 "Power (W)" "Static power" "300 MHz" "path = long: linear, slope 110, 0 at 0, R² 1.000"
expect_figure f2016-9 "Idle instructions between loads" "path = long"
expect_figure f2024-2 "Array size (bytes)" "L2 miss rate"
expect_figure f2024-4 "idle after" "package, power"
expect_figure f2024-5 "threads = 1024: linear, slope 1.07e-10, 0.3 at 0, R² 1.000" "Dynamic energy (J)" \
    "Instructions per cycle"

# A trace outside of the results' folder is none of the results' business.
sed 's|made.traces/gpu.csv|../made.traces/gpu.csv|' made.jsonl >outside.jsonl
expect_exit 4 "$TRAUMA" plot outside.jsonl --benchmark f2024-4 -o outside.svg
expect_text err "leaves the folder of the results"
# Half a trace is told of, at its line.
head -c 5000 made.traces/gpu.csv >half.csv
sed 's|made.traces/gpu.csv|half.csv|' made.jsonl >half.jsonl
printf '1.5,chip' >>half.csv
expect_exit 4 "$TRAUMA" plot half.jsonl --benchmark f2024-4 -o half.svg
expect_text err 'expected "seconds,channel,number"'
# What a figure has no room for is told, not left out.
limit()
{
    { echo t_s,channel,value; awk -v n="$1" -v form="$2" 'BEGIN { for (i = 0; i < n; i++) printf form, i }'; } >many.csv
    sed 's|made.traces/gpu.csv|many.csv|' made.jsonl >many.jsonl
    expect_exit 4 "$TRAUMA" plot many.jsonl --benchmark f2024-4 -o many.svg
    expect_text err "$3"
}
limit 4097 '%d,mark,rep\n' "many.csv:4098: one mark too many: a figure shows at most 4096"
limit 65 '1,channel%d,1\n' 'many.csv:66: "channel64" is one channel too many; a trace has at most 64'
