# What a refusal names as expected works: each hint below is followed, and the recipe is then accepted.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# recipe FIELDS KERNEL
recipe()
{
    echo "benchmark { name = \"x\", $1 kernel = function() return { $2 } end }" >x.lua
}

# refused MACHINE FIELDS KERNEL HINT: then followed FIELDS KERNEL, as often as the hint names ways.
count=0
refused()
{
    machine=$1
    recipe "$2" "$3"
    expect_exit 3 "$TRAUMA" gen x.lua -m "$1" -o x
    expect_text err "$4"
}
followed()
{
    recipe "$1" "$2"
    expect_exit 0 "$TRAUMA" gen x.lua -m "$machine" -o x
    count=$((count + 1))
}

ptx='target = "ptx",'
for width in 2 16; do
    refused h100 "$ptx" "atomic { op = \"add\", width = $width }" 'expected 4 or 8 bytes'
done
followed "$ptx" 'atomic { op = "add", width = 4 }'
followed "$ptx" 'atomic { op = "add", width = 8 }'
refused h100 "$ptx" 'atomic { op = "add", coherence = "modified" }' 'expected op, served_by, scope, address, apart, width, count, order or returns'
followed "$ptx" 'atomic { op = "add", served_by = { L2 = 1 }, scope = "gpu", address = "warp", apart = 8, width = 4, count = 2, order = "even", returns = true }'
refused h100 "$ptx" 'atomic { op = "add", width = 8, served_by = { SHARED = 1 } }' 'expected width = 4, or served_by = { L2 = 1 }'
followed "$ptx" 'atomic { op = "add", width = 4, served_by = { SHARED = 1 } }'
followed "$ptx" 'atomic { op = "add", width = 8, served_by = { L2 = 1 } }'
refused h100 "$ptx" 'atomic { op = "add", address = "one", scope = "cta" }' 'expected scope = "gpu" or "sys", or address = "block"'
followed "$ptx" 'atomic { op = "add", address = "one", scope = "gpu" }'
followed "$ptx" 'atomic { op = "add", address = "one", scope = "sys" }'
followed "$ptx" 'atomic { op = "add", address = "block", scope = "cta" }'
refused h100 "$ptx" 'atomic { op = "add", scope = "cluster" }' 'expected cluster = 2 to 8, or scope = "gpu"'
followed "$ptx grid = { cluster = 8 }," 'atomic { op = "add", scope = "cluster" }'
followed "$ptx" 'atomic { op = "add", scope = "gpu" }'
refused h100 "$ptx" 'atomic { op = "add", scope = "cta", served_by = { DSMEM = 1 } }' 'expected scope = "cluster", "gpu" or "sys"'
for scope in cluster gpu sys; do
    followed "$ptx" "atomic { op = \"add\", scope = \"$scope\", served_by = { DSMEM = 1 } }"
done
refused h100 "$ptx" 'atomic { op = "add", served_by = { MEM = 1 } }' 'expected SHARED, DSMEM or L2'
for level in SHARED DSMEM L2; do
    followed "$ptx" "atomic { op = \"add\", served_by = { $level = 1 } }"
done
refused h100 "$ptx" 'atomic { op = "add", apart = 130 }' 'expected 132'
followed "$ptx" 'atomic { op = "add", apart = 132 }'
refused h100 "$ptx" 'atomic { op = "add", data = pattern.ones() }' 'expected nothing'
followed "$ptx" 'atomic { op = "add" }'
refused h100 "$ptx place = { side = \"near\" }," 'atomic { op = "add" }' 'expected no such place'

tma='served_by = { L2 = 1 }, source = "tma"'
refused a100 "$ptx" "load { $tma }" 'expected source = "async", or no source'
followed "$ptx" 'load { served_by = { L2 = 1 }, source = "async" }'
refused a100 "$ptx" "load { $tma, address = \"chase\" }" 'is sm_80; expected no source'
followed "$ptx" 'load { served_by = { L2 = 1 }, address = "chase" }'
refused h100 "$ptx place = { side = \"near\" }," "load { $tma }" 'expected source = "async", or no side'
followed "$ptx place = { side = \"near\" }," 'load { served_by = { L2 = 1 }, source = "async" }'
followed "$ptx" "load { $tma }"
refused h100 "$ptx place = { side = \"near\" }," "load { $tma, address = \"chase\" }" 'expected no source, or no side'
followed "$ptx place = { side = \"near\" }," 'load { served_by = { L2 = 1 }, address = "chase" }'
followed "$ptx" "load { $tma, address = \"chase\" }"
refused h100 "$ptx" 'load { served_by = { L2 = 1 }, source = "async", address = "chase" }' \
    'expected address = "independent", or no source, or from sm_90 on source = "tma"'
followed "$ptx" 'load { served_by = { L2 = 1 }, source = "async", address = "independent" }'
refused h100 "$ptx" "load { $tma, address = \"chase\", cache = \"cg\" }" 'expected no cache'
expect_no_text err 'source = "async"'
refused h100 "$ptx" "load { $tma, cache = \"cg\" }" 'expected no cache, or source = "async"'
followed "$ptx" 'load { served_by = { L2 = 1 }, source = "async", cache = "cg" }'
refused h100 "$ptx grid = { threads = 33 }," "load { $tma, width = 4 }" 'expected width = 16, or a multiple of 4 threads'
followed "$ptx grid = { threads = 33 }," "load { $tma, width = 16 }"
followed "$ptx grid = { threads = 36 }," "load { $tma, width = 4 }"
refused h100 "$ptx grid = { threads = 33 }," "load { $tma, address = \"chase\" }" 'expected a multiple of 2 threads'
followed "$ptx grid = { threads = 34 }," "load { $tma, address = \"chase\" }"
refused h100 "$ptx grid = { threads = 64 }," "load { $tma, address = \"chase\", stride = 256 }" 'takes 512 side by side'
followed "$ptx grid = { threads = 64 }," "load { $tma, address = \"chase\", stride = 512 }"
refused h100 "$ptx" 'store { served_by = { L2 = 1 }, source = "async" }' 'expected a load, no source, or from sm_90 on source = "tma"'
followed "$ptx" 'load { served_by = { L2 = 1 }, source = "async" }'
followed "$ptx" "store { $tma }"
refused h100 "$ptx" 'wgmma {}' 'expected wgmma_f16, wgmma_bf16, wgmma_tf32, wgmma_fp8 or wgmma_int8'
for type in f16 bf16 tf32 fp8 int8; do
    followed "$ptx" "wgmma_$type {}"
done
refused b200 "$ptx" 'wgmma {}' 'expected mma, mma_bf16 or mma_int8'
for machine in h100 b200; do
    refused $machine "$ptx" 'tcgen05 {}' 'expected mma, mma_bf16 or mma_int8'
    for op in mma mma_bf16 mma_int8; do
        followed "$ptx" "$op {}"
    done
done
refused h100 "$ptx" 'mma_fp8 {}' 'machines ada and rtx5090 have it'
for machine in ada rtx5090; do
    followed "$ptx" 'mma_fp8 {}'
done

# Of processors: an atomic beside coherence, and what shared accesses do not have.
refused zen5 'threads = 2,' 'atomic { op = "add", shared = "a", coherence = "modified" }' 'expected shared, offset, stride, apart, count, width, working_set or op'
refused zen5 'threads = 2,' 'atomic { op = "add", shared = "a", served_by = { L1 = 1 } }' 'expected no served_by'
followed 'threads = 2,' 'atomic { op = "add", shared = "a", offset = 8, apart = 8, count = 2, width = 8 }'
refused zen5 'threads = 2,' 'load { shared = "a", coherence = "shared" }, atomic { op = "add", shared = "a" }' 'expected two regions'
followed 'threads = 2,' 'load { shared = "a", coherence = "shared" }, atomic { op = "add", shared = "b" }'
refused zen5 'threads = 2,' 'load { shared = "a", served_by = { L1 = 1 } }' 'expected coherence = "modified", "exclusive" or "shared", or nothing'
for state in modified exclusive shared; do
    followed 'threads = 2,' "load { shared = \"a\", coherence = \"$state\" }"
done
refused zen5 'threads = 2,' 'store { shared = "a", served_by = { L1 = 1 } }' 'expected no served_by'
followed 'threads = 2,' 'store { shared = "a" }'
[ $count -ge 46 ] || fail "only $count hints were followed"
