#!/bin/sh
# Makes what the programs of tests/golden/ are now what is expected of them, and writes the reference pages that the program's
# own tables make: sh tests/bless.sh
# Look at the difference before it is committed.
set -eu
cd "$(dirname "$0")/.."
build=build-tests

cmake -S . -B "$build" -DTRAUMA_TESTS=ON >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target trauma json_lines >/dev/null
BLESS=1 TRAUMA="$PWD/$build/trauma" JSON_LINES="$PWD/$build/tests/json_lines" SOURCE="$PWD" \
    sh tests/in_folder.sh "$PWD/tests/e2e/test_golden.sh"
echo "tests/golden/ is blessed"
for page in metrics commands; do
    SOURCE="$PWD" TRAUMA="$PWD/$build/trauma" python3 tests/e2e/reference.py $page --write
done
echo "docs/reference/metrics.md and commands.md are written"
