#!/bin/sh
# All tests, from a fresh Debian 12 or 13 on, from any directory:
#
#     sh tests/run.sh
#
# As root, which is needed only to install missing packages. The last line is "N passed, N failed, N skipped".
set -eu
program=run.sh
cd "$(dirname "$0")/.."
. examples/packages.sh

build=build-tests

step "host"
sh tests/host.sh

step "packages"
# xmllint and a browser check reports, Perl checks TAP, and Python measures memory; PoCL runs OpenCL C on the processor; qemu
# counts in caches, for a program alone and on boards; LLVM's tools compile, link and disassemble for AMD's GPUs; other
# compilers and binutils read the output and link objects of all processors; shells complete commands, groff formats manual
# pages; mmdebstrap makes the root that the package is installed in; a spell checker and a site generator read the documents.
need_packages $build_packages $run_packages libcmocka-dev cppcheck clang-format libxml2-utils perl python3 chromium \
    ocl-icd-libopencl1 pocl-opencl-icd qemu-user $qemu_system_packages clang-$llvm lld-$llvm llvm-$llvm g++ binutils \
    binutils-aarch64-linux-gnu binutils-riscv64-linux-gnu gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu libc6-dev-arm64-cross \
    libc6-dev-riscv64-cross zsh fish groff-base \
    ccache dpkg-dev file mmdebstrap hunspell hunspell-en-gb mkdocs strace python3-pip python3-venv python3-dev xz-utils

# NVIDIA's disassembler, which Debian does not have, shows what ptxas made of programs, where there is one.
tools=$PWD/$build/tools
if command -v ptxas >/dev/null || [ -x /usr/local/cuda/bin/ptxas ]; then
    found=$(find "$tools" -name nvdisasm -type f 2>/dev/null | head -n 1)
    if [ -z "$found" ] && ! command -v nvdisasm >/dev/null; then
        timeout 120 python3 -m pip install --quiet --no-deps --target "$tools" nvidia-cuda-nvdisasm || echo "without nvdisasm"
        found=$(find "$tools" -name nvdisasm -type f 2>/dev/null | head -n 1)
    fi
    [ -z "$found" ] || PATH=$PATH:$(dirname "$found")
    export PATH
fi

# What builds the Python package and reads its frames; without a registry its tests are skipped.
SOURCE=$PWD
. tests/python_package.sh
python_tools "$PWD/$build" || echo "without what the Python package needs"

# A simulator of caches in Python, which is judged by the programs' traces.
if ! PYTHONPATH=$tools python3 -c 'import cachesim' 2>/dev/null; then
    timeout 300 python3 -m pip install --quiet --no-deps --target "$tools" pycachesim || echo "without pycachesim"
fi
PYTHONPATH=$tools${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH

# A single test needs Slurm and is skipped without it. Its packages start services, which are not wanted on a
# personal machine.
if [ "$(id -u)" -eq 0 ] && [ -n "${CI:-}" ]; then
    (need_packages slurmctld slurmd slurm-client munge) || echo "without Slurm"
fi

# The same sources are compiled for the program, its package and the Python package: once is enough, in any folder.
: "${CMAKE_C_COMPILER_LAUNCHER:=ccache}" "${CCACHE_BASEDIR:=$PWD}" "${CCACHE_NOHASHDIR:=1}"
export CMAKE_C_COMPILER_LAUNCHER CCACHE_BASEDIR CCACHE_NOHASHDIR

step "configure"
cmake -S . -B "$build" -DTRAUMA_WERROR=ON -DTRAUMA_SANITIZE=ON -DTRAUMA_TESTS=ON || stop "cmake failed"

step "build"
cmake --build "$build" --parallel "$(nproc)" || stop "the build failed"

# Sanitizers do not run under a memory limit, and packages have none: some tests use a program without them, and models are
# judged by many machines.
step "build without sanitizers"
cmake -S . -B build -DTRAUMA_TRIALS=ON || stop "cmake failed"
cmake --build build --parallel "$(nproc)" || stop "the build failed"
(cd build && cpack -G DEB) || stop "cpack failed"

# Three at a time on two processors and, beside them, some that wait for meters and for pauses: a test takes two of the seven,
# one that waits takes one.
step "tests"
status=0
report="$build/tests.xml"
rm -f "$report"
(cd "$build" && ctest --output-on-failure -j7 --output-junit tests.xml) || status=$?
[ -s "$report" ] || stop "ctest wrote no report"

# The number of tests with this result: run, fail, or notrun. $1: the result, $2: the report.
count()
{
    grep -c "<testcase .*status=\"$1\"" "$2" || true
}
passed=$(count run "$report")
failed=$(count fail "$report")

# Some tests measure time, which other programs on a shared machine disturb: the few that failed run once more, alone.
# Those that pass only then are named.
again="$build/tests-again.xml"
rm -f "$again"
if [ "$status" -ne 0 ] && [ "$failed" -gt 0 ] && [ "$failed" -le 10 ]; then
    step "the tests that failed, one at a time"
    names=$(sed -n 's/.*<testcase name="\([^"]*\)".*status="fail".*/\1/p' "$report" | tr '\n' ' ')
    status=0
    (cd "$build" && ctest --rerun-failed --output-on-failure --output-junit tests-again.xml) || status=$?
    [ -s "$again" ] || stop "ctest wrote no report of the second run"
    passed=$((passed + $(count run "$again")))
    failed=$(count fail "$again")
    echo "failed beside other tests: ${names}- of these $failed failed alone as well"
fi
echo "load after the tests: $(cut -d ' ' -f 1-3 /proc/loadavg)"
echo "$passed passed, $failed failed, $(count notrun "$report") skipped"
exit "$status"
