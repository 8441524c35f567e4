#!/bin/sh
# Draws the figures that pages show: sh docs/figures/make.sh FOLDER
#
# dcache.png, dcache-power.png and mountain.png come from results in the repository; verdict.png is the page of trauma report, as
# chromium shows it, if it is installed. house.svg and eviction-set.svg are drawn by hand. TRAUMA names the program (trauma).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
trauma=${TRAUMA:-trauma}
mkdir -p "$out"
page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT INT TERM
results=$here/../../examples/data/dcache-old.jsonl
"$trauma" plot "$results" -q -o "$out/dcache-power.png"
# The instructions per cycle alone, which were measured: nothing of the simulated meter is in this figure.
sed '1{s/"power.dynamic_w","ipc"/"ipc"/;s/,"simulated":{[^}]*}//;s/Power and IPC against/IPC against/}' "$results" >"$page/ipc.jsonl"
"$trauma" plot "$page/ipc.jsonl" -q -o "$out/dcache.png"
"$trauma" plot "$here/../gallery/results/memory-mountain.jsonl" -q -o "$out/mountain.png"
if command -v chromium >/dev/null; then
    "$trauma" report "$results" -q -o "$page/page.html"
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,1250 \
        --screenshot="$out/verdict.png" "file://$page/page.html" >/dev/null 2>&1
fi
