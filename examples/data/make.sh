#!/bin/sh
# Makes the sample data of this folder with a simulated meter (simulate.py, energies.json).
#
#     sh examples/data/make.sh FOLDER [suites]
#
# "suites" makes only what needs no run: results of machines that are not here, from generated suites. Without it a
# recipe runs here too, for some minutes, and gets its watts afterwards. TRAUMA names the program (trauma).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
part=${2:-all}
trauma=${TRAUMA:-trauma}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# suite NAME MACHINE RECIPES SOURCES OPTIONS...: results of recipes on a described machine.
suite()
{
    name=$1 machine=$2 recipe=$3 sources=$4
    shift 4
    # shellcheck disable=SC2086 # recipes are several words
    "$trauma" gen $recipe -m "$machine" "$@" -o "$work/$name" -q >&2
    if [ -n "$sources" ]; then
        "$trauma" check "$work/$name" --counters "$sources" --json -q >"$work/$name.check"
        set -- --evidence "$work/$name.check"
    else
        set --
    fi
    python3 "$here/simulate.py" suite "$work/$name" "$name" "$@" -o "$out/$name.jsonl"
}

# metered NAME RESULTS: a run's results with simulated watts.
metered()
{
    python3 "$here/simulate.py" meter "$work/$2.jsonl" "$1" -o "$out/${3:-$1}.jsonl"
}

suite incremental interlagos data-movement-2013 plan,bytes,qemu
suite access-energy a100 gpu-energy-2024/load warp,plan --set threads=32,256,1024
suite interconnect w9100 'interconnect-2016/amd-paths interconnect-2016/units' wave,plan --filter '^(paths|patterns|units)/'
suite idle fx-8320 ppep-2014/heat-and-cool ''
suite ppep fx-8320 ppep-2014 '' --filter '^(training|across-vf|power-gating|heat-and-cool|program-a|mixed)/'
for name in incremental access-energy interconnect; do
    python3 "$here/simulate.py" counters $name -o "$out/$name-applications.csv"
done
python3 "$here/simulate.py" counters ppep -o "$out/ppep-trace.csv"
[ "$part" = all ] || exit 0

"$trauma" run traumagen-2001/dcache --time 0.2 --reps 7 --counters plan,bytes,cachegrind,timing -o "$work/dcache.jsonl" -q >&2
metered dcache dcache dcache-old
metered dcache-new dcache dcache-new
