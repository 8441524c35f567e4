# Calibration: a spoilt plan recovers, the next run starts from the calibration store, and an unreachable rate is
# named. The machine is a simulation whose caches differ from its description.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

cat >small.lua <<'RECIPE'
benchmark {
  name   = "small",
  kernel = function()
    return { load { miss_rate = { L1 = 0.4 }, address = "chase" }, add { count = 2 } }
  end,
}
RECIPE
cat >toy.lua <<'MACHINE'
machine {
  name = "toy", isa = "x86_64",
  caches = {
    L1I = { size = "32KiB", ways = 8,  line = 64, policy = "lru" },
    L1D = { size = "8KiB",  ways = 2,  line = 64, policy = "lru" },
    L2  = { size = "1MiB",  ways = 16, line = 64, policy = "lru" },
  },
}
MACHINE

# verdict METRIC: what check --json gave it.
verdict()
{
    json "$WORK/out" metric verdict | sed -n "s/^$1	//p"
}

# A depth of conflicts that is too shallow misses the rate; calibration finds one that does not, and keeps it.
expect_exit 5 "$TRAUMA" check small.lua -m toy.lua --tune depth=1 --json
expect_same "$(verdict l1d.miss_rate)" fail "verdict on the spoilt plan"
[ ! -e toy.calibration.json ] || fail "something was kept without --calibrate"
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua --tune depth=1 --calibrate --json
expect_same "$(verdict l1d.miss_rate)" "pass (code)" "verdict after calibration"
expect_text err "small/default: round 1, depth 1: l1d.miss_rate"
expect_text err "calibrated by cachegrind in 2 rounds: depth 2"
expect_text err "kept in toy.calibration.json"

# The next one starts there, and has nothing to do.
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua --calibrate
expect_text err "in 1 round: depth 2"
expect_no_text err "kept in"

expect_exit 0 "$TRAUMA" explain small.lua -m toy.lua
expect_text out "calibrated by cachegrind: depth 2"

# A file that a person spoilt recovers too, by another aim.
sed 's/"depth": 2/"depth": 2, "aim": { "l1d.miss_rate": 0.1 }/' toy.calibration.json >spoilt.json
mv spoilt.json toy.calibration.json
expect_exit 5 "$TRAUMA" check small.lua -m toy.lua
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua --no-calibration
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua --calibrate --json
expect_same "$(verdict l1d.miss_rate)" "pass (code)" "verdict after the aim came back"

# A suite says what it was made with, the same bytes each time; without calibration it says nothing.
expect_exit 0 "$TRAUMA" gen small.lua -m toy.lua -o tuned
expect_text err "programs are tuned by toy.calibration.json"
expect_exit 0 "$TRAUMA" gen small.lua -m toy.lua -o again
diff -r tuned again >"$WORK/out" || fail "two suites of one calibration differ"
expect_same "$(json_document tuned/suite.json programs/0/calibration/source)" cachegrind \
    "the index on its calibration"
expect_same "$(json_document tuned/small/default/manifest.json calibration/tuning/depth targets/l1d.miss_rate)" \
    "$(printf '2\t0.4')" "the manifest on its calibration"
expect_exit 0 "$TRAUMA" check tuned
expect_exit 0 "$TRAUMA" gen small.lua -m toy.lua -o plain --no-calibration
expect_same "$(json_document plain/suite.json programs/0/calibration)" - "an index without calibration"
expect_same "$(json_document plain/small/default/manifest.json calibration)" - "a manifest without calibration"
rm toy.calibration.json
expect_exit 0 "$TRAUMA" gen small.lua -m toy.lua -o before
diff -r plain before >"$WORK/out" || fail "--no-calibration is not as if nothing had been learned"

# What was learned is for its description alone.
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua --tune depth=1 --calibrate -q
sed -i 's/1MiB/512KiB/' toy.lua
expect_exit 0 "$TRAUMA" gen small.lua -m toy.lua -o other
expect_text err "toy.calibration.json was made for another description of toy and is ignored"
expect_same "$(json_document other/suite.json programs/0/calibration)" - "an index of another description"
rm toy.calibration.json

# A person's own file spoils every kernel of the machine; what is learned stands beside it.
echo '{"schema": 1, "kind": "calibration", "tuning": {"depth": 1}}' >toy.calibration.json
expect_exit 5 "$TRAUMA" check small.lua -m toy.lua
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua --calibrate
expect_text err "round 1, depth 1: l1d.miss_rate"
expect_exit 0 "$TRAUMA" check small.lua -m toy.lua
expect_same "$(json_document toy.calibration.json tuning/depth machine '#kernels')" "$(printf '1\ttoy\t1')" "the file"
rm toy.calibration.json

# A machine that is not as its description says: four times the ways. The conflicts become deeper.
mkdir bin
valgrind=$(command -v valgrind)
cat >bin/valgrind <<WRAPPER
#!/bin/sh
for word; do
    shift
    case \$word in --D1=*) word=--D1=32768,8,64 ;; esac
    set -- "\$@" "\$word"
done
exec $valgrind "\$@"
WRAPPER
chmod +x bin/valgrind
other()
{
    PATH="$WORK/bin:$PATH" "$@"
}
expect_exit 5 other "$TRAUMA" check small.lua -m toy.lua
expect_exit 0 other "$TRAUMA" check small.lua -m toy.lua --calibrate --json
expect_same "$(verdict l1d.miss_rate)" "pass (code)" "verdict on the machine that is described wrongly"
expect_text err "calibrated by cachegrind in"
expect_exit 0 other "$TRAUMA" check small.lua -m toy.lua
rm toy.calibration.json

# One that misses a tenth whatever it is given: the rate is named, with the nearest, and nothing is kept.
cat >bin/valgrind <<'WRAPPER'
#!/bin/sh
for passes in 20 120; do
    echo "{\"iterations\":$passes,\"ticks\":1}"
    echo "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim"
    echo "summary: 1 0 0 $((passes * 100)) $((passes * 10)) 0 0 0 0 0 0 0 0"
done
WRAPPER
expect_exit 5 other "$TRAUMA" check small.lua -m toy.lua --calibrate
expect_text err "l1d.miss_rate = 0.4 cannot be reached here: the nearest in"
expect_text err "is 0.1 "
expect_text out "1 point whose rate cannot be reached"
[ ! -e toy.calibration.json ] || fail "what did not help was kept"
[ "$(grep -c 'round [0-9]*, .*l1d.miss_rate' "$WORK/err")" -le 12 ] || fail "more than a dozen rounds"

# No folder to write beside the machine: the user's own.
mkdir locked
cp toy.lua locked/toy.lua
chmod a-w locked
if [ ! -w locked ]; then
    expect_exit 0 "$TRAUMA" check small.lua -m locked/toy.lua --tune depth=1 --calibrate
    expect_text err "kept in $WORK/config/traumagen/toy.calibration.json"
    expect_exit 0 "$TRAUMA" check small.lua -m locked/toy.lua --calibrate
    expect_text err "in 1 round: depth 2"
fi
chmod u+w locked

# Usage.
expect_exit 0 "$TRAUMA" gen small.lua -m toy.lua -o suite
expect_exit 2 "$TRAUMA" check suite --calibrate
expect_text err "is a suite"
expect_exit 2 "$TRAUMA" check small.lua --tune deth=1
expect_text err "did you mean 'depth'?"
expect_exit 2 "$TRAUMA" check small.lua --tune depth
expect_exit 2 "$TRAUMA" check small.lua --tune depth=0
echo '{"schema": 1, "kind": "calibration", "tuning": {"deep": 1}}' >toy.calibration.json
expect_exit 2 "$TRAUMA" check small.lua -m toy.lua
expect_text err "toy.calibration.json: a tuning is"
