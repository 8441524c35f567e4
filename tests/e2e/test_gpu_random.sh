# Random recipes for GPUs are refused, or pass without a GPU; and what random recipes once showed to fail.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# passes MACHINE TARGET FIELDS UNIT [TEXT]: check of the recipe promises nothing that it does not see; its table has the text.
passes()
{
    echo "benchmark { name = \"r\", target = \"$2\", $3 kernel = function() return { $4 } end }" >r.lua
    expect_exit 0 "$TRAUMA" check r.lua -m "$1" -j 1 --counters warp,wave
    expect_no_text out unobserved
    [ -z "${5:-}" ] || expect_text out "$5"
}

refused()
{
    echo "benchmark { name = \"r\", target = \"$2\", $3 kernel = function() return { $4 } end }" >r.lua
    expect_exit 3 "$TRAUMA" gen r.lua -m "$1" -o r
    expect_text err "$5"
}

# Of a grid that is executed in part, each block has read its part of L2's region alone: the others' parts are there too, as far as
# the warm-up reads them.
passes ada ptx 'grid = { blocks = 4, threads = 512 },' 'load { served_by = { L2 = 1 } }, fmul { count = 16, dependents = 14 }' '2 of 4 multiprocessors'
expect_exit 0 "$TRAUMA" gen r.lua -m ada -o suite
sed -i 's/"warmup": [0-9]*/"warmup": 1/' suite/r/default/manifest.json
expect_exit 5 "$TRAUMA" check suite --as-is -j 1 --counters warp
grep -q 'served.L2 .* fail' out || fail "a warm-up of one pass is taken for a whole one: $(cat out)"
passes h100 ptx 'grid = { blocks = 4, threads = 100 },' \
    'load { served_by = { L1 = 1 }, address = "chase", count = 16 }, load { served_by = { SHARED = 0.5, L2 = 0.5 } }, mul { count = 8 }' '2 of 4'
passes ada ptx 'grid = { blocks = 128, threads = 32 },' \
    'load { served_by = { L2 = 0.5, L1 = 0.5 } }, load { served_by = { L2 = 0.25, MEM = 0.5, L1 = 0.25 }, width = 8, cache = "ca" }, add { count = 16 }'

# Streams of memory fill L2 together; the warm-up is as long as that takes, not as the slowest alone.
passes ada ptx 'grid = { blocks = 7, threads = 1024 },' \
    'load { served_by = { MEM = 1 }, width = 16, count = 3 }, store { served_by = { L2 = 0.5, MEM = 0.25, SHARED = 0.25 }, stride = 128 }'

# Where it is long even so, a part of it is executed, which the evidence says.
plain_program
echo 'benchmark { name = "r", target = "ptx", grid = { blocks = 2, threads = 1 }, kernel = function()
    return { load { served_by = { SHARED = 0.4, MEM = 0.2, L1 = 0.4 } }, store { served_by = { MEM = 0.5, SHARED = 0.5 } }, add { count = 16 } } end }' >r.lua
expect_exit 0 "$PLAIN" check r.lua -m h100 -j 1 --counters warp
grep -q 'served.MEM  *0.2  *pass (code)  *warp 0.2 ([0-9]* of [0-9]* passes of warm-up)' out || fail "a long warm-up is not cut: $(cat out)"

# L1 has room for what others bring to it beside its own region, and the two share it.
passes h100 ptx 'grid = { blocks = 131, threads = 64 }, place = { sm = { 9, 11, 29, 30 } },' \
    'load { served_by = { MEM = 0.25, L2 = 0.5, L1 = 0.25 }, count = 16, cache = "evict_last" }, branch { divergence = 0, count = 4 }'
passes a100 ptx 'place = { side = "far" }, grid = { threads = 96 },' 'load { served_by = { L2 = 0.5, L1 = 0.5 }, address = "chase", count = 4, cache = "ca" }'

# A bus of 4 bytes, on which a warp's widest access is 128 words.
passes h100 ptx 'grid = { blocks = 2, threads = 33 },' 'load { served_by = { L2 = 1 }, width = 16, data = pattern.toggle(0.25), bus = 32 }'
passes mi210 gcn 'grid = { blocks = 2, threads = 128 },' 'load { served_by = { L1 = 0.5, SHARED = 0.5 }, width = 16, data = pattern.toggle(1, { order = "program" }), bus = 32 }'

# Data of more than 1 GiB, of which little is read; chains beside operations of 8 bytes, which take two registers of others.
passes vega10 gcn 'grid = { blocks = 13, threads = 64 }, place = { l2_channels = { 8 } },' 'load { served_by = { MEM = 1 }, count = 3 }, load { served_by = { MEM = 1 } }'
for machine in rdna2 mi100; do
    passes $machine gcn 'grid = { blocks = 3, threads = 64 },' \
        'load { served_by = { L1 = 1 } }, add { width = 8 }, sub { count = 2, chain = 4 }, xor { width = 8 }'
done

# What cannot hold.
refused h100 ptx 'grid = { threads = 48 },' 'mma {}' 'mma{} and grid.threads = 48: all 32 threads of a warp compute one product'
expect_text err 'such as 64'
refused ada ptx 'grid = { blocks = 32 }, place = { sm = { 3, 36 } },' 'load { served_by = { L2 = 1 } }' 'place.sm names 36, and grid.blocks is 32'
expect_text err 'expected 128 blocks'
# Blocks outside a place end at once, so that no more of them may be there than the units hold at a time: by VGPRs, by shared memory,
# by threads and by the number of blocks.
at_most()
{
    passes "$1" "$2" "grid = { blocks = $3, threads = $4 }, place = { $5 = { 0 } }, loop = { units = 4 }," "$6"
    refused "$1" "$2" "grid = { blocks = $(($3 + 1)), threads = $4 }, place = { $5 = { 0 } }," "$6" "expected at most $3 blocks"
}
l2='load { served_by = { L2 = 1 } }'
at_most w9100 gcn 176 256 se "$l2"
at_most w9100 gcn 220 192 se "$l2"
at_most w9100 gcn 176 64 se 'load { served_by = { SHARED = 1 } }, load { served_by = { L2 = 1 } }'
at_most mi210 gcn 832 256 se "$l2"
at_most rx7900 gcn 192 512 se "$l2"
at_most ada ptx 768 256 sm "$l2"
at_most ada ptx 3072 32 sm "$l2"
at_most ada ptx 512 64 sm 'load { served_by = { SHARED = 1 } }, load { served_by = { L2 = 1 } }'
passes h100 ptx 'grid = { blocks = 2, threads = 1 },' 'load { served_by = { L1 = 0.5, SHARED = 0.5 }, data = pattern.toggle(0.3) }'
refused h100 ptx 'grid = { blocks = 2, threads = 1 },' \
    'load { served_by = { L1 = 0.5, SHARED = 0.5 }, data = pattern.toggle(0.7, { order = "program" }) }' \
    'an access of a warp is an odd number of transfers of 32 bytes'
refused vega10 gcn 'grid = { blocks = 64, threads = 128 },' 'load { served_by = { MEM = 0.5, L2 = 0.5 }, address = "chase", stride = "random" }' \
    'is served by MEM; expected fewer blocks or threads, closer lanes, or no stride'
refused fiji gcn '' 'hmul {}' 'it needs gfx9 or later, and the machine "fiji" is gfx803; machines mi100, mi210, mi300x-cpx and 6 more have it'
refused vega10 gcn '' 'dot {}' 'is gfx900; machines mi100, mi210 and rdna2 have it'
refused h100 ptx '' 'load { served_by = { L1 = 1 }, cache = "cg" }' 'bypasses L1; expected cache = "ca"'
refused h100 ptx '' 'load { served_by = { L1 = 1 } }, fadd { data = pattern.ones() }' 'expected no data'

refused h200 ptx 'grid = { blocks = 8 }, place = { side = "far" },' 'load { served_by = { MEM = 1 }, address = "chase" }' \
    'come to the same lines while L2 still has them'
expect_text err 'expected grid.blocks = 132'
refused h200 ptx 'grid = { blocks = 264 }, place = { side = "far" },' 'load { served_by = { MEM = 1 } }' 'expected at most 132 blocks'
passes h200 ptx 'grid = { threads = 64 }, place = { side = "near" },' 'load { served_by = { MEM = 1 }, address = "chase" }'
refused h200 ptx 'place = { side = "near" },' 'load { served_by = { L2 = 1 }, data = pattern.ones(), bus = 32 }' 'expected a bus of at least 64 bits'

# The same for recipes that nobody wrote.
need_program python3
TRAUMA=$PLAIN
export TRAUMA
for family in ptx gcn; do
    python3 "$SOURCE/tests/e2e/gpu_recipes.py" $family 1 16 >out 2>err || fail "a random recipe fails: $(cat out err)"
done
