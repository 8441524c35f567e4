# Grids that run at the same time on a GPU: their programs, what is refused, and latency under load on a mock GPU, which
# executes both (tests/runner/fake_cuda.c).
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

# grids FILE KERNEL [FIELDS]: a benchmark whose kernel returns that.
grids()
{
    echo "benchmark { name = 'b', target = { 'ptx', 'gcn' }, ${3:-}" >"$1"
    echo "  kernel = function(p) local k = { load { served_by = { L2 = 1 } } } return $2 end }" >>"$1"
}
# refused MACHINE TEXT KERNEL [FIELDS]
refused()
{
    grids wrong.lua "$3" "${4:-}"
    expect_exit 3 "$TRAUMA" gen wrong.lua -m "$1" -o no
    expect_text err "$2"
}
two='{ grids = { [0] = k, [1] = k } }'
refused w9100 "grids, which run at the same time through CUDA alone, and the machine \"w9100\" runs gcn" "$two"
refused h100 "kernel returned cores, which a GPU has none of: expected one list of behaviours, or on PTX { grids" "{ cores = { [0] = k } }"
refused h100 "kernel.grids has the entry 4: expected grids, from 0 to 3" '{ grids = { [4] = k } }'
refused h100 "kernel.grids has 0 kernels: expected from 1 to 4" '{ grids = {} }'
refused h100 "kernel returned 'phases' beside grids" '{ grids = { [0] = k }, phases = {} }'
refused h100 "kernel.grids[0] has grids inside of grids or phases" "{ grids = { [0] = $two } }"
refused h100 "sweep has the parameter 'grid', which per-grid kernels define themselves" "$two" "sweep = { grid = { 1 } },"
refused h100 "benchmark.grid.threads is 2000" "$two" "grid = function(p) return { threads = p.grid == 1 and 2000 or 32 } end,"
echo "benchmark { name = 'b', kernel = function() return { grids = { [0] = { nop {} } } } end }" >wrong.lua
expect_exit 3 "$TRAUMA" gen wrong.lua -m zen5 -o no
expect_text err "kernel returned grids, which are for GPUs: expected { cores = {"

# A program for each grid, with a shape and a place of its own; each keeps its rates alone.
grids four.lua '{ grids = { [0] = k, [1] = k, [2] = k, [3] = k } }' \
    "grid = function(p, m) return { blocks = p.grid == 1 and m.gpu.sm or 1 + p.grid, threads = 32 * (1 + p.grid) } end,"
sed 's/grid = function/place = function(p) return p.grid == 1 and { sm = { 3 } } or nil end, &/' four.lua >placed.lua
expect_exit 0 "$TRAUMA" gen placed.lua -m h100 -o four
expect_same "$(json_document four/b/grid=2/manifest.json grid/blocks grid/threads together/0 together/3 parameters/grid | tr '\t' ' ')" \
    "3 96 grid=0 grid=3 2" "the third of four grids"
expect_same "$(grep -l trauma_places four/b/*/program.ptx)" four/b/grid=1/program.ptx "the grid that has a place"
expect_exit 0 "$TRAUMA" check four -q
for machine in h100 v100 ada; do
    expect_exit 0 "$TRAUMA" gen gpu-bandwidth/loaded -m $machine -o all -q
done
expect_exit 0 "$TRAUMA" check gpu-bandwidth/loaded -m h100 --set duty=0.5 --set op=read,3:1 --counters warp,bytes -q --json
expect_same "$(grep served out | grep -c '"verdict":"pass (code)"')" 24 "rates that keep what they promise"
expect_exit 3 "$TRAUMA" gen gpu-bandwidth/loaded -m h100 --set op=9:9 -o no
expect_text err "expected read, write, copy or N:M, reads to writes, of 1 to 16 together"

# What cannot be measured: another kind of GPU, none.
expect_exit 2 "$TRAUMA" measure loaded -m w9100
expect_text err "two grids at the same time, which needs CUDA, and w9100 is an AMD GPU; for the latency alone: \`trauma run gallery/gpu-latency-ladder -m w9100\`"
expect_exit 0 "$TRAUMA" gen gallery/gpu-latency-ladder -m w9100 -o ladder -q
expect_exit 2 "$TRAUMA" measure loaded -m h10
expect_exit 2 "$TRAUMA" measure loaded -m h100 --node 0
expect_text err "--node is of a processor's memory, and h100 is a GPU"
TRAUMA_CUDA=/nonexistent/libcuda.so.1
export TRAUMA_CUDA
expect_exit 4 "$TRAUMA" measure loaded -m h100
expect_text err "libcuda.so.1: cannot open shared object file"

libraries=$(dirname "$JSON_LINES")
[ -f "$libraries/libfake_cuda.so" ] || skip "the made-up GPU is not built"
TRAUMA_CUDA=$libraries/libfake_cuda.so
expect_exit 0 "$TRAUMA" machine detect -t ptx -o mine.lua
sed 's/memory = "1GiB",/&\n    bandwidth = { L2 = 1024, MEM = 256 },/' mine.lua >paced.lua

# Rows: three of four multiprocessors stream, a part of them for a part of the rate. A microsecond is 64 loads of the chase and
# 4 of 16 bytes of each of 512 threads; a chase beside so many blocks takes the longer.
set -- -m mine.lua --op read --reps 2 --time 0.01
FAKE_CUDA=loaded expect_exit 0 "$TRAUMA" measure loaded "$@" --set duty=0,0.5,1 -q --json -o loaded.jsonl
expect_same "$(wc -l <out | tr -d ' ')" 6 "rows of two levels"
awk 'BEGIN { split("15.625 19.53 27.34", want); split("0 32.768e9 98.304e9", bytes) }
    function of(name) { return match($0, "\"" name "\":[^,}]*") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : -1 }
    { row = (NR - 1) % 3 + 1; ns = of("latency_ns"); bps = of("bandwidth_bps")
      if (of("streams") != (row == 1 ? 0 : row == 2 ? 1 : 3)) exit 1
      if (ns < 0.99 * want[row] || ns > 1.01 * want[row] || bps < 0.99 * bytes[row] || bps > 1.01 * bytes[row]) exit 1
      if (row > 1 && (of("overlap") < 0.999 || of("overlap") > 1.001)) exit 1 }' out || fail "rows that cannot be: $(cat out)"
sed 1d loaded.jsonl | grep '"duty":1,' >points
for rep in 0 1; do
    json points reps/$rep/threads/0/ticks reps/$rep/company/0/start reps/$rep/company/0/ticks reps/$rep/company/0/blocks \
        reps/$rep/company/0/iterations reps/$rep/company/0/bytes |
        awk -F '\t' '!($2 == 0 && $3 == $1 && $4 == 3 && $6 / $5 / (3 * 32768) > 0.999 && $6 / $5 / (3 * 32768) < 1.001) { exit 1 }' ||
        fail "repetition $rep: the streams are not those of the chase's time: $(cat points)"
done
expect_same "$(json points rates/loaded.latency_ns/observations/0/source | sort -u)" record "whose number it is"
"$TRAUMA" export --schema >schema.json
"$SCHEMA_LINES" schema.json loaded.jsonl >count 2>err || fail "the results do not fit the schema"
FAKE_CUDA=loaded expect_exit 0 "$TRAUMA" measure loaded -m paced.lua --op copy --reps 2 --time 0.01 --set duty=0,0.5,1 --set level=L2 -q
expect_text out "L2, copy: unloaded 15.6"
expect_text out "no knee: latency is at most 1.75 times the unloaded one"
expect_same "$(awk '$3 == 0.5 { print $4 }' out)" 3 "blocks of a duty that idle instructions keep"
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" plot loaded.jsonl -o loaded.svg
    expect_text loaded.svg "Bandwidth of the other blocks"
fi

# Four grids, and the streams' own point, which a chase runs beside.
expect_exit 0 "$TRAUMA" run four.lua -m mine.lua --reps 2 --time 0.01 -o four.jsonl -q
sed 1d four.jsonl | sort >points
expect_same "$(json points reps/1/company/2/blocks | sort | tr '\n' ' ')" "3 4 4 4 " "the last of what ran beside each"
expect_exit 0 "$TRAUMA" run gpu-bandwidth/loaded -m mine.lua --reps 2 --time 0.01 --filter "duty=1,grid=1,level=L2,op=read" -o streams.jsonl -q
grep -q '"loaded.bandwidth"' streams.jsonl || fail "no bandwidth of the chase beside the streams"

# Grids that run one after the other have no number.
FAKE_CUDA=serial expect_exit 4 "$TRAUMA" measure loaded "$@" --set level=L2 --set duty=0,1 -q --json -o serial.jsonl
sed -n 2p out >row
expect_same "$(json_document row bandwidth_bps latency_ns overlap | tr '\t' ' ')" "null null 0" "a row of grids that did not meet"
expect_text row "the grids beside it ran during at most 0.00 of its time, less than 0.95, so none of its numbers counts"
sed -n 1p out | grep -q '"latency_ns":15.6' || fail "the chase alone has no latency"
! grep '"duty":1' serial.jsonl | grep -q '"loaded\.' || fail "a number of grids that did not meet"
FAKE_CUDA=serial expect_exit 4 "$TRAUMA" measure loaded "$@" --set level=L2 --set duty=1 -q
expect_text out "no row with streams is without a doubt"

# What goes wrong with the other grid is said with its name.
wrong()
{
    rm -rf broken wrong.jsonl
    expect_exit 0 "$TRAUMA" gen gpu-bandwidth/loaded "-mmine.lua" --set level=L2 --set op=read --set duty=1 -o broken -q
    sed -i "$1" broken/loaded/*grid=1*/program.ptx
    expect_exit "$2" "$TRAUMA" run broken --filter grid=0 --reps 1 --time 0.01 -o wrong.jsonl
    expect_text err "$3"
}
wrong '4s|^|syntax|' 1 "grid=1,level=L2,op=read,streams=3, which runs beside it: the driver's compiler rejects the program"
wrong '1s|^|//FAKE silent\n|' 1 "a grid beside it: block 0 wrote no record"
wrong '1s|^|//FAKE fault\n|' 1 "running the kernel: an illegal memory access was encountered"
rm -rf broken/loaded/*grid=1*
expect_exit 1 "$TRAUMA" run broken --filter grid=0 --reps 1 --time 0.01 -o gone.jsonl
