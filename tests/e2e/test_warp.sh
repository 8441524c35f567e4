# The source warp: PTX programs are judged without a GPU, and programs broken on purpose are all found out.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >r.lua <<'RECIPE'
local function one(name, unit, more)
  local all = { name = name, target = "ptx", grid = { blocks = 8, threads = 64 }, kernel = function() return unit end }
  for key, value in pairs(more or {}) do all[key] = value end
  benchmark(all)
end
one("walk", { load { served_by = { L2 = 1 }, width = 16, data = pattern.toggle(0.25), bus = 256 } })
one("chase", { load { served_by = { L2 = 1 }, address = "chase" } })
one("memory", { store { served_by = { MEM = 1 }, width = 16, data = pattern.ones() } })
one("near", { load { served_by = { L1 = 1 } }, add { count = 2, dependents = 1 }, xor { count = 2 }, fma {} })
one("shared", { load { served_by = { SHARED = 1 }, address = "chase" }, mul { count = 2 } })
one("parted", { load { served_by = { L1 = 1 } }, branch { divergence = 0.5 } })
one("divided", { sub { count = 2 }, div {} }) -- no division by 0
one("chained", { fmul { count = 6, chain = 3 }, fmul { count = 2, width = 8 }, add { count = 4, chain = 4 } }) -- no memory at all
one("inverted", { fmul {}, fdiv {} })
one("chains", { load { served_by = { L1 = 1 } }, add { count = 6, chain = 3 }, fma { count = 4, chain = 4 },
                div { count = 2, chain = 2, width = 8 } })
one("eats", { load { served_by = { L1 = 0.5, L2 = 0.5 }, width = 8 }, mul { count = 3, dependents = 1 }, fadd { count = 2, dependents = 2 },
              xor { count = 2 } })
one("chased", { load { served_by = { L2 = 1 }, address = "chase" }, load { served_by = { SHARED = 1 }, address = "chase" },
                add { count = 2, dependents = 1 }, sub { count = 2 } })
one("placed", { load { served_by = { L2 = 1 } } }, { place = { sm = { 2, 5 } } })
RECIPE
expect_exit 0 "$TRAUMA" gen r.lua -m h100 -o suite
expect_exit 0 "$TRAUMA" check suite -j 2 --counters warp
for metric in served.L1 served.L2 served.MEM served.SHARED data.toggle_rate branch.divergence place.sm2.share place.sm5.share; do
    grep -q " $metric  *[0-9.]*  *$(passed "$metric")  *warp" out || fail "$metric is not judged by warp: $(cat out)"
done
expect_no_text out unobserved
expect_exit 0 "$TRAUMA" check suite -j 1 --counters warp --json --filter '^chained'
grep -q '"metric":"mix.fmul".*"source":"warp"' out || fail "a program of chains alone is not executed: $(cat out)"

count=0
# broken POINT FILE SED TEXT: the point's file, changed by sed, is failed by check, which says the text.
broken()
{
    rm -rf bad
    cp -r suite bad
    sed "$3" "suite/$1/default/$2" >"bad/$1/default/$2"
    ! cmp -s "suite/$1/default/$2" "bad/$1/default/$2" || fail "$3 changes nothing in $1"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp --filter "^$1/" >out 2>err </dev/null || got=$?
    [ $got -eq 1 ] || [ $got -eq 5 ] || fail "$1 with $3 is not failed: exit $got: $(cat out)"
    cat out err | grep -q -e "$4" || fail "$1 with $3: '$4' is not said: $(cat out)"
    count=$((count + 1))
}

text=program.ptx
advance=$(json_document suite/walk/default/manifest.json streams/0/advance)
bytes=$(json_document suite/walk/default/manifest.json streams/0/bytes)
broken walk $text '/@%wrap sub/d' 'nothing uses the result of setp'
broken walk $text 's/@%wrap sub.u64 %s0, %s0, [0-9]*/@%wrap sub.u64 %s0, %s0, 0/' 'accesses address'
broken memory $text 's/@%wrap sub.u64 %s0, %s0, [0-9]*/@%wrap sub.u64 %s0, %s0, 0/' 'accesses address\|past the end'
broken memory $text "s/\(@%wrap sub.u64 %s0, %s0\), [0-9]*/\1, 4096/" 'accesses address'
broken walk $text "s/\(@%wrap sub.u64 %s0, %s0\), $bytes/\1, $((bytes - 32))/" 'accesses address'
broken walk $text "s/add.u64 %s0, %s0, $advance/add.u64 %s0, %s0, $((advance + 32))/" 'accesses address'
broken walk $text '0,/%s0+1024\]/s//%s0+1056]/' 'accesses address'
broken walk $text 's/mul.lo.u64 %thread_offset, %thread_offset, 16/mul.lo.u64 %thread_offset, %thread_offset, 32/' \
    'by the manifest it would be'
broken walk $text 's/\(mul.lo.u64 %offset, %offset\), [0-9]*/\1, 0/' 'accesses address'
broken walk $text '0,/ld.global.cg.v4.u32 /s//ld.global.ca.v4.u32 /' 'the operator "ca"'
broken walk $text '0,/xor.b32 %v0, %v0, %v1;/s///' 'nothing uses the result of the load'
broken walk $text '/xor.b32 %sum0, %sum0, %sum1;/d' 'nothing uses the result of the load'
broken walk $text '0,/ld.global.cg.v4.u32 [^;]*;/s///' 'it would be a load'
broken chase $text '0,/ld.global.cg.u64 %s0, \[%s0\];/s///' 'the loop has 63 of the 64 accesses'
broken chase $text '0,/ld.global.cg.u64 %s0, \[%s0\];/s//ld.global.cg.u64 %s0, [%s0+32];/' 'accesses address'
broken chase manifest.json 's/"increment": "0x1"/"increment": "0x2"/' 'more than one cycle'
broken memory $text 's/mov.u32 %k3, 0xffffffff/mov.u32 %k3, 0xfffffffe/' 'stores the word'
broken memory $text 's/{%k3,%k3,%k3,%k3}/{%k3,%k3,%k3,%v0}/' 'stores the word'
broken near $text '0,/add.u32 %a/s//sub.u32 %a/' 'by the kernel in the manifest'
broken near $text '0,/    @%all xor.b32 [^;]*;/s///' 'by the kernel in the manifest'
broken near $text 's/sub.u64 %left, %left, 1/sub.u64 %left, %left, 2/' 'pass'
broken near $text 's/mov.u32 %worked, 1/mov.u32 %worked, 2/' 'recorded that it'
broken chained $text '0,/mul.rn.f32 [^;]*;/s///' 'by the kernel in the manifest'
broken chained $text '0,/add.u32 %a/s//sub.u32 %a/' 'by the kernel in the manifest'
broken chained $text '/xor.b32 %word, %word, 0x00fffff8;/d' 'by the kernel in the manifest'
broken shared $text '/add.u64 %t2, %t2, 128/d; s/st.shared.u64 \[%t1\], %t2/st.shared.u64 [%t1+8], %t2/' 'manifest\|shared memory'
broken parted $text 's/and.b32 %word, %thread, 1/and.b32 %word, %thread, 0/' 'branch.divergence'
broken placed $text 's/setp.eq.u32 %left_out, %word, 0/setp.ne.u32 %left_out, %word, 0/' "6 of the grid's blocks work and 2 leave"
broken placed $text 's/mov.u32 %place, %smid/mov.u32 %place, %ctaid.x/; s/trauma_places\[\([0-9]*\)\] = {0x00000024/trauma_places[\1] = {0x00000048/' \
    'recorded multiprocessor'
broken walk manifest.json 's/"L2": 32768/"L2": 32769/' \
    'by the manifest it would be'
broken walk manifest.json "s/\"advance\": $advance/\"advance\": $advance.5/" 'is not a stream of accesses'
broken near manifest.json 's/"units": \([0-9]*\)/"units": 1\1/' 'by the kernel in the manifest'
# The loop's data flow: chains, which load an operation consumes, the order, predicates that are not true.
broken chains $text '0,/add.u32 %b0, %b0, %a0/s//add.u32 %b2, %b2, %a2/' 'does not depend on the operation before it'
broken chains $text '0,/fma.rn.f32 %x2, %x2, %y0, %y1/s//fma.rn.f32 %x5, %x5, %y0, %y1/' 'does not depend on the operation before it'
broken chains $text 's/add.u32 %\([ab]\)1, %\([ab]\)1, %\([ab]\)1/add.u32 %\10, %\20, %\30/' 'depends on the operation before it'
broken chains $text '0,/fma.rn.f32 %x2, %x2, %y0, %y1/s//fma.rn.f32 %x2, %x2, %y1, %y0/' 'it would be "fma.rn.f32'
broken chains $text '0,/add.u32 %a0, %a0, %b0/s//add.u32 %a0, %a0, %k0/' 'takes another register'
broken chains $text '0,/div.u64 %\([gh][0-9]\), %dividend, %[gh][0-9]/s//div.u64 %\1, %dividend, 3/' 'it would be "div.u64'
broken eats $text '0,/@%all mul.lo.u32 %a0, %a0, %v0/s//@%all mul.lo.u32 %a0, %a0, %b0/' 'consumes no load'
broken eats $text '0,/@%all mul.lo.u32 %a0, %a0, %v0/s//@%all mul.lo.u32 %a0, %a0, 5/' 'is not what comes next'
broken eats $text '0,/@%all mul.lo.u32 %\([ab][0-9]\), %[ab][0-9], %v4/s//@%all mul.lo.u32 %\1, %\1, %v0/' 'another load than the last one'
broken eats $text '0,/lop3.b32 %word, %word, %v4,/s//lop3.b32 %word, %word, %v0,/' 'another load than the last one'
broken eats $text '0,/mul.lo.u32 %a1, %a1, %b1/s//mul.lo.u32 %a1, %a1, %v0/' 'takes another register\|consumes what a load brought'
broken eats $text 's/setp.eq.u64 %all, %zero, 0/setp.ne.u64 %all, %zero, 0/' 'some threads leave out'
broken eats $text '0,/@%all mul.lo.u32/s//mul.lo.u32/' 'it would be "@%all mul.lo.u32'
broken chased $text '0,/cvt.u32.u64 %k2, %s1/s//cvt.u32.u64 %k2, %s0/' 'another load than the last one'
broken chased $text '/cvt.u32.u64 %k2, %s1/d' 'consumes no load'
broken chased $text '0,/@%all add.u32 %a0, %a0, %k2/s//@%all add.u32 %a0, %a0, %b0/' 'consumes no load'
broken chased $text '0,/add.u64 %s1, %s1, %t3/s//add.u64 %s1, %s1, %zero/; 0,/and.b64 %t3, %s0, %zero/s//and.b64 %t3, %s1, %zero/' \
    'nothing uses the result of\|does not wait for the chase'
broken chased $text '0,/and.b64 %t3, %s0, %zero/s//and.b64 %t3, %s1, %zero/' 'does not wait for the chase before it\|is not what comes next'
[ $count -ge 40 ] || fail "only $count programs are broken"

# What it does not know it refuses with the line, and the point stays unobserved.
rm -rf bad
cp -r suite bad
sed 's/^TRAUMA_LOOP:/&\n    ex2.approx.f16 %word, %word;/' suite/near/default/$text >bad/near/default/$text
got=0
"$TRAUMA" check bad --as-is --counters warp --filter '^near/' >out 2>err </dev/null || got=$?
line=$(grep -n 'ex2.approx.f16' bad/near/default/$text | cut -d: -f1)
cat out err >both
expect_text both "the executor does not support the instruction ex2.approx.f16"
expect_text both unobserved

# Points that differ only in their time are one program, executed once; a changed twin is executed itself.
cat >twins.lua <<'RECIPE'
benchmark { name = "twins", target = "ptx", grid = { blocks = 8, threads = 64 }, sweep = { seconds = { 1, 2, 3 } },
            measure = function(p) return { time = p.seconds } end,
            kernel = function() return { load { served_by = { L2 = 1 }, width = 16 } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen twins.lua -m h100 -o same
expect_exit 0 "$TRAUMA" check same -j 1 --counters warp
[ "$(grep -c ' served.L2 .* pass (code)  *warp' out)" -eq 3 ] || fail "not every twin is judged: $(cat out)"
for twin in 1 2 3; do
    rm -rf bad
    cp -r same bad
    sed '0,/%s0+1024\]/s//%s0+1056]/' "same/twins/seconds=$twin/$text" >"bad/twins/seconds=$twin/$text"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp >out 2>err </dev/null || got=$?
    [ $got -ne 0 ] && grep -q "seconds=$twin: .*accesses address" err || fail "twin $twin is taken for another: $(cat out err)"
    [ "$(grep -c ' served.L2 .* pass (code)  *warp' out)" -eq 2 ] || fail "the others are not judged: $(cat out)"
done

# Operations that consume loads and chases, in the new formats and of 8 bytes; mix, where a recipe bounds it; a program of stores alone
# on a GPU whose L2 has one side.
cat >operations.lua <<'RECIPE'
local ops = { div = div, shift = shift, mul = mul, fadd = fadd, fmul = fmul, fma = fma, fdiv = fdiv, fsqrt = fsqrt, dot = dot,
              hfma = hfma, bfma = bfma, mma = mma, mma_int8 = mma_int8 }
benchmark { name = "consume", target = "ptx", grid = { blocks = 2, threads = 64 },
  sweep = { op = { "div", "shift", "mul", "fadd", "fmul", "fma", "fdiv", "fsqrt", "dot", "hfma", "bfma" }, width = { 4, 8 }, chase = { 0, 1 } },
  where = function(p) return p.width == 4 or not ({ dot = 1, hfma = 1, bfma = 1 })[p.op] end,
  kernel = function(p)
    return { load { served_by = { L1 = 1 }, address = p.chase == 1 and "chase" or "independent" },
             ops[p.op] { count = 2, dependents = 1, width = p.width } }
  end }
benchmark { name = "tiles", target = "ptx", grid = { blocks = 2, threads = 64 }, sweep = { op = { "mma", "mma_int8" }, chain = { 1, 3 } },
  expect = { ["mix.mma"] = { max = 0.7 }, ["body.share"] = { min = 0.5 } },
  kernel = function(p) return { load { served_by = { L2 = 1 } }, ops[p.op] { count = 3, chain = p.chain } } end }
-- Words of both factors: what changes from one operation to the next is promised, and counted as it runs.
benchmark { name = "words", target = "ptx", grid = { blocks = 2, threads = 64 }, sweep = { op = { "mma", "mma_bf16", "mma_fp8", "mma_int8" },
    share = { 0, 0.3, 0.4 }, chain = { 0, 4 } },
  kernel = function(p)
    local op = ({ mma = mma, mma_bf16 = mma_bf16, mma_fp8 = mma_fp8, mma_int8 = mma_int8 })[p.op]
    return { load { served_by = { L1 = 1 } }, add {},
             op { count = 4, chain = p.chain > 0 and p.chain or nil, data = p.share == 0 and pattern.zeros() or pattern.toggle(p.share) } }
  end }
benchmark { name = "stores", target = "ptx", grid = { blocks = 2, threads = 64 },
  kernel = function() return { store { served_by = { L2 = 1 }, data = pattern.ones() } } end }
-- On one bus with words of another pattern no rate is promised.
benchmark { name = "mixed", target = "ptx", grid = { blocks = 2, threads = 64 },
  kernel = function() return { load { served_by = { L2 = 1 }, data = pattern.ones() }, load { served_by = { L1 = 1 }, data = pattern.zeros() } } end }
RECIPE
expect_exit 0 "$TRAUMA" gen operations.lua -m ada -o operations
expect_exit 0 "$TRAUMA" check operations -j 2 --counters warp
expect_no_text out unobserved
[ "$(grep -c '^tiles.* mix.mma .* pass  *warp' out)" -eq 4 ] || fail "mix is not judged by warp: $(cat out)"
[ "$(grep -c '^words.* data.toggle_rate .* pass  *warp' out)" -eq 24 ] || fail "the words of matrix operations are not judged: $(cat out)"
expect_exit 0 "$TRAUMA" check operations -j 1 --counters warp --json --filter '^stores'
grep -q '"metric":"mix.store".*"source":"warp"' out || fail "nothing is said of a program of stores"
grep -q '"data.toggle_rate"' operations/mixed/default/manifest.json
! grep -A 8 '"targets"' operations/mixed/default/manifest.json | grep -q toggle || fail "a rate is promised of mixed words"
for change in 's/lop3.b32 %word, %a\([0-9]\), %k2, 1, 0xbe/mov.b32 %word, %k2/' '0,/div.u32 %a/s//rem.u32 %a/'; do
    rm -rf bad
    cp -r operations bad
    sed "$change" "operations/consume/chase=1,op=div,width=4/$text" >"bad/consume/chase=1,op=div,width=4/$text"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp --filter 'chase=1,op=div,width=4' >out 2>err </dev/null || got=$?
    [ $got -ne 0 ] || fail "$change is not failed"
done
point="words/chain=4,op=mma,share=0.4"
for change in 's/xor.b32 %f7, %f7, 0x[0-9a-f]*/xor.b32 %f7, %f7, 0x3c003c00/' \
    '0,/{%f6, %f7, %f8, %f9}, {%f10, %f11}/s//{%f0, %f1, %f2, %f3}, {%f4, %f5}/' \
    '0,/{%f6, %f7, %f8, %f9}/s//{%f7, %f6, %f8, %f9}/' '0,/{%f6, %f7, %f8, %f9}/s//{%f0, %f1, %f2, %f3}/'; do
    rm -rf bad
    cp -r operations bad
    sed "$change" "operations/$point/$text" >"bad/$point/$text"
    ! cmp -s "operations/$point/$text" "bad/$point/$text" || fail "$change changes nothing"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters warp --filter "$point" >out 2>err </dev/null || got=$?
    [ $got -ne 0 ] || fail "$change is not failed"
done
echo 'benchmark { name = "none", target = "ptx", kernel = function() return { mma_fp8 {} } end }' >none.lua
expect_exit 3 "$TRAUMA" gen none.lua -m a100 -o none
expect_text err 'needs sm_89 or sm_120 or later, and the machine "a100" is sm_80; machines ada and rtx5090 have it'
expect_exit 3 "$TRAUMA" gen none.lua -m h200 -o none # ptxas makes other instructions of it there
sed 's/"h200"/"next"/; s/"sm_90"/"sm_130"/' "$SOURCE/recipes/machines/h200.lua" >next.lua
echo 'benchmark { name = "none", target = "ptx", kernel = function() return { add {} } end }' >none.lua
expect_exit 3 "$TRAUMA" gen none.lua -m ./next.lua -o none
expect_text err 'machine.gpu.arch is "sm_130": the templates do not state the PTX version'
