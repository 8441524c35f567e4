# The rules of the house (DESIGN.md section 11) that a script can see.
. "$SOURCE/tests/e2e/lib.sh"
cd "$SOURCE"
floors="base isa generator sim runner model report session cli"

# What a person wrote: no build folders, no expectations of golden tests, no input for fuzzing, no pictures.
find $floors bench docs tests templates recipes cmake examples .ci CMakeLists.txt -type f \
    ! -name 'expected.*' ! -name '*.png' ! -name '*.svg' ! -name '*.co' ! -path '*/hostile/*' ! -path '*/corpus/*' >"$WORK/files"

complain()
{
    echo "$*" >>"$WORK/err"
}
: >"$WORK/err"

# Each floor includes only floors below it.
below=""
for floor in $floors; do
    below="$below $floor"
    find "$floor" -name '*.[ch]' -exec grep -Hn '^#include "' {} + >"$WORK/includes" || true
    while IFS= read -r line; do
        included=${line#*\#include \"}
        case " $below " in
        *" ${included%%/*} "*) ;;
        *) complain "$line: $floor includes only $below" ;;
        esac
    done <"$WORK/includes"
done

# No circle of includes: X.c and X.h are one module, and no module includes one that includes it, however far off.
find $floors -name '*.[ch]' -exec grep -H '^#include "' {} + |
    sed -E 's/^([^:]*)\.[ch]:#include "([^"]*)\.[ch]".*/\1 \2/' | awk '$1 != $2' | sort -u >"$WORK/edges"
tsort "$WORK/edges" >/dev/null 2>"$WORK/circles" || grep -v 'input contains a loop' "$WORK/circles" |
    sed 's/^tsort: /in a circle of includes: /' >>"$WORK/err"

# No two modules of one name.
find $floors -name '*.[ch]' | sed -E 's/\.[ch]$//' | sort -u | sed 's|.*/||' | sort | uniq -d |
    sed 's/^/two modules of this name: /' >>"$WORK/err"

# Nothing below cli/ prints or exits; what is written to a stream goes to the caller's. The plugin runs in QEMU.
find base isa generator sim runner model report session -name '*.c' ! -path 'generator/recipe/sandbox_*' ! -name child_start.c \
    ! -path 'sim/qemu/*' \
    -exec grep -nHE '(^|[^_a-z])(printf|puts|putchar|exit) *\(|(^|[^_A-Za-z])(stdout|stderr)[^_A-Za-z]' {} + >>"$WORK/err" || true

while IFS= read -r file; do
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || complain "$file: its last line has no end"
done <"$WORK/files"
xargs grep -nHE '[[:blank:]]$' <"$WORK/files" >>"$WORK/err" || true

# Marks of work left undone, and folders of one machine. The patterns must not match themselves.
undone='TO''DO|FIX''ME|XX''X|HA''CK'
xargs grep -nHwE "$undone" <"$WORK/files" >>"$WORK/err" || true
xargs grep -nHE '/(work|home|root)''/' <"$WORK/files" >>"$WORK/err" || true

# A test that is skipped says why (tests/skip.h).
find tests -name '*.c' -exec grep -nHE '(^|[^_a-z])skip\(\)' {} + >>"$WORK/err" || true

# Every header says what it is for, and is guarded.
find $floors bench templates -name '*.h' >"$WORK/headers"
while IFS= read -r file; do
    head -c 2 "$file" | grep -q '^/\*' || complain "$file: does not begin with what it is for"
    grep -q '^#ifndef .*_H$' "$file" || complain "$file: has no guard"
done <"$WORK/headers"

[ ! -s "$WORK/err" ] || fail "rules of the house are broken"
