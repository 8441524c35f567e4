# What cmake --install and the Debian package hold, and that it works from an empty folder as an ordinary user.
. "$SOURCE/tests/e2e/lib.sh"
need_program cmake
build=$(dirname "$TRAUMA")
[ -f "$build/shell/made" ] || skip "the manual and the completions are not built: cmake --build $build --target trauma_shell"
cd "$WORK"

expect_exit 0 cmake --install "$build" --prefix "$WORK/stage/usr"
prefix="$WORK/stage/usr"
for file in bin/trauma share/traumagen/templates/x86_64/ops.txt share/traumagen/recipes/machines/zen5.lua \
    share/bash-completion/completions/trauma share/zsh/site-functions/_trauma share/fish/vendor_completions.d/trauma.fish \
    share/man/man1/trauma.1 share/man/man1/trauma-gen.1 share/pkgconfig/traumagen.pc include/traumagen/trauma.h; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done
documents=$(dirname "$(find "$prefix/share/doc" -name CHANGELOG.md)")
for file in README.md LICENSE docs/reference/recipes.md docs/linking.md docs/figures/dcache.png examples/harness.c examples/pair.c \
    examples/my.lua recipes/README.md; do
    [ -f "$documents/$file" ] || fail "$file is not among the documents"
done

# Links of the pages lead to what is installed.
(cd "$documents" && find . -name '*.md') | while read -r page; do
    tr '\n' ' ' <"$documents/$page" | grep -o ']([^)# ]*[^) ]*)' | sed 's/^](//; s/[)#].*$//' |
        grep -v '^http' | grep -v '^$' | sort -u | while read -r link; do
        [ -e "$documents/$(dirname "$page")/$link" ] || echo "$page: $link"
    done
done >dead
grep -v 'docs/house.md' dead >others || true
expect_empty others

# ---- the object in a harness, by pkg-config ----
mkdir empty && cd empty
if command -v pkg-config >/dev/null 2>&1 && command -v cc >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
    write_recipe small.lua
    expect_exit 0 "$prefix/bin/trauma" gen small.lua -m pentium-pro -o suite
    flags=$(PKG_CONFIG_PATH="$prefix/share/pkgconfig" pkg-config --cflags traumagen)
    harness=$(PKG_CONFIG_PATH="$prefix/share/pkgconfig" pkg-config --variable=examples traumagen)/harness.c
    expect_exit 0 cc -std=c11 $flags "$harness" suite/small/hit=0.5/program.o -o harness
    expect_exit 0 ./harness
fi
cd "$WORK"

# ---- and away again, but for what others put there ----
touch "$prefix/bin/other" "$prefix/share/traumagen/recipes/own.lua"
cp "$build/install_manifest.txt" manifest
expect_exit 0 cmake "-DMANIFEST=$WORK/manifest" -P "$SOURCE/cmake/uninstall.cmake"
find "$prefix" -type f | sed "s|^$prefix/||" | sort >left
expect_same "$(tr '\n' ' ' <left)" "bin/other share/traumagen/recipes/own.lua " "files left"
[ ! -d "$prefix/share/doc/traumagen" ] || fail "an empty folder is left"
expect_exit 1 cmake "-DMANIFEST=$WORK/manifest" -P "$SOURCE/cmake/uninstall.cmake"
expect_text err "nothing was installed"
rm "$prefix/bin/other" "$prefix/share/traumagen/recipes/own.lua"
expect_exit 0 cmake --install "$build" --prefix "$prefix"

# ---- the package, on a fresh root ----
for program in cpack dpkg dpkg-deb dpkg-shlibdeps; do
    need_program $program
done
mkdir package fresh fresh/var fresh/var/lib fresh/var/lib/dpkg fresh/var/lib/dpkg/updates fresh/var/lib/dpkg/info
: >fresh/var/lib/dpkg/status
(cd package && expect_exit 0 cpack -G DEB --config "$build/CPackConfig.cmake" -D CPACK_INSTALL_CMAKE_PROJECTS= \
    -D "CPACK_INSTALLED_DIRECTORIES=$WORK/stage;." -D "CPACK_PACKAGE_DIRECTORY=$WORK/package")
package=$(find package -maxdepth 1 -name 'traumagen_*.deb')
[ -n "$package" ] || fail "no package was made: $(cat "$WORK/out")"
dpkg-deb --info "$package" >info
for text in "Package: traumagen" "Version: $("$TRAUMA" --version | cut -d ' ' -f 2)" "liblua5.4" "libjansson4" "Recommends: valgrind"; do
    grep -qF "$text" info || fail "the package says no '$text': $(cat info)"
done
expect_exit 0 dpkg --root="$WORK/fresh" --force-not-root --force-depends --force-bad-path --log=/dev/null -i "$package"
grep -qF "Status: install ok installed" fresh/var/lib/dpkg/status || fail "the package is not installed"
expect_exit 0 fresh/usr/bin/trauma list
expect_text out bandwidth/streams

# As an ordinary user, in an empty folder: the quickstart's commands.
chmod 755 "$WORK"
mkdir user
as_user=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null 2>&1; then
    chown 65534:65534 user
    as_user="setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$WORK/user"
fi
cd user
installed="$as_user $WORK/fresh/usr/bin/trauma"
expect_exit 0 $installed gen traumagen-2001/dcache -m zen5 --filter 'dependents=1,hit=0.5' -o suite
[ -f suite/suite.json ] || fail "no suite"
expect_exit 0 $installed check suite --counters bytes,plan
expect_exit 0 $installed run traumagen-2001/dcache --filter 'dependents=1,hit=0.5' --reps 1 --time 0.001 --counters plan -o results.jsonl
expect_exit 0 $installed report results.jsonl -o report.html
