# A program finds its templates relative to itself: in a moved source tree, a copied build folder, or installed under
# any prefix; without them it says what to do.
. "$SOURCE/tests/e2e/lib.sh"
write_recipe small.lua

# A source tree with its build folder, as it is after a move: nothing in it names where it is now.
mkdir -p moved/build/deep moved/base/files
cp -R "$SOURCE/templates" "$SOURCE/recipes" moved
cp "$SOURCE/base/files/paths.c" moved/base/files
cp "$TRAUMA" moved/build/trauma
echo "CMAKE_HOME_DIRECTORY:INTERNAL=/nonexistent/tree" >moved/build/CMakeCache.txt
expect_exit 0 moved/build/trauma gen small.lua -o from-moved
expect_exit 0 "$TRAUMA" gen small.lua -o from-here
diff -r from-moved from-here >differences || fail "the moved program writes something else: $(head differences)"
# They are its own: a change to them is seen.
rm -r moved/templates/x86_64
expect_exit 2 moved/build/trauma gen small.lua -o none
[ ! -d none ] || fail "a suite without templates was written"

# A build folder alone: the tree that it was made from.
mkdir -p copied/sub
mv moved/build/trauma copied/sub/trauma
printf '# made by CMake\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\nOTHER:STRING=1\n' "$SOURCE" >copied/CMakeCache.txt
expect_exit 0 copied/sub/trauma gen small.lua -o from-copied
diff -r from-copied from-here >differences || fail "the copied program writes something else: $(head differences)"

# Installed.
mkdir -p prefix/bin prefix/share/traumagen
mv copied/sub/trauma prefix/bin
cp -R "$SOURCE/templates" "$SOURCE/recipes" prefix/share/traumagen
expect_exit 0 prefix/bin/trauma gen small.lua -o from-prefix

# Alone: where it looked, and what helps wherever the user stands; no other tree is named.
mkdir alone
mv prefix/bin/trauma alone
expect_exit 1 alone/trauma gen small.lua -o none
expect_text err "no templates/ for the program in $WORK/alone"
expect_text err "TRAUMA_ROOT=DIR"
expect_no_text err "$SOURCE"
# The advice works from where the user stands: by the variable, and by a copy beside the program.
TRAUMA_ROOT="$SOURCE" expect_exit 0 alone/trauma gen small.lua -o from-named
diff -r from-named from-here >differences || fail "the program with TRAUMA_ROOT writes something else: $(head differences)"
TRAUMA_ROOT="$WORK/prefix/share/traumagen" expect_exit 0 alone/trauma gen small.lua -o from-named-prefix
TRAUMA_ROOT="$WORK/alone" expect_exit 4 alone/trauma gen small.lua -o none
expect_text err "TRAUMA_ROOT is $WORK/alone: it has no templates/"
cp -R "$SOURCE/templates" "$SOURCE/recipes" alone
expect_exit 0 alone/trauma gen small.lua -o from-beside
rm -r alone/templates alone/recipes
# A folder that only looks like a source tree is none.
mkdir templates recipes
expect_exit 1 alone/trauma gen small.lua -o none
