# Regions that copies share: what recipes may ask for, what the copies do to the memory that they map, on every ISA.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# refused TEXT KERNEL [FIELDS]: the kernel is refused with the text.
refused()
{
    printf 'benchmark { name = "b", %s kernel = function(p, m) return { %s } end }\n' "${3:-}" "$2" >wrong.lua
    expect_exit 3 "$TRAUMA" list wrong.lua -m pentium-pro
    expect_text err "$1"
    expect_text err "wrong.lua:1"
}
refused 'atomic has no shared: expected the name of the region' 'atomic { op = "add" }'
refused 'atomic has no op: expected "add", "cas", "swap" or "turn"' 'atomic { shared = "x" }'
for written in 'store { shared = "x" }' 'atomic { op = "add", shared = "x" }'; do
    refused "the region \"x\" has load{ coherence = } and ${written%% *}{}: a line that this core wrote" \
        "load { shared = 'x', coherence = 'modified' }, $written" 'threads = 2,'
done
refused "did you mean 'swap'?" 'atomic { op = "swop", shared = "x" }'
refused 'load.coherence: it belongs to accesses to a region that copies share' 'load { working_set = 4096, coherence = "modified" }'
refused 'load.served_by: a shared region' 'load { shared = "x", served_by = { L1 = 1 } }'
refused 'store.offset is 12: words of 8 bytes lie at multiples of 8' 'store { shared = "x", offset = 12 }'
refused 'load.working_set is 1000: a unit'"'"'s accesses advance by count * stride = 64 bytes, so expected a multiple, such as 960' \
    'load { shared = "x", working_set = 1000, stride = 64 }'
refused 'load has a window and no coherence' 'load { shared = "x", working_set = 4096, window = 1024 }'
refused 'load has a window and no working_set' 'load { shared = "x", coherence = "modified", window = 1024 }' 'threads = 2,'
refused 'load.window is 1000: a unit'"'"'s accesses advance by count * stride = 64 bytes, so expected a multiple, such as 960' \
    'load { shared = "x", coherence = "modified", working_set = 4096, window = 1000, stride = 64 }' 'threads = 2,'
refused 'load.working_set is 4096: expected a whole number of windows of 1536 bytes, such as 3072' \
    'load { shared = "x", coherence = "modified", working_set = 4096, window = 1536, stride = 64 }' 'threads = 2,'
refused 'load.stride is 8: coherence states belong to lines' 'load { shared = "x", coherence = "modified", stride = 8 }' 'threads = 2,'
refused 'one working_set and window of all' \
    'load { shared = "x", coherence = "modified", working_set = 4096 }, load { shared = "x", coherence = "modified", working_set = 8192 }' \
    'threads = 2,'
refused 'no independent load precedes it' 'store { shared = "x", data = "loaded" }'
refused 'did you mean' 'store { shared = "x", data = "loadet" }'
refused 'has load{} beside accesses to a shared region' 'load { shared = "x" }, load { served_by = { L1 = 1 } }'
refused 'it needs another core; expected threads = 2 or more' 'load { shared = "x", coherence = "modified" }'
refused 'it needs another core; expected threads = 2 or more' 'atomic { op = "turn", shared = "x" }' 'threads = 1,'
refused 'one region of a kernel has one state' \
    'load { shared = "x", coherence = "modified" }, load { shared = "x", coherence = "shared" }' 'threads = 2,'
refused 'a chase reads zeros, which an atomic changes' 'load { shared = "x", address = "chase" }, atomic { op = "add", shared = "x" }'
refused 'programs per core make their own numbers of passes' 'cores = { [0] = { atomic { op = "turn", shared = "x" } } }'
printf 'benchmark { name = "b", target = "ptx", kernel = function() return { atomic { op = "add", shared = "x" } } end }\n' >gpu.lua
expect_exit 3 "$TRAUMA" list gpu.lua -m a100
expect_text err 'on a GPU address states which threads change the same word'
printf 'benchmark { name = "b", threads = 2, kernel = function() return { load { shared = "x", coherence = "exclusive" } } end }\n' >flush.lua
expect_exit 3 "$TRAUMA" gen flush.lua -m sifive-u74 -o flush
expect_text err 'riscv64 has no instruction here that takes a line out of all caches; expected "modified"'

cat >shared.lua <<'RECIPE'
benchmark {
  name = "atomics", threads = 2,
  sweep = { op = { "add", "cas", "swap" }, apart = { 0, 8 }, width = { 4, 8 } },
  kernel = function(p) return { atomic { op = p.op, shared = "words", apart = p.apart, width = p.width } } end,
}
benchmark { name = "turns", threads = 2, kernel = function() return { atomic { op = "turn", shared = "line", offset = 64 } } end }
benchmark {
  name = "states", threads = 2, sweep = { walk = { 0, 65536 } },
  kernel = function(p)
    return { load { shared = "lines", coherence = "modified", address = "chase", working_set = p.walk > 0 and p.walk or nil } }
  end,
}
benchmark {
  name = "windows", threads = 2, loop = { units = 4 },
  kernel = function()
    return {
      load { shared = "lines", coherence = "modified", working_set = 16384, window = 1024, stride = 64, order = "even", offset = 128 },
    }
  end,
}
benchmark {
  name = "copy", threads = 2, loop = { units = 8 },
  kernel = function()
    return {
      load { shared = "lines", coherence = "modified", working_set = 4096, window = 256, order = "even", stride = 8 },
      store { shared = "own", data = "loaded", order = "even", stride = 8, apart = 64 },
    }
  end,
}
benchmark {
  name = "cores",
  kernel = function()
    return { cores = { [0] = { atomic { op = "add", shared = "b" } }, [1] = { store { shared = "a" }, atomic { op = "add", shared = "b" } } } }
  end,
}
RECIPE

# run_pair FOLDER [FOLDER]: both copies, of one program or two, with 50 passes each; $SIMULATOR runs them.
run_pair()
{
    rm -f file
    timeout 600 $SIMULATOR "$1/program" 50 "@0/2$PWD/file" >first &
    timeout 600 $SIMULATOR "${2:-$1}/program" 50 "@1/2$PWD/file" >second || fail "the second copy of $1 failed"
    wait $! || fail "the first copy of $1 failed"
    expect_text first '"iterations":50'
    expect_text second '"iterations":50'
}

# word N [WIDTH [REGION]]: the N-th word of a region.
word()
{
    od -A n -t "u${2:-8}" -j $(((1 + ${3:-0}) * 2147483648 + $1 * ${2:-8})) -N "${2:-8}" file | tr -d ' '
}

# atomics FOLDER: that a copy makes, with those of the warm-up.
atomics()
{
    json_document "$1/manifest.json" warmup shared/atomic | awk '{ print ($1 + 50) * $2 }'
}

check_machine()
{
    rm -rf suite again
    expect_exit 0 "$TRAUMA" gen shared.lua -m "$1" -o suite
    expect_exit 0 "$TRAUMA" gen shared.lua -m "$1" -o again
    diff -r suite again >/dev/null || fail "$1: the same recipe gave other programs"
    for width in 4 8; do
        # No addition is lost, whoever else adds to the word.
        run_pair "suite/atomics/apart=0,op=add,width=$width"
        each=$(atomics "suite/atomics/apart=0,op=add,width=$width")
        expect_same "$(word 0 $width)" $((2 * each)) "$1: sum of both copies' additions"
        run_pair "suite/atomics/apart=8,op=add,width=$width"
        expect_same "$(word 0 $width) $(word $((8 / width)) $width)" "$each $each" "$1: sums of copies that are apart"
        # Compare-and-swap adds 1 or, when the other copy was faster, nothing.
        run_pair "suite/atomics/apart=0,op=cas,width=$width"
        made=$(word 0 $width)
        each=$(atomics "suite/atomics/apart=0,op=cas,width=$width")
        [ "$made" -ge "$each" ] && [ "$made" -le $((2 * each)) ] || fail "$1: $made of $((2 * each)) compare-and-swaps"
        run_pair "suite/atomics/apart=0,op=swap,width=$width"
        expect_same "$(word 0 $width)" 1 "$1: what swaps leave"
    done
    # Each copy takes as many turns, so that the first is next again.
    run_pair suite/turns/default
    expect_same "$(word 8)" 0 "$1: whose turn it is"
    # All turns of coherence are over: 4 per copy and walk, in the first word of the page before the regions.
    run_pair suite/states/walk=0
    turns=$(od -A n -t u8 -N 8 file | tr -d ' ')
    passes=$(json_document suite/states/walk=0/manifest.json warmup | awk '{ print $1 + 50 }')
    expect_same "$turns" $((8 * passes)) "$1: turns of the copies"
    run_pair suite/states/walk=65536
    # A window of four passes: 50 passes make 13 in the measured run, and the warm-up its own, with 4 turns of each copy.
    run_pair suite/windows/default
    turns=$(od -A n -t u8 -N 8 file | tr -d ' ')
    warm=$(json_document suite/windows/default/manifest.json warmup)
    windows=$(((50 + 3) / 4 + (warm + 3) / 4))
    expect_same "$turns" $((8 * windows)) "$1: turns of the copies, window by window"
    expect_same "$(json_document suite/windows/default/manifest.json shared/pass_lines)" 4 "$1: lines of a pass"
    run_pair suite/copy/default
    expect_same "$(json_document suite/copy/default/manifest.json shared/prepared_loads shared/copied | tr '\t' ' ')" "8 8" \
        "$1: what a pass of a copy touches"
    # Programs that differ agree where a region lies.
    run_pair suite/cores/core=0 suite/cores/core=1
    sum=$(($(atomics suite/cores/core=0) + $(atomics suite/cores/core=1)))
    expect_same "$(word 0 8 1)" $sum "$1: sum of two programs' additions"
    # Alone, a program shares with nobody and waits for nobody.
    timeout 600 $SIMULATOR suite/states/walk=0/program 5 >alone || fail "$1: the program does not run alone"
    expect_text alone '"iterations":5'
    expect_exit 2 $SIMULATOR suite/turns/default/program 5 "@2/2$PWD/file"
    expect_exit 1 $SIMULATOR suite/turns/default/program 5 "@0/2/proc/none/file"
    expect_text err "cannot map the file that copies share"
}

[ "$(nproc)" -ge 2 ] || skip "two processors are needed for copies that take turns, and there is one; refusals passed"
SIMULATOR=
if [ "$(uname -m)" = x86_64 ]; then
    check_machine pentium-pro
    # The bytes hold as many atomics as the recipe asks for; a lock prefix is no instruction of its own.
    expect_exit 0 "$TRAUMA" check suite --filter 'op=add,width=8' --counters bytes
    expect_text out "mix.atomic"
    expect_no_text out "fail"
fi
for isa in aarch64:neoverse-n1 aarch64:cortex-a72 riscv64:sifive-u74; do
    if ! command -v "qemu-${isa%:*}" >/dev/null 2>&1; then
        echo "not run: qemu-${isa%:*} is not installed"
        continue
    fi
    SIMULATOR="qemu-${isa%:*}"
    check_machine "${isa#*:}"
done
# Large System Extensions where the machine has them.
expect_exit 0 "$TRAUMA" gen shared.lua -m neoverse-n1 --filter 'op=add' -o lse
grep -q ldaddal lse/atomics/apart=0,op=add,width=8/program.s || fail "no ldaddal on a machine with atomics"
expect_exit 0 "$TRAUMA" gen shared.lua -m cortex-a72 --filter 'op=add' -o exclusive
grep -q stlxr exclusive/atomics/apart=0,op=add,width=8/program.s || fail "no stlxr on a machine without atomics"
