#!/bin/sh
# Draws the figures of the gallery: sh docs/gallery/make.sh FOLDER [NAME...]
#
# Recipes of processors run here. Those that need a power meter or a GPU are simulated, and their figures say so: their rates are
# those that trauma check observes, their times and energies those that examples/data/energies.json states. An application and
# its clone are counted. TRAUMA names the program (trauma); OPTIONS are further options of trauma run, such as "--reps 15".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
shift
trauma=${TRAUMA:-trauma}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

simulated()
{
    "$trauma" gen "gallery/$1" -m "$2" -o "$work/$1" -q >&2
    "$trauma" check "$work/$1" --counters "$3" --json -q >"$work/$1.check"
    python3 "$here/../../examples/data/simulate.py" suite "$work/$1" "$1" --evidence "$work/$1.check" -o "$out/$1.jsonl"
}

figure()
{
    if [ "$1" = application-clone ]; then
        cat "$here"/../reference/*.md >"$work/pages.txt"
        "$trauma" clone -q --phases 1 -m skylake-sp -o "$work/gzip.lua" --figure "$out/$1.svg" -- gzip -c "$work/pages.txt" \
            >"$work/pages.gz"
        sed -i 's/ *$//' "$out/$1.svg"
        return
    fi
    case $1 in
    throttle | toggle-energy) simulated "$1" zen5 plan,bytes ;;
    gpu-latency-ladder) simulated "$1" h200 plan,warp ;;
    cu-placement) simulated "$1" w9100 plan,wave ;;
    *) # shellcheck disable=SC2086
        "$trauma" run "gallery/$1" --counters plan,bytes,timing ${OPTIONS:-} -o "$out/$1.jsonl" -q >&2 ;;
    esac
    "$trauma" plot "$out/$1.jsonl" -o "$out/$1.svg" -q
    sed -i 's/ *$//' "$out/$1.svg"
}

[ $# -gt 0 ] || set -- memory-mountain stream branch-predictor ports tlb-reach prefetcher store-forwarding false-sharing throttle \
    toggle-energy gpu-latency-ladder cu-placement application-clone
for name in "$@"; do
    figure "$name"
done
