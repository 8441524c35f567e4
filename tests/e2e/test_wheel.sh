# The wheel on a fresh root of this system's release that has Python and pandas, but none of the libraries that the program needs:
# it brings them.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/python_package.sh"
[ "$(id -u)" = 0 ] || skip "only root makes a root folder"
for program in mmdebstrap python3 flock; do
    need_program $program
done
VERSION_CODENAME=
. /etc/os-release
mirror=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    sed -n "s/^Debian ${VERSION_CODENAME:-none} main //p" | head -n 1)
[ -n "$mirror" ] || skip "apt has no Debian mirror with lists (apt-get update)"
unshare --mount true 2>/dev/null || skip "no mounts of one's own (unshare --mount) here"
build=${JSON_LINES%/tests/*} # one for both tests that need it
python_tools "$build" >"$WORK/out" 2>"$WORK/err" || skip "pip installs nothing here: $(tail -n 1 "$WORK/err")"
cd "$WORK"
python_wheel "$build" >"$WORK/out" 2>"$WORK/err" || fail "no wheel"

# Without what is recommended, and so without BLAS, LAPACK's C interface, hwloc and the rest.
if ! mmdebstrap --quiet --variant=essential --aptopt='Acquire::Retries "3"' --aptopt='APT::Install-Recommends "false"' \
    --include=python3-pandas "$VERSION_CODENAME" "$WORK/root" "$mirror" >"$WORK/out" 2>"$WORK/err" </dev/null; then
    if grep -qE 'resol|onnect|Failed to fetch|timed out' "$WORK/err"; then
        skip "the mirror is not reached: $(grep -E 'resol|onnect|Failed to fetch|timed out' "$WORK/err" | head -n 1)"
    fi
    fail "no root with pandas"
fi
for library in libpfm libhwloc liblapacke liblua5.4 libjansson; do
    [ -z "$(find root/usr/lib -name "$library.so*")" ] || fail "the root has $library of its own: it proves nothing"
done
python3 -m zipfile -e "$wheel" root/usr/lib/python3/dist-packages
chmod 755 root/usr/lib/python3/dist-packages/traumagen/bin/trauma
write_recipe root/small.lua
cat >root/ask.py <<'PYTHON'
import pandas, traumagen
frame = traumagen.check("/small.lua", machine="zen5", counters="bytes,plan", quiet=True)
assert set(frame.hit) == {0.5, 0.75} and (frame[frame.metric == "mix.load"].verdict == "pass").all(), frame
try:
    traumagen.check("/nothing.lua")
except traumagen.Error as error:
    assert error.code == 2, error
print("pandas", pandas.__version__, "traumagen", traumagen.version())
PYTHON
expect_exit 0 unshare --mount sh -euc 'mount --bind /proc "$1/proc"; exec chroot "$1" env -i PATH=/usr/bin:/bin LC_ALL=C python3 /ask.py' \
    sh "$WORK/root"
expect_text out "traumagen $("$TRAUMA" --version | cut -d ' ' -f 2)"
