# The sample data of examples/data: it is valid, fit finds the energies that the simulated meter used, every page, figure,
# table and model made from it says that it is simulated, the README's commands work word for word, and the script makes
# it again.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
data=$SOURCE/examples/data
mkdir examples && ln -s "$data" examples/data
ln -s "$TRAUMA" trauma
PATH=$WORK:$PATH

# commands_of PAGE: the commands of its console blocks but of those that are not run, with the exit code before each.
commands_of()
{
    awk '/^<!-- not run/ { skipped = 1 } /^```/ { inside = !inside && /console/ && !skipped; if (/console/) skipped = 0; next }
        inside && sub(/^[$] /, "") { code = 0; if (sub(/  # exits /, "\t")) { code = $NF; sub(/\t.*/, "") } print code " " $0 }' "$1"
}

commands_of "$data/README.md" >commands
command -v gnuplot >/dev/null || sed -i '/ plot /d; s/ --figure [^ ]*//' commands
[ "$(wc -l <commands)" -ge 10 ] || fail "few commands in the README: $(cat commands)"
while read -r code command; do
    expect_exit "$code" sh -c "$command"
done <commands

# The files fit the schema, and each says that it is simulated.
expect_exit 0 trauma export --schema -o schema.json
for file in "$data"/*.jsonl; do
    "$SCHEMA_LINES" schema.json "$file" >/dev/null 2>err || fail "$file does not fit the schema"
    head -n 1 "$file" | grep -q '"simulated":{"what":"\(meter\|results\)","how":"' || fail "$file does not say that it is simulated"
done

# holds MODEL COEFFICIENT TRUTH: the fit's interval holds what the meter used.
holds()
{
    json_document "$1" "coefficients/$2/low" "coefficients/$2/high" >found
    awk -v truth="$3" '{ exit !($1 <= truth && truth <= $2) }' found || fail "$2 of $1 is $(cat found), not $3"
}
truth()
{
    json_document "$data/energies.json" "$1"
}
for level in SHARED L1 L2 MEM; do
    holds access-energy.json epsilon.$level "$(truth access-energy/pj/$level)e-12"
done
for pair in NOP:nop ADD:add L1:L1 L2:L2 L3:L3 MEM:MEM stall:stall prefetch:prefetch; do
    holds incremental.json "E_${pair%:*}" "$(truth "incremental/nj/${pair#*:}")e-9"
done
# What a flip takes on the wires, and, of the peak of 16 banks of 64 bytes, what each bit takes beside it.
holds interconnect.json energy_per_toggle_mm "$(truth interconnect/pj_per_flip_mm)e-12"
holds interconnect.json floor "$(awk -v pj="$(truth interconnect/pj_per_bit_mm)" 'BEGIN { print pj * 1e-12 * 8 * 16 * 64 * 0.93e9 }')"
for event in uops fpu l1i_fetches l1d_accesses l2_requests branches mispredictions l2_misses stalls; do
    holds ppep.json w.$event "$(truth ppep/nj/$event)e-9"
done
holds ppep.json alpha "$(truth ppep/alpha)"
# W1 at 0.888 V, from the cubic.
holds idle.json 'W1 at 0.888 V' "$(awk -v a="$(truth ppep/w1/0)" -v b="$(truth ppep/w1/1)" -v c="$(truth ppep/w1/2)" -v d="$(truth ppep/w1/3)" \
    'BEGIN { v = 0.888; print a + v * (b + v * (c + v * d)) }')"

# Whatever is made of them says so.
meter="simulated meter: the runs are real"
nothing="simulated results: nothing ran"
expect_exit 0 trauma fit incremental examples/data/incremental.jsonl
head -n 1 out | grep -q "^$nothing" || fail "a fit that does not begin with it: $(head -n 1 out)"
expect_same "$(json_document incremental.json simulated/what)" results "what is simulated, in the model"
for model in incremental access-energy interconnect; do
    expect_exit 0 trauma predict $model.json examples/data/$model-applications.csv
    head -n 1 out | grep -q "^$nothing" || fail "a prediction of $model that does not begin with it"
    expect_exit 0 trauma predict $model.json examples/data/$model-applications.csv --json
    expect_text out '"simulated"'
done
expect_exit 0 trauma predict ppep.json examples/data/ppep-trace.csv
expect_text err "$nothing"
printf 'temperature_c,50\nseconds,2\n' >idle.csv
printf 'volts,1.32\n' | cat idle.csv - >at.csv
expect_exit 0 trauma predict idle.json at.csv
expect_text out "$nothing"
expect_exit 5 trauma diff examples/data/dcache-old.jsonl examples/data/dcache-new.jsonl
expect_text err "$meter"
if grep -E ' (ipc|served|l1d.miss_rate|time)' out >wrong; then fail "more than power changed: $(head -n 3 wrong)"; fi
expect_exit 0 trauma check examples/data/dcache-old.jsonl
expect_text err "$meter"
expect_exit 0 trauma export examples/data/dcache-old.jsonl -o table.csv
expect_text err "$meter"
grep -q ',power.dynamic_w,W,.*,simulated,' table.csv || fail "power in the table does not say that it is simulated"
expect_exit 0 trauma merge examples/data/dcache-old.jsonl -o merged.jsonl
expect_exit 0 trauma export merged.jsonl -o merged.csv
expect_text err "$meter"
expect_exit 0 trauma report examples/data/dcache-old.jsonl -o page.html
expect_text page.html "These results are of a $meter"

# What was measured says nothing of it.
write_recipe small.lua
expect_exit 0 trauma run small.lua -m pentium-pro --time 0.01 --reps 1 --counters plan -o real.jsonl
expect_exit 0 trauma report real.jsonl -o real.html
expect_no_text real.html "simulated meter"
expect_no_text real.jsonl '"simulated":{'

if command -v gnuplot >/dev/null; then
    expect_exit 0 trauma plot examples/data/dcache-old.jsonl -o dcache.svg
    expect_same "$(grep -c 'simulated meter' dcache.svg)" 2 "panels that say so"
    expect_text dcache.svg "Dynamic power simulated"
    for name in idle incremental interconnect access-energy ppep; do
        expect_exit 0 trauma plot examples/data/$name.jsonl -o $name.svg
        expect_text $name.svg "simulated results"
    done
    expect_exit 0 trauma fit incremental examples/data/incremental.jsonl --figure fit.svg
    expect_text fit.svg "simulated results"
    expect_exit 0 trauma predict incremental.json examples/data/incremental-applications.csv --figure parts.svg
    grep -q "Share (%)" parts.svg || fail "the parts of an application are no shares in its figure"
    expect_text parts.svg "simulated results"
fi

# The script that ships made them: its suites again, without the run.
if command -v python3 >/dev/null; then
    expect_exit 0 env TRAUMA="$TRAUMA" sh "$data/make.sh" again suites
    for file in again/*.jsonl; do
        "$SCHEMA_LINES" schema.json "$file" >/dev/null 2>err || fail "$file does not fit the schema"
    done
    expect_exit 0 trauma fit access-energy again/access-energy.jsonl -o access-energy.json
    holds access-energy.json epsilon.L2 "$(truth access-energy/pj/L2)e-12"
    expect_exit 0 trauma fit interconnect again/interconnect.jsonl --set distance=10.5 --set banks=16 --set ghz=0.93 -o interconnect.json
    holds interconnect.json energy_per_toggle_mm "$(truth interconnect/pj_per_flip_mm)e-12"
    for file in access-energy-applications ppep-trace; do
        cmp "$data/$file.csv" again/$file.csv || fail "$file.csv is made anew as another"
    done
    # The simulated meter leaves all but power and the clock as it was measured.
    expect_exit 0 python3 "$data/simulate.py" meter "$data/dcache-old.jsonl" dcache-new -o metered.jsonl
    expect_exit 5 trauma diff "$data/dcache-old.jsonl" metered.jsonl
fi
