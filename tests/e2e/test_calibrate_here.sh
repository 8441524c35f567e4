# Calibration on this host by time: a machine file that describes its L1D with too few ways, and a plan spoilt by
# hand, both recover. Skipped if time does not show rates or the machine is too busy.
. "$SOURCE/tests/e2e/lib.sh"

cat >small.lua <<'RECIPE'
benchmark {
  name   = "small",
  kernel = function()
    return { load { miss_rate = { L1 = 0.4 }, address = "chase" }, add { count = 2 } }
  end,
}
RECIPE
expect_exit 0 "$TRAUMA" machine detect -o true.lua

# tell RUNS...: the verdict of timing on the rate.
tell()
{
    "$TRAUMA" check small.lua --counters timing --json "$@" >"$WORK/out" 2>"$WORK/err" || true
    json "$WORK/out" metric verdict | sed -n 's/^l1d.miss_rate	//p'
}
[ "$(tell)" = pass ] || skip "time tells no miss rates here now: $(tell)"

# still_quiet WORDS...: what was expected did not happen. Where the machine got busy meanwhile, nothing is shown by that.
still_quiet()
{
    ! grep -qE 'busy, mostly with|busy with other work|other work keeps' "$WORK/err" || skip "other work disturbs the machine: $*"
    [ "$(tell -m true.lua --here)" = pass ] || skip "the machine got busy: $*"
    fail "$*"
}

# Two ways of the same sets, under a name of its own: only --calibrate says that it is this host.
sets=$(sed -n 's/.*L1D = { size = "\([0-9]*\)KiB", *ways = \([0-9]*\).*/\1 \2/p' true.lua)
[ -n "$sets" ] || skip "this L1D has no size in KiB"
size=${sets% *}
ways=${sets#* }
sed -e "s/L1D = { size = \"[0-9]*KiB\", *ways = [0-9]*/L1D = { size = \"$((size * 2 / ways))KiB\", ways = 2/" \
    -e 's/name = "[^"]*"/name = "mistaken"/' -e '/cpu = /d' true.lua >mistaken.lua
[ $((size * 2 % ways)) -eq 0 ] || skip "this L1D has no whole KiB in two ways"
[ "$(tell -m mistaken.lua)" = unobserved ] || fail "timing spoke of a machine that nobody said is here"
if [ "$ways" -ge 6 ]; then
    for attempt in 1 2 3; do
        verdict=$(tell -m mistaken.lua --here)
        [ "$verdict" != fail ] || break
    done
    [ "$verdict" != pass ] || fail "too few conflicts passed"
    [ "$verdict" = fail ] || still_quiet "too few conflicts were not seen: $verdict"
fi
# A busy moment may spoil a search: it is given three.
for attempt in 1 2 3; do
    got=0
    "$TRAUMA" run small.lua -m mistaken.lua --calibrate --counters timing --reps 1 --time 0.01 --power none \
        -o results.jsonl >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    [ "$got" -ne 0 ] || break
    rm -f results.jsonl
done
[ "$got" -eq 0 ] || still_quiet "the machine that is described wrongly was not calibrated: $got"
# Rates that are right, but told no nearer than the machine's noise allows, are an end of the search too.
if grep -qF "calibrated within the noise of timing" err; then
    skip "the machine got busy: time tells the rate too widely for a verdict"
fi
if grep -qF "not calibrated: timing: other programs used the processor" err; then
    skip "the machine got busy: no rate follows from time"
fi
expect_text err "calibrated by timing"
expect_text err "kept in mistaken.calibration.json"
expect_same "$(sed 1d results.jsonl >points && json points calibration/reached calibration/source)" \
    "$(printf 'true\ttiming')" "the results on the calibration"
case $(tell -m mistaken.lua) in
pass | inconclusive | unobserved) ;;
*) still_quiet "the next run did not start where this one ended" ;;
esac

# A depth that is too shallow, on the machine as it is; what is learned goes to the user's own folder.
for attempt in 1 2 3; do
    got=0
    "$TRAUMA" check small.lua --tune depth=0.75 --calibrate --counters timing >"$WORK/out" 2>"$WORK/err" \
        </dev/null || got=$?
    [ "$got" -ne 0 ] || break
done
[ "$got" -eq 0 ] || still_quiet "the spoilt plan was not mended: $got"
expect_text err "kept in $WORK/config/traumagen/"
