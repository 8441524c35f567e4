# Products of four warps together (wgmma): programs name sm_90a, both factors lie in shared memory, and what orders them is held by
# execution, by the text's rows and in the machine code. Broken programs fail; what cannot be is refused with the nearest that works.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
PATH=$PATH:/usr/local/cuda/bin
libraries=$(dirname "$JSON_LINES")

cat >r.lua <<'R'
local ops = { f16 = wgmma_f16, bf16 = wgmma_bf16, tf32 = wgmma_tf32, fp8 = wgmma_fp8, int8 = wgmma_int8 }
benchmark { name = "plain", target = "ptx", grid = { blocks = 2, threads = 128 }, sweep = { op = { "f16", "bf16", "tf32", "fp8", "int8" } },
  expect = function(p) return { ["mix.wgmma_" .. p.op] = { min = 0.4 } } end, loop = { units = 4 },
  kernel = function(p) return { ops[p.op] { count = 3 } } end }
benchmark { name = "words", target = "ptx", grid = { blocks = 2, threads = 256 }, sweep = { op = { "f16", "bf16", "fp8", "int8" }, share = { 0, 0.3 } },
  expect = function(p) return { ["mix.wgmma_" .. p.op] = { min = 0.4 } } end, loop = { units = 4 },
  kernel = function(p) return { ops[p.op] { count = 4, data = p.share == 0 and pattern.zeros() or pattern.toggle(p.share) } } end }
benchmark { name = "beside", target = "ptx", grid = { blocks = 2, threads = 128 },
  kernel = function() return { load { served_by = { SHARED = 0.5, L1 = 0.5 } }, add { count = 2, dependents = 1 }, wgmma_int8 { count = 2, data = pattern.random() } } end }
R
sed 's/"h100"/"h100a"/; s/"sm_90"/"sm_90a"/' "$SOURCE/recipes/machines/h100.lua" >h100a.lua
expect_exit 0 "$TRAUMA" gen r.lua -m h100 -o suite
expect_exit 0 "$TRAUMA" gen r.lua -m ./h100a.lua -o named
for program in plain/op=f16 words/op=fp8,share=0.3; do
    grep -q '^.target sm_90a$' "suite/$program/program.ptx" || fail "$program is not for sm_90a"
    grep -q '"arch": "sm_90a"' "suite/$program/manifest.json" || fail "the manifest of $program does not say sm_90a"
    cmp "suite/$program/program.ptx" "named/$program/program.ptx" || fail "a machine that is sm_90a has another program"
done
echo 'benchmark { name = "r", target = "ptx", kernel = function() return { add {} } end }' >add.lua
expect_exit 0 "$TRAUMA" gen add.lua -m h100 -o add
grep -q '^.target sm_90$' add/r/default/program.ptx || fail "a program without products of four warps is not for sm_90"

sources=warp
command -v ptxas >/dev/null && command -v nvdisasm >/dev/null && sources=warp,bytes
expect_exit 0 "$TRAUMA" check suite --counters $sources
expect_no_text out unobserved
[ "$(grep -c 'mix.wgmma_.* pass  *warp' out)" -eq 13 ] || fail "mix is not judged by warp: $(cat out)"
[ "$(grep -c '^words.* data.toggle_rate .* pass  *warp' out)" -eq 8 ] || fail "the factors' words are not judged: $(cat out)"
if [ $sources = warp,bytes ]; then
    [ "$(grep -c 'mix.wgmma_.* pass  *warp.*bytes 0\.[4-9]' out)" -eq 13 ] || fail "mix is not judged by bytes: $(cat out)"
fi

# broken PROGRAM CHANGE TEXT [SOURCE]
count=0
broken()
{
    rm -rf bad
    cp -r suite bad
    sed "$2" "suite/$1/program.ptx" >"bad/$1/program.ptx"
    ! cmp -s "suite/$1/program.ptx" "bad/$1/program.ptx" || fail "$2 changes nothing"
    got=0
    "$TRAUMA" check bad --as-is -j 1 --counters "${4:-warp}" --filter "^$1\$" >out 2>err </dev/null || got=$?
    [ $got -ne 0 ] && [ $got -ne 4 ] && grep -q "$3" out err || fail "$1, $2: exit $got, $(cat out err)"
    count=$((count + 1))
}
plain=plain/op=bf16
words=words/op=fp8,share=0.3
fence=wgmma.fence.sync.aligned
broken $plain "0,/$fence/s//membar.cta/" 'is not what comes next\|times wgmma.fence'
broken $plain "s/ $fence/ membar.cta/" 'is not what comes next\|times wgmma.fence'
broken $plain '0,/    wgmma.commit_group.sync.aligned;/{//d}' 'it would be\|times wgmma.commit'
broken $plain 's/wait_group.sync.aligned 1;/wait_group.sync.aligned 0;/' 'times wgmma.wait_group'
broken $plain 's/wait_group.sync.aligned 0;/wait_group.sync.aligned 1;/' 'products are still being added\|products are under way'
broken $plain '/wait_group.sync.aligned 0;/d' 'products are still being added\|products are under way'
broken $plain '0,/0x1000080000/s//0x800100000/' 'the factors of a product take\|outside shared memory\|nobody has written'
broken $plain '0,/0x1000080000/s//0x80000/' 'the factors of a product take'
broken $words '0,/0x1000080000/s//0x4000001000080000/' 'without a swizzle'
broken $words 's/%j0, %j1/%j1, %j0/' 'takes other factors'
broken $words '0,/%j2, %j3/s//%j0, %j1/' 'data.toggle_rate .* fail\|data.toggle_rate.dealt .* fail'
broken $plain 's/m64n128k16.f32.bf16.bf16/m64n128k16.f32.f16.f16/' 'is not what comes next\|times wgmma'
broken $plain 's/%adds, -1, 1/%adds, 1, 1/' 'takes other factors'
broken $plain '0,/%c5, %c6/s//%c6, %c5/; 0,/%c5, %c6/s//%c6, %c5/' 'takes other factors'
broken $plain '/fence.proxy.async/d' 'expected fence.proxy.async'
broken $plain '0,/bar.sync 0;/{/bar.sync 0;/d}' 'expected bar.sync between\|nobody has written'
broken $plain 's/^TRAUMA_AGAIN:/    setp.ge.u32 %left_out, %thread, 96;\n&/; s/^    wgmma.mma/    @!%left_out wgmma.mma/' 'has not executed the same\|leave out\|it would be'
broken $plain '0,/st.shared.v4.u32 \[%t2\], .*;/s///' 'nobody has written'
broken $plain '0,/setp.ge.u64 %none, %t1, 2048/s//setp.ge.u64 %none, %t1, 2032/' 'nobody has written'
broken $words 's/xor.b32 %f1, %f1, 0x[0-9a-f]*/xor.b32 %f1, %f1, 0x3c3cbcbc/' 'data.* fail'
broken $plain '0,/xor.b32 %sum0, %sum0, %c10;/{//d}' 'nothing uses the result of'
broken $plain '0,/    wgmma.mma_async.*;/{//d}' 'it would be\|times wgmma\|has .* of the'
if [ $sources = warp,bytes ]; then
    broken $words '0,/e4m3.e4m3/s//e5m2.e5m2/' 'belong to no row' bytes
    broken $plain '0,/    wgmma.commit/s//    xor.b32 %sum0, %sum0, %c3;\n&/' 'its machine code' bytes # ptxas waits before it
fi
[ $count -ge 22 ] || fail "only $count programs are broken"

# A launch of the made-up GPU executes them.
if [ -f "$libraries/libfake_cuda.so" ]; then
    TRAUMA_CUDA=$libraries/libfake_cuda.so
    export TRAUMA_CUDA
    expect_exit 0 "$TRAUMA" machine detect -t ptx -o mine.lua
    expect_exit 0 "$TRAUMA" gen r.lua -m ./mine.lua -o launched --filter 'plain/op=(tf32|int8)|words/op=f16,share=0.3'
    expect_exit 0 "$TRAUMA" run launched --power none --reps 1 --time 0.01 --counters plan -o launched.jsonl
    expect_same "$(grep -c unit.ns launched.jsonl)" 3 "programs that ran"
    sed -i '/fence.proxy.async/d' launched/plain/op=int8/program.ptx
    expect_exit 1 "$TRAUMA" run launched --power none --reps 1 --time 0.01 --counters plan -o wrong.jsonl
    expect_text err "an illegal memory access"
fi

# refused MACHINE FIELDS UNIT TEXT
refused()
{
    echo "benchmark { name = \"r\", target = \"ptx\", $2 kernel = function() return { $3 } end }" >no.lua
    expect_exit 3 "$TRAUMA" gen no.lua -m "$1" -o no
    expect_text err "$4"
}
refused a100 '' 'wgmma_f16 {}' 'it needs sm_90a, and the machine "a100" is sm_80: expected mma{}, of one warp; machines h100 and h200 have it'
refused b200 '' 'wgmma_int8 {}' 'expected mma_int8{}, of one warp'
refused h100 'grid = { threads = 64 },' 'wgmma_f16 {}' 'expected 128, 256, 384 or 512 threads'
refused h100 'grid = { threads = 1024 },' 'wgmma_f16 {}' 'expected 128, 256, 384 or 512 threads'
refused h100 '' 'wgmma_f16 { chain = 2, count = 2 }' 'expected no chain'
refused h100 '' 'wgmma_f16 {}, wgmma_bf16 {}' 'wgmma_bf16{} beside wgmma_f16{}'
refused h100 '' 'wgmma_tf32 { data = pattern.zeros() }' 'expected no data, or wgmma_f16{}, wgmma_bf16{}, wgmma_fp8{} or wgmma_int8{}'
refused h100 'loop = { units = 1 },' 'wgmma_f16 { count = 9, data = pattern.toggle(0.3) }' 'expected at least 10 operations'
refused h100 '' 'wgmma_fp8 { count = 8, data = pattern.toggle(0.5) }' 'the nearest that works is 0.45'
refused h100 '' 'load { served_by = { L1 = 1 } }, wgmma_f16 { dependents = 1 }' 'no form that consumes a load'
refused h100 '' 'wgmma_int8 { count = 10, data = pattern.words { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } }' 'each needs shared memory of its own'
refused h100 '' 'tcgen05 {}' 'expected mma, mma_bf16 or mma_int8'
