# Programs for GPUs, each with one promise broken: where blocks run, the order in shared memory, clocks, totals, what is written.
# As they are they pass, and of their mutants at least 95 of 100 fail. MUTANTS=0 makes all of them, and not some drawn by a seed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
command -v python3 >/dev/null 2>&1 || skip "no python3"
python3=$(command -v python3)

mkdir ptx gcn
cd ptx || exit 1
expect_exit 0 "$python3" "$SOURCE/tests/e2e/gpu_mutants.py" ptx --count "${MUTANTS:-100}"
expect_no_text out "^0 of"
cd ../gcn || exit 1
got=0
"$python3" "$SOURCE/tests/e2e/gpu_mutants.py" gcn --count "${MUTANTS:-40}" >out 2>err || got=$?
[ $got -ne 77 ] || skip "this LLVM assembles nothing for AMD's GPUs; all else passed"
[ $got -eq 0 ] || fail "$(cat out err)"
