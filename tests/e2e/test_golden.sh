# The programs of tests/golden/: each case's recipe and machine give exactly its expected.s and expected.txt. With
# BLESS=1 (tests/bless.sh), the generated text becomes the expected one.
. "$SOURCE/tests/e2e/lib.sh"

# What is kept of a manifest: all that the source does not show. Bytes and hashes vary with LLVM's version.
fields="targets expected period units instructions loads warmup indexed data/bytes data/align data/pages #accesses"
gpu_fields="arch targets expected grid shared_bytes units instructions warmup streams accesses transfers data"

# describe MANIFEST FIELDS...
describe()
{
    manifest=$1
    shift
    for field in "$@"; do
        echo "$field $(json_document "$manifest" "$field")"
    done
}

bless()
{
    cp "$1" "$2"
    chmod 644 "$2"
}

for folder in "$SOURCE"/tests/golden/*/; do
    [ -f "$folder/recipe.lua" ] || continue # what other tests compare with
    case=$(basename "$folder")
    expect_exit 0 "$TRAUMA" gen "$folder/recipe.lua" -m "$folder/machine.lua" -o "$case"
    program=$case/golden/default
    source=program.s
    expected=expected.s
    if [ -e "$program/program.ptx" ]; then
        source=program.ptx
        expected=expected.ptx
    fi
    # shellcheck disable=SC2086 # the fields are words
    describe "$program/manifest.json" $([ "$source" = program.ptx ] || [ -f "$program/program.cl" ] && echo $gpu_fields || echo $fields) \
        >"$program/manifest.txt"
    if [ -n "${BLESS:-}" ]; then
        bless "$program/$source" "$folder/$expected"
        bless "$program/manifest.txt" "$folder/expected.txt"
        [ ! -f "$program/program.cl" ] || bless "$program/program.cl" "$folder/expected.cl"
    fi
    pairs="$source:$expected manifest.txt:expected.txt"
    [ ! -f "$program/program.cl" ] || pairs="$pairs program.cl:expected.cl"
    for pair in $pairs; do
        diff -u "$folder/${pair#*:}" "$program/${pair%:*}" >"$WORK/err" ||
            fail "$case: ${pair%:*} is not as expected; if it should be so: sh tests/bless.sh"
    done
done

# Figure 6 is what the paper shows: units of one load and two additions, one of which waits for the load; all hits on one
# line, all misses on others; about 800 instructions. Also when an expectation was blessed blindly.
loop=$WORK/loop
sed -n '/^trauma_loop:/,/^trauma_advance:/p' figure6/golden/default/program.s | grep '^ ' >"$loop"
awk '
    function line_of(operand) { return int(operand / 32) }
    function wrong(why) { print "line " NR " of the loop: " why ": " $0; failed = 1; exit 1 }
    NR % 3 == 1 {
        if ($1 != "movq" || $2 !~ /^[0-9]*\(%rsi\),$/) wrong("no load begins the unit")
        loaded = $3
        if ($0 ~ /: L1: /) { hits++; hit[line_of($2)] = 1 } else if ($0 ~ /: L2: /) { misses++; miss[line_of($2)] = 1 } else wrong("no level")
    }
    NR % 3 != 1 { if ($1 != "addq") wrong("no addition") }
    NR % 3 == 2 { if ($2 != loaded ",") wrong("does not wait for the load") }
    NR % 3 == 0 { if ($2 == loaded "," || $2 !~ /^%rsi,$/) wrong("is not independent") }
    END {
        if (failed) exit 1
        for (line in hit) lines++
        for (line in miss) if (line in hit) { print "a miss on the line that hits"; exit 1 }
        print hits, misses, lines, NR % 3
    }' "$loop" >"$WORK/out" || fail "figure 6: $(cat "$WORK/out")"
read -r hits misses lines rest <"$WORK/out"
expect_same "$misses" "$hits" "misses against hits"
expect_same "$lines $rest" "1 0" "lines that hit, and instructions beyond whole units"
instructions=$(wc -l <"$loop")
[ "$instructions" -ge 760 ] && [ "$instructions" -le 840 ] || fail "$instructions instructions are not about 800"
