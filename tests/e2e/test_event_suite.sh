# recipes/events: what its manifests state under "counts" is what its programs do, counted again from their text, by QEMU and by
# Valgrind, on machines of three ISAs, some of which no file describes; no quantity is a sum of others. The suite's script counts
# with perf.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program python3
plain_program
plugin=$(dirname "$PLAIN")/libtrauma_qemu.so
[ -f "$plugin" ] || skip "the plugin is not beside the program"

# machine NAME ISA L1I L1D L2 L3 REST: a file NAME.lua; caches are "SIZE WAYS LINE", L3 may be empty.
machine()
{
    cache() { [ $# -lt 4 ] || echo "$1 = { size = \"$2\", ways = $3, line = $4, policy = \"lru\" },"; }
    {
        echo "machine { name = \"$1\", isa = \"$2\", caches = {"
        # shellcheck disable=SC2086
        cache L1I $3 && cache L1D $4 && cache L2 $5 && cache L3 $6
        echo "}, $7 }"
    } >"$1.lua"
}
pages='tlb = { data = { entries = 48, ways = 48, page = "4KiB" } }'
machine odd-x86 x86_64 "16KiB 4 64" "48KiB 12 64" "768KiB 12 64" "" "$pages, features = { \"sse2\", \"avx\", \"avx2\" }"
machine odd-arm aarch64 "64KiB 8 64" "24KiB 6 32" "640KiB 10 64" "3MiB 12 64" "$pages, features = { \"fp\", \"asimd\", \"atomics\" }"
machine odd-risc riscv64 "32KiB 8 64" "20KiB 5 64" "256KiB 8 64" "2MiB 16 64" 'features = { "m", "a", "f", "d", "c" }'

for named in skylake-sp pentium-pro cortex-a53 neoverse-n1 sifive-u74 odd-x86.lua odd-arm.lua odd-risc.lua; do
    isa=$("$PLAIN" machine show "$named" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["isa"])')
    loads_plugins "qemu-$isa" || continue
    expect_exit 0 "$PLAIN" gen events -m "$named" -o "$named.suite"
    expect_exit 0 python3 "$SOURCE/tests/e2e/event_counts.py" "$named.suite" "$plugin"
    cat "$WORK/out"
done
if loads_plugins qemu-x86_64 && [ "$(uname -m)" = x86_64 ] && command -v valgrind >/dev/null; then
    expect_exit 0 "$PLAIN" gen events/memory -m odd-x86.lua -o by-cachegrind --filter 'both|chase|share=0.25'
    python3 "$SOURCE/tests/e2e/event_counts.py" by-cachegrind "$plugin" --cachegrind >"$WORK/out" || true
    grep -q ' 0 wrong' "$WORK/out" || fail "$(cat "$WORK/out")"
    cat "$WORK/out"
fi

# A false count is found.
sed -i 's/"l1d.store_misses": 13,/"l1d.store_misses": 14,/' odd-x86.lua.suite/*/*/manifest.json
if loads_plugins qemu-x86_64; then
    expect_exit 1 python3 "$SOURCE/tests/e2e/event_counts.py" odd-x86.lua.suite "$plugin"
    expect_text out "l1d.store_misses is 13 a pass, and 14 in the manifest"
fi

# What a plan does not know is absent, and not 0.
cat >unknown.lua <<'RECIPE'
local L1 = { L1 = 1 }
local kernels = {
  walk = { load { working_set = "1MiB", stride = 64 } },
  past = { store { served_by = { MEM = 1 }, cache = "nt" } },
  asks = { load { served_by = L1 }, prefetch {} },
  text = { load { served_by = L1 }, asm { x86_64 = "popcntq {r0}, {r1}", registers = 2 } },
  swap = { atomic { op = "cas", shared = "word" } },
  pair = { atomic { op = "add", shared = "word" } },
  follows = { load { served_by = { L1 = 0.5, L2 = 0.5 }, prefetch = "invite" } },
}
benchmark {
  name = "unknown", sweep = { is = { "walk", "past", "asks", "text", "swap", "follows", "pair" } },
  threads = function(p) return p.is == "pair" and 2 or 1 end,
  kernel = function(p) return kernels[p.is] end,
}
RECIPE
expect_exit 0 "$PLAIN" gen unknown.lua -m skylake-sp -o unknown.suite
# known POINT QUANTITY...: which of them its manifest has.
known()
{
    python3 -c 'import json, sys
counts = json.load(open(sys.argv[1])).get("counts", {})
print(*(name for name in sys.argv[2:] if name in counts))' "unknown.suite/unknown/is=$1/manifest.json" instructions loads stores \
        l1d.accesses l1d.misses l1d.followed l2.misses dtlb.misses atomics fp.8
}
expect_same "$(known walk)" "instructions loads stores l1d.accesses atomics fp.8" "a walk"
expect_same "$(known past)" "instructions loads stores atomics fp.8" "stores past the caches"
expect_same "$(known asks)" "instructions stores atomics fp.8" "prefetches"
expect_same "$(known text)" "" "a text of the recipe's own"
expect_same "$(known swap)" "instructions l1d.misses l1d.followed l2.misses dtlb.misses fp.8" "cas"
expect_same "$(known pair)" "" "an atomic of two copies"
expect_same "$(known follows)" "instructions loads stores l1d.accesses l1d.followed dtlb.misses atomics fp.8" "what prefetchers follow"

# The script, with a perf that counts seven a pass and a thousand beside.
mkdir bin
cat >bin/perf <<'FAKE'
#!/bin/sh
[ "$1 $2 $3 $5" = "stat -x, -e --" ] || exit 129
event=$4
shift 5
"$@" || exit 1
case $event in
unknown) echo "event syntax error: 'unknown'" >&2 && exit 129 ;;
absent) echo "<not supported>,,absent:u,0,100.00,," >&2 ;;
shared) echo "1,,shared,5,63.10,," >&2 ;;
*) echo "$(($2 * 7 + 1000)),,$event:u,123456,100.00,," >&2 ;;
esac
FAKE
chmod +x bin/perf
case $(uname -m) in
x86_64) machine=pentium-pro ;;
aarch64) machine=cortex-a53 ;;
*) skip "no machine for the script" ;;
esac
expect_exit 0 "$PLAIN" gen events/code -m $machine -o script --filter often
[ -x script/events.sh ] || fail "the suite has no events.sh"
expect_exit 0 env PATH="$WORK/bin:$PATH" REPEATS=2 script/events.sh instructions cpu/event=0x3c,umask=0/
expect_same "$(head -n 3 "$WORK/out" | tr '\n' ' ')" \
    'program,event,passes,count "often/taken=0","instructions",1000,8000 "often/taken=0","instructions",21000,148000 ' "rows"
expect_same "$(grep -c '"often/taken=1","cpu/event=0x3c,umask=0/",' "$WORK/out")" 4 "an event with a comma"
expect_exit 0 env PATH="$WORK/bin:$PATH" REPEATS=2 script/events.sh unknown absent shared instructions
expect_same "$(grep -c '<not supported>$' "$WORK/out")" 2 "events that are not there"
expect_same "$(grep -c 'shared' "$WORK/out")" 0 "counts that perf scaled"
expect_text err "often/taken=1, 21000 passes: shared had 63.10 % of the time"
expect_same "$(grep -c '"instructions"' "$WORK/out")" 8 "the event after these"
expect_exit 2 script/events.sh
expect_exit 4 env PERF=nowhere script/events.sh instructions
expect_exit 0 "$PLAIN" gen events/code -m $machine -o script --filter often # it is the suite's own file
expect_exit 0 "$PLAIN" gen bandwidth/issue -m $machine -o script
[ ! -e script/events.sh ] || fail "a suite without events has events.sh"
