# Idle power by temperature, subtracted as in the 2016 paper: the chip of the short and long path leaks 0.5 W/K more
# when hot, and the long path ran hotter. The level between the runs does not show it; the model of idle power does.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/interconnect_results.sh"
write_interconnect plain.jsonl

# At 80 C the long path draws 10 W more than at 60 C, which the short one has; idle is 40 W at 60 C.
sed -e '/"long-path"/s/"energy_j":{"chip":\([0-9.]*\)}/"energy_j":{"chip":\1},"temperature_c":{"gpu":80}/g' \
    -e '/"short-path"/s/"energy_j":{"chip":\([0-9.]*\)}/"energy_j":{"chip":\1},"temperature_c":{"gpu":60}/g' plain.jsonl >warm.jsonl
awk '{
    if ($0 ~ /"long-path"/) {
        line = ""
        rest = $0
        while (match(rest, /"seconds":[0-9.]+,"energy_j":\{"chip":[0-9.]+\}/)) {
            part = substr(rest, RSTART, RLENGTH)
            split(part, n, /[:,}]/)
            line = line substr(rest, 1, RSTART - 1) sprintf("\"seconds\":%s,\"energy_j\":{\"chip\":%.12g}", n[2], n[5] + 10 * n[2])
            rest = substr(rest, RSTART + RLENGTH)
        }
        $0 = line rest
    }
    print
}' warm.jsonl >hot.jsonl

# 10 W at 0 C and 0.5 W/K, as trauma fit idle keeps it.
cat >idle.json <<'MODEL'
{"schema": 1, "kind": "model", "model": "idle", "coefficients": {}, "vf": [],
 "idle": {"value": [35, 25], "covariance": [0, 0, 0, 0], "freedom": 9, "rows": 9, "volts_middle": 0, "volts_half": 0,
          "celsius_middle": 50, "celsius_half": 50, "volts_degree": 0, "celsius_degree": 1}}
MODEL
printf 'temperature_c,60\nseconds,2\n' >at.csv
expect_exit 0 "$TRAUMA" predict idle.json at.csv
grep -q '^idle power *40 ' out || fail "idle power is another: $(cat out)"

set -- --set distance=10.5 --set banks=16 --set ghz=0.93
expect_exit 0 "$TRAUMA" fit interconnect plain.jsonl "$@" --json
expect_exit 0 "$TRAUMA" fit interconnect plain.jsonl "$@" -o cool.json
expect_exit 0 "$TRAUMA" fit interconnect hot.jsonl "$@" --idle idle.json -o model.json
for name in constant floor; do
    expect_same "$(json_document model.json coefficients/$name/value | cut -c 1-8)" \
        "$(json_document cool.json coefficients/$name/value | cut -c 1-8)" "$name"
done
expect_text out '45 W on average over 24 repetitions'

# An application's idle power comes from the same model.
printf 'l1_accesses,1e10\nl2_hits,3e9\nl2_misses,2e9\nseconds,1\nenergy_j,160\nreg_l1,3.5\nl1_l2,10.5\nl2_mc,11.5\n' >application.csv
echo static_w,40 | cat application.csv - >told.csv
echo temperature_c,60 | cat application.csv - >warm.csv
expect_exit 0 "$TRAUMA" predict model.json told.csv
cp out told
expect_exit 0 "$TRAUMA" predict model.json warm.csv --idle idle.json
cmp -s out told || fail "idle power by temperature comes to something else: $(cat out)"
grep -q '% of dynamic' out || fail "no shares"
expect_exit 0 "$TRAUMA" predict model.json --each warm.csv --idle idle.json
grep -q '% of dynamic' out || fail "no shares of several"


# Beyond the temperatures that the model of idle power rests on.
if grep -q extrapolated out; then fail "what was measured is extrapolated"; fi
sed 's/"celsius_half": 50/"celsius_half": 15/' idle.json >narrow.json
expect_exit 0 "$TRAUMA" predict model.json warm.csv --idle narrow.json
if grep -q extrapolated out; then fail "60 C is within 35 to 65 C"; fi
echo temperature_c,95 | cat application.csv - >hot.csv
expect_exit 0 "$TRAUMA" predict model.json hot.csv --idle narrow.json
expect_text out 'extrapolated: 95.0 C is outside the measured range, 35.0 to 65.0 C'
expect_exit 0 "$TRAUMA" predict model.json --each hot.csv --idle narrow.json
expect_text out 'extrapolated: 95.0 C'
expect_exit 0 "$TRAUMA" fit interconnect hot.jsonl "$@" --idle narrow.json
expect_text out 'extrapolated: the idle power of 12 repetitions at 80.0 to 80.0 C; --idle was measured from 35.0 to 65.0 C'

expect_exit 2 "$TRAUMA" predict model.json told.csv --idle idle.json
expect_text err 'lack the temperature'
expect_exit 2 "$TRAUMA" fit interconnect plain.jsonl "$@" --idle idle.json
expect_text err 'no repetition has a temperature'
expect_exit 2 "$TRAUMA" fit interconnect hot.jsonl "$@" --idle model.json
expect_text err 'not a model of idle power'
expect_exit 2 "$TRAUMA" fit interconnect hot.jsonl "$@" --idle none.json
