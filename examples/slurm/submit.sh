#!/bin/sh
# Splits a suite over the nodes of a Slurm cluster and joins the results:
#
#     sh examples/slurm/submit.sh SUITE FOLDER TASKS [SBATCH OPTIONS...]
#
# SUITE is a suite from `trauma gen`, or a recipe; FOLDER must be new, on a file system that all nodes share. Prints the
# numbers of the two jobs. TRAUMA is the program (else `trauma` of the PATH, else build/trauma).
set -eu
here=$(cd "$(dirname "$0")" && pwd)

stop()
{
    echo "submit.sh: $*" >&2
    exit 2
}

[ $# -ge 3 ] || stop "usage: sh submit.sh SUITE FOLDER TASKS [SBATCH OPTIONS...]"
suite=$1
folder=$2
tasks=$3
shift 3
case $tasks in
'' | *[!0-9]* | 0*) stop "TASKS is how many nodes share the suite, 1 or more; found '$tasks'" ;;
esac
trauma=${TRAUMA:-$(command -v trauma || echo "$here/../../build/trauma")}
[ -x "$trauma" ] || stop "there is no program $trauma: build it, or set TRAUMA=PATH"
command -v sbatch >/dev/null || stop "there is no sbatch: is this a node of a Slurm cluster?"
[ -e "$suite" ] || stop "there is no suite $suite"
[ ! -e "$folder" ] || stop "$folder exists already: results are not overwritten"
mkdir -p "$folder/parts"
folder=$(cd "$folder" && pwd)
suite=$(cd "$(dirname "$suite")" && pwd)/$(basename "$suite")

measure=$(sbatch --parsable --array="1-$tasks" --output="$folder/parts/%a.log" "$@" \
    "$here/measure.sbatch" "$trauma" "$suite" "$folder")
# However the tasks end: their measurements are worth merging.
merge=$(sbatch --parsable --dependency="afterany:${measure%%;*}" --output="$folder/merge.log" "$@" \
    "$here/merge.sbatch" "$trauma" "$folder")
echo "${measure%%;*} ${merge%%;*}"
