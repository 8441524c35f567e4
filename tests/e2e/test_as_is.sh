# `check --as-is` of a changed suite judges what runs: a changed executable beside an unchanged object fails, and so do both with
# the same change where the data flow is no longer the kernel's, and each says which instruction and what was expected.
. "$SOURCE/tests/e2e/lib.sh"
need_program python3
need_program nm
cd "$WORK"

cat >flow.lua <<'LUA'
benchmark {
  name   = "flow",
  kernel = function() return { load { miss_rate = { L1 = 0.3 } }, add { count = 2, dependents = 1 } } end,
}
LUA
expect_exit 0 "$TRAUMA" gen flow.lua -m skylake-sp -o suite
expect_exit 0 "$TRAUMA" check suite --counters bytes
folder=suite/flow/default
cp "$folder/program" kept
cp "$folder/program.o" kept.o

# change OLD NEW FILES...: the first "add %rcx, %r15" of the loop, as bytes, becomes another instruction.
change()
{
    python3 - "$@" <<'PY'
import sys
old, new = (bytes.fromhex(text) for text in sys.argv[1:3])
kept = open("kept.o", "rb").read()
at = kept.index(old)
around = kept[at - 8:at + 8]
for name in sys.argv[3:]:
    data = open(name, "rb").read()
    at = data.index(around) + 8
    open(name, "wb").write(data[:at] + new + data[at + len(new):])
PY
}

# judged WORDS...: the present files fail, with these words; then the files are as they were.
judged()
{
    expect_exit 1 "$TRAUMA" check suite --as-is --counters bytes
    for words in "$@"; do
        grep -qF -e "$words" "$WORK/out" "$WORK/err" || fail "'$words' is not said: $(cat "$WORK/out")"
    done
    cp kept "$folder/program"
    cp kept.o "$folder/program.o"
}

grep -q 'addq %rcx, %r15' "$folder/program.s" || fail "the loop has no such instruction: $(cat "$folder/program.s")"
change 4901cf 4931cf "$folder/program" # add -> xor
judged "program has 'xorq %rcx, %r15'" "program.o has 'addq %rcx, %r15'"
change 4901cf 4931cf "$folder/program.o"
judged "program.o has 'xorq %rcx, %r15'"
change 4901cf 4901f7 "$folder/program" "$folder/program.o" # add %rcx -> add %rsi
judged "'addq %rsi, %r15' at 0x" "consumes rsi" "what the last load brought, rcx"
change 4901cf 4931cf "$folder/program" "$folder/program.o"
judged "'xorq %rcx, %r15' at 0x" "it would be 'addq {value}, {accumulator}' of a dependent add"
change 4901cf 4901ce "$folder/program" "$folder/program.o" # add %rcx, %r15 -> add %rcx, %r14
judged "'addq %rcx, %r14' at 0x"

# Constants, too: what set-up writes is what is described.
python3 - "$folder" <<'PY'
import subprocess, sys
data = bytearray(open(sys.argv[1] + "/program", "rb").read())
symbols = subprocess.run(["nm", sys.argv[1] + "/program"], capture_output=True, text=True).stdout
layout = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" trauma_layout"))
base = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" _start")) - 0x200
data[layout - base] ^= 1
open(sys.argv[1] + "/program", "wb").write(data)
PY
judged "the constants of program differ from those of program.o"
expect_exit 0 "$TRAUMA" check suite --as-is --counters bytes
