#!/bin/sh
# Feeds damaged input to the parsers, and prints how much of each one's source was covered. From any directory:
#
#     sh tests/fuzz/run.sh [NAME|all] [SECONDS]
#
# Each entry of list.txt, or NAME, for SECONDS (60); overnight, sh tests/fuzz/run.sh all 3600. With clang's libFuzzer
# where clang has it (CLANG names another; Debian: clang-19 libclang-rt-19-dev llvm-19), built in build-fuzz/, else with
# our own driver and gcc, built in build-fuzz-gcc/. What libFuzzer finds to cover more is kept in the build folder's
# found/NAME for the next time; an input that does harm is left as harm-NAME-*, and runs again by
# build-fuzz/tests/fuzz/fuzz_NAME FILE. Exit code 1 when there was one.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
wanted=${1:-all}
seconds=${2:-60}
clang=${CLANG:-clang-19}
cd "$source"

# The fields of an entry: its corpus, its sources.
field()
{
    sed -n "s/^$1 | \([^|]*\) | \(.*\)/\\$2/p" tests/fuzz/list.txt
}
names=$(sed -n 's/^\([a-z_]*\) | .*/\1/p' tests/fuzz/list.txt)
[ "$wanted" = all ] || names=$wanted
for name in $names; do
    [ -n "$(field "$name" 1)" ] || { echo "there is no entry $name in tests/fuzz/list.txt" >&2; exit 2; }
done

has_libfuzzer()
{
    command -v "$clang" >/dev/null && printf 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        "$clang" -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
}

build_in()
{
    build=$source/$1
    shift
    cmake -S . -B "$build" -DTRAUMA_TESTS=ON "$@" >/dev/null
    # shellcheck disable=SC2046 # each name is a target
    cmake --build "$build" --parallel "$(nproc)" --target $(printf 'fuzz_%s ' $names) >"$build/log" 2>&1 ||
        { tail -n 20 "$build/log" >&2; exit 1; }
}

# Lines of all sources together, of a report with a name first and percentages.
with_libfuzzer()
{
    found=$build/found/$1
    profile=$build/$1.profraw
    mkdir -p "$found"
    # shellcheck disable=SC2046 # folders
    LLVM_PROFILE_FILE=$profile "$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=4096 \
        -print_final_stats=1 -artifact_prefix="$build/harm-$1-" "$found" $(seed_folders "$1") >"$build/$1.log" 2>&1 ||
        { echo "$1: harm; see $build/$1.log"; failed=1; return; }
    grep -q "^stat::number_of_executed_units" "$build/$1.log" ||
        { echo "$1: the process ended before its time; see $build/$1.log"; failed=1; return; }
    "$profdata" merge -sparse "$profile" -o "$build/$1.profdata"
    # shellcheck disable=SC2046 # patterns
    "$cov" report "$build/tests/fuzz/fuzz_$1" -instr-profile="$build/$1.profdata" $(field "$1" 2) >"$build/$1.cov"
    printf '%-18s %s inputs, %s a second; lines covered: %s\n' "$1" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log")" \
        "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$build/$1.log")" "$(awk '$1 == "TOTAL" { print $10 }' "$build/$1.cov")"
    awk -v n="$1" '$1 ~ /\.[ch]$/ { printf "    %-50s %s\n", $1, $10 }' "$build/$1.cov"
}

# libFuzzer takes folders alone: files of the corpus go to one.
seed_folders()
{
    for item in $(field "$1" 1); do
        if [ -d "$item" ]; then
            echo "$item"
        else
            mkdir -p "$build/seeds/$1"
            cp "$item" "$build/seeds/$1/"
            echo "$build/seeds/$1"
        fi
    done | sort -u
}

with_driver()
{
    find "$build" -name '*.gcda' -exec rm {} +
    # shellcheck disable=SC2046 # files
    TRAUMA_FUZZ_S=$seconds TRAUMA_FUZZ_KEEP=$build/harm-$1-last "$build/tests/fuzz/fuzz_$1" $(field "$1" 1) ||
        { echo "$1: harm; the input is $build/harm-$1-last"; failed=1; return; }
    rm -f "$build/harm-$1-last"
    for pattern in $(field "$1" 2); do
        for object in $(find "$build" -path "*/CMakeFiles/*/$pattern.gcda"); do
            gcov -n "$object" 2>/dev/null
        done
    done | awk -v source="$source/" '
        /^File / { file = $2; gsub(/\047/, "", file); sub(source, "", file) }
        /^Lines executed:/ && file ~ /\.c$/ { share = $2; sub("executed:", "", share); print "    " file, share; file = "" }' |
        sort -u
}

failed=0
if has_libfuzzer; then
    version=$("$clang" -dumpversion | cut -d. -f1)
    profdata=llvm-profdata-$version
    cov=llvm-cov-$version
    # Nothing added to NULL is undefined in C17, and what every compiler takes it for.
    flags="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
    flags="$flags -fno-sanitize=function,pointer-overflow"
    build_in build-fuzz -DCMAKE_C_COMPILER="$clang" -DTRAUMA_FUZZER=ON \
        -DCMAKE_C_FLAGS="$flags -fprofile-instr-generate -fcoverage-mapping"
    for name in $names; do
        with_libfuzzer "$name"
    done
else
    echo "without clang's libFuzzer: our own driver"
    build_in build-fuzz-gcc -DTRAUMA_SANITIZE=ON -DCMAKE_C_FLAGS=--coverage
    for name in $names; do
        with_driver "$name"
    done
fi
exit "$failed"
