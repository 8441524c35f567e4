# The Python package: the wheel, installed in an empty virtual environment, answers with frames and fails with exceptions;
# the notebook in examples/ runs.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/python_package.sh"
need_program python3
need_program valgrind
need_program flock
[ "$(uname -m)" = x86_64 ] || skip "the recipes here are for x86-64"
build=${JSON_LINES%/tests/*} # one for both tests that need it
python_tools "$build" >"$WORK/out" 2>"$WORK/err" || skip "pip installs nothing here: $(tail -n 1 "$WORK/err")"
cd "$WORK"

python_wheel "$build" >"$WORK/out" 2>"$WORK/err" || fail "no wheel"
python3 -m zipfile -l "$wheel" >names
for name in traumagen/__init__.py traumagen/py.typed traumagen/bin/trauma traumagen/lib/libjansson traumagen/lib/liblapack.so \
    traumagen/share/traumagen/templates/x86_64/ops.txt traumagen/share/traumagen/recipes/machines/zen5.lua; do
    expect_text names "$name"
done
for name in libc.so libm.so libgcc_s tests/ bench/; do
    expect_no_text names "$name"
done

# ---- installed, in an empty environment and an empty folder ----
python3 -m venv empty
empty/bin/pip install --quiet "$wheel" >"$WORK/out" 2>"$WORK/err" || fail "the wheel is not installed"
expect_exit 0 env PATH=/usr/bin:/bin empty/bin/trauma --version
expect_same "$(cat out)" "$("$TRAUMA" --version)" "the version"
mkdir folder
cd folder
write_recipe small.lua
expect_exit 0 "$WORK/empty/bin/python3" "$SOURCE/tests/e2e/python_calls.py" calls
# By another program than its own.
printf '#!/bin/sh\necho another\n' >another
chmod +x another
expect_exit 0 env TRAUMAGEN_PROGRAM="$PWD/another" "$WORK/empty/bin/python3" -c 'import traumagen; print(traumagen.version())'
expect_text out "another"
"$FX8320" results 1 >fx.jsonl
expect_exit 0 "$WORK/empty/bin/trauma" gen events -m skylake-sp -q -o events
expect_exit 0 "$WORK/empty/bin/python3" "$SOURCE/tests/e2e/python_calls.py" models
expect_exit 0 "$WORK/empty/bin/python3" "$SOURCE/tests/e2e/python_calls.py" progress

# ---- the page and the notebook ----
mkdir page
ln -s "$SOURCE/examples" page/examples
(cd page && expect_exit 0 "$WORK/empty/bin/python3" "$SOURCE/tests/e2e/python_calls.py" page "$SOURCE/docs/howto/python.md")
mkdir notebook
cd notebook
expect_exit 0 "$WORK/empty/bin/python3" "$SOURCE/tests/e2e/python_calls.py" notebook "$SOURCE/examples/waiting.ipynb"
expect_no_text err "Traceback"
for text in "0 additions wait: " "2 additions wait: " "ns per miss" "did you mean 'zen5'?"; do
    expect_text out "$text"
done
[ -s waiting.jsonl ] || fail "the notebook kept no results"
