# The README's recipe, commands and files exist and work as shown.
. "$SOURCE/tests/e2e/lib.sh"

sed -n '/^benchmark {/,/^}/p' "$SOURCE/README.md" >shown.lua
sed -n '/^benchmark {/,/^}/p' "$SOURCE/examples/my.lua" >there.lua
[ -s shown.lua ] || fail "the README shows no recipe"
cmp shown.lua there.lua || fail "the README's recipe is not examples/my.lua"
! grep -n '@@' "$SOURCE/README.md" || fail "a gap in the README"

expect_exit 0 "$TRAUMA" gen shown.lua -m zen5 -o suite
expect_exit 0 "suite/my/dependents=2,miss=0.37/program" 1000
expect_text out '{"iterations":1000,"ticks":'
expect_exit 0 "$TRAUMA" check shown.lua -m zen5 --filter dependents=2,miss=0.37 --counters bytes,cachegrind,plan
expect_text out "my/dependents=2,miss=0.37  l1d.miss_rate"

# Every command and every file that it names is there.
for command in $(grep -o 'trauma [a-z]* ' "$SOURCE/README.md" | cut -d ' ' -f 2 | sort -u); do
    expect_exit 0 "$TRAUMA" "$command" --help
done
for name in examples/quickstart.sh tests/run.sh examples/harness.c recipes/machines templates/x86_64; do
    [ -e "$SOURCE/$name" ] || fail "$name is not there"
done
if command -v cc >/dev/null 2>&1; then
    expect_exit 0 cc -std=c17 -Wall -Wextra -Werror -Isuite "$SOURCE/examples/harness.c" \
        "suite/my/dependents=0,miss=0.03/program.o" -o harness
    expect_exit 0 ./harness
fi
