# What docs/howto/simulators.md shows under "Repeat the proof" is done by hand: its files, its commands, and the subtraction. The
# difference is the rate that the tool says; without the option that the page insists on it is not.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind
need_program python3
[ "$(uname -m)" = x86_64 ] || skip "valgrind runs programs of this processor, and the page's are x86-64's"
cd "$WORK"
PATH=$(dirname "$TRAUMA"):$PATH

# Files are what stands behind their remarks, and commands what stands behind "$ " in the part of that name.
python3 - "$SOURCE/docs/howto/simulators.md" <<'PY'
import re, sys
page = open(sys.argv[1], encoding="utf-8").read()
for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)\n```", page, re.S):
    open(name, "w").write(text + "\n")
part = page[page.index("## Repeat the proof"):page.index("## What each simulator")]
open("commands", "w").write("\n".join(re.findall(r"^\$ (.*)$", part, re.M)) + "\n")
PY
expect_same "$(grep -c 'sh simulate ' commands)" 2 "runs on the page"
expect_text simulate --vex-iropt-level=0

# differences: loads and misses of the page's second run less those of its first, per pass.
differences()
{
    sed 's/^trauma /"$TRAUMA" /' commands >script
    sh -eu script >out 2>err || fail "the page's commands"
    tr -d , <out | awk '
        /D *refs/ { refs[++runs] = substr($0, index($0, "(") + 1) + 0 }
        /D1 *misses/ { misses[runs] = substr($0, index($0, "(") + 1) + 0 }
        END { print (refs[2] - refs[1]) / 1000, (misses[2] - misses[1]) / 1000 }'
}

expect_exit 0 "$TRAUMA" gen sim.lua -m simulated.lua -o judged
expect_exit 0 "$TRAUMA" check judged --counters cachegrind,bytes --json
said=$(json "$WORK/out" metric observations | sed -n 's/^l1d.miss_rate.*"value": *\([0-9.]*\).*/\1/p' | head -n 1)
[ -n "$said" ] || fail "check says no miss rate: $(cat "$WORK/out")"
loads=$(python3 -c 'import json; print(json.load(open("judged/sim/default/manifest.json"))["loads"])')

set -- $(differences)
awk -v loads="$1" -v misses="$2" -v said="$said" -v all="$loads" 'BEGIN {
    off = misses / loads - said
    if (loads != all || off > 0.002 || off < -0.002 || said < 0.25) exit 1 }' ||
    fail "by hand $1 loads and $2 misses a pass; check says $said of $loads"

sed -i 's/ --vex-iropt-level=0//' simulate
set -- $(differences)
awk -v loads="$1" -v all="$loads" 'BEGIN { exit !(loads < all / 4) }' ||
    fail "without the option $1 of $loads loads are left: the page warns for nothing"

# `check` says it too.
expect_exit 0 "$TRAUMA" check judged --counters cachegrind,bytes -v
expect_text out --vex-iropt-level=0
expect_exit 0 "$TRAUMA" check --help
expect_text out vex-iropt-level=0
