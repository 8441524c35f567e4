# The C files are laid out as .clang-format says. To lay one out: clang-format -i FILE
. "$SOURCE/tests/e2e/lib.sh"
need_version clang-format 14.

cd "$SOURCE"
find base isa generator sim runner model report session cli bench templates tests -name '*.[ch]' >"$WORK/files"
if ! xargs clang-format --dry-run -Werror <"$WORK/files" 2>"$WORK/complaints"; then
    grep 'error:' "$WORK/complaints" >"$WORK/err"
    fail "not laid out by .clang-format"
fi
