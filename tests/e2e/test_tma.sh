# Bulk copies (source = "tma"): PTX whose blocks' first threads copy for all is judged without a GPU, what cannot hold is refused with
# the nearest that works, and programs broken on purpose are failed.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >r.lua <<'RECIPE'
local grid = { blocks = 4, threads = 64 }
benchmark { name = "copied", target = "ptx", grid = grid, sweep = { level = { "L2", "MEM" } },
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, source = "tma", data = pattern.toggle(0.25), bus = 256 } }
  end }
benchmark { name = "consumed", target = "ptx", grid = grid, sweep = { width = { 4, 8, 16 }, stages = { 1, 3 } },
  kernel = function(p)
    return { load { served_by = { L2 = 1 }, source = "tma", width = p.width, stages = p.stages, count = 2 },
             add { count = 2, dependents = 1 }, fma { dependents = 1 } }
  end }
benchmark { name = "beside", target = "ptx", grid = { blocks = 4, threads = 96 }, expect = { ["mix.load"] = { min = 0.1 } },
  kernel = function()
    return { load { served_by = { L2 = 0.5, MEM = 0.5 }, source = "tma", stages = 2, count = 2 }, load { served_by = { SHARED = 1 } },
             xor { dependents = 1 }, load { served_by = { L1 = 1 }, source = "async", width = 4, stages = 3 },
             add { dependents = 1 }, branch { divergence = 0.5 },
             store { served_by = { L2 = 1 } } }
  end }
benchmark { name = "walk", target = "ptx", grid = grid, expect = { ["served.L2"] = { min = 1 } },
  kernel = function() return { load { working_set = 4096, source = "tma", width = 4 } } end }
benchmark { name = "odd", target = "ptx", grid = { blocks = 3, threads = 36 },
  kernel = function() return { load { served_by = { L2 = 1 }, source = "tma", width = 4, count = 3 }, add { dependents = 1 } } end }
benchmark { name = "chased", target = "ptx", grid = { blocks = 4, threads = 64 }, expect = { ["mix.load"] = { min = 0.1 } },
  kernel = function()
    return { load { served_by = { L2 = 0.75, MEM = 0.25 }, source = "tma", address = "chase", stride = "random", count = 4 }, add { dependents = 1 } }
  end }
benchmark { name = "latency", target = "ptx", grid = { blocks = 1, threads = 2 }, sweep = { level = { "L2", "MEM" } },
  kernel = function(p) return { load { served_by = { [p.level] = 1 }, source = "tma", address = "chase", stride = 128 } } end }
RECIPE
# What L2 does not hold is as long as L2 is large: with sanitizers on an H200 of 4 MiB, without them on the two as they are.
plain_program
sed 's/60MiB/4MiB/' "$SOURCE/recipes/machines/h200.lua" >small.lua
for machine in small h200 h100; do
    program=$PLAIN
    file=$machine
    [ $machine != small ] || { program=$TRAUMA && file=small.lua; }
    expect_exit 0 "$TRAUMA" gen r.lua -m $file -o $machine
    expect_exit 0 "$program" check $machine -j 2 --counters warp
    expect_no_text out unobserved
    for rate in 'copied/level=MEM .* served.MEM  *1 ' 'copied/level=L2 .* data.toggle_rate  *0.25 ' 'beside.* served.SHARED  *0.25 ' 'walk.* served.L2 ' \
        'consumed/stages=3,width=16 .* served.L2  *1 ' 'consumed/stages=1,width=4 .* served.L1  *0 ' 'odd.* served.L2  *1 ' \
        'chased.* served.L2  *0.75 ' 'latency/level=MEM .* served.MEM  *1 '; do
        grep -q "^$rate.*$(passed "$rate") *warp" out || fail "$rate is not judged on $machine: $(cat out)"
    done
done
expect_exit 0 "$TRAUMA" explain r.lua -m small.lua --filter beside
expect_text out 'load, bulk copy'
expect_exit 0 "$TRAUMA" check small -j 1 --counters warp --json --filter beside
grep -q '"metric":"mix.load".*"verdict":"pass"' out || fail "the mix does not count copies"
expect_text h200/copied/level=L2/manifest.json '"source": "tma"'
expect_text h200/copied/level=L2/program.ptx '.version 8.0'

# A chase has one place: each copy is waited for, and read, before the next begins where it says.
expect_same "$(grep -c 'ld.shared.u64 %s0, \[%ring0\];' h200/latency/level=L2/program.ptx)" "$(json_document h200/latency/level=L2/manifest.json streams/0/per_pass)" \
    "reads of where the next copy begins"
expect_text h200/chased/default/program.ptx 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%bulk0], [%s1], 512,'
if command -v ptxas >/dev/null && command -v nvdisasm >/dev/null; then
    expect_exit 0 "$TRAUMA" check h100 -j 2 --counters bytes --filter 'chased'
    grep -q 'chased.* mix.load .*pass  *bytes' out || fail "bytes do not judge chases: $(cat out)"
fi

# Copies and plain loads of the same kernel bring the same.
cat >same.lua <<'RECIPE'
benchmark { name = "same", target = "ptx", grid = { blocks = 4, threads = 64 }, sweep = { source = { "none", "tma" } },
  kernel = function(p)
    return { load { served_by = { L2 = 1 }, width = 16, source = p.source == "tma" and "tma" or nil, stages = p.source == "tma" and 2 or nil } }
  end }
RECIPE
expect_exit 0 "$TRAUMA" gen same.lua -m h200 -o same
for what in accesses transfers; do
    for source in none tma; do
        sed -n "/\"$what\": {/,/}/p" "same/same/source=$source/manifest.json" >$source
        [ -s $source ] || fail "no $what of $source"
    done
    cmp -s none tma || fail "$what of bulk copies are not those of loads: $(cat none tma)"
done

# What cannot hold.
refused()
{
    echo "benchmark { name = \"x\", target = \"$1\", ${5:-} kernel = function() return { $3 } end }" >x.lua
    expect_exit 3 "$TRAUMA" gen x.lua -m "$2" -o x
    expect_text err "$4"
}
sed 's/"h200"/"turing"/; s/"sm_90"/"sm_75"/; s/sides = 2, //' "$SOURCE/recipes/machines/h200.lua" >turing.lua
refused ptx a100 'load { served_by = { L2 = 1 }, source = "tma" }' 'bulk copies need sm_90 or later, and the machine "a100" is sm_80; expected source = "async"'
refused ptx ./turing.lua 'load { served_by = { L2 = 1 }, source = "tma" }' 'the machine "turing" is sm_75; expected no source'
refused ptx h200 'load { served_by = { L1 = 1 }, source = "tma" }' 'bulk copies bypass L1; expected L2 or MEM, or source = "async"'
refused ptx h200 'load { served_by = { L1 = 0.5, L2 = 0.5 }, source = "tma" }' 'bulk copies bypass L1'
refused ptx h200 'load { miss_rate = { L1 = 0.5 }, source = "tma" }' 'bulk copies bypass L1'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", cache = "cg" }' 'have no cache operator'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", lane = 32 }' 'a bulk copy is of adjacent bytes'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", address = "chase", stages = 2 }' 'expected no stages'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", address = "chase" }' 'expected a multiple of 2 threads' 'grid = { threads = 33 },'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", address = "chase", stride = 256 }' 'takes 512 side by side' 'grid = { threads = 64 },'
refused ptx a100 'load { served_by = { L2 = 1 }, source = "tma", address = "chase" }' 'the machine "a100" is sm_80; expected no source'
refused ptx h200 'load { served_by = { SHARED = 1 }, source = "tma" }' 'expected L2 or MEM'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", width = 4 }' 'a multiple of 4 threads' 'grid = { threads = 33 },'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma" }' 'expected source = "async", or no side' 'place = { side = "near" },'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "tma", stages = 16, count = 8 }' 'or stages'
refused ptx h200 'load { served_by = { L2 = 1 }, source = "bulk" }' 'tma'
refused gcn w9100 'load { served_by = { L2 = 1 }, source = "tma" }' 'the target gcn has no bulk copies'

# broken POINT SED TEXT: the point's program, changed by sed, is failed by check, which says the text, and soon.
count=0
judge()
{
    ! cmp -s "h200/$1/program.ptx" "bad/$1/program.ptx" || fail "$2 changes nothing in $1"
    got=0
    timeout 600 "$TRAUMA" check bad --as-is -j 1 --counters warp --filter "^$1" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$1 with $2 is not failed: exit $got: $(cat out)"
    cat out err | grep -q -e "$3" || fail "$1 with $2: '$3' is not said: $(cat out)"
    count=$((count + 1))
}
broken()
{
    rm -rf bad
    cp -r h200 bad
    sed -i "$2" "bad/$1/program.ptx"
    judge "$@"
}
plain=copied/level=L2
used='consumed/stages=1,width=16'
staged='consumed/stages=3,width=8'
bulk='cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
# No wait: nothing waits, one wait is missing, its loop is missing.
broken $plain '/try_wait/d; /bra TRAUMA_WAIT/d' 'try_wait.parity.* by the kernel\|another copy is under way'
broken $used '0,/^    mbarrier.try_wait.*0;$/{//d}' 'try_wait\|times bra'
broken $used '/bra TRAUMA_WAIT_1;/d' 'times bra\|which a bulk copy still writes'
# Another size: of one copy, of what is expected, or of both.
broken $plain "0,/\(bulk0\], \[%s0\]\), 1024/s//\1, 1008/" 'bytes of a bulk copy'
broken $plain '0,/\(expect_tx.*\), 1024/s//\1, 1040/' 'arrivals and 16 bytes are missing'
broken $plain '0,/\(expect_tx.*\), 1024/s//\1, 1008/' '16 bytes arrived that it does not expect'
broken $plain '/@%leads/s/, 1024/, 512/' 'bytes of a bulk copy'
broken $plain "0,/\(bulk0\], \[%s0\]\), 1024/s//\1, 1000/" 'expected a multiple of 16'
# Another parity, which never comes or came before.
broken $plain 's/^\(    mbarrier.try_wait.*\), 1;/\1, 0;/' 'which never comes\|by the kernel'
broken $used '0,/^\(    mbarrier.try_wait.*\), 0;/s//\1, 1;/' 'by the kernel\|still writes'
broken $used '/^TRAUMA_STOP/,$b; /try_wait/s/, 0;/, 2;/; /try_wait/s/, 1;/, 0;/; /try_wait/s/, 2;/, 1;/' 'still writes\|another copy is under way'
# A sector off, from and to.
broken $plain '0,/\[%s0+1024\]/s//[%s0+1056]/' 'copies from address'
broken $plain '0,/\[%bulk0+1024\]/s//[%bulk0+1056]/' 'copies to shared memory at'
broken $plain 's/\[%bulk0+1024\]/[%bulk0+1032]/' 'expected a multiple of 16'
broken $plain 's/\[%s0+1024\]/[%s0+1032]/' 'copies from 0x.* expected a multiple of 16'
# A copy left out: one, one of two of a phase with its bytes, or the arrival.
broken $plain "0,/$bulk/{/$bulk/d}" 'are missing\|times cp.async.bulk'
broken $staged "0,/$bulk/{/$bulk/d}; 0,/expect_tx.*1024/s/1024/512/" 'times cp.async.bulk\|copies'
broken $used '0,/expect_tx/{/expect_tx/d}' 'times mbarrier.arrive\|are missing'
# Read early: what another stage holds, or what is under way.
broken $staged '0,/\(ld.shared.v2.u32 .*ring0\)+1536/s//\1+512/' 'still writes\|reads shared memory at'
broken $used '0,/\(ld.shared.v4.u32 .*ring0\)+1024/s//\1/' 'reads shared memory at'
# A stage used again too soon: without the meeting, or by the copies of another stage.
broken $used '/no thread needs/d' 'which warp .* has accessed since\|times bar'
broken $plain '0,/no thread needs/{/no thread needs/d}' 'times bar'
broken $plain '0,/\[%bulk0+2048\]/s//[%bulk0+1024]/' 'another copy is under way\|copies to shared memory at'
# No mbarrier, none that copies see, none that other warps see, nothing between zeros and copies.
broken $plain '/mbarrier.init/d' 'expected mbarrier.init before'
broken $plain '0,/mbarrier.init/{/mbarrier.init/d}' 'expected mbarrier.init before'
broken $plain '/fence.mbarrier_init/d; /fence.proxy/d' 'expected fence'
broken $plain '/fence.proxy/d' 'expected fence.proxy.async after that'
broken $plain 's/\(mbarrier.init.*\), 1;/\1, 2;/' 'arrivals'
# Another way through the source.
broken $plain 's/add.u64 %s0, %s0, \(65536\|[0-9]*\);/add.u64 %s0, %s0, 1024;/' 'copies from address'
broken $plain 's/\[%s0+1024\]/[%s0+2048]/' 'copies from address'
# By all threads, by another one, and a pass that ends too soon.
broken $plain 's/@%leads cp.async/cp.async/' 'under way\|threads that make a bulk copy'
broken $plain 's/setp.eq.u32 %leads, %thread, 0/setp.eq.u32 %leads, %thread, 1/' 'made by thread\|expected bar.sync between\|expected fence'
broken $plain '/^TRAUMA_STOP/,/bar.sync/{/try_wait/d; /bra /d}' 'are under way here'
broken beside/default "0,/$bulk/{/$bulk/d}" 'are missing\|times cp.async.bulk'
# Chases: a copy that begins elsewhere, that does not wait for the one before, or is not what leads on; a wait, a read, a meeting less.
hop=latency/level=L2
broken $hop '0,/\[%bulk0\], \[%s0\]/s//[%bulk0], [%s0+128]/' 'copies from address'
broken $hop '0,/    ld.shared.u64 %s0, \[%ring0\];.*/s//    add.u64 %s0, %s0, 128;/' 'reads\|copies before the read'
broken $hop '0,/    ld.shared.u64 %s0, \[%ring0\];.*/s///' 'copies before the read\|copies from address\|reads'
broken $hop '0,/ld.shared.u64 %s0, \[%ring0\]/s//ld.shared.u64 %s0, [%bulk0]/' 'reads shared memory at'
broken $hop '0,/^    mbarrier.try_wait.*0;$/{//d}' 'try_wait\|times bra'
broken chased/default '0,/no thread needs/{/no thread needs/d}' 'times bar'
broken chased/default '0,/\(bulk0\], \[%s1\]\), 512/s//\1, 496/' 'bytes of a bulk copy\|are missing'
broken chased/default 's/ld.shared.u64 %s\([01]\), \[%ring0\];/ld.shared.u64 %s\1, [%bulk0];/' 'reads shared memory at'
[ $count -ge 42 ] || fail "only $count programs are broken"

# A wait that is only moved behind the read is seen by what it reads, not by its number.
rm -rf bad
cp -r h200 bad
awk '/^TRAUMA_WAIT_1:/ { held = 3 } held > 0 { kept = kept $0 "\n"; held--; next } { print }
     /ld.shared/ && kept != "" { printf "%s", kept; kept = "" }' "h200/$used/program.ptx" >"bad/$used/program.ptx"
judge "$used" 'a wait behind its read' 'which a bulk copy still writes'

# So is a meeting that is moved behind the copies: other warps may still read what they overwrite.
rm -rf bad
cp -r h200 bad
awk '/no thread needs/ && ++n == 2 { kept = $0; next } { print } /cp.async.bulk/ && kept != "" && ++m == 2 { print kept; kept = "" }' \
    "h200/$used/program.ptx" >"bad/$used/program.ptx"
judge "$used" 'a meeting behind the copies' 'has accessed since'
