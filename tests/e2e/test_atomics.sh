# Atomics of GPUs by scope and by whose word they change, and stores to the shared memory of other blocks: judged without a GPU, what cannot
# hold is refused with the nearest that works, and programs broken on purpose are failed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/broken_ptx.sh"

cat >r.lua <<'RECIPE'
local function grid() return { blocks = 8, threads = 96, cluster = 2 } end
benchmark { name = "memory", target = "ptx", grid = grid,
  sweep = { op = { "add", "cas", "swap", "max" }, address = { "one", "block", "warp", "thread" }, width = { 4, 8 } },
  where = function(p) return p.op == "add" or p.address == "warp" end,
  kernel = function(p) return { atomic { op = p.op, address = p.address, width = p.width }, add { count = 2, dependents = 1 } } end }
benchmark { name = "near", target = "ptx", grid = grid, sweep = { level = { "SHARED", "DSMEM" }, op = { "add", "cas" }, address = { "block", "warp" } },
  kernel = function(p) return { atomic { op = p.op, address = p.address, served_by = { [p.level] = 1 } } } end }
benchmark { name = "scopes", target = "ptx", grid = grid,
  sweep = { scope = { "cta", "cluster", "gpu", "sys" }, returns = { 0, 1 }, apart = { 4, 128 } },
  kernel = function(p)
    return { atomic { op = "add", address = "block", scope = p.scope, apart = p.apart, returns = p.returns == 1, count = 2 },
             load { served_by = { L1 = 0.5, L2 = 0.5 } } }
  end }
benchmark { name = "stores", target = "ptx", grid = grid, sweep = { width = { 4, 8, 16 } },
  kernel = function(p)
    return { store { served_by = { DSMEM = 1 }, width = p.width, data = pattern.ones() }, load { served_by = { DSMEM = 0.5, L2 = 0.5 } } }
  end }
RECIPE
expect_exit 0 "$TRAUMA" gen r.lua -m h100 -o h100
expect_exit 0 "$TRAUMA" check h100 -j 2 --counters warp,bytes # the latter where ptxas is
for rate in 'memory/address=one,op=add,width=8 .*threads_per_word  *768 threads ' 'memory/address=one,op=add,width=4 .*blocks_per_line  *8 blocks ' \
    'memory/address=block,op=add,width=4 .*threads_per_word  *96 threads ' 'memory/address=warp,op=cas,width=4 .*threads_per_word  *32 threads ' \
    'memory/address=thread,op=add,width=4 .*threads_per_word  *1 threads ' 'near/address=block,level=DSMEM,op=add .*threads_per_word  *96 threads ' \
    'scopes/apart=4,returns=0,scope=sys .*blocks_per_line  *8 blocks ' 'scopes/apart=128,returns=1,scope=cta .*blocks_per_line  *1 blocks ' \
    'stores/width=16 .*served.DSMEM  *0.5 '; do
    grep -q "^$rate *$(passed "$rate") *warp" out || fail "$rate is not judged: $(cat out)"
done
[ "$(json_document h100/memory/address=thread,op=add,width=4/manifest.json stored)" = '{"SHARED":0,"L1":0,"L2":2112,"MEM":0}' ] ||
    fail "the sectors of atomics: $(json_document h100/memory/address=thread,op=add,width=4/manifest.json stored)"
expect_text h100/memory/address=warp,op=cas,width=8/program.ptx 'atom.global.gpu.cas.b64'
expect_text h100/near/address=warp,level=DSMEM,op=add/program.ptx 'atom.shared::cluster.cluster.add.u32'
expect_text h100/stores/width=8/program.ptx 'st.shared::cluster.v2.u32'
expect_exit 0 "$TRAUMA" explain r.lua -m h100 --filter 'memory/address=warp,op=cas,width=8'
expect_text out 'atomic cas  L2     gpu'

refused()
{
    echo "benchmark { name = \"x\", target = \"$1\", grid = { $4 }, place = $5, kernel = function() return { $3 } end }" >x.lua
    expect_exit 3 "$TRAUMA" gen x.lua -m "$2" -o x
    expect_text err "$6"
}
refused ptx h100 'atomic { op = "add", address = "one", scope = "cta" }' 'blocks = 8' nil 'expected scope = "gpu" or "sys", or address = "block"'
refused ptx h100 'atomic { op = "add", address = "one", scope = "cluster" }' 'blocks = 8, cluster = 4' nil '8 blocks change the word'
refused ptx h100 'atomic { op = "add", scope = "cluster" }' 'blocks = 8' nil 'expected cluster = 2 to 8, or scope = "gpu"'
refused ptx h100 'atomic { op = "add", scope = "cta", served_by = { DSMEM = 1 } }' 'blocks = 8' nil 'expected scope = "cluster"'
refused ptx h100 'atomic { op = "add", width = 8, served_by = { SHARED = 1 } }' 'blocks = 8' nil 'expected width = 4, or served_by = { L2 = 1 }'
refused ptx h100 'atomic { op = "cas", returns = false }' 'blocks = 8' nil 'expected returns = true'
refused ptx h100 'atomic { op = "add", served_by = { MEM = 1 } }' 'blocks = 8' nil 'expected SHARED, DSMEM or L2'
refused ptx h100 'atomic { op = "add", apart = 6 }' 'blocks = 8' nil 'expected 8'
refused ptx h100 'atomic { op = "add", address = "one", apart = 8 }' 'blocks = 8' nil 'expected no apart'
refused ptx h100 'atomic { op = "add" }' 'blocks = 8' '{ side = "near" }' 'expected no such place'
refused ptx h100 'atomic { op = "add", address = "one" }' 'blocks = 264' '{ sm = { 0, 1 } }' 'with place.sm'
refused ptx a100 'atomic { op = "add", scope = "cluster" }' 'blocks = 8' nil 'grid.cluster is 1: expected scope = "gpu"'
refused ptx a100 'atomic { op = "add", served_by = { DSMEM = 1 } }' '' nil 'it needs sm_90 or later'
refused ptx h100 'atomic { op = "turn" }' '' nil 'atomic.op'
refused ptx h100 'atomic { op = "add", shared = "x" }' '' nil 'address states which threads'
refused gcn mi300x 'atomic { op = "add", address = "one" }' 'blocks = 8' nil 'or a machine of one die such as mi300x-cpx'
refused gcn mi300x 'atomic { op = "add", address = "block", apart = 4 }' 'blocks = 8' nil 'with apart = 128'
refused gcn w9100 'atomic { op = "add", address = "one", scope = "cta" }' 'blocks = 8' nil 'expected scope = "gpu" or "sys"'

# Of AMD's GPUs, whose executor runs all blocks; instructions as LLVM's compiler makes them of each scope.
cat >a.lua <<'RECIPE'
benchmark { name = "memory", target = "gcn", grid = { blocks = 12, threads = 96 },
  sweep = { op = { "add", "cas", "swap", "max" }, address = { "one", "block", "warp", "thread" }, width = { 4, 8 }, level = { "L2", "SHARED" } },
  where = function(p) return p.op == "add" or p.address == "warp" end,
  kernel = function(p)
    return { atomic { op = p.op, address = p.address, width = p.width, served_by = { [p.level] = 1 } }, add { count = 2, dependents = 1 } }
  end }
benchmark { name = "scopes", target = "gcn", grid = { blocks = 12, threads = 96 },
  sweep = { scope = { "cta", "gpu", "sys" }, returns = { 0, 1 }, apart = { 4, 128 } },
  kernel = function(p)
    return { atomic { op = "add", address = "block", scope = p.scope, apart = p.apart, returns = p.returns == 1, count = 2 },
             load { served_by = { L1 = 0.5, L2 = 0.5 } } }
  end }
RECIPE
# All with sanitizers on the first GPU; on the others a wave's words and scopes with them, and all without.
plain_program
for row in 'w9100 64 flat_atomic_add v30.glc v30.glc' 'rdna2 32 global_atomic_add off.glc off.glc' \
    'rx7900 32 global_atomic_add_u32 off.glc off.glc' \
    'rx9070 32 global_atomic_add_u32 off.th:TH_ATOMIC_RETURN.scope:SCOPE_DEV off.th:TH_ATOMIC_RETURN.scope:SCOPE_SYS' 'mi300x-cpx 64 global_atomic_add off.sc0 off.sc0.sc1'; do
    set -- $row
    expect_exit 0 "$TRAUMA" gen a.lua -m $1 -o $1
    [ -e $1/scopes/apart=4,returns=1,scope=gpu/program.co ] || continue # this LLVM assembles nothing for AMD's GPUs
    case $1 in
    w9100) expect_exit 0 "$TRAUMA" check $1 -j 2 --counters wave ;;
    *)
        expect_exit 0 "$TRAUMA" check $1 -j 2 --counters wave --filter 'address=warp,.*width=4|apart=4,returns=1,scope=gpu'
        expect_exit 0 "$PLAIN" check $1 -j 2 --counters wave
        ;;
    esac
    for rate in 'memory/address=one,level=L2,op=add,width=8 .*threads_per_word  *1152 threads ' "memory/address=warp,level=SHARED,op=max,width=8 .*threads_per_word  *$2 threads " \
        'scopes/apart=128,returns=0,scope=sys .*blocks_per_line  *1 blocks '; do
        grep -q "^${rate%"$2 threads "}" out || fail "$1: $rate is not judged: $(cat out)"
    done
    for form in gpu,$4 sys,$5; do
        grep -q " $3 v8, v\[[0-9:]*\], .*${form#*,}\( *//.*\)*\$" $1/scopes/apart=4,returns=1,scope=${form%,*}/program.s || fail "$1: no $3 of scope $form"
    done
done
refused ptx h100 'atomic { op = "add", returns = false }, add { dependents = 1 }' '' nil 'no load precedes it'

add=memory/address=block,op=add,width=4
warp=memory/address=warp,op=cas,width=4
scope=scopes/apart=4,returns=1,scope=gpu
reduce=scopes/apart=128,returns=0,scope=cta
dsmem=near/address=warp,level=DSMEM,op=add
store=stores/width=4
for point in $add; do
    broken $point '0,/atom.global.gpu/s//atom.global.sys/' 'has the scope sys; by the manifest it would be gpu'
    broken $point '0,/atom.global.gpu/s//atom.global.cta/' 'has the scope cta'
    broken $point '0,/atom.global.gpu.add.u32/s//atom.global.gpu.max.u32/' 'the atomic is max'
    broken $point '0,/\(atom.*\), %one;/s//\1, %nil;/' 'has the operand 0x0'
    broken $point '0,/\(atom.*\), %one;/s//\1, %thread;/' 'has the operand'
    broken $point '0,/    atom.global[^;]*;/s///' 'is not what comes next\|makes\|undefined\|times'
    broken $point '0,/\(    atom.global[^;]*;\)/s//\1 \1/' 'is not what comes next\|makes\|times'
    broken $point '0,/atom.global.gpu.add.u32 \(%v[0-9]*\), \(\[%s0\]\), %one;/s//ld.global.cg.u32 \1, \2;/' 'is not what comes next\|is a load\|another kind'
    broken $point '0,/\(atom.global.gpu.add.u32 %v[0-9]*, \[%s0\)\]/s//\1+4]/' 'accesses address\|outside\|past the end'
    broken $point 's/div.u32 %at, %thread, [0-9]*;/div.u32 %at, %thread, 32;/' 'accesses address\|threads_per_word'
    broken $point 's/div.u32 %at, %thread, [0-9]*;/mov.u32 %at, %thread;/' 'accesses address\|past the end'
    broken $point '0,/    mul.lo.u64 %offset, %offset, [0-9]*;/s//    mul.lo.u64 %offset, %offset, 0;/' 'accesses address'
done
broken $warp 's/div.u32 %at, %thread, 32;/div.u32 %at, %thread, 16;/' 'accesses address'
broken $warp '0,/cas.b32 \(%v[0-9]*, \[%s0\]\), %nil, %nil/s//cas.b32 \1, %nil, %one/' 'has the operand 0x1'
broken $warp '0,/cas.b32 \(%v[0-9]*, \[%s0\]\), %nil, %nil/s//cas.b32 \1, %one, %nil/' 'has the operand 0x1'
broken $reduce '0,/red.global.cta/s//red.global.gpu/' 'has the scope gpu'
broken $reduce '0,/red.global.cta.add.u32 /s//atom.global.cta.add.u32 %v0, /' "returns the word's old value"
broken $dsmem '0,/atom.shared::cluster.cluster/s//atom.shared::cluster.gpu/' 'has the scope gpu'
broken $dsmem '0,/atom.shared::cluster/s//atom.shared/' "reaches only the block's own"
for point in $dsmem $store; do
    broken $point 's/\(mapa.shared::cluster.u64 %s0, .*\), %other;/\1, %rank;/' 'accesses shared memory of block'
    broken $point '0,/    barrier.cluster.wait.aligned;/s///' 'cluster barrier'
    broken $point '/    barrier.cluster/d' 'cluster barrier'
done
broken $store '0,/st.shared::cluster/s//st.shared/' "reaches only the block's own"
broken $store '0,/st.shared::cluster.u32 \(\[%s0[^]]*\]\), %k3/s//st.shared::cluster.u32 \1, %sum0/' 'stores the word'
broken $store '0,/st.shared::cluster.u32 \[%s0/s//st.shared::cluster.u32 [%s0+4096/' 'accesses address\|past the end'
if command -v ptxas >/dev/null && command -v nvdisasm >/dev/null; then
    broken $add '0,/atom.global.gpu/s//atom.global.sys/' 'atomic adds of 4 bytes in global memory' bytes
    broken $add '0,/atom.global.gpu.add/s//atom.global.gpu.max/' 'makes 21 atomic adds' bytes
    broken $reduce '0,/red.global.cta/s//red.global.gpu/' 'reduction adds of 4 bytes' bytes
    broken $store '0,/st.shared::cluster.u32/s//st.shared::cluster.v4.u32/; 0,/\(st.shared::cluster.v4.u32 .*\), %k3/s//\1, {%k3, %k3, %k3, %k3}/' 'in generic memory' bytes
fi
[ $count -ge 25 ] || fail "only $count programs were broken"
