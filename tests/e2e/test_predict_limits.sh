# Limits of predictions: impossible counters and unused settings are refused, extrapolation is reported, and a model
# that its mixtures contradict says so first. Joined points in a figure go from left to right.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/incremental_results.sh"
. "$SOURCE/tests/e2e/interconnect_results.sh"
write_incremental known.jsonl
write_interconnect paths.jsonl
"$FX8320" results 1 >fx.jsonl
"$FX8320" trace >trace.csv

# Mixtures off by more than 5 %.
expect_exit 0 "$TRAUMA" fit incremental known.jsonl -o incremental.json
expect_text out "do not trust this model: its prediction of the mixture L1+NOP, which was not fitted, is off by -5.45 %"
head -n 1 out | grep -q '^do not trust this model' || fail "it is not said first: $(cat out)"
grep -v 'L1+NOP' known.jsonl >untested.jsonl
expect_exit 0 "$TRAUMA" fit incremental untested.jsonl
head -n 1 out | grep -q "^do not trust this model's form, which is not tested" || fail "an untested form is not said first: $(cat out)"
# Two copies take twice as much.
copy='"iterations":100000000000,"ticks":1,"start":0}'
{
    cat untested.jsonl
    sed -n '/"program=MB_L1asm"/{
        s/"program":"MB_L1asm"/"copies":2,&/; s/"program=MB_L1asm"/"copies=2,program=MB_L1asm"/; s/"program_hash":"/&2/
        s/"m":111518/"m":222518/g; s/"seconds":2,/&"threads":[{"cpu":0,'"$copy"',{"cpu":1,'"$copy"'],/g; p
    }' untested.jsonl
} >well.jsonl
expect_exit 0 "$TRAUMA" fit incremental well.jsonl
if grep -q 'do not trust' out; then fail "what holds is not believed"; fi

# Counters that cannot be.
printf 'accesses.L1,1e9\nl1d_misses,2e7\nl2_misses,1e7\nl3_misses,1e6\nprefetches,3e7\nstall_cycles,2e9\n' >good.csv
expect_exit 0 "$TRAUMA" predict incremental.json good.csv
head -n 1 out | grep -q '^do not trust this model' || fail "a prediction does not say it first: $(cat out)"
printf 'application,accesses.L1,l1d_misses,l2_misses,l3_misses,prefetches,stall_cycles\na,1e9,2e7,1e7,1e6,3e7,2e9\n' >table.csv
expect_exit 0 "$TRAUMA" predict incremental.json table.csv
head -n 1 out | grep -q '^do not trust this model' || fail "a table does not say it first"
sed 's/l1d_misses,2e7/l1d_misses,2e9/' good.csv >bad.csv
expect_exit 2 "$TRAUMA" predict incremental.json bad.csv
expect_text err "the counter l1d_misses is 2e+09, above accesses.L1 with 1e+09"
sed 's/l3_misses,1e6/l3_misses,1e8/' good.csv >bad.csv
expect_exit 2 "$TRAUMA" predict incremental.json bad.csv
expect_text err "above l2_misses with 1e+07 and prefetches"
sed 's/prefetches,3e7/prefetches,-1/' good.csv >bad.csv
expect_exit 2 "$TRAUMA" predict incremental.json bad.csv
expect_text err "prefetches is -1: expected 0 or more"
{ cat good.csv; echo cycles,1e9; } >bad.csv
expect_exit 2 "$TRAUMA" predict incremental.json bad.csv
expect_text err "stall_cycles is 2e+09, above cycles"
sed '/MB_MEM"/s/"stall_cycles":{"value":99000,"low":99000,"high":99000}/"stall_cycles":{"value":0,"low":0,"high":0}/' known.jsonl >none.jsonl
expect_exit 2 "$TRAUMA" fit incremental none.jsonl
expect_text err "MB_MEM stalls 0 cycles per load"

# Beyond what was measured.
expect_exit 0 "$TRAUMA" fit idle fx.jsonl -o idle.json
printf 'temperature_c,50\nghz,3.5\n' >at.csv
expect_exit 0 "$TRAUMA" predict idle.json at.csv
if grep -q extrapolated out; then fail "what was measured is extrapolated"; fi
printf 'temperature_c,80\nvolts,1.4\n' >at.csv
expect_exit 0 "$TRAUMA" predict idle.json at.csv
expect_text out "extrapolated: 80.0 C is outside the measured range"
expect_text out "extrapolated: 1.4 V is outside the measured range, 0.888 to 1.32 V"
expect_exit 0 "$TRAUMA" fit ppep fx.jsonl -o ppep.json
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i }
    NR > 1 && NR < 4 { for (i = 7; i <= NF; i++) print "core" $2 "." name[i] "," $i }
    END { print "seconds,0.2\nghz,3.5" }' trace.csv >step.csv
{ cat step.csv; echo temperature_c,95; } >hot.csv
expect_exit 0 "$TRAUMA" predict ppep.json hot.csv
expect_text out "extrapolated: 95.0 C"
sed "/^core0.mab0_wait_cycles/d" step.csv >bad.csv
echo "core0.mab0_wait_cycles,1e12" >>bad.csv
echo temperature_c,50 >>bad.csv
expect_exit 2 "$TRAUMA" predict ppep.json bad.csv
expect_text err "core0.mab0_wait_cycles is 1e+12, above cycles"
{ cat step.csv; printf 'temperature_c,50\nvf,1\n'; } >bad.csv
expect_exit 2 "$TRAUMA" predict ppep.json bad.csv
expect_text err "vf means 1.4 GHz, but ghz is 3.5"
expect_exit 0 "$TRAUMA" fit interconnect paths.jsonl --set distance=10.5 --set banks=16 --set ghz=0.93 -o paths.json
printf 'l1_accesses,1e10\nl2_hits,3e9\nl2_misses,2e9\nseconds,1\nl1_l2,10.5\n' >application.csv
expect_exit 0 "$TRAUMA" predict paths.json application.csv --set toggle=0.9
expect_text out "extrapolated: the toggle rate 0.9 is outside the measured range, 0 to 0.5"

# Settings that have no use.
expect_exit 2 "$TRAUMA" predict paths.json application.csv --set banks=16
expect_text err "the setting banks is not used when the model interconnect predicts"
printf 'distance,10.5\n' >distance.csv
expect_exit 2 "$TRAUMA" predict paths.json application.csv distance.csv
expect_text err "the setting distance is not used"
expect_exit 2 "$TRAUMA" fit interconnect paths.jsonl --set wire_factor=2
expect_text err "the setting wire_factor is not used when the model interconnect is fitted"
expect_exit 2 "$TRAUMA" predict paths.json application.csv --set transistor_factor=0.5
expect_text err "transistor_factor cannot be used"
expect_exit 2 "$TRAUMA" predict incremental.json good.csv --set factor=1.75
expect_text err "the setting factor is not used"
expect_exit 2 "$TRAUMA" predict idle.json at.csv --set degree=1
expect_exit 2 "$TRAUMA" predict ppep.json step.csv --set without_fpu=1
expect_exit 2 "$TRAUMA" fit ppep fx.jsonl --set cap_w=60

# A trace's own cap and another that is set.
awk -F, 'BEGIN { OFS = "," } NR > 1 { $6 = 60 } 1' trace.csv >capped.csv
expect_exit 2 "$TRAUMA" predict ppep.json capped.csv --set cap_w=45
expect_text err "cap_w is 60 W in the counters, but was set to 45 W"
expect_exit 0 "$TRAUMA" predict ppep.json capped.csv --set cap_w=60

# Settings that are misspelt are no counters: nearly the name of one, or beside others what no model takes.
printf 'l1_l2,10.5\nto_l1l2,3.5\n' >layout.csv
expect_exit 2 "$TRAUMA" predict paths.json application.csv layout.csv
expect_text err "'to_l1l2' is no setting of the model interconnect"
expect_text err "did you mean 'to_l1_l2'?"
printf 'Wire-Factor,0.5\n' >layout.csv
expect_exit 2 "$TRAUMA" predict paths.json application.csv layout.csv
expect_text err "did you mean 'wire_factor'?"
printf '{"to_toggle": 0.2, "voltage_margin": 3}' >layout.json
expect_exit 2 "$TRAUMA" predict paths.json application.csv layout.json
expect_text err "'voltage_margin' is no setting of the model interconnect, and no counter that a model takes"
printf 'application,l1_accesses,l2_hits,l2_misses,seconds,togle\na,1e10,3e9,2e9,1,0.3\n' >layout.csv
expect_exit 2 "$TRAUMA" predict paths.json layout.csv --set l1_l2=10.5
expect_text err "did you mean 'toggle'?"
printf 'l1_accesses,1e10\nl2_hits,3e9\nl2_misses,2e9\nl3_hits,5\ncontext_switches,7\nseconds,1\n' >counted.csv
expect_exit 0 "$TRAUMA" predict paths.json counted.csv --set l1_l2=10.5

# Figures: what was measured beside what was fitted.
grep -q '1.32 V, fitted' idle.json || fail "idle power's figure does not tell fitted from measured"
grep -q 'Energy of one event' ppep.json && grep -q 'Dynamic power: predicted against measured' ppep.json || fail "ppep draws neither weights nor fit"
tr -d ' \n' <paths.json | grep -o '"title":"Poweroverthetogglerate"\|"kind":"points","x":"Flipsperbit"' >/dev/null || fail "toggle rates are joined"

# A trace that says a thing twice: which of them is meant is not guessed.
awk -F, 'NR == 1 { print $0 ",cap_w" } NR > 1 { print $0 ",60" }' trace.csv >twice.csv
expect_exit 2 "$TRAUMA" predict ppep.json twice.csv
expect_text err "twice.csv has two columns cap_w"
sed '3p' trace.csv >twice.csv
expect_exit 2 "$TRAUMA" predict ppep.json twice.csv
expect_text err "twice.csv:4: core1.cycles occurs again in the step at 0 s"
awk -F, 'BEGIN { OFS = "," } NR == 3 { $5 = 7 } 1' trace.csv >twice.csv
expect_exit 2 "$TRAUMA" predict ppep.json twice.csv
expect_text err "twice.csv:3: power_w occurs again in the step at 0 s: 7, and 60.3043 before"
(cat trace.csv && sed -n 2p trace.csv) >twice.csv
expect_exit 2 "$TRAUMA" predict ppep.json twice.csv
expect_text err "expected more, or a step's lines together"
