# trauma design: points and times for a model; a recipe of them that the other commands take; intervals that come out as
# predicted on synthetic chips, and narrower than those of the recipes' own points; refusals.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program python3
cd "$WORK"

expect_exit 2 "$TRAUMA" design
expect_text err "trauma design needs a model"
expect_exit 2 "$TRAUMA" design ppepp -m fx-8320
expect_text err "did you mean 'ppep'?"
expect_exit 2 "$TRAUMA" design ppep -m fx-8320 --noise -1
expect_text err "--noise: expected watts above 0, found '-1'"
expect_exit 2 "$TRAUMA" design incremental -m interlagos --set factr=1
expect_text err "did you mean 'factor'?"
expect_exit 2 "$TRAUMA" design incremental -m interlagos --time 20
expect_text err "the points that determine all coefficients take"
expect_exit 2 "$TRAUMA" design incremental -m interlagos traumagen-2001/dcache
expect_text err "determines a coefficient of incremental"

# Without L3, E_L3 is no coefficient; nothing else is missing.
cat >small.lua <<'END'
machine {
  name = "small", isa = "x86_64", clock_ghz = 2, issue_width = 4, ports = { load = 2, store = 1 }, latency = { L1D = 4, L2 = 14, MEM = 200 },
  caches = { L1I = { size = "32KiB", ways = 8, line = 64 }, L1D = { size = "32KiB", ways = 8, line = 64 },
             L2 = { size = "1MiB", ways = 16, line = 64 } },
}
END
expect_exit 0 "$TRAUMA" design incremental -m small.lua --time 3600 --noise 1 --json
cp out small.json
! grep -q E_L3 small.json || fail "E_L3 without an L3"
python3 - small.json <<'END' || fail "the document"
import json, sys
design = json.load(open(sys.argv[1]))
assert abs(sum(each["total_s"] for each in design["points"]) - 3600) < 36, "the time is not used, or exceeded"
assert design["efficiency"] > 0.99 and design["noise_w"] == 1
assert {each["benchmark"] for each in design["points"]} == {"programs", "copies"}
assert all(each["reps"] >= 3 and each["idle_before_s"] > 0 for each in design["points"])
END

# Events that one of the given recipes does not tell apart are named.
expect_exit 2 "$TRAUMA" design ppep ppep-2014/program-a -m fx-8320
cat >two.lua <<'END'
benchmark {
  name = "two", fit = "ppep", sweep = { share = { 0, 0.25, 0.5, 1 }, mul = { 0, 4 } },
  kernel = function(p)
    return { load { served_by = { L1 = 1 - p.share, L2 = p.share }, count = 4 }, add { count = 8 }, p.mul > 0 and mul { count = p.mul, chain = p.mul } or nil }
  end,
  measure = { time = 10, idle_before = 2 },
}
END
# All nine events are more than its points determine; without those that it lacks, four are left.
expect_exit 2 "$TRAUMA" design ppep two.lua -m fx-8320
expect_text err "cannot be told apart: w.mispredictions: no point here depends on it"
expect_text err "vary together in all points"
expect_text err "the fit of the chosen points would be refused: "
expect_exit 0 "$TRAUMA" design ppep two.lua -m fx-8320 --set without_fpu=1 --set without_mispredictions=1 \
    --set without_l2_misses=1 --set without_branches=1 --set without_l1i_fetches=1
expect_text out "w.l2_requests"
! grep -q "w.fpu" out || fail "an event that was left out has a row"
sed 's/vf = .*/vf = nil,/' "$SOURCE/recipes/machines/fx-8320.lua" | sed '/{ volts = 1.242/d' >no-vf.lua
expect_exit 2 "$TRAUMA" design ppep -m no-vf.lua
expect_text err "vf = { { volts =, ghz = } } in the machine file"

# A user's own model: its regressors by name, and nothing of them for another model.
expect_exit 2 "$TRAUMA" design linear -m fx-8320
expect_text err "--x METRIC,..."
expect_exit 2 "$TRAUMA" design ppep -m fx-8320 --x ipc
expect_text err "belong to the model linear"
expect_exit 2 "$TRAUMA" design linear -m fx-8320 --x counter.none
expect_text err "none of the"
expect_exit 0 "$TRAUMA" design linear two.lua -m fx-8320 --x counter.l2_requests,counter.dispatch_stalls --intercept --time 600
expect_text out "counter.l2_requests"
expect_text out "intercept"

# The recipe: the same points, in the times of the table, and readable.
expect_exit 0 "$TRAUMA" design access-energy -m a100 --time 3600 --noise 0.5 -o chosen.lua
expect_text out "half of the 95 % intervals to expect"
expect_text out "assumed: a meter whose mean over t seconds"
expect_exit 0 "$TRAUMA" gen chosen.lua -m a100 -o suite -q
expect_exit 0 "$TRAUMA" list chosen.lua -m a100
expect_exit 0 "$TRAUMA" design access-energy -m a100 --time 3600 --noise 0.5 --json
python3 - out <<'END' || fail "the recipe's points are not those of the document"
import glob, json, sys
design = json.load(open(sys.argv[1]))
made = {}
for path in glob.glob("suite/*/*/manifest.json"):
    manifest = json.load(open(path))
    made[manifest["benchmark"] + "/" + manifest["point"]] = manifest["measure"]
assert len(made) == len(design["points"]), (len(made), len(design["points"]))
for each in design["points"]:
    measure = made[each["benchmark"] + "/" + each["name"]]
    assert measure["time"] == each["time_s"] and measure["reps"] == each["reps"], (measure, each)
    assert measure["idle_before"] == each["idle_before_s"] and measure["subtract_start"] is True, (measure, each)
END

# Files that a recipe includes are written into the recipe: functions of theirs, and a file that they include.
mkdir from
cat >from/mix.lua <<'END'
include "more"
function mixed(p)
  return { load { served_by = { L1 = 1 - p.share, L2 = p.share }, count = 4 }, add { count = 8 }, more(p) }
end
END
echo 'function more(p) return p.mul > 0 and mul { count = p.mul, chain = p.mul } or nil end' >from/more.lua
sed '/kernel = /,/^  end,/d; /measure = /i\  kernel = mixed,' two.lua | sed '1i include("mix.lua")' >from/three.lua
expect_exit 0 "$TRAUMA" design linear from/three.lua -m fx-8320 --x counter.l2_requests --intercept --time 600 -o three.lua
expect_exit 0 "$TRAUMA" design linear two.lua -m fx-8320 --x counter.l2_requests --intercept --time 600 -o same.lua
expect_exit 0 "$TRAUMA" gen three.lua -m fx-8320 -o three -q
expect_exit 0 "$TRAUMA" gen same.lua -m fx-8320 -o same -q
test "$(cd three/two && find . -name program.s | sort)" = "$(cd same/two && find . -name program.s | sort)" ||
    fail "the points of an including recipe are others"

# Replayed on chips that have the machine file's latencies and energies of their own. The chips of a bench are few here;
# more of them: design_chips.py.
plain_program
for replay in "ppep fx-8320 0.5 3600" "incremental interlagos 0.5 3600" "access-energy a100 0.5 3600" \
    "interconnect w9100 1 3600 --set distance=10.5"; do
    mkdir -p replay && cd replay
    set -- $replay
    model=$1 machine=$2 noise=$3 seconds=$4
    shift 4
    python3 "$SOURCE/tests/e2e/design_chips.py" "$PLAIN" $model $machine $noise $seconds 24 "$@" >../out 2>../err ||
        fail "$model: $(cat ../out ../err)"
    tail -n 1 ../out
    cd .. && rm -rf replay
done
