# Bulk stores (store{ source = "tma" }): PTX whose blocks' first threads store for all is judged without a GPU, what cannot hold is refused
# with the nearest that works, and programs broken on purpose are failed.
. "$SOURCE/tests/e2e/lib.sh"
. "$SOURCE/tests/e2e/broken_ptx.sh"

cat >r.lua <<'RECIPE'
local grid = { blocks = 8, threads = 64 }
benchmark { name = "alone", target = "ptx", grid = grid, sweep = { level = { "L2", "MEM" }, width = { 4, 16 } },
  kernel = function(p)
    return { store { served_by = { [p.level] = 1 }, source = "tma", width = p.width, data = pattern.ones() }, load { served_by = { L2 = 1 } } }
  end }
benchmark { name = "both", target = "ptx", grid = grid,
  kernel = function()
    return { load { served_by = { L2 = 1 }, source = "tma", stages = 2 }, store { served_by = { L2 = 0.5, MEM = 0.5 }, source = "tma", count = 2 },
             load { served_by = { SHARED = 1 } }, add { count = 2 } }
  end }
RECIPE
expect_exit 0 "$TRAUMA" gen r.lua -m h100 -o h100
expect_exit 0 "$TRAUMA" check h100 -j 2 --counters warp,bytes
expect_no_text out unobserved
program=h100/alone/level=L2,width=4
expect_text $program/program.ptx '@%leads cp.async.bulk.global.shared::cta.bulk_group [%s0], [%out], 256;'
expect_text $program/manifest.json '"source": "tma"'
expect_exit 0 "$TRAUMA" explain r.lua -m h100 --filter 'alone/level=L2,width=4'
expect_text out 'store, bulk copy'

# What they write is counted as stores of all threads are.
sed 's/, source = "tma", width = p.width/, width = p.width/' r.lua >plain.lua
expect_exit 0 "$TRAUMA" gen plain.lua -m h100 -o plain --filter alone
[ "$(json_document $program/manifest.json stored)" = "$(json_document plain/alone/level=L2,width=4/manifest.json stored)" ] ||
    fail "what bulk stores write: $(json_document $program/manifest.json stored)"

refused()
{
    echo "benchmark { name = \"x\", target = \"ptx\", grid = { $4 }, place = $5, kernel = function() return { $2 } end }" >x.lua
    expect_exit 3 "$TRAUMA" gen x.lua -m "$1" -o x
    expect_text err "$3"
}
refused a100 'store { served_by = { L2 = 1 }, source = "tma" }' 'store.source is "tma": bulk copies need sm_90 or later' '' nil
refused h100 'store { served_by = { L2 = 1 }, source = "async" }' 'from sm_90 on source = "tma"' '' nil
refused h100 'store { served_by = { SHARED = 1 }, source = "tma" }' 'asynchronous copies write global memory; expected L2 or MEM' '' nil
refused h100 'store { served_by = { L2 = 1 }, source = "tma", stages = 2 }' 'expected no stages' '' nil
refused h100 'store { served_by = { L2 = 1 }, source = "tma", cache = "cg" }' 'have no cache operator' '' nil
refused h100 'store { served_by = { L2 = 1 }, source = "tma", lane = 32 }' 'a bulk copy is of adjacent bytes' '' nil
refused h100 'store { working_set = 4096, source = "tma" }' 'expected served_by' '' nil
refused h100 'store { served_by = { L2 = 1 }, source = "tma", width = 4 }' 'a multiple of 4 threads' 'threads = 33' nil
refused h200 'store { served_by = { L2 = 1 }, source = "tma" }' 'expected no source, or no side' '' '{ side = "near" }'

put='cp.async.bulk.global.shared::cta.bulk_group'
one=alone/level=L2,width=4
for point in $one alone/level=MEM,width=16; do
    broken $point '/fence.proxy.async/d' 'expected fence.proxy.async after that'
    broken $point '/cp.async.bulk.wait_group 0;/d' 'are under way here'
    broken $point 's/cp.async.bulk.wait_group 0;/cp.async.bulk.wait_group 1;/' 'are under way here'
    broken $point '/cp.async.bulk.commit_group/d' 'times cp.async.bulk.commit_group'
    broken $point "0,/@%leads $put/{/@%leads $put/d}" "times $put\|accesses of a stream"
    broken $point "0,/@%leads $put/s//$put/" 'is made by thread\|expected a multiple of 16'
    broken $point "0,/\($put \[%s0\)\]/s//\1+16]/" 'copies from address\|past the end'
    broken $point "0,/\($put .*\), \([0-9]*\);/s//\1, 16;/" 'bytes of a bulk copy'
    broken $point "0,/\($put .*\), \[%out\]/s//\1, [%out+65536]/" 'outside shared memory'
    broken $point 's/\(st.shared.* \[%t0\], \).*;/\1%sum0;/; s/st.shared.v4/st.shared/' 'stores the word\|which another thread\|elements'
    broken $point 's/setp.eq.u32 %leads, %thread, 0;/setp.eq.u32 %leads, %thread, 1;/' 'is made by thread\|expected a multiple of 16'
done
broken both/default '0,/cp.async.bulk.commit_group/{/cp.async.bulk.commit_group/d}' 'times cp.async.bulk.commit_group'
if command -v ptxas >/dev/null && command -v nvdisasm >/dev/null; then
    broken $one "0,/@%leads $put/{/@%leads $put/d}" 'bulk stores in global memory' bytes
fi
[ $count -ge 20 ] || fail "only $count programs were broken"
