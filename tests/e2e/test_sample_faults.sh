# The simulated chip behind the interconnect's sample data executes what is emitted, so that a fault of the program shows in what
# fit returns, or is refused: words that toggle in the program's order alone, a share of another peak than the channels have, a
# throttle for another peak. Each is put back into a suite here.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
command -v python3 >/dev/null || skip "there is no python3"
data=$SOURCE/examples/data

# simulate SUITE: what the chip does with it, in SUITE.jsonl; with what its programs are seen to do, SUITE.check, if that is there.
simulate()
{
    evidence=
    [ ! -f "$1.check" ] || evidence="--evidence $1.check"
    # shellcheck disable=SC2086 # an option and its value
    expect_exit 0 python3 "$data/simulate.py" suite "$1" interconnect $evidence -o "$1.jsonl"
}

fit()
{
    "$TRAUMA" fit interconnect "$1.jsonl" --set distance=10.5 --set banks=16 --set ghz=0.93 -o "$1.json" >out 2>err
}

# per_flip SUITE: the energy per flip and mm that fit finds, over the one that the chip's wires take.
per_flip()
{
    fit "$1" || fail "fit refuses $1: $(cat err)"
    json_document "$1.json" coefficients/energy_per_toggle_mm/value >found
    awk -v true="$(json_document "$data/energies.json" interconnect/pj_per_flip_mm)" '{ printf "%.3f\n", $1 / (true * 1e-12) }' found
}

# within LOW VALUE HIGH
within()
{
    awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN { exit !(low <= value && value <= high) }'
}

expect_exit 0 "$TRAUMA" gen interconnect-2016/amd-paths -m w9100 --filter '^paths/' -o good -q
expect_exit 0 "$TRAUMA" check good --counters wave,plan --json -q
mv out good.check
simulate good
ratio=$(per_flip good)
within 0.95 "$ratio" 1.03 || fail "fit finds $ratio of the energy per flip that the wires take"
cp -r good kept

# Half bandwidth is half, and half the power (figure 9 of the paper).
tail -n +2 good.jsonl >points
json points name rates/bandwidth.L2/observations/0/value power/power.dynamic_w/value >rows
awk -F'\t' '{ split($1, p, /[=,]/); moved[p[2]] = $2; watts[p[2] p[4] p[6]] = $3 }
    END { if (moved[0.5] < 0.47 * moved[1] || moved[0.5] > 0.52 * moved[1]) exit 1
          half = watts["0.5long0.5"] - watts["0.5short0.5"]; all = watts["1long0.5"] - watts["1short0.5"]
          exit !(0.45 * all < half && half < 0.55 * all) }' rows || fail "half the bandwidth is not half: $(cat rows)"

# 1. Two lines in turn: half of the bits flip in the program's order and by address, and about half as many on the wires of channels
# that send the lines of several units. Who believes the program's order finds another energy; who sees how words are dealt, leaves
# them out.
cp -r good turns
python3 - turns <<'PY'
import json, pathlib, random, sys
for path in pathlib.Path(sys.argv[1]).glob("*/*/manifest.json"):
    manifest = json.loads(path.read_text())
    fill = manifest["data"]["regions"][0]["fill"]
    if fill["kind"] == "words":
        chance, bits = random.Random(1), int(512 * manifest["parameters"]["toggle"])
        line = chance.getrandbits(512)
        other = line ^ sum(1 << bit for bit in chance.sample(range(512), bits))
        fill["width"], fill["words"] = 64, [f"0x{each:0128x}" for each in (line, other)]
    path.write_text(json.dumps(manifest))
PY
# What the program's order has, as the evidence of the good suite.
grep -v 'toggle_rate.dealt' good.check >turns.check
simulate turns
ratio=$(per_flip turns)
within 0.2 "$ratio" 0.8 || fail "words that toggle in the program's order alone have $ratio of the energy"
python3 - good.check >turns.check <<'PY'
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    if row.get("metric") == "data.toggle_rate" and row["wanted"]:
        dealt = dict(row, metric="data.toggle_rate.dealt", observations=[
            dict(each, value=each["value"] / 2, low=each["low"] / 2, high=each["high"] / 2) for each in row["observations"]])
        print(json.dumps(dealt))
    if row.get("metric") != "data.toggle_rate.dealt":
        print(line, end="")
PY
simulate turns
if fit turns; then fail "words that wires see otherwise are fitted: $(cat out)"; fi
expect_text err "no point toggles its data"
expect_text err "data.toggle_rate.dealt shows that rate"

# 2. Shares of the four channels taken for shares of the sixteen banks, as nothing measured what moved: a quarter of the energy, and
# a note; with the channels that were seen it is whole.
without()
{
    python3 - "$@" <<'PY'
import json, re, sys
for number, line in enumerate(open(sys.argv[1])):
    point = json.loads(line)
    for name in list(point.get("rates", {})):
        if re.match(sys.argv[2], name):
            del point["rates"][name]
    print(json.dumps(point))
PY
}
without good.jsonl 'bandwidth|l2' >shares.jsonl
ratio=$(per_flip shares)
within 0.22 "$ratio" 0.27 || fail "shares of sixteen banks make $ratio of the energy"
expect_text out "no bandwidth was measured for"
without good.jsonl bandwidth >seen.jsonl
ratio=$(per_flip seen)
within 0.93 "$ratio" 1.05 || fail "shares of the channels that were seen make $ratio of the energy"
expect_text out "no bandwidth was measured for"

# 3. Idle instructions for the peak of all channels leave four of them at their full rate: the executor sees it, and half of
# that is refused.
for program in good/paths/bandwidth_share=0.5*/program.s; do
    awk '/s_nop/ { if (++idle > 22) next } /buffer_load/ { idle = 0 } { print }' "$program" >less && mv less "$program"
done
expect_same "$(grep -c s_nop "$program")" "$((16 * 22))" "idle instructions"
simulate good
if fit good; then fail "a share that contradicts the measured bandwidth is fitted: $(cat out)"; fi
expect_text err "states a share of 0.5 of the bandwidth, and its measured"
expect_text err "more than 5 % apart"

# A program that the chip does not know is no number.
sed -i 's/buffer_load_dword v8,/buffer_load_dwordx2 v[8:9],/' good/paths/*/program.s
expect_exit 1 python3 "$data/simulate.py" suite good interconnect -o none.jsonl
expect_text err "buffer_load_dwordx2"
