# What the source "qemu" sees of copies that share regions: every access where the recipe has it, lines and words that
# copies have in common, the states in which lines are left. Programs that do something else fail.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >shared.lua <<'RECIPE'
local loop = { units = 50 }
local states = function(m) return { state = m.isa == "riscv64" and { "modified" } or { "modified", "exclusive", "shared" } } end
benchmark {
  name = "atomics", threads = 2, loop = loop,
  sweep = { op = { "add", "cas", "swap" }, apart = { 0, 8, 128 }, width = { 4, 8 } },
  kernel = function(p) return { atomic { op = p.op, shared = "words", apart = p.apart, width = p.width } } end,
}
benchmark { name = "turns", threads = 3, loop = loop, kernel = function() return { atomic { op = "turn", shared = "line", offset = 64 } } end }
benchmark {
  name = "stores", threads = 2, loop = { units = 30 },
  kernel = function() return { store { shared = "lines", offset = 16, stride = 32, order = "even" } } end,
}
benchmark {
  name = "mixed", threads = 4, loop = { units = 10 },
  kernel = function()
    return {
      store { shared = "a", offset = 8, stride = 16, apart = 32, count = 3, width = 4 },
      load { shared = "a", offset = 1024, stride = 32, count = 2 },
      add { count = 2 },
      atomic { op = "swap", shared = "c", offset = 128, apart = 64, width = 4 },
    }
  end,
}
benchmark {
  name = "walks", threads = 3, loop = { units = 30 },
  kernel = function() return { load { shared = "a", working_set = 5760, stride = 64 }, store { shared = "b", working_set = 4800, stride = 32 } } end,
}
benchmark {
  name = "states", sweep = function(m) return { state = states(m).state, copies = { 2, 3 }, walk = { 0, 5760 } } end,
  threads = function(p) return p.copies end, loop = { units = 30 },
  kernel = function(p)
    return { load { shared = "lines", coherence = p.state, address = "chase", working_set = p.walk > 0 and p.walk or nil } }
  end,
}
benchmark {
  name = "copy", sweep = states, threads = 2, loop = { units = 64 },
  kernel = function(p)
    return {
      load { shared = "lines", coherence = p.state, working_set = 65536, window = 2048, order = "even", stride = 8 },
      store { shared = "own", data = "loaded", order = "even", stride = 8, apart = 4096 },
    }
  end,
}
benchmark {
  name = "cores", loop = loop,
  kernel = function()
    return { cores = { [0] = { atomic { op = "add", shared = "b" } }, [1] = { store { shared = "a" }, atomic { op = "add", shared = "b" } } } }
  end,
}
RECIPE

# value BENCHMARK POINT METRIC: what qemu saw.
value()
{
    grep "\"benchmark\":\"$1\"" "$WORK/out" | grep "\"point\":\"$2\"" | grep "\"metric\":\"coherence.$3\"" >line ||
        fail "$1/$2 has no coherence.$3"
    json line observations/0/value
}

# check_machine NAME FEWEST: at least so many promises of shared lines, and all are kept.
check_machine()
{
    expect_exit 0 "$TRAUMA" check shared.lua -m "$1" --counters qemu,bytes --json
    awk -v least="$2" '
        !/"metric":"coherence/ || /"wanted":null/ { next }
        /"verdict":"pass"/ && /"metric":"coherence.(placed|common_words)"/ { passed++; next }
        /"verdict":"pass \(code\)"/ && !/"metric":"coherence.(placed|common_words)"/ { passed++; next }
        { print; wrong++ }
        END { if (passed < least) { print passed + 0 " passes"; wrong++ } exit wrong > 0 }' "$WORK/out" >wrong ||
        fail "$1: $(head -c 2000 wrong)"
    expect_same "$(value atomics apart=8,op=add,width=8 common_lines) $(value atomics apart=8,op=add,width=8 common_words)" \
        "1 0" "$1: words of one line are shared falsely"
    expect_same "$(value atomics apart=128,op=add,width=8 common_lines)" 0 "$1: words of two lines"
    expect_same "$(value atomics apart=8,op=add,width=8 taken) $(value atomics apart=128,op=add,width=8 taken)" "1 0" \
        "$1: atomics that take the line"
    expect_same "$(value atomics apart=0,op=swap,width=4 common_words)" 1 "$1: one word for all"
}

# change FILE OLD NEW: the last place of these bytes, as hexadecimal digits.
change()
{
    digits=$(od -A n -v -t x1 "$1" | tr -d ' \n')
    before=${digits%"$2"*}
    [ "$before" != "$digits" ] && [ $((${#before} % 2)) = 0 ] || fail "$1 has no $2"
    for byte in $(echo "$3" | sed 's/../& /g'); do
        printf "\\$(printf %03o "0x$byte")"
    done | dd of="$1" bs=1 seek=$((${#before} / 2)) conv=notrunc 2>/dev/null
}

# word FILE PATTERN NEW: changes the last instruction of 4 bytes that matches; in NEW, an awk expression, w is the old.
word()
{
    od -A n -v -t x4 -w4 "$1" | awk -v pattern="$2" '
        { w = $1 }
        w ~ pattern { at = NR - 1; new = '"$3"' }
        END { print at, substr(new, 7, 2) substr(new, 5, 2) substr(new, 3, 2) substr(new, 1, 2) }' >changed
    read -r at new <changed
    [ -n "$new" ] || fail "$1 has no $2"
    for byte in $(echo "$new" | sed 's/../& /g'); do
        printf "\\$(printf %03o "0x$byte")"
    done | dd of="$1" bs=4 seek="$at" conv=notrunc 2>/dev/null
}

# broken BENCHMARK/POINT METRIC VALUE WORDS CHANGE...: the program is changed, and the metric fails with what is seen.
broken()
{
    point=$1 metric=$2 seen=$3 words=$4
    shift 4
    rm -rf broken
    mkdir broken
    cp -r suite/. broken
    how=$1
    shift
    "$how" "broken/$point/program" "$@"
    expect_exit 5 "$TRAUMA" check broken --as-is --counters qemu --filter "^$point\$" --json
    grep "\"metric\":\"coherence.$metric\"" "$WORK/out" >line || fail "$words: no coherence.$metric"
    expect_same "$(json line verdict)" fail "$words"
    [ "$seen" = any ] || expect_same "$(json line observations/0/value)" "$seen" "$words"
}

if [ "$(uname -m)" = x86_64 ] && command -v qemu-x86_64 >/dev/null 2>&1; then
    check_machine pentium-pro 120
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen shared.lua -m zen5 -o suite
    # One of 50 additions without its lock is a load and a store: 49 of 52.
    broken atomics/apart=8,op=add,width=8 placed any "a lock is missing" change f0480fc1 90480fc1
    expect_same "$(json line observations/0/value | cut -c 1-7)" 0.94230 "a lock is missing"
    broken stores/default placed any "a store is elsewhere" change 48895370 48895378
    broken stores/default placed any "a store is missing" change 48895370 0f1f4000
    broken stores/default placed any "a store is a load" change 48895370 488b5370
    broken atomics/apart=8,op=add,width=8 common_lines 0 "copies are 64 bytes apart" change 486bed08 486bed40
    broken atomics/apart=8,op=add,width=8 common_words 1 "copies have one word" change 486bed08 486bed00
    broken turns/default placed any "a turn is not waited for" change 75fa4c 90904c
    broken states/copies=2,state=modified,walk=0 left_modified 0 "lines are read, not written" change 48830800 48833800
    broken states/copies=2,state=exclusive,walk=0 left_exclusive 0 "lines are not flushed" change 0fae38 0f1f00
    broken states/copies=3,state=shared,walk=0 left_shared 0 "nobody shares the lines" change 803800 0f1f00
    # Limits are said.
    cat >limits.lua <<'RECIPE'
benchmark { name = "many", threads = 65, kernel = function() return { atomic { op = "add", shared = "x" } } end }
benchmark { name = "large", threads = 2, kernel = function() return { load { shared = "x", coherence = "modified", working_set = "1GiB" } } end }
RECIPE
    expect_exit 4 "$TRAUMA" check limits.lua -m zen5 --counters qemu
    expect_text out "65 copies share regions: at most 64 are simulated together"
    expect_text out "the preparing of lines included: at most 6e+07 are simulated"
else
    echo "not run: qemu-x86_64 is not installed, or this is no x86-64"
fi
if command -v qemu-aarch64 >/dev/null 2>&1; then
    check_machine neoverse-n1 120
    check_machine cortex-a72 120
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen shared.lua -m neoverse-n1 -o suite
    broken atomics/apart=8,op=add,width=8 placed any "an ldaddal is an ldr" word '^f8e.0[0-3]..$' '"f9400" substr(w, 6)'
    broken stores/default placed any "a store is missing" word '^f900[0-9a-f][0-9a-f]..$' '"d503201f"'
    broken states/copies=2,state=exclusive,walk=0 left_exclusive 0 "lines are not flushed" word '^d50b7e2.$' '"d503201f"'
else
    echo "not run: qemu-aarch64 is not installed"
fi
if command -v qemu-riscv64 >/dev/null 2>&1; then
    check_machine sifive-u74 80
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen shared.lua -m sifive-u74 -o suite
    broken atomics/apart=8,op=add,width=8 placed any "an amoadd is an ld" word '^0[67]..[3b].[2a]f$' \
        '"000" substr(w, 4, 3) (substr(w, 7) == "af" ? "83" : "03")'
else
    echo "not run: qemu-riscv64 is not installed"
fi
