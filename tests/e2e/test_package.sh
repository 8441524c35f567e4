# The Debian package on a fresh root of this system's release, with apt and the release's own packages: it installs, the
# quickstart's commands work in an empty folder as an ordinary user, and removing it leaves nothing.
. "$SOURCE/tests/e2e/lib.sh"
cd "$WORK"

# That of the build without sanitizers, as docs/releasing.md makes it.
package=$(find "$SOURCE/build" -maxdepth 1 -name 'traumagen_*.deb' -newer "$SOURCE/build/trauma" 2>/dev/null | head -n 1)
[ -n "$package" ] || skip "no package in build/ is as new as its program: cmake --build build && (cd build && cpack -G DEB)"
[ "$(id -u)" = 0 ] || skip "only root makes a root folder"
need_program mmdebstrap
need_program unshare
VERSION_CODENAME=
. /etc/os-release
[ -n "$VERSION_CODENAME" ] || skip "the system's release has no name (/etc/os-release)"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    sed -n "s/^Debian $VERSION_CODENAME main //p" | head -n 1)
[ -n "$mirror" ] || skip "apt has no Debian mirror with lists (apt-get update)"
unshare --mount true 2>/dev/null || skip "no mounts of one's own (unshare --mount) here"

# ---- the root: what is essential, apt, the package's own dependencies, and what it recommends for the quickstart ----
if ! mmdebstrap --quiet --variant=apt --aptopt='Acquire::Retries "3"' --include=passwd,valgrind,gnuplot-nox,fonts-dejavu-core \
    --customize-hook="cp '$package' \"\$1/traumagen.deb\"" \
    --customize-hook='chroot "$1" apt-get install -y --no-install-recommends /traumagen.deb' \
    --customize-hook='chroot "$1" useradd --create-home --home-dir /srv/someone someone' \
    "$VERSION_CODENAME" "$WORK/root" "$mirror" >"$WORK/out" 2>"$WORK/err" </dev/null; then
    if grep -qE 'resol|onnect|Failed to fetch|timed out' "$WORK/err"; then
        skip "the mirror $mirror is not reached: $(grep -E 'resol|onnect|Failed to fetch|timed out' "$WORK/err" | head -n 1)"
    fi
    fail "no root with the package"
fi
expect_exit 0 chroot root dpkg --status traumagen
expect_text out "Status: install ok installed"
expect_same "$(chroot root trauma --version | cut -d ' ' -f 2)" "$(sed -n 's/^Version: \([^ -]*\).*/\1/p' "$WORK/out")" "version"

# in_root WORDS...: as an ordinary user in the home folder, with /proc and /sys, which are mounted for this command alone.
in_root()
{
    unshare --mount sh -euc 'root=$1; shift
        mount --bind /proc "$root/proc"
        mount --bind /sys "$root/sys"
        exec chroot --userspec=1000:1000 --groups= "$root" \
            env -i HOME=/srv/someone PATH=/usr/bin:/bin LC_ALL=C "$@"' sh "$WORK/root" "$@"
}

# ---- the quickstart, but for the packages and the build ----
{
    echo 'set -eu; cd; mkdir quickstart; trauma=trauma; recipe=traumagen-2001/dcache'
    grep -E '^"\$trauma" ' "$SOURCE/examples/quickstart.sh" | sed 's/ || stop .*//'
} >root/srv/someone/commands
[ "$(grep -c '^"\$trauma"' root/srv/someone/commands)" -ge 5 ] || fail "the quickstart has other commands: $(cat root/srv/someone/commands)"
chmod 644 root/srv/someone/commands
expect_exit 0 in_root sh /srv/someone/commands
for file in suite/suite.json results.jsonl check.txt dcache.svg dcache.png report.html; do
    [ -s "root/srv/someone/quickstart/$file" ] || fail "the quickstart made no $file"
done
expect_same "$(wc -l <root/srv/someone/quickstart/results.jsonl)" 34 "lines of results"
grep -q "cachegrind" root/srv/someone/quickstart/check.txt || fail "nothing was judged by cachegrind"

# What a newcomer tries next.
expect_exit 0 in_root trauma list
expect_text out traumagen-2001/dcache
expect_exit 0 in_root trauma help gen
[ -f root/usr/share/bash-completion/completions/trauma ] || fail "no completion for bash"

# ---- and away again ----
chroot root dpkg --listfiles traumagen | grep -i trauma >listed
[ -s listed ] || fail "the package lists no files"
expect_exit 0 chroot root dpkg --purge traumagen
while read -r path; do
    [ ! -e "root$path" ] || echo "$path"
done <listed >left
expect_empty left
