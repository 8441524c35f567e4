# Runs a test's trials without sanitizers: sh tests/trial.sh PROGRAM SOURCE TEST.c (tests/trials.cmake). One that is
# missing, or older than what it is built from, is skipped: it would judge another model.
set -eu
if [ ! -x "$1" ]; then
    echo "skipped: $1 is not built: cmake -S . -B build -DTRAUMA_TRIALS=ON && cmake --build build"
    exit 77
fi
# Of the tests' headers those that it includes; qemu's plugin is no part of the library.
included=$(sed -n "s|^#include \"\\(tests/.*\\)\"|$2/\\1|p" "$3")
# shellcheck disable=SC2086 # a word for each
newer=$(find "$2/base" "$2/isa" "$2/generator" "$2/sim" "$2/runner" "$2/model" "$3" $included -path "$2/sim/qemu" -prune -o \
    \( -name '*.h' -o -name '*.c' \) -newer "$1" -print | head -n 1)
if [ -n "$newer" ]; then
    echo "skipped: $1 is older than $newer: cmake --build build"
    exit 77
fi
ulimit -t 1200
exec "$1"
