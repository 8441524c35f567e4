# Runs a test script in an empty folder of its own, which is gone afterwards: sh tests/in_folder.sh SCRIPT
# CTest gives TRAUMA (the program), SOURCE (the repository) and JSON_LINES (tests/json_lines.c); WORK is the folder.
set -eu

WORK=$(mktemp -d "${TMPDIR:-/tmp}/trauma-test-XXXXXX")
export WORK
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP

cd "$WORK"
status=0
sh "$1" || status=$?
exit "$status"
