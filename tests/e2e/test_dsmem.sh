# Distributed shared memory (served_by.DSMEM): loads from the shared memory of another block of the cluster are judged without a GPU, what
# cannot hold is refused with the nearest that works, and programs broken on purpose are failed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
. "$SOURCE/tests/e2e/broken_ptx.sh"

cat >operator.lua <<'RECIPE'
benchmark { name = "x", target = "ptx", grid = { cluster = 2 }, kernel = function() return { store { served_by = { DSMEM = 1 }, cache = "cg" } } end }
RECIPE
expect_exit 3 "$TRAUMA" gen operator.lua -m h100 -o operator
expect_text err 'accesses to shared memory have no cache operator'

cat >r.lua <<'RECIPE'
local function grid(p) return { blocks = 8, threads = 64, cluster = p.cluster } end
benchmark { name = "walk", target = "ptx", grid = grid, sweep = { cluster = { 2, 4, 8 }, width = { 4, 8, 16 } },
  kernel = function(p) return { load { served_by = { DSMEM = 1 }, width = p.width, data = pattern.toggle(0.25), bus = 256 } } end }
benchmark { name = "chase", target = "ptx", grid = grid, sweep = { cluster = { 2, 4 }, order = { "ordered", "random" } },
  kernel = function(p)
    return { load { served_by = { DSMEM = 1 }, address = "chase", stride = p.order == "random" and "random" or nil } }
  end }
benchmark { name = "beside", target = "ptx", grid = { blocks = 6, threads = 96, cluster = 3 },
  kernel = function()
    return { load { served_by = { SHARED = 0.25, DSMEM = 0.25, L1 = 0.25, L2 = 0.25 } }, add { count = 2, dependents = 1 },
             load { served_by = { DSMEM = 1 }, address = "chase" }, store { served_by = { L2 = 1 } } }
  end }
benchmark { name = "wraps", target = "ptx", grid = { blocks = 4, threads = 64 }, loop = { units = 4 },
  kernel = function() return { load { served_by = { DSMEM = 1 } } } end }
benchmark { name = "usual", target = "ptx", kernel = function() return { load { served_by = { DSMEM = 1 } } } end }
benchmark { name = "copies", target = "ptx", grid = { blocks = 4, threads = 64 },
  kernel = function()
    return { load { served_by = { DSMEM = 1 } }, load { served_by = { L2 = 1 }, source = "async", stages = 2 } }
  end }
benchmark { name = "alone", target = "ptx", grid = { blocks = 4, threads = 64, cluster = 4 },
  kernel = function() return { load { served_by = { L1 = 0.5, SHARED = 0.5 } } } end }
RECIPE
for machine in h100 h200; do
    expect_exit 0 "$TRAUMA" gen r.lua -m $machine -o $machine
    expect_exit 0 "$TRAUMA" check $machine -j 2 --counters warp
    expect_no_text out unobserved
    for rate in 'walk/cluster=8,width=4 .* served.DSMEM  *1 ' 'walk/cluster=2,width=16 .* data.toggle_rate  *0.25 ' \
        'chase/cluster=4,order=random .* served.DSMEM  *1 ' 'beside.* served.DSMEM  *0.625 ' 'beside.* served.SHARED  *0.125 ' \
        'usual.* served.DSMEM  *1 ' 'copies.* served.DSMEM  *0.5 ' 'alone.* served.SHARED  *0.5 '; do
        grep -q "^$rate *$(passed "$rate") *warp" out || fail "$rate is not judged on $machine: $(cat out)"
    done
done
[ "$(json_document h100/usual/default/manifest.json grid)" = '{"blocks":132,"threads":256,"cluster":2,"working":132,"leaving":0}' ] || fail "the usual cluster"
[ "$(json_document h100/walk/cluster=8,width=4/manifest.json accesses)" = '{"SHARED":0,"DSMEM":32768,"L1":0,"L2":0,"MEM":0}' ] ||
    fail "the accesses: $(json_document h100/walk/cluster=8,width=4/manifest.json accesses)"
[ "$(json_document h100/walk/cluster=8,width=4/manifest.json transfers)" = '{"SHARED":0,"DSMEM":4096,"L1":0,"L2":0,"MEM":0}' ] ||
    fail "the transfers: $(json_document h100/walk/cluster=8,width=4/manifest.json transfers)"
! grep -q 'cluster\|mapa' h100/alone/default/program.ptx || [ "$(grep -c 'cluster' h100/alone/default/program.ptx)" -eq 1 ] ||
    fail "a cluster without such loads has barriers"
expect_exit 0 "$TRAUMA" explain r.lua -m h100 --filter 'walk/cluster=4,width=8'
expect_text out 'in clusters of 4'
expect_text out 'DSMEM'
expect_exit 0 "$TRAUMA" list --metrics
expect_text out 'DSMEM'

# Suites of machines that lack it, and of other shapes, are not made.
refused()
{
    echo "benchmark { name = \"x\", target = \"$1\", grid = { $4 }, place = $5, kernel = function() return { $3 } end }" >x.lua
    expect_exit 3 "$TRAUMA" gen x.lua -m "$2" -o x
    expect_text err "$6"
}
one='load { served_by = { DSMEM = 1 } }'
refused ptx a100 "$one" '' nil 'it needs sm_90 or later, and the machine "a100" is sm_80; expected SHARED'
refused ptx a100 'load { served_by = { SHARED = 1 } }' 'cluster = 2' nil 'it needs sm_90 or later, and the machine "a100" is sm_80; expected no cluster'
refused gcn w9100 "$one" '' nil 'DSMEM is a level of NVIDIA'
refused gcn w9100 'load { served_by = { SHARED = 1 } }' 'cluster = 2' nil 'the target gcn has no clusters; expected no cluster'
refused ptx h100 "$one" 'cluster = 1' nil 'expected cluster = 2 to 8'
refused ptx h100 "$one" 'cluster = 16' nil 'from 1 to 8'
refused ptx h100 "$one" 'blocks = 7, cluster = 2' nil 'expected 6 or 8'
refused ptx h100 "$one" 'blocks = 1' nil 'expected 2'
refused ptx h100 "$one" 'blocks = 8' '{ sm = { 0, 1 } }' 'expected no place, or no cluster'
refused ptx h100 'load { served_by = { DSMEM = 1 }, source = "async" }' '' nil 'expected L1, L2 or MEM'
refused ptx h100 'load { served_by = { DSMEM = 1 } }, throttle { duty = 0.5 }' '' nil "gpu.bandwidth"
echo 'benchmark { name = "x", target = "x86_64", kernel = function() return { load { served_by = { DSMEM = 1 } } } end }' >x.lua
expect_exit 3 "$TRAUMA" gen x.lua -m zen5 -o x
expect_text err 'DSMEM is a level of NVIDIA'

walk=walk/cluster=4,width=4
chase=chase/cluster=4,order=random
for point in $walk $chase 'chase/cluster=2,order=ordered'; do
    broken $point 's/\(mapa.shared::cluster.u64 %s0, .*\), %other;/\1, %rank;/' 'accesses shared memory of block .*; by the manifest it would be of block'
    broken $point '0,/    barrier.cluster.wait.aligned;/s///' 'cluster barrier'
    broken $point '0,/    barrier.cluster.arrive.aligned;/s///' 'without having arrived'
    broken $point '0,/    barrier.cluster.arrive.aligned;/s//    barrier.cluster.arrive.relaxed.aligned;/' 'relaxed'
    broken $point 's/    st.shared.u64 \[%t1\], %t2;//' 'has not written'
    broken $point 's/\(mul.wide.u32 %thread_offset, %thread\), [0-9]*/\1, 64/' 'accesses address\|bytes from thread to thread\|from the region'
    broken $point '0,/ld.shared::cluster/s//ld.shared/' "reaches only the block's own\|times ld.shared"
    broken $point 's/ld.shared::cluster/ld.shared/' "reaches only the block's own\|times ld.shared"
    broken $point 's/.reqnctapercluster \([0-9]\), 1, 1/.reqnctapercluster 8, 1, 1/' 'clusters of'
    broken $point '/.reqnctapercluster/d' 'clusters of'
    awk '{ line[NR] = $0; if (/barrier.cluster/) last[++n] = NR } END { for (i = 1; i <= NR; i++) if (i != last[n] && i != last[n - 1]) print line[i] }' \
        "h100/$point/program.ptx" >no-end.ptx
    rm -rf bad
    cp -r h100 bad
    cp no-end.ptx "bad/$point/program.ptx"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp --filter "^$point" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$point without its last barrier is not failed: $got"
    cat out err >both
    expect_text both 'expected a cluster barrier before'
    count=$((count + 1))
    awk '{ if (/barrier.cluster/ && n++ < 2) next; print }' "h100/$point/program.ptx" >"bad/$point/program.ptx"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp --filter "^$point" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$point without its first barrier is not failed: $got"
    cat out err >both
    expect_text both 'cluster barrier'
    count=$((count + 1))
done
broken $walk 's/setp.eq.u32 %none, %other, 4;/setp.eq.u32 %none, %other, 2;/' 'by the manifest it would be of block\|no such block'
broken $walk 's/add.u32 %other, %rank, 1;/add.u32 %other, %rank, 2;/' 'by the manifest it would be of block\|no such block'
broken $walk 's/add.u32 %other, %rank, 1;/add.u32 %other, %rank, 5;/' 'no such block'
broken $walk '0,/%s0+256\]/s//%s0+260]/' 'accesses address\|multiple'
broken $walk '0,/%s0+256\]/s//%s0+512]/' 'accesses address'
broken $walk '0,/%s0+256\]/s//%s0+65536]/' "past the end of its shared memory"
broken wraps/default 's/@%wrap sub.u64 %s0, %s0, [0-9]*/@%wrap sub.u64 %s0, %s0, 0/' "past the end of its shared memory\|accesses address"
broken $walk 's/add.u64 %t0, %t0, 512;/add.u64 %t0, %t0, 1024;/' 'has not written'
broken $walk '0,/ld.shared::cluster.u32 [^;]*;/s///' 'by the kernel in the manifest\|it would be'
broken $chase 's/\(mapa.shared::cluster.u64 %e0, .*\), %rank;/\1, %other;/' 'by the manifest it would be of block'
broken beside/default '0,/ld.shared::cluster.u32 \(.*\), \[%s1\]/s//ld.shared.u32 \1, [%s0]/' 'times ld.shared\|accesses'
[ $count -ge 40 ] || fail "only $count programs are broken"
