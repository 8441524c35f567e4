# Runs a model's trials without sanitizers: sh tests/trial.sh PROGRAM SOURCE TEST.c (tests/model/CMakeLists.txt). One that is
# missing, or older than what it is built from, is skipped: it would judge another model.
set -eu
if [ ! -x "$1" ]; then
    echo "skipped: $1 is not built: cmake -S . -B build -DTRAUMA_TRIALS=ON && cmake --build build"
    exit 77
fi
newer=$(find "$2/base" "$2/runner" "$2/model" "$2/tests/model" "$3" \( -path "$3" -o -name '*.h' -o -name '*.c' ! -path "$2/tests/*" \) \
    -newer "$1" | head -n 1)
if [ -n "$newer" ]; then
    echo "skipped: $1 is older than $newer: cmake --build build"
    exit 77
fi
ulimit -t 1200
exec "$1"
