# PTX programs without a GPU: ptxas assembles the recipes' programs for each architecture and, if a disassembler is
# present, the machine code's loop makes the accesses of the manifest. A modified program is detected.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

PATH=$PATH:/usr/local/cuda/bin
command -v ptxas >/dev/null || { echo "skipped: no ptxas here"; exit 77; }

cat >r.lua <<'R'
benchmark { name = "loads", target = "ptx", grid = { blocks = 64, threads = 256 },
  sweep = { level = { "SHARED", "L1", "L2", "MEM" }, width = { 4, 16 } },
  kernel = function(p, m)
    return { load { served_by = { [p.level] = 1 }, width = p.width, count = 4 }, fma { count = 2 } }
  end }
benchmark { name = "chase", target = "ptx", sweep = { level = { "SHARED", "L1", "L2", "MEM" } },
  kernel = function(p, m) return { load { served_by = { [p.level] = 1 }, address = "chase" } } end }
benchmark { name = "hints", target = "ptx",
  sweep = { cache = { "ca", "cs", "lu", "nc" } },
  kernel = function(p, m)
    return { load { served_by = { L1 = 1 }, cache = p.cache }, load { served_by = { L2 = 1 }, cache = "cv" } }
  end }
benchmark { name = "mixed", target = "ptx", sweep = { hit = { 0, 0.25, 0.9 } },
  kernel = function(p, m)
    return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit }, count = 2 }, fdiv { count = 1 }, div { count = 1 } }
  end }
benchmark { name = "stores", target = "ptx", sweep = { cache = { "wb", "cg", "cs", "wt" } },
  kernel = function(p, m) return { store { served_by = { L2 = 1 }, cache = p.cache }, mul { count = 2 } } end }
R
cat >operations.lua <<'R'
local ops = { add = add, sub = sub, mul = mul, div = div, xor = xor, shift = shift, fadd = fadd, fmul = fmul, fma = fma, fdiv = fdiv,
              fsqrt = fsqrt, dot = dot, hadd = hadd, hmul = hmul, hfma = hfma, bfma = bfma, badd = badd, bmul = bmul, mma = mma,
              mma_int8 = mma_int8, mma_bf16 = mma_bf16, mma_fp8 = mma_fp8 }
local least = { dot = 61, hadd = 53, hmul = 53, hfma = 53, bfma = 80, badd = 90, bmul = 90, mma = 75, mma_int8 = 75, mma_bf16 = 80, mma_fp8 = 89 }
local names = {}
for name in pairs(ops) do names[#names + 1] = name end
table.sort(names)
benchmark { name = "consume", target = "ptx", sweep = { op = names, width = { 4, 8 } },
  where = function(p, m)
    local arch = tonumber(string.match(m.gpu.arch, "%d+"))
    return (p.width == 4 or not least[p.op]) and arch >= (least[p.op] or 0) and (p.op ~= "mma_fp8" or arch == 89 or arch >= 120)
  end,
  kernel = function(p, m)
    local consumes = string.sub(p.op, 1, 3) ~= "mma" and 1 or nil
    return { load { served_by = { L1 = 1 }, address = "chase" }, ops[p.op] { count = 2, dependents = consumes, width = p.width } }
  end }
R

cat >async.lua <<'R'
benchmark { name = "copies", target = "ptx", sweep = { level = { "L1", "L2", "MEM" }, width = { 4, 8, 16 }, stages = { 1, 4 }, used = { 0, 1 } },
  where = function(p) return p.level == "L1" or p.width == 16 end,
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, source = "async", width = p.width, stages = p.stages, count = 2 },
             add { count = 2, dependents = p.used } }
  end }
R

cat >clusters.lua <<'R'
benchmark { name = "others", target = "ptx", sweep = { width = { 4, 8, 16 }, cluster = { 2, 3, 8 } },
  grid = function(p) return { cluster = p.cluster } end,
  kernel = function(p) return { load { served_by = { DSMEM = 1 }, width = p.width, count = 2 }, add { count = 2, dependents = 1 } } end }
benchmark { name = "others-chase", target = "ptx", sweep = { order = { 128, "random" } },
  kernel = function(p) return { load { served_by = { DSMEM = 0.5, SHARED = 0.5 }, address = "chase", stride = p.order }, fma { dependents = 1 } } end }
R

cat >bulk.lua <<'R'
benchmark { name = "bulk", target = "ptx", sweep = { level = { "L2", "MEM" }, width = { 4, 16 }, stages = { 1, 4 }, used = { 0, 1 } },
  kernel = function(p)
    return { load { served_by = { [p.level] = 1 }, source = "tma", width = p.width, stages = p.stages, count = 2 },
             add { count = 2, dependents = p.used } }
  end }
R

plain_program
# ptxas takes every program for every architecture that it knows (sm_75 and newer, of version 13).
for arch in sm_50 sm_75 sm_80 sm_89 sm_90 sm_100 sm_120; do
    sed "s/\"h200\"/\"$arch\"/; s/\"sm_90\"/\"$arch\"/; s/sides = 2, //" "$SOURCE/recipes/machines/h200.lua" >"$arch.lua"
    expect_exit 0 "$PLAIN" gen r.lua -m "./$arch.lua" -o "$arch"
    ptxas -arch="$arch" "$arch/stores/cache=wb/program.ptx" -o one.cubin 2>err || { expect_text err "$arch"; continue; }
    expect_exit 0 "$PLAIN" gen operations.lua -m "./$arch.lua" -o "$arch-operations"
    case $arch in
    sm_75) mkdir "$arch-async" ;;
    *) expect_exit 0 "$PLAIN" gen async.lua -m "./$arch.lua" -o "$arch-async" ;;
    esac
    mkdir "$arch-clusters"
    case $arch in
    sm_90 | sm_1*) expect_exit 0 "$PLAIN" gen clusters.lua -m "./$arch.lua" -o "$arch-clusters" ;;
    esac
    case $arch in
    sm_90 | sm_100 | sm_120) expect_exit 0 "$PLAIN" gen bulk.lua -m "./$arch.lua" -o "$arch-bulk" ;;
    *) mkdir "$arch-bulk" ;;
    esac
    find "$arch" "$arch-operations" "$arch-async" "$arch-clusters" "$arch-bulk" -name program.ptx >programs
    while read -r program; do
        ptxas -arch="$arch" "$program" -o one.cubin 2>err || fail "$program"
    done <programs
done

# One that it does not know is skipped by it, not failed; of others the loop is looked at (disassembling takes time). Which level
# served loads no disassembly shows, so that no rate is judged; a loop that is not the manifest's ends its point.
# looks_at SUITE [FILTER]
looks_at()
{
    expect_exit 4 "$TRAUMA" check "$1" --counters bytes --filter "${2:-.}" --json
    ! grep '"verdict":"did not run"' out || fail "the machine code of $1 is not the manifest's: $(cat err)"
    if command -v nvdisasm >/dev/null && [ "$1" != sm_50 ]; then
        expect_text out '"source":"bytes"'
    fi
}
looks_at sm_50 stores
looks_at sm_75 'chase|cache=wb|width=16'
looks_at sm_120 'chase|cache=wb|width=16'
looks_at sm_80-async
looks_at sm_120-async 'width=16'
looks_at sm_90-clusters
looks_at sm_120-clusters 'chase|width=16'
# One by one, or disassembled together.
for jobs in 1 2; do
    expect_exit 4 "$TRAUMA" check sm_90-clusters --counters bytes --filter 'chase|width=8' -v -j $jobs
    cat out err >"by-$jobs"
done
cmp by-1 by-2 || fail "programs that are disassembled together differ"
for arch in sm_90 sm_100 sm_120; do
    looks_at "$arch-bulk" 'width=16'
done

# Each operation is the instruction of its row on an architecture of each kind, two for each load (shifts of 8 bytes are two of 4): ptxas
# makes no other sequence of it, and merges none.
for arch in sm_75 sm_90 sm_120; do
    looks_at "$arch-operations"
    command -v nvdisasm >/dev/null || continue
    python3 - "$arch" out <<'P' || fail "operations of $arch in machine code"
import collections, json, sys
points = collections.defaultdict(dict)
for line in open(sys.argv[2]):
    row = json.loads(line)
    if row["observations"]:
        points[row["point"]][row["metric"]] = row["observations"][0]["value"]
for point, seen in points.items():
    op = point.split(",")[0][3:]
    each = seen.get("mix." + op, 0) / seen["mix.load"]
    if abs(each - (4 if point == "op=shift,width=8" else 2)) > 1e-6:
        sys.exit(f"{point}: {each} for a load")
if len(points) < 28:
    sys.exit(f"only {len(points)} points")
P
done

# fp8 where the tensor cores lack it, as an older version generated it: ptxas makes halves, and merges many into a few.
sed 's/sm_89/sm_90/' "sm_89-operations/consume/op=mma_fp8,width=4/program.ptx" >halves.ptx
ptxas -arch=sm_90 halves.ptx -o one.cubin || fail "halves of fp8"
if command -v nvdisasm >/dev/null; then
    cp -r sm_89-operations emulated
    cp halves.ptx "emulated/consume/op=mma_fp8,width=4/program.ptx"
    sed -i 's/"sm_89"/"sm_90"/' "emulated/consume/op=mma_fp8,width=4/manifest.json"
    expect_exit 1 "$TRAUMA" check emulated --as-is --counters bytes --filter mma_fp8
    expect_text err "ptxas makes other instructions than the operation's own"
fi
looks_at sm_90
cp out seen
if command -v nvdisasm >/dev/null; then
    [ "$(grep -c '"metric":"mix.fma"' seen)" = 8 ] || fail "the machine code's operations were not counted"
    sed -i '0,/ld.global.cg/s//ld.global.ca/' "sm_90/loads/level=L2,width=4/program.ptx"
    expect_exit 1 "$TRAUMA" check sm_90 --as-is --counters bytes --filter loads/level=L2
    expect_text err 'in global memory, operator cg; the manifest states '
    sed -i '0,/ld.shared::cluster/s//ld.shared/' "sm_90-clusters/others/cluster=2,width=4/program.ptx"
    expect_exit 1 "$TRAUMA" check sm_90-clusters --as-is --counters bytes --filter 'others/cluster=2,width=4'
    expect_text err 'of 4 bytes in '
    sed -i '0,/@%leads cp.async.bulk/s//\/\/ &/' "sm_90-bulk/bulk/level=L2,stages=1,used=0,width=16/program.ptx"
    expect_exit 1 "$TRAUMA" check sm_90-bulk --as-is --counters bytes --filter 'level=L2,stages=1,used=0,width=16'
    expect_text err 'bulk loads in global memory; the manifest states '
else
    echo "no nvdisasm here: what ptxas made of the loops was not looked at"
    grep -q '"verdict":"unobserved"' seen || fail "that nothing was seen is not said"
fi
sed -i '0,/ld.global.c[ag]/s//ld.global.zz/' "sm_90/loads/level=L2,width=4/program.ptx"
expect_exit 1 "$TRAUMA" check sm_90 --as-is --counters bytes --filter loads/level=L2
expect_text err "of program.ptx for sm_90: Unknown modifier '.zz'"
