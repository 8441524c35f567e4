# The command line: help of every command; an unknown word is answered with the nearest known one and exit code 2.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" --help
expect_empty err
commands=$(sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' "$WORK/out")
[ -n "$commands" ] || fail "--help lists no commands"
for command in $commands; do
    expect_exit 0 "$TRAUMA" "$command" --help
    expect_text out "usage: trauma $command"
    expect_same "$(awk 'length > 80' out)" "" "lines of its help that 80 columns do not hold"
    expect_empty err
done
for command in list gen run check machine sensors plot explain patch; do
    case " $(echo $commands) " in
    *" $command "*) ;;
    *) fail "--help does not list $command" ;;
    esac
done

expect_exit 0 "$TRAUMA" --version
expect_text out trauma

# wrong WORDS TEXT: the command line of these words ends with 2, says TEXT in one line, and prints nothing else.
wrong()
{
    text=$1
    shift
    expect_exit 2 "$TRAUMA" "$@"
    expect_text err "$text"
    expect_empty out
    expect_same "$(wc -l <"$WORK/err")" 1 "lines of the error of: $*"
}

expect_exit 2 "$TRAUMA"
wrong "did you mean 'gen'?" gne traumagen-2001/dcache
wrong "there is no command 'nonsense'" nonsense
wrong "did you mean --machine?" gen traumagen-2001/dcache --machin pentium-pro
wrong "did you mean --filter?" check --fliter=x traumagen-2001/dcache
wrong "did you mean 'traumagen-2001/dcache'?" check traumagen-2001/dcach -m pentium-pro
wrong "did you mean 'pentium-pro'?" gen traumagen-2001/dcache -m pentium-por
wrong "there is no machine" gen traumagen-2001/dcache -m no-such-thing-at-all
wrong "no recipe given" gen
wrong "did you mean" check traumagen-2001/dcache -m pentium-pro --counters cachegrnd
wrong "expected a whole number" gen traumagen-2001/dcache --seed one
wrong "expected N after it" gen traumagen-2001/dcache --seed
wrong "from 0 to 9007199254740991" gen traumagen-2001/dcache --seed 9007199254740993
wrong "from 1 to 1000" run traumagen-2001/dcache -m pentium-pro --reps 0
wrong "from 1 to 1000" run traumagen-2001/dcache -m pentium-pro --reps 1001
wrong "above 0" run traumagen-2001/dcache -m pentium-pro --time 0
wrong "at most 86400" run traumagen-2001/dcache -m pentium-pro --time 86401
wrong "from 1 to 256" gen traumagen-2001/dcache -j 0
wrong "from 1 to 256" gen traumagen-2001/dcache -j 257
wrong "from 1 to 1024" measure loaded --streams 0
wrong "not a regular expression" gen traumagen-2001/dcache -m pentium-pro --filter '['
wrong "none of 33 points" gen traumagen-2001/dcache -m pentium-pro --filter nothing-has-this
wrong "sweeps 'hits'" gen traumagen-2001/dcache -m pentium-pro --set hits=0.5
wrong "there is no target" gen traumagen-2001/dcache -m pentium-pro -t mips
wrong "there is no results file" check missing.jsonl
wrong "did you mean" machine detct
wrong "did you mean 'cortex-a72'?" machine show a72
wrong "riscv64 is an instruction set: -t riscv64 selects it" machine show riscv64
wrong "did you mean 'trauma diff'?" compare a b
wrong "did you mean 'trauma measure latency'?" latency
mkdir mine
printf 'benchmark { name = "b", kernel = function() return { add {} } end }\n' >mine/walking.lua
wrong "did you mean 'mine/walking.lua'?" check mine/wlaking.lua
wrong "did you mean 'mine/walking.lua'?" check mine/walking
wrong "nothing is swept in it" check mine/walking.lua --set n=2
wrong "found h200 and -t ptx" machine show h200 -t ptx
TRAUMA_CUDA=none expect_exit 4 "$TRAUMA" machine show -t ptx
wrong "did you mean --marker?" patch in.co -o out.co --markr --field cu
wrong "cannot read missing.co" patch missing.co -o out.co --marker --field cu
wrong "cannot read missing.jsonl" plot missing.jsonl -o x.svg

# What is recorded is UTF-8: so are all names given, and those of files in a folder.
bytes=$(printf 'a\377.lua')
write_recipe "$bytes"
mkdir folder
cp "$bytes" folder
wrong "'a\\xff.lua' is not UTF-8" run "$bytes" -m pentium-pro
wrong "is not UTF-8" gen traumagen-2001/dcache -m pentium-pro --json -o "$bytes"
wrong "is not UTF-8" gen folder -m pentium-pro

[ ! -e suite ] || fail "a wrong command line made a suite"

# As many --set or inputs as there is no room for are said to be so.
many=$(awk 'BEGIN { for (i = 0; i < 257; i++) printf " --set p%d=1", i }')
wrong "--set is given more than 256 times: 'p256=1' is one too many" gen traumagen-2001/dcache $many
many=$(awk 'BEGIN { for (i = 0; i < 257; i++) printf " r%d.lua", i }')
wrong "at most 256 files or names: 'r256.lua' is one too many" gen $many
wrong "above 0 and at most 86400, found '1e300'" run traumagen-2001/dcache -m pentium-pro --time 1e300

write_recipe small.lua
# Options that say nothing of what is made, or was recorded, are refused and not left out.
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o made -q
expect_exit 0 "$TRAUMA" run small.lua -m pentium-pro --counters plan --power none --time 0.001 --reps 1 -q -o made.jsonl
wrong "--set does not apply to a suite; its programs are fixed; generate others from its recipe" check made --set hit=0.5
wrong "--machine does not apply to a suite" check made -m zen5
wrong "--tune does not apply to a suite" explain made --tune depth=3
wrong "--seed does not apply to a suite" check made --seed 7
wrong "--set does not apply to a suite" run made -o other.jsonl --set hit=0.5
wrong "--filter does not apply to a results file; all its recorded points are judged again" \
    check made.jsonl --filter hit=0.5
wrong "--machine does not apply to a results file" check made.jsonl -m zen5
wrong "--counters does not apply to a results file" check made.jsonl --counters bytes
wrong "--filter is given twice; expected one" gen small.lua -m pentium-pro --filter hit=0.5 --filter hit=0.75

# help COMMAND is that command's own.
expect_exit 0 "$TRAUMA" gen --help
mv out own
expect_exit 0 "$TRAUMA" help gen
cmp -s own out || fail "help gen is not gen --help"
wrong "did you mean 'gen'?" help gne
