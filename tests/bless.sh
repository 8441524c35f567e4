#!/bin/sh
# Makes what the programs of tests/golden/ are now what is expected of them: sh tests/bless.sh
# Look at the difference before it is committed.
set -eu
cd "$(dirname "$0")/.."
build=build-tests

cmake -S . -B "$build" -DTRAUMA_TESTS=ON >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target trauma json_lines >/dev/null
BLESS=1 TRAUMA="$PWD/$build/trauma" JSON_LINES="$PWD/$build/tests/json_lines" SOURCE="$PWD" \
    sh tests/in_folder.sh "$PWD/tests/e2e/test_golden.sh"
echo "tests/golden/ is blessed"
