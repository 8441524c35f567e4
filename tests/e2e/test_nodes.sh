# NUMA nodes: programs bind their data and ask the kernel where it is; copies on a node's processors; the matrix of measure.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
recipe()
{
    echo "benchmark { name = \"n\", kernel = function() return { $1 } end, ${2:-} }" >n.lua
}
load="load { served_by = { MEM = 1 }, count = 4, node = "

# What is no node, and what a kernel cannot have.
recipe "$load 1024 }"
expect_exit 3 "$TRAUMA" gen n.lua -m zen5 -o no
expect_text err "load.node is 1024: expected a whole number from 0 to 1023"
recipe "$load 0 }, store { served_by = { L1 = 1 }, node = 1 }"
expect_exit 3 "$TRAUMA" gen n.lua -m zen5 -o no
expect_text err "store.node is 1, and another access has node 0"
recipe "$load 0 }" 'target = "ptx"'
expect_exit 3 "$TRAUMA" gen n.lua -m h100 -o no
expect_text err "no NUMA node of the processors"
recipe "add {}" 'place = { node = 1, cores = 0 }'
expect_exit 3 "$TRAUMA" gen n.lua -m zen5 -o no
expect_text err "expected one of cores, cu, sockets and node"

# Rates are as without a node, in simulators too, which have none.
recipe "$load 5 }"
for machine in zen5 cortex-a72 sifive-u74; do
    expect_exit 0 "$TRAUMA" gen n.lua -m $machine -o suite-$machine -q
    expect_same "$(json_document suite-$machine/n/default/manifest.json kernel/unit/0/node)" 5 "the node in the manifest"
done
sed 's/, node =  *5//' n.lua >plain.lua
expect_exit 0 "$TRAUMA" gen plain.lua -m zen5 -o plain -q
expect_same "$(objdump -d plain/n/default/program.o | tail -n +4 | sha256sum)" \
    "$(objdump -d suite-zen5/n/default/program.o | tail -n +4 | sha256sum)" "the loop"
for machine in cortex-a72 sifive-u74; do
    command -v qemu-aarch64 >/dev/null || break
    expect_exit 0 "$TRAUMA" check suite-$machine --counters qemu
    expect_text out "served.MEM"
done

[ "$(uname -m)" = x86_64 ] || skip "the programs below are for x86-64"
recipe "$load 0 }"
expect_exit 0 "$TRAUMA" gen n.lua -m zen5 -o suite -q
program=suite/n/default/program
sed 's/node = *0/node = 1000/' n.lua >far.lua
expect_exit 0 "$TRAUMA" gen far.lua -m zen5 -o far -q
[ -d /sys/devices/system/node ] || skip "this kernel has no NUMA nodes"
expect_exit 1 far/n/default/program 10
expect_text err "the kernel does not bind the data to the program's NUMA node"
expect_exit 4 "$TRAUMA" run far.lua --power none --counters timing -o far.jsonl
expect_text err "its data is for NUMA node 1000, which is not on this machine: it has 0"

# Copies on the processors of a node.
recipe "$load 0 }" 'threads = 1, place = { node = 0 }'
expect_exit 0 "$TRAUMA" gen n.lua -m zen5 -o here -q
expect_exit 0 "$TRAUMA" run n.lua --power none --counters timing --time 0.01 --reps 1 -o here.jsonl
expect_same "$(json_document here/n/default/manifest.json place/node/0)" 0 "the place in the manifest"
sed 's/place = { node = 0/place = { node = 900/' n.lua >far.lua
expect_exit 4 "$TRAUMA" run far.lua --power none --counters timing -o away.jsonl
expect_text err "names NUMA node 900, which is not on this machine"

# measure.
expect_exit 2 "$TRAUMA" measure latency --node x
expect_text err "expected a number or all"
expect_exit 2 "$TRAUMA" measure bandwidth --node all --threads 2
expect_text err "expected --node or --threads, not both"
# Each question about the present machine measures a core's share of L3 first, for seconds; of its file it asks nothing.
expect_exit 0 "$TRAUMA" machine detect -o machine.lua
expect_exit 3 "$TRAUMA" measure latency -m machine.lua --node 900
expect_text err "node is 900: the machine"
expect_exit 0 "$TRAUMA" measure latency --node all --time 0.01 --reps 2 --counters timing
expect_text out "from node"
expect_text out "node 0"
cat >two.lua <<'MACHINE'
machine { name = "two", isa = "x86_64", cores = 4,
  nodes = { { id = 0, cores = 4, memory = "1GiB" }, { id = 2, cores = 0, memory = "4GiB" } },
  caches = { L1I = { size = "32KiB", ways = 8, line = 64 }, L1D = { size = "32KiB", ways = 8, line = 64 },
             L2 = { size = "1MiB", ways = 16, line = 64 } } }
MACHINE
expect_same "$("$TRAUMA" list measure/nodes -m two.lua -v | grep -c 'node-latency/from=0,node=[02]')" 2 "from processors alone"
expect_exit 3 "$TRAUMA" measure loaded -m machine.lua --node 900
expect_text err "node is 900: the machine"
expect_exit 0 "$TRAUMA" gen measure/loaded -m two.lua --set duty=1 --set op=copy --set level=MEM --set node=2 --set streams=1 -o loaded -q
expect_same "$(json_document loaded/loaded/core=1*/manifest.json kernel/unit/0/node kernel/unit/1/node | tr '\t' ' ')" "2 2" "the streams' node"
expect_same "$(json_document loaded/loaded/core=0*/manifest.json kernel/unit/0/node)" 2 "the chase's node"
expect_exit 4 taskset -c 0 "$TRAUMA" measure loaded -m machine.lua --node all --op read --set duty=1 --json -q
expect_same "$(json_document out level node | tr '\t' ' ')" "MEM 0" "the row of the only node"
sed 's/id = 2/id = 2000/' two.lua >wrong.lua
expect_exit 3 "$TRAUMA" list measure/nodes -m wrong.lua
expect_text err "a whole number from 0 to 1023"

# What the kernel is asked, and what the program does with other answers.
need_program strace
strace -o calls -e trace=mbind,move_pages $program 10 >/dev/null 2>&1 || skip "strace may not trace here"
expect_text calls "MPOL_BIND, [0x00000000000001"
pages=$(grep -c '^move_pages(0, 1, \[0x[0-9a-f]*\], NULL, \[0\], 0) *= 0$' calls)
bytes=$(json_document suite/n/default/manifest.json data/bytes)
[ "$pages" -ge $((bytes / 4096)) ] || fail "$pages pages asked for of $bytes bytes"
expect_exit 1 strace -o calls -e inject=mbind:error=EPERM -e trace=mbind $program 10
expect_text err "does not bind the data"
expect_exit 1 strace -o calls -e inject=move_pages:error=ENOSYS -e trace=move_pages $program 10
expect_text err "does not bind the data"
if strace -e inject=move_pages:poke_exit=@arg5=00000000 -e trace=move_pages true 2>/dev/null; then
    expect_exit 1 strace -o calls -e inject=move_pages:poke_exit=@arg5=07000000 -e trace=move_pages $program 10
    expect_text err "put pages of the data on another NUMA node"
fi
