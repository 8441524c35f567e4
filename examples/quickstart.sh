#!/bin/sh
# From a fresh Debian 12 or 13 to a checked figure of the 2001 paper, made on this machine:
#
#     sh examples/quickstart.sh
#
# As root, which is needed only to install missing packages. All output is in build/ and quickstart/.
set -eu
program=quickstart.sh
cd "$(dirname "$0")/.."
. examples/packages.sh

trauma=build/trauma
recipe=traumagen-2001/dcache

step "packages"
need_packages $build_packages $run_packages

step "build"
mkdir -p build || stop "cannot write to $(pwd)"
cmake -S . -B build >build/configure.log || stop "cmake failed; build/configure.log has its output"
cmake --build build --parallel "$(nproc)" >build/build.log || stop "the build failed; the end of build/build.log says why"

step "generate $recipe for this machine"
rm -rf quickstart
mkdir quickstart
"$trauma" gen "$recipe" -o quickstart/suite

step "run"
"$trauma" run quickstart/suite -o quickstart/results.jsonl --reps 3 --time 0.02 || stop "the run failed"

step "check"
"$trauma" check quickstart/results.jsonl >quickstart/check.txt || stop "a rate missed its target; see quickstart/check.txt"
sed '/^$/q' quickstart/check.txt

step "plot"
"$trauma" plot quickstart/results.jsonl -o quickstart/dcache.svg
"$trauma" plot quickstart/results.jsonl -o quickstart/dcache.png --quiet

step "report"
"$trauma" report quickstart/results.jsonl -o quickstart/report.html --quiet

step "done"
echo "quickstart/suite          programs, their assembly and their manifests"
echo "quickstart/results.jsonl  their measurements here"
echo "quickstart/check.txt      the verdict on every rate, with its evidence"
echo "quickstart/dcache.svg     the figure, also as .png"
echo "quickstart/report.html    all of it as one page"
