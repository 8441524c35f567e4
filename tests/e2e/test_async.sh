# Asynchronous loads (source = "async"): PTX that copies to shared memory is judged without a GPU, what cannot hold is refused with the
# nearest that works, and programs broken on purpose are failed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >r.lua <<'RECIPE'
local grid = { blocks = 4, threads = 64 }
benchmark { name = "copied", target = "ptx", grid = grid, sweep = { level = { "L1", "L2", "MEM" } },
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, source = "async", data = pattern.toggle(0.25), bus = 256 } }
  end }
benchmark { name = "consumed", target = "ptx", grid = grid, sweep = { width = { 4, 8, 16 }, stages = { 1, 3 } },
  kernel = function(p)
    return { load { served_by = { L1 = 1 }, source = "async", width = p.width, stages = p.stages, count = 2 },
             add { count = 2, dependents = 1 }, fma { dependents = 1 } }
  end }
benchmark { name = "beside", target = "ptx", grid = grid, expect = { ["mix.load"] = { min = 0.2 } },
  kernel = function()
    return { load { served_by = { L1 = 0.5, L2 = 0.5 }, source = "async", stages = 2, count = 2 }, load { served_by = { SHARED = 1 } },
             xor { dependents = 1 }, load { served_by = { L2 = 1 }, source = "async", cache = "ca", width = 4, stages = 4 },
             add { dependents = 1 }, store { served_by = { L2 = 1 } } }
  end }
RECIPE
for machine in a100 ada; do
    expect_exit 0 "$TRAUMA" gen r.lua -m $machine -o $machine
    expect_exit 0 "$TRAUMA" check $machine -j 2 --counters warp
    expect_no_text out unobserved
    for rate in 'copied/level=MEM .* served.MEM  *1 ' 'copied/level=L2 .* data.toggle_rate  *0.25 ' 'beside.* served.SHARED  *0.25 ' \
        'consumed/stages=3,width=16 .* served.L1  *1 '; do
        grep -q "^$rate *$(passed "$rate") *warp" out || fail "$rate is not judged on $machine: $(cat out)"
    done
done
# What copies bring no bytes show: a pass needs a source that executes them.
got=0
"$TRAUMA" check a100 --counters bytes --filter 'copied/level=L2' >out 2>err </dev/null || got=$?
[ $got -eq 0 ] || [ $got -eq 4 ] || fail "exit $got: $(cat out err)"
expect_text err 'bytes does not follow asynchronous copies to shared memory'
! grep 'data.toggle_rate.* pass' out || fail "bytes passes what it has not seen"
expect_exit 0 "$TRAUMA" explain r.lua -m a100 --filter beside
expect_text out 'load, asynchronous'
expect_exit 0 "$TRAUMA" check a100 -j 1 --counters warp --json --filter beside
grep -q '"metric":"mix.load".*"verdict":"pass"' out || fail "the mix does not count copies"

cat >near.lua <<'RECIPE'
benchmark { name = "near", target = "ptx", grid = { blocks = 4, threads = 64 }, place = { side = "near" },
  kernel = function() return { load { served_by = { L2 = 1 }, source = "async", data = pattern.toggle(0.5), bus = 256 } } end }
RECIPE
expect_exit 0 "$TRAUMA" check near.lua -m a100 --counters warp
grep -q ' l2.far_share  *0  *pass (code)  *warp' out || fail "copies from the near side are not judged: $(cat out)"

# What cannot hold.
refused()
{
    echo "benchmark { name = \"x\", target = \"$1\", kernel = function() return { $3 } end }" >x.lua
    expect_exit 3 "$TRAUMA" gen x.lua -m "$2" -o x
    expect_text err "$4"
}
sed 's/"h200"/"turing"/; s/"sm_90"/"sm_75"/; s/sides = 2, //' "$SOURCE/recipes/machines/h200.lua" >turing.lua
refused ptx ./turing.lua 'load { served_by = { L1 = 1 }, source = "async" }' 'it needs sm_80 or later, and the machine "turing" is sm_75'
refused ptx a100 'load { served_by = { L2 = 1 }, source = "async", width = 8 }' 'expected width = 16, or cache = "ca"'
refused ptx a100 'load { served_by = { L1 = 1 }, source = "async", width = 8, cache = "cg" }' 'expected width = 16, or cache = "ca"'
refused ptx a100 'load { served_by = { L1 = 1 }, source = "async", cache = "evict_last" }' 'expected one of ca or cg'
refused ptx a100 'load { served_by = { L1 = 1 }, source = "async", address = "chase" }' 'expected address = "independent", or no source'
refused ptx a100 'load { served_by = { SHARED = 1 }, source = "async" }' 'expected L1, L2 or MEM'
refused ptx a100 'store { served_by = { L2 = 1 }, source = "async" }' 'expected a load, no source'
refused ptx a100 'load { served_by = { L2 = 1 }, stages = 2 }' 'stages needs source = "async"'
refused ptx a100 'load { served_by = { L1 = 1 }, source = "async", count = 8, stages = 16 }' 'expected fewer threads, or stages'
refused gcn w9100 'load { served_by = { L2 = 1 }, source = "async" }' 'the target gcn has no asynchronous copies'

# broken POINT SED TEXT: the point's program, changed by sed, is failed by check, which says the text.
count=0
broken()
{
    rm -rf bad
    cp -r a100 bad
    sed -i "$2" "bad/$1/program.ptx"
    ! cmp -s "a100/$1/program.ptx" "bad/$1/program.ptx" || fail "$2 changes nothing in $1"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp --filter "^$1" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$1 with $2 is not failed: exit $got: $(cat out)"
    cat out err | grep -q -e "$3" || fail "$1 with $2: '$3' is not said: $(cat out)"
    count=$((count + 1))
}
plain=copied/level=L2
used='consumed/stages=1,width=16'
staged='consumed/stages=3,width=8'
broken $plain '/cp.async.wait_group/d' 'cp.async.wait_group 3\|another copy is under way'
broken $plain 's/wait_group 3/wait_group 5/' 'wait_group\|another copy'
broken $plain 's/wait_group 3/wait_group 0/' 'times cp.async.wait_group'
broken $plain '/cp.async.commit_group/d' 'cp.async.commit_group'
broken $plain '/cp.async.wait_all/d' 'are under way here'
broken $plain '0,/\(cp.async.\)cg\(.*\), 16;/s//\1ca\2, 8;/' 'bytes of a thread\|times cp.async.c'
broken $plain '0,/cp.async.cg/s//cp.async.ca/' 'times cp.async.c\|the operator'
broken $plain '0,/\[%ring0+1024\]/s//[%ring0+1040]/' 'copies to shared memory at\|another copy'
broken $plain '0,/\[%ring0+1024\]/s//[%ring0+2048]/' 'copies to shared memory at'
broken $plain '0,/\[%s0+1024\]/s//[%s0+1056]/' 'accesses address'
broken $plain 's/mul.wide.u32 %t0, %thread, 16;/mul.wide.u32 %t0, %thread, 32;/' \
    'copies to shared memory at\|outside shared memory\|without a barrier between'
broken $plain '0,/cp.async.cg.shared.global \[%ring0\], \(.*\), 16;/s//ld.global.cg.v4.u32 {%v0, %v1, %v2, %v3}, \1;/' \
    'nothing uses\|times cp.async\|asynchronous'
broken "$used" '0,/    cp.async.wait_group 0;/s///' 'wait_group'
broken "$used" '0,/\(    cp.async.wait_group 0;\)\(.*\)/s///' 'wait_group'
broken "$used" '0,/ld.shared.v4.u32 \(.*\), \[%ring0+1024\];/s//ld.shared.v4.u32 \1, [%ring0];/' 'reads shared memory at'
broken "$used" '0,/ld.shared.v4.u32 [^;]*;/s///' 'copies\|times\|reads'
broken "$staged" '0,/wait_group 2;/s//wait_group 1;/' 'wait_group'
broken "$staged" '0,/\(ld.shared.v2.u32 .*ring0\)+2560/s//\1+512/' 'reads shared memory at\|still writes'
broken beside/default '0,/cp.async.ca.shared.global \[%ring3.*, 4;/s///' 'times cp.async'
[ $count -ge 16 ] || fail "only $count programs are broken"

# A wait that is only moved behind the read is seen by what it reads, not by its number.
rm -rf bad
cp -r a100 bad
awk '/cp.async.wait_group 0;/ && !done { held = $0; next } { print } /ld.shared/ && held != "" { print held; held = ""; done = 1 }' \
    "a100/$used/program.ptx" >"bad/$used/program.ptx"
got=0
"$TRAUMA" check bad --as-is -j 1 --counters warp --filter "^$used" >out 2>err </dev/null || got=$?
[ $got -ne 0 ] || fail "a wait behind its read is not failed"
cat out err >both
expect_text both 'which an asynchronous copy still writes'
