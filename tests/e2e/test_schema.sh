# The schema that trauma export --schema prints: results of runs conform to it, invalid ones do not.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" export --schema
mv out schema.json
expect_same "$(json_document schema.json '$schema')" "https://json-schema.org/draft/2020-12/schema" "the draft"
expect_exit 0 "$TRAUMA" export --schema -o written.json
cmp schema.json written.json || fail "-o writes another schema"
expect_exit 2 "$TRAUMA" export --schema results.jsonl

# A run with a package, a thermometer and copies; a point that cannot run here; and one without sensors.
domain=tree/sys/class/powercap/intel-rapl:0
mkdir -p $domain tree/sys/class/hwmon/hwmon0
echo package-0 >$domain/name
echo 1000000000 >$domain/max_energy_range_uj
echo 990000000 >$domain/energy_uj
echo k10temp >tree/sys/class/hwmon/hwmon0/name
echo 45000 >tree/sys/class/hwmon/hwmon0/temp1_input
write_recipe full.lua 'measure = { time = 0.05, reps = 2, idle_before = 0.2, idle_after = 0.1 }, threads = 1,
    expect = { ipc = { min = 0.01 } },'
expect_exit 0 env LD_PRELOAD=$BURNING_CHIP ASAN_OPTIONS=verify_asan_link_order=0 "$TRAUMA" run full.lua --sysfs-root tree --counters plan,bytes,timing -o full.jsonl
write_recipe absent.lua 'place = { cores = { 4000 } },'
expect_exit 4 "$TRAUMA" run absent.lua --counters bytes -o absent.jsonl
write_recipe plain.lua
expect_exit 0 "$TRAUMA" run plain.lua -m pentium-pro --time 0.01 --reps 1 --shard 1/2 -o plain.jsonl

held=0
for file in full absent plain; do
    "$SCHEMA_LINES" schema.json $file.jsonl >count 2>err || fail "$file.jsonl does not fit the schema"
    held=$((held + $(cat count)))
done
expect_same "$held" 8 "lines held against the schema"

# refused SED WORDS...: a line that is changed so does not fit.
refused()
{
    sed "$1" full.jsonl >wrong.jsonl
    ! cmp -s full.jsonl wrong.jsonl || fail "nothing was changed by $1"
    got=0
    "$SCHEMA_LINES" schema.json wrong.jsonl >out 2>err || got=$?
    shift
    expect_same "$got" 1 "the exit code for $*"
}
refused 's/"kind":"inspected"/"kind":"guessed"/' "a kind of evidence that there is not"
refused '1s/"seed":1/"seed":"one"/' "a seed that is text"
refused '1s/"unit":"J"/"unit":"kWh"/' "a unit that there is not"
refused '2s/"wall_s":[0-9.]*/"wall_s":-1/' "a negative time"
refused '2s/"kind":"point"/"kind":"spot"/' "a line of another kind"
refused '2s/"verdict":"observed"/"verdict":"fine"/' "a verdict that there is not"

# A validator of somebody else's says the same, where there is one.
if python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
    cat >validate.py <<'PY'
import json, sys
import jsonschema
schema = json.load(open("schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for name in sys.argv[1:]:
    for line in open(name):
        validator.validate(json.loads(line))
PY
    expect_exit 0 python3 validate.py full.jsonl absent.jsonl plain.jsonl
else
    echo "python3-jsonschema is not installed: only tests/schema_lines.c looked"
fi
