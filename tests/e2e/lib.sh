# What the end-to-end tests share. A test is run by tests/in_folder.sh and begins with: . "$SOURCE/tests/e2e/lib.sh"
set -eu
LC_ALL=C
export LC_ALL

# fail WORDS...: ends the test.
fail()
{
    echo "FAILED: $*" >&2
    if [ -s "$WORK/err" ]; then
        sed 's/^/  stderr: /' "$WORK/err" | tail -n 20 >&2
    fi
    exit 1
}

# skip WORDS...: ends the test as one that cannot run here.
skip()
{
    echo "skipped: $*"
    exit 77
}

# PLAIN: the program without sanitizers, where build/ has one of these sources; else the one under test. It repeats for
# more machines what a test did with sanitizers for one.
plain_program()
{
    PLAIN=$SOURCE/build/trauma
    if [ ! -x "$PLAIN" ] || [ -n "$(find "$SOURCE" -path "$SOURCE/build*" -prune -o -path "$SOURCE/tests" -prune -o \
        \( -name '*.[ch]' -o -name '*.lua' -path '*/prelude/*' \) -newer "$PLAIN" -print | head -n 1)" ]; then
        PLAIN=$TRAUMA
    fi
}

# Runs the command without sanitizers, under which a test takes three times as long: that of many programs, or of many
# processes. Shorter ones execute the same code with them, and TRAUMA_SANITIZED=all gives them to every test.
without_sanitizers()
{
    [ "${TRAUMA_SANITIZED:-}" != all ] || return 0
    plain_program
    TRAUMA=$PLAIN
}

# Seconds of processor time, which others than this test and its ended programs have had since it began: programs, and the
# hypervisor's other machines. A test whose numbers depend on time is told apart from one that is disturbed by it.
all_seconds()
{
    awk -v ticks="$(getconf CLK_TCK)" '$1 == "cpu" { print ($2 + $3 + $4 + $7 + $8 + $9) / ticks; exit }' /proc/stat
}
began="$(all_seconds) $(cut -d ' ' -f 1 /proc/uptime)"
others_seconds()
{
    times >"$WORK/times"
    ended=$(tr 'ms' '  ' <"$WORK/times" | xargs | awk '{ for (i = 1; i < NF; i += 2) sum += 60 * $i + $(i + 1); print sum }')
    # What it runs in the background is its own too, and not among those that ended.
    running=$(cat /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' | awk -v shell=$$ -v ticks="$(getconf CLK_TCK)" '
        $2 == shell { sum += ($12 + $13 + $14 + $15) / ticks } END { print sum + 0 }')
    echo "$began $(all_seconds) $ended $running" | awk '{ print $3 - $1 - $4 - $5 }'
}

# unless_busy WORDS...: ends the test, which failed unless others had more than a twentieth of a processor since it began.
unless_busy()
{
    others=$(others_seconds)
    echo "$began $(cut -d ' ' -f 1 /proc/uptime) $others" | awk '{ exit !($4 > 0.05 * ($3 - $2)) }' &&
        skip "others had $others s of processor time meanwhile: $*"
    fail "$*"
}

need_program()
{
    command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"
}

# need_version PROGRAM VERSION: what a checker of the source finds differs between its versions; the code is kept for Debian 12's.
need_version()
{
    need_program "$1"
    "$1" --version | grep -q "[^0-9.]$2" || skip "$("$1" --version) is here: the code is kept for $1 $2, and versions differ"
}

# loads_plugins QEMU: true if that qemu-user is there and loads plugins; a static one does not. Else says so.
loads_plugins()
{
    command -v "$1" >/dev/null 2>&1 && "$1" -h 2>/dev/null | grep -q '^-plugin' && return 0
    echo "not run: $1 is not installed, or loads no plugins"
    return 1
}

# rates_hold RECIPE MACHINE...: by what judges programs of x86-64 here, no rate of theirs fails on these machines.
rates_hold()
{
    recipe=$1 sources=bytes,plan
    shift
    ! loads_plugins qemu-x86_64 || sources=$sources,qemu
    [ "$(uname -m)" != x86_64 ] || sources=$sources,cachegrind
    for machine in "$@"; do
        expect_exit 0 "$TRAUMA" check "$recipe" -m "$machine" --counters $sources --json
        expect_same "$(json "$WORK/out" metric verdict | grep -c '	fail')" 0 "failed rates on $machine"
    done
}

# expect_exit CODE COMMAND...: runs the command with its output in $WORK/out and $WORK/err.
expect_exit()
{
    wanted=$1
    shift
    got=0
    "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || fail "exit code $got instead of $wanted: $*"
}

# expect_text FILE TEXT: the file under $WORK holds the text.
expect_text()
{
    grep -qF -e "$2" "$WORK/$1" || fail "'$2' is not in $1: $(head -c 2000 "$WORK/$1")"
}

# expect_no_text FILE TEXT
expect_no_text()
{
    if grep -qF -e "$2" "$WORK/$1"; then
        fail "'$2' is in $1"
    fi
}

expect_empty()
{
    [ ! -s "$WORK/$1" ] || fail "$1 is not empty: $(head -c 2000 "$WORK/$1")"
}

# expect_same FOUND WANTED WORDS...
expect_same()
{
    [ "$1" = "$2" ] || fail "$3: '$1' instead of '$2'"
}

# json FILE PATH...: the values, one line for each line of the file; the test ends when one is no JSON.
json()
{
    "$JSON_LINES" "$@" || fail "$1 is no JSON"
}

# json_document FILE PATH...
json_document()
{
    "$JSON_LINES" -d "$@" || fail "$1 is no JSON"
}

# write_recipe FILE [FIELDS]: a benchmark "small" whose programs are short; its sweep is the hit rate. FIELDS are more
# fields, as "expect = {...},".
write_recipe()
{
    cat >"$1" <<RECIPE
benchmark {
  name   = "small",
  sweep  = { hit = { 0.5, 0.75 } },
  loop   = { units = 40 },
  kernel = function(p)
    return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { dependents = 1 } }
  end,
  ${2:-}
}
RECIPE
}

# passed TEXT: the verdict of a rate, which the text names, that the code of a program for another machine meets.
passed()
{
    case $1 in
    *mix.* | *body.share* | *data.*) echo pass ;;
    *) echo 'pass (code)' ;;
    esac
}
