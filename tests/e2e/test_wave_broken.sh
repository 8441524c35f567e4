# The source wave: GCN programs broken on purpose are all found out, without a GPU.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >r.lua <<'RECIPE'
local function one(name, unit, more)
  local all = { name = name, target = "gcn", grid = { blocks = 44, threads = 128 }, kernel = function() return unit end }
  for key, value in pairs(more or {}) do all[key] = value end
  benchmark(all)
end
one("walk", { load { served_by = { L2 = 1 }, width = 16, data = pattern.toggle(0.25), bus = 256 } })
one("chase", { load { served_by = { L2 = 1 }, address = "chase" } })
one("memory", { load { served_by = { MEM = 1 }, width = 16 }, store { served_by = { MEM = 1 }, width = 8, data = pattern.ones() } })
one("near", { load { served_by = { L1 = 1 } }, add { count = 2, dependents = 1 }, xor { count = 2 }, fma {} })
one("shared", { load { served_by = { SHARED = 1 } }, mul { count = 2 } })
one("ring", { load { served_by = { SHARED = 1 }, address = "chase" } })
one("parted", { load { served_by = { L1 = 1 } }, branch { divergence = 0.5 } })
one("flow", { load { served_by = { L1 = 1 } }, load { served_by = { L2 = 1 } }, add { count = 2, dependents = 1 }, fma { count = 2, chain = 2 },
  shift { dependents = 1 }, nop { count = 2 } }, { loop = { units = 4 } })
one("after", { load { served_by = { L2 = 1 }, address = "chase" }, xor { dependents = 1 }, load { served_by = { L2 = 1 }, width = 8 },
  store { served_by = { L2 = 1 } }, add { dependents = 1 } }, { loop = { units = 4 } })
one("slow", { load { served_by = { L1 = 1 } }, throttle { duty = 0.25 } })
one("placed", { load { served_by = { L2 = 1 } } }, { place = { se = 1, l2_channels = { 0, 1, 2, 3 } } })
RECIPE
expect_exit 0 "$TRAUMA" gen r.lua -m w9100 -o suite
[ -s suite/walk/default/program.co ] || skip "this LLVM assembles nothing for AMD's GPUs"
expect_exit 0 "$TRAUMA" check suite -j 2 --counters wave
expect_same "$(grep -c 'unobserved' out)" 0 "lines of what only hardware shows"
grep -Eq '^slow/default +throttle.duty +0.25 +pass \(code\) +wave' out || fail "the throttled point's duty: $(grep slow/ out)"
expect_empty err

count=0
# broken POINT SED TEXT: the program's text, changed by sed and assembled again, is failed by check, which says the text.
broken()
{
    rm -rf bad
    cp -r suite bad
    sed "$2" "suite/$1/default/program.s" >"bad/$1/default/program.s"
    ! cmp -s "suite/$1/default/program.s" "bad/$1/default/program.s" || fail "$2 changes nothing in $1"
    "$GCN_FILE" program gfx701 "bad/$1/default/program.co" "bad/$1/default/program.s" || fail "$1 with $2 is no program"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters wave --filter "^$1/" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$1 with $2 is not failed: exit $got: $(cat out)"
    cat out err | grep -q -e "$3" || fail "$1 with $2: '$3' is not said: $(cat out err)"
    count=$((count + 1))
}

broken walk 's/v_mul_u32_u24 v24, 16, v0/v_mul_u32_u24 v24, 4, v0/' 'accesses address'          # a lane stride of 4
broken walk 's/v_mul_u32_u24 v24, 16, v0/v_mov_b32 v24, 0/' 'accesses address'                  # all lanes at one address
broken walk '0,/offset:2048 glc/s//offset:2064 glc/' 'accesses address'                         # a quarter of a line off
broken walk '0,/offset:2048 glc/s//offset:0 glc/' 'accesses address'                            # one row twice
broken walk '0,/offset:2048 glc/s//offset:2048/' 'load of 16 bytes\|the operator'               # L1 may serve it
broken walk '0,/offset:2048 glc/s//offset:2048 glc slc/' 'the operator "stream"'                # early eviction
broken walk '0,/buffer_load_dwordx4 v\[8:11\]/s//buffer_load_dwordx2 v[8:9]/' 'bytes of a thread'
broken near '0,/buffer_load_dword v8,/s//buffer_load_dwordx2 v[8:9],/' 'bytes of a thread'      # a wider load
broken walk '0,/^    buffer_load_dwordx4.*$/s///' 'in its last pass\|accesses'                    # a load left out
broken walk 's/s_mul_i32 s32, s2, [0-9]*/s_mov_b32 s32, 0/' 'accesses address'                   # all blocks at one place
broken chase 's/v_mad_u64_u32 v\[32:33\], vcc, v0, v1/v_mad_u64_u32 v[32:33], vcc, 0, v1/' 'accesses address' # one chain
broken chase '0,/flat_load_dwordx2 v\[32:33\], v\[32:33\] glc/s///' 'in its last pass\|accesses'
broken memory 's/v_mov_b32 v60, 0xffffffff/v_mov_b32 v60, 0xfffffffe/' 'stores the word'
broken memory 's/v_mov_b32 v61, 0xffffffff/v_mov_b32 v61, 0x7fffffff/' 'stores the word'
broken memory 's/s_cselect_b32 s27, 8650752, 0/s_cselect_b32 s27, 0, 0/' 'accesses address\|no memory\|another kind' # it never wraps
broken memory 's/s_cselect_b32 s27, 8650752, 0/s_cselect_b32 s27, 4096, 0/' 'accesses address\|no memory\|another kind'
broken memory 's/s_add_u32 s33, s33, 32768/s_add_u32 s33, s33, 16384/' 'accesses address'
broken near '0,/^    v_xor_b32 v50.*$/s///' 'execute xor'                                         # an operation dropped
broken near '0,/^    v_xor_b32 v50/s//    v_or_b32 v50/' 'execute xor'                            # another operator
broken near '0,/^    v_fma_f32 /s//    v_mad_f32 /' 'execute fma'
broken near '0,/^    v_add_i32 v48, vcc, v48, v8/s//&\n    v_mul_lo_u32 v55, v55, v51/' 'execute mul' # one that nobody asked for
broken near 's/s_waitcnt vmcnt(0) lgkmcnt(0)/s_nop 0/' 'in flight'
broken shared '0,/offset:512/s//offset:0/' 'accesses address'                                    # half of LDS's rows
broken shared 's/ds_read_b32 \(v[0-9]*, v24 offset:\)512/ds_read_b32 \11024/' 'accesses address'
broken ring 's/v_mad_u32_u24 v32, v0, v1, s30/v_mov_b32 v32, 0/' 'accesses address'
broken near '0,/flat_store_dwordx4 v\[14:15\], v\[24:27\]/s///' 'unwritten'                         # part of the record
broken near 's/v_mov_b32 v18, s3/v_mov_b32 v18, 0/' 'HW_ID'
broken parted 's/v_and_b32 v1, 1, v0/v_and_b32 v1, 0, v0/' 'branch.divergence'
broken placed 's/s_mul_i32 s32, s2, 4096/s_mul_i32 s32, s2, 2048/' 'accesses address'
broken near 's/s_sub_u32 s16, s16, 1/s_sub_u32 s16, s16, 2/' 'in its last pass\|times in\|still running'
# Which operation consumes which load, what comes when, and what chains.
broken near '0,/v_add_i32 v48, vcc, v48, v8/s//v_add_i32 v48, vcc, v48, v9/' 'consumes no load'
broken flow '0,/v_add_i32 v48, vcc, v48, v12/s//v_add_i32 v48, vcc, v48, v8/' 'another load than the last'
broken flow 's/v_add_i32 v54, vcc, v54, v20/v_add_i32 v54, vcc, v54, v12/' 'another load than the last'         # of another unit
broken flow '0,/v_add_i32 v49, vcc, v49, v53/s//v_add_i32 v49, vcc, v49, v12/' 'consumes what a load brought'
broken flow '0,/v_alignbit_b32 v51, v51, v12, 7/s//v_alignbit_b32 v51, v51, v51, 7/' 'consumes no load'
broken after 's/v_xor_b32 v50, v50, v32/v_xor_b32 v50, v50, v12/' 'another load than the last'                   # not the chase
broken after 's/v_add_i32 v51, vcc, v51, v12/v_add_i32 v51, vcc, v51, v16/' 'another load than the last'
broken after 's/v_add_i32 v53, vcc, v53, v16/v_add_i32 v53, vcc, v53, v33/' 'another load than the last'
broken flow '0,/    v_fma_f32 v50, v50, v57, v56/s//    v_fma_f32 v55, v55, v57, v56/' 'continues a chain'            # broken in two
broken flow '/v_add_i32 v49, vcc, v49, v53/{N;s/\(.*\)\n\(.*\)/\2\n\1/}' 'it would be add'                     # two that change places
broken after '/^    buffer_store_dword v60/{N;N;s/\(.*\)\n\(.*\)\n\(.*\)/\2\n\3\n\1/}' 'waits for loads\|it would be store' # later
broken flow '0,/^    s_nop 0$/s//    s_nop 0\n    s_nop 0/' 'the loop\|it would be load'                              # one more that idles
broken slow 's/^    s_nop 0$/    s_nop 3/' 'for another number of cycles'
broken slow '0,/^    s_nop 0$/s///' 'it would be throttle\|it would be nop\|execute nop'                             # one less
broken slow '0,/^    s_nop 0$/s//    s_sleep 1/' 'belongs to no row\|it would be'
broken near '0,/^    v_xor_b32 v50/s//    v_exp_f32 v55, v55\n    v_xor_b32 v50/' 'belongs to no row'                 # one that nothing asks for
broken near '0,/^    v_xor_b32 v50/s//    s_waitcnt vmcnt(0)\n    v_xor_b32 v50/' 'waits for loads'
broken parted '0,/^    v_mul_lo_u32 .*$/s///' 'execute mul\|it would be\|the loop has'                               # a side of a branch is shorter
broken parted '0,/s_andn2_b64 exec, s\[24:25\], s\[28:29\]/s///' 'branch.divergence'     # both sides by the lanes of one
broken parted '0,/s_andn2_b64 exec, s\[24:25\], s\[30:31\]/s///' 'execute mul'           # both sides by all lanes
broken near '/s_memtime s\[20:21\]/{n;d}' 'works on before its start has come'
broken walk 's/s_mov_b32 s15, 0x100f000/s_mov_b32 s15, 0/' 'no data format'
[ $count -ge 52 ] || fail "only $count programs are broken"

# Streams of the manifest are held against the code, too.
cp -r suite other
sed 's/"lane": 16/"lane": 32/' suite/walk/default/manifest.json >other/walk/default/manifest.json
expect_exit 1 "$TRAUMA" check other --as-is --counters wave --filter '^walk/'
expect_text err 'accesses address'
