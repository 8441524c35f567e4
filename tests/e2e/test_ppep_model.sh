# The models idle and ppep on the command line: from results of a simulated FX-8320 to a model, a prediction, a replay
# with a power cap, and a growing trace.
. "$SOURCE/tests/e2e/lib.sh"

"$FX8320" results 1 >results.jsonl
"$FX8320" trace >trace.csv

expect_exit 0 "$TRAUMA" fit idle results.jsonl -o idle.json
expect_text out "W1 at 0.888 V"
expect_text out "W/K"
expect_text out "temperatures are in C"
printf 'temperature_c,50\nghz,3.5\nseconds,2\n' >idle.csv
expect_exit 0 "$TRAUMA" predict idle.json idle.csv
expect_text out "idle energy"
printf 'ghz,3.5\n' >idle.csv
expect_exit 2 "$TRAUMA" predict idle.json idle.csv
expect_text err "lack the temperature"

expect_exit 0 "$TRAUMA" fit ppep results.jsonl -o ppep.json
expect_text out "w.mispredictions"
expect_text out "J/event"
expect_text out "alpha"
expect_text out "idle.nb"
expect_text out "mean error across VF states: CPI "
expect_exit 2 "$TRAUMA" fit ppep results.jsonl --set without_everything=1
expect_text err "no setting 'without_everything'"

grep -q "\"Idle power\"" idle.json || fail "no chart of idle power"
grep -q "Errors across states" ppep.json && grep -q "memory-boundedness" ppep.json || fail "no charts of errors"

# One step as counters of two cores.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i }
    NR > 1 && NR < 4 { for (i = 7; i <= NF; i++) print "core" $2 "." name[i] "," $i }
    END { print "seconds,0.2\nghz,3.5\ntemperature_c,50" }' trace.csv >step.csv
expect_exit 0 "$TRAUMA" predict ppep.json step.csv --set cap_w=30
expect_text out "1.4 GHz: power"
expect_text out "core 1: power now"
expect_text out "fastest within the cap at"
expect_exit 0 "$TRAUMA" predict ppep.json step.csv --set gated=1
grep -v '^core1.branches' step.csv >broken.csv
expect_exit 2 "$TRAUMA" predict ppep.json broken.csv
expect_text err "core1.branches"

# A point of the results is an application: its power at its own clock is what was measured.
sed -n '1,2p' results.jsonl >one.jsonl
expect_exit 0 "$TRAUMA" predict ppep.json one.jsonl
told=$(awk '/3.5 GHz: power/ { print $4 }' out)
measured=$(sed -n 2p one.jsonl | tr '{,' '\n\n' | awk -F: '/"hall":/ { sum += $2; n++ } END { print sum / n / 10 }')
awk "BEGIN { exit !($told / $measured > 0.99 && $told / $measured < 1.01) }" || fail "$told W of $measured W"
expect_text out "core 0: power now"
expect_exit 0 "$TRAUMA" predict ppep.json results.jsonl
expect_text out "training/point=0"
expect_text err "points of results.jsonl have no counters; they are left out"
sed '1s/fx-8320/another/' one.jsonl >other.jsonl
expect_exit 0 "$TRAUMA" predict ppep.json other.jsonl
expect_text err "other.jsonl has results of another, the model is of fx-8320"

# The replay: the first step gives only its begin. The prediction is at the cap a step after each change.
expect_exit 0 "$TRAUMA" predict ppep.json trace.csv
expect_same "$(grep -c '^  *[0-9]' out)" 39 "steps"
expect_text out "predicting all states took"
expect_text out "chip power at the recorded state: mean error"
expect_exit 0 "$TRAUMA" predict ppep.json trace.csv --json
tail -n 1 out >summary.json
expect_same "$(json_document summary.json one_step/cap_changes one_step/steps_to_settle | tr '\t' ' ')" "4 0.75" "one step"
simple=$(json_document summary.json simple/above_cap)
one=$(json_document summary.json one_step/above_cap)
[ "$one" -lt "$simple" ] || fail "above the cap $one times in one step, $simple times one at a time"
expect_exit 2 "$TRAUMA" predict idle.json trace.csv
sed '5s/3.5/fast/' trace.csv >broken.csv
expect_exit 2 "$TRAUMA" predict ppep.json broken.csv
expect_text err "broken.csv:5"

# A trace that grows: each step is told when it is there, until a line "end".
mkfifo grows
(head -n 7 trace.csv; sleep 0.2; sed -n '8,11p' trace.csv; echo end) >grows &
expect_exit 0 "$TRAUMA" predict ppep.json grows --follow
expect_same "$(grep -c '^  *[0-9]' out)" 4 "steps of a trace that grows"
head -n 7 trace.csv >grown.csv
expect_exit 0 "$TRAUMA" predict ppep.json grown.csv --follow --time 0.3
expect_same "$(grep -c '^  *[0-9]' out)" 2 "steps of a trace that stays"
expect_exit 4 "$TRAUMA" predict ppep.json --follow
