# Runs a test script in an empty folder of its own, which is gone afterwards: sh tests/in_folder.sh SCRIPT
# CTest gives TRAUMA (the program), SOURCE (the repository) and JSON_LINES (tests/json_lines.c); WORK is the folder.
set -eu

WORK=$(mktemp -d "${TMPDIR:-/tmp}/trauma-test-XXXXXX")
XDG_CONFIG_HOME="$WORK/config" # what a user's own machine has learned is not for tests
TRAUMA_POWER=none # nor are its sensors: a test that wants one names it, or has a machine's files of its own (--sysfs-root)
export WORK XDG_CONFIG_HOME TRAUMA_POWER
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP

# What hangs is ended by its own time, as a loaded machine takes its: CTest's limits by the clock are far above it.
ulimit -t 1200

cd "$WORK"
status=0
sh "$1" || status=$?
exit "$status"
