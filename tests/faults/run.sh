#!/bin/sh
# Lets system calls fail, and kills, in what the commands do: the output is the old or the new one, the exit code says
# which, nothing is left over and nothing goes on running. From any directory:
#
#     sh tests/faults/run.sh [SCENARIO...]
#
# Every call of every scenario fails once, and each scenario is killed KILLS times (25); CALLS=N takes N calls of each
# scenario instead, SEED=N other errors and moments, KINDS=LIST other calls (fault.c tells them; read
# adds those that read). SEEDS=N goes through it with that many seeds. The last lines are what was wrong, each with the
# command that shows it again, a TRY of one call; the folder stays then.
#
# TRAUMA is the program; without it a plain one is built in build-faults/, as sanitizers end a program that gets no
# memory. FAULT, GCN_FILE and JSON_LINES are programs of the tests' own build, and built there too. WORK is a folder for
# it all.
set -eu
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
if [ -z "${TRAUMA:-}" ]; then
    build=$SOURCE/build-faults
    cmake -S "$SOURCE" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTRAUMA_TESTS=ON >/dev/null
    cmake --build "$build" --parallel "$(nproc)" --target trauma fault gcn_file json_lines >/dev/null
    TRAUMA=$build/trauma
    FAULT=$build/tests/fault
    GCN_FILE=$build/tests/gcn_file
    JSON_LINES=$build/tests/json_lines
fi
: "${SEED:=1}" "${SEEDS:=1}" "${KILLS:=25}" "${CALLS:=all}" "${KINDS:=write,rename,allocate,fork,map}"
WORK=${WORK:-$(mktemp -d "${TMPDIR:-/tmp}/trauma-faults-XXXXXX")}
XDG_CONFIG_HOME=$WORK/config
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # which traces too
LC_ALL=C
export XDG_CONFIG_HOME ASAN_OPTIONS LC_ALL

. "$SOURCE/tests/faults/scenarios.sh"
mkdir -p "$WORK"
"$FAULT" -o "$WORK/report" -- true || { echo "skipped: system calls cannot be traced here" && exit 77; }
prepare_ground
last=$((SEED + SEEDS - 1))
while [ "$SEED" -le "$last" ]; do
    echo "seed $SEED"
    for scenario in ${*:-$scenarios}; do
        try_scenario "$scenario"
    done
    SEED=$((SEED + 1))
done
echo "$tried faults and kills, $wrong wrong"
[ "$wrong" -eq 0 ] || { cat "$WORK/wrong"; exit 1; }
rm -rf "$WORK/prepared" "$WORK/case"
