# Every command that a page shows runs as shown, and every `trauma` command and option that it names exists. CTest runs
# this once for each page, with its path in PAGE (docs/PAGE); without PAGE it tests the reader of pages on pages of its own.
. "$SOURCE/tests/e2e/lib.sh"
need_program python3
cd "$WORK"
unset LC_ALL

if [ -n "${PAGE:-}" ]; then
    python3 "$SOURCE/tests/e2e/pages.py" check "$PAGE" >out 2>err || fail "$(cat out)"
    cat out
    # Reference pages agree with the program's own tables.
    name=$(expr "$PAGE" : 'docs/reference/\(.*\)\.md$') || exit 0
    if python3 "$SOURCE/tests/e2e/reference.py" | grep -q "^    reference.py $name "; then
        mkdir names && cd names
        python3 "$SOURCE/tests/e2e/reference.py" "$name" >../out 2>../err || fail "$(cat ../out)"
    fi
    exit 0
fi

# page TEXT: a repository of one page.
page()
{
    rm -rf tree here
    mkdir -p tree/docs tree/examples tree/recipes here
    printf '%s\n' "$1" >tree/README.md
    : >tree/CHANGELOG.md
    : >tree/docs/words.txt
}

# wrong TEXT: the page is found at fault, with this text.
wrong()
{
    (cd here && SOURCE="$WORK/tree" python3 "$SOURCE/tests/e2e/pages.py" check README.md) >out 2>err && fail "not found: $1"
    expect_text out "$1"
    expect_empty err
}

right()
{
    (cd here && SOURCE="$WORK/tree" python3 "$SOURCE/tests/e2e/pages.py" check README.md) >out 2>err || fail "$(cat out)"
    expect_empty err
}

head='# A page

It says something.
'
page "$head
<!-- file: sub/b.lua -->
\`\`\`lua
benchmark { name = \"b\", kernel = function() return { add {} } end }
\`\`\`

\`\`\`console
\$ trauma list sub/b.lua
anything
\$ cd sub; export WHERE=there
\`\`\`

<!-- output: compared -->
\`\`\`console
\$ echo \$WHERE; ls
there
b.lua
\$ printf 'a\\nb\\nc\\n'
a
...
c
\$ trauma list nowhere.lua >/dev/null 2>&1  # exits 2
\$ echo one \\
> two
one two
\`\`\`

<!-- not run: needs a meter -->
\`\`\`console
\$ trauma run b.lua --power powercap -o r.jsonl && trauma measure latency --json
\`\`\`

The option \`trauma gen b.lua -o suite --force\` exists."
right
expect_text out "6 commands run"

for text in 'trauma list --never' 'trauma lsit' 'trauma measure beauty' 'trauma measure latency --never' 'trauma gen -Z'; do
    page "$head
<!-- not run: it is wrong -->
\`\`\`console
\$ $text
\`\`\`"
    wrong README.md:7:
    page "$head
A span: \`$text\`."
    wrong README.md:5:
done
page "$head
\`\`\`console
\$ trauma list nowhere.lua
\`\`\`"
wrong "README.md:6: exit code 2 instead of 0"
page "$head
<!-- output: compared -->
\`\`\`console
\$ echo one
two
\`\`\`"
wrong "README.md:7: the output"
page "$head
    trauma list"
wrong "README.md:5: a command in an indented block"
page "$head
\`\`\`
trauma list
\`\`\`"
wrong "README.md:5: name the block's language"
page "# A page

- a list"
wrong "one sentence"
page "$head
$(printf '%0131d' 1)"
wrong "131 characters"

# faulty WHAT TEXT: links or spelling finds this.
faulty()
{
    SOURCE="$WORK/tree" python3 "$SOURCE/tests/e2e/pages.py" "$1" >out 2>err && fail "not found: $2"
    expect_text out "$2"
    expect_empty err
}
page "$head
[one](docs/none.md)"
faulty links "README.md:5: the link to docs/none.md leads nowhere"
page "$head
## Part one

[one](#part-one) [two](
README.md#part-two)"
faulty links "README.md:7: README.md has no heading for #part-two"
expect_no_text out part-one
page "$head
## One & two

[one](#one--two)"
faulty links "the site and GitHub differ"
if command -v hunspell >/dev/null 2>&1 && echo colour | hunspell -d en_GB -l >/dev/null 2>&1; then
    page "$head
A color, \`coolor\`, [culour](docs), L1D's behaviour.

    kolour"
    faulty spelling "README.md:5: 'color' is not in the dictionary"
    expect_text out "'culour'"
    expect_same "$(grep -c 'not in the dictionary' out)" 2 "words"
    printf 'b\na\n' >tree/docs/words.txt
    faulty spelling "docs/words.txt:2: 'a' stands after 'b'"
fi
