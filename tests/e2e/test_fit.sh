# Models on the command line: the list, each model's assumptions, a fit of results with known costs, its figure, and
# an application's breakdown; impossible requests are refused.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" fit --help
expect_text out "access-energy"
expect_text out "incremental"
expect_text out "Kestor et al. 2013"
expect_exit 0 "$TRAUMA" fit --explain
expect_text out "energy of one access"
expect_exit 0 "$TRAUMA" fit --explain incremental
expect_text out "E_stall = (E_MB_L1 - factor * E_L1 * N_L1) / N_stall"
tr '\n' ' ' <out >joined # the page is filled, so that words may stand on two lines
expect_text joined "Do not trust it"
expect_text out "settings, each as --set NAME=NUMBER:"
expect_text out "  factor       loads per cycle"
expect_exit 2 "$TRAUMA" fit --explain incrementl
expect_text err "did you mean 'incremental'?"

. "$SOURCE/tests/e2e/incremental_results.sh"
write_incremental known.jsonl
expect_exit 0 "$TRAUMA" fit incremental known.jsonl -o model.json
cp "$WORK/out" table
# "-" has the document in place of the table.
expect_exit 0 "$TRAUMA" fit incremental known.jsonl -o -
cmp "$WORK/out" model.json || fail "fit -o - is not what -o FILE gets"
mv table "$WORK/out"
for line in "E_NOP *4.8e-10 .*J/operation" "E_L1 *1.11e-09" "E_L2 *2.21e-09" "E_L3 *9.8e-09" "E_MEM *6.364e-08" \
    "E_stall *1.43e-09 .*J/cycle" "E_prefetch *6.508e-08" "increment.MEM *5.384e-08"; do
    grep -q "$line" out || fail "no '$line' in the table: $(cat out)"
done
expect_text out "mean error 2.73 %, worst 5.45 %"
expect_text out "the largest error is that of L1+NOP, -5.45 %"
expect_text out "factor 1.75 = (2 * 4 - 1) / 4"
tr -d '\n' <model.json >one-line.json
expect_same "$(json one-line.json model)" incremental "the model's name"
[ "$(json one-line.json data/hash | wc -c)" -gt 32 ] || fail "the model does not say what it was made from"

expect_exit 0 "$TRAUMA" fit incremental known.jsonl --set factor=1.7 --json
tr -d '\n' <out >one-line.json
expect_same "$(json one-line.json factor)" 1.7 "the factor"
expect_exit 2 "$TRAUMA" fit incremental known.jsonl --set facto=1
expect_text err "did you mean 'factor'?"
grep -v MB_L2 known.jsonl >lacking.jsonl
expect_exit 2 "$TRAUMA" fit incremental lacking.jsonl -o none.json
expect_text err "there are no results for MB_L2"
[ ! -e none.json ] || fail "a model without its data was written"

sed '/MB_MEM"/s/"from":/"verdict":"untrustworthy","reason":"too short",&/' known.jsonl >doubted.jsonl
expect_exit 2 "$TRAUMA" fit incremental doubted.jsonl
expect_text err "there are no results for MB_MEM"
expect_text err "1 of 10 points are left out: their power cannot be trusted; for example program=MB_MEM: too short"

# An application, of which prefetching takes more than loads from L1.
cat >counters.csv <<END
# of one run
accesses.L1,1e9
l1d_misses,2e7
l2_misses,1e7
l3_misses,1e6
prefetches,3e7
stall_cycles,2e9
energy_j,1306
static_w,259
seconds,5
END
expect_exit 0 "$TRAUMA" predict model.json counters.csv
for line in "L1->REG *1.11 .*J" "L2->L1 *0.022" "L3->L2 *0.0759" "MEM->L3 *0.05384" "prefetch *1.952" "stalls *2.86" "others *4.926" \
    "stalls, of dynamic *26 .*%" "data movement, of dynamic *29.2"; do
    grep -q "$line" out || fail "no '$line' in the breakdown: $(cat out)"
done
expect_text out "is not used"
sed /stall_cycles/d counters.csv >few.csv
expect_exit 2 "$TRAUMA" predict model.json few.csv
expect_text err "the counters lack stall_cycles"

if command -v gnuplot >/dev/null; then
    expect_exit 0 "$TRAUMA" fit incremental known.jsonl --figure model.svg
    for text in "Energy (nJ)" "MEM to REG" "Mixtures: predicted against measured" "L1+NOP"; do
        grep -q "$text" model.svg || fail "no '$text' in the figure of the model"
    done
    expect_exit 0 "$TRAUMA" predict model.json counters.csv --figure breakdown.svg
    grep -q "Where the dynamic energy went" breakdown.svg || fail "no title in the breakdown"
    expect_exit 2 "$TRAUMA" predict model.json counters.csv --figure breakdown.pdf
fi

# The recipe may name its model; results alone are enough then.
sed '1s/"benchmarks":\[\]/"benchmarks":[{"name":"programs","fit":["incremental"]}]/' known.jsonl >named.jsonl
expect_exit 0 "$TRAUMA" fit incremental known.jsonl
cp out by-hand
expect_exit 0 "$TRAUMA" fit named.jsonl
grep -q E_stall by-hand && cmp -s by-hand out || fail "the recipe's own model gives other coefficients"
expect_exit 2 "$TRAUMA" fit known.jsonl
expect_text err "the recipes of known.jsonl name no model to fit"
sed '1s/"incremental"/"incremental","idle"/' named.jsonl >two.jsonl
expect_exit 2 "$TRAUMA" fit two.jsonl
expect_text err "name several models to fit"
expect_exit 2 "$TRAUMA" fit missing.jsonl
expect_text err "missing.jsonl"

# What the shipped recipes name is a model.
names=$(grep -rho '^  fit *= *"[^"]*"' "$SOURCE/recipes" | sed 's/.*= *"//; s/"//' | sort -u)
[ "$(echo "$names" | wc -l)" -ge 4 ] || fail "the shipped recipes name few models: $names"
for name in $names; do
    expect_exit 0 "$TRAUMA" fit --explain "$name"
done

# What is a model, a recipe may name: the sandbox has a list of its own.
"$TRAUMA" fit --explain | sed -n '/^model  */d; s/^\([a-z-][a-z-]*\) .*/\1/p' >models
[ "$(wc -l <models)" -ge 5 ] || fail "few models: $(cat models)"
while read -r name; do
    printf 'benchmark { name = "a", fit = "%s", kernel = function() return { nop {} } end }\n' "$name" >named.lua
    expect_exit 0 "$TRAUMA" list named.lua
done <models

# Results without any point: every model says what it lacks.
for model in access-energy idle incremental interconnect ppep; do
    head -n 1 "$SOURCE/examples/data/$model.jsonl" >rowless.jsonl
    expect_exit 2 "$TRAUMA" fit $model rowless.jsonl -o rowless.json
    grep -Eq "^trauma: (no (repetition|point|two points)|there are no results for) .*; (trauma )?(run|measure) " err ||
        fail "$model without a point: $(cat err)"
    [ ! -e rowless.json ] || fail "$model is fitted to nothing"
done
