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

# What is on its way out: these figures may only shrink. Whoever lowers one writes the new number here.
#   at_most NUMBER FILE WORDS...: the file has a line for each.
at_most()
{
    most=$1
    found=$(wc -l <"$2")
    shift 2
    [ "$found" -le "$most" ] || complain "$found $*: at most $most, and fewer each time"
}
find $floors bench -name '*.[ch]' >"$WORK/sources"

# Folders that include each other, however far off; a folder and its own subfolders may.
xargs grep -H '^#include "' <"$WORK/sources" | sed -nE 's|^(.*)/[^/:]*:#include "(.*)/[^/"]*".*|\1 \2|p' |
    awk 'index($1 "/", $2 "/") != 1 && index($2 "/", $1 "/") != 1' | sort -u |
    awk '{ reach[$1, $2]; name[$1]; name[$2] }
         END {
             for (by in name) for (from in name) if ((from, by) in reach)
                 for (to in name) if ((by, to) in reach) reach[from, to]
             for (from in name) if ((from, from) in reach) print from
         }' >"$WORK/circling"
at_most 0 "$WORK/circling" "folders are in a circle"

# Headers that one module alone includes: what is theirs is static there.
xargs grep -H '^#include "' <"$WORK/sources" | sed -E 's|^(.*/)?([^/]*)\.[ch]:#include "(.*/)?([^/"]*)\.h".*|\4 \2|' |
    awk '$1 != $2' | sort -u | cut -d ' ' -f 1 | uniq -u >"$WORK/lonely"
at_most 64 "$WORK/lonely" "headers have one user"

# A name of a type means one thing.
xargs grep -hoE '^(struct|enum|union) [A-Za-z0-9_]+ \{' <"$WORK/sources" | cut -d ' ' -f 2 | sort |
    uniq -d >"$WORK/twice"
at_most 0 "$WORK/twice" "names of types are defined more than once"

# JSON is a form of files; between modules data are structs.
grep -v '^base/' "$WORK/sources" | xargs grep -lw json_t >"$WORK/json" || true
at_most 109 "$WORK/json" "files above base/ use json_t"

# Processes are started in few places, where their ends are supervised.
xargs grep -nE '(^|[^_a-z])(v?fork|posix_spawnp?|clone)\(' <"$WORK/sources" | grep -v '[*]' >"$WORK/forks" || true
at_most 1 "$WORK/forks" "places start processes"

[ ! -s "$WORK/err" ] || fail "rules of the house are broken"
