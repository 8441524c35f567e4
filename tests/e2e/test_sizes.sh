# Sizes as text ("32KiB") wherever bytes are taken and swept, and geometric ranges.
. "$SOURCE/tests/e2e/lib.sh"
cd "$WORK"

cat >walk.lua <<'RECIPE'
benchmark {
  name   = "walk",
  sweep  = { ws = range{ "4KiB", "64KiB", factor = 4 }, step = { "64B", 128 } },
  where  = function(p, m) return p.ws + p.step <= m.caches.L2.size end,
  kernel = function(p)
    return { load { working_set = p.ws, stride = p.step } }
  end,
  loop   = { units = 8 },
  plot   = { x = "ws", y = "mix.load", by = "step", log = "x" },
}
RECIPE

# ---- points have readable names and numeric values ----
expect_exit 0 "$TRAUMA" gen walk.lua -m zen5 -o suite
for point in step=64B,ws=4KiB step=64B,ws=16KiB step=128B,ws=64KiB; do
    [ -d "suite/walk/$point" ] || fail "no point $point: $(ls suite/walk)"
done
expect_same "$(ls suite/walk | wc -l)" 6 "points"
expect_same "$(json_document "suite/walk/step=64B,ws=16KiB/manifest.json" parameters/ws)" 16384 "the manifest's size"

# The same sizes as numbers make the same programs.
sed -e 's/range{ "4KiB", "64KiB", factor = 4 }/{ 4096, 16384, 65536 }/' -e 's/"64B", 128/64, 128/' walk.lua >plain.lua
expect_exit 0 "$TRAUMA" gen plain.lua -m zen5 -o plain
cmp "suite/walk/step=64B,ws=16KiB/program" "plain/walk/step=64,ws=16384/program" || fail "a size as text makes another program"

# ---- a size where bytes are taken, without a sweep ----
cat >texts.lua <<'RECIPE'
benchmark { name = "texts", loop = { units = 4 },
  kernel = function()
    return {
      load { working_set = "8KiB", stride = "64B", width = "16B" },
      store { working_set = "1 MiB" },
      asm { x86_64 = "movq {memory}, {r0}", registers = 1, memory = "4KiB" },
    }
  end }
RECIPE
expect_exit 0 "$TRAUMA" gen texts.lua -m zen5 -o texts

# ---- --set takes sizes and numbers, and names points alike ----
expect_exit 0 "$TRAUMA" gen walk.lua -m zen5 --set ws=32KiB,65536 --set step=64 -o set
expect_same "$(ls set/walk | tr '\n' ' ')" "step=64B,ws=32KiB step=64B,ws=64KiB " "points of --set"
expect_exit 2 "$TRAUMA" gen walk.lua -m zen5 --set ws=1.5 -o no
expect_text err "1.5"

# ---- figures ----
expect_exit 0 "$TRAUMA" gen walk.lua -m zen5 --set ws=1536 --set step=64B -o odd
[ -d odd/walk/step=64B,ws=1536B ] || fail "1536 bytes: $(ls odd/walk)"
cat >few.lua <<'RECIPE'
benchmark { name = "few", loop = { units = 4 },
  sweep  = { ws = range{ from = "1KiB", to = "4KiB", factor = 2 }, step = { "64B", "128B" } },
  kernel = function(p) return { load { working_set = p.ws, stride = p.step } } end,
  measure = { time = 0.001, reps = 1 },
  plot = { { x = "ws", y = "mix.load", by = "step" }, { x = "ws", y = "mix.load", kind = "bars", only = { step = "64B" } } } }
RECIPE
expect_exit 0 "$TRAUMA" run few.lua -m zen5 --counters bytes -o few.jsonl
if command -v gnuplot >/dev/null 2>&1; then
    expect_exit 0 "$TRAUMA" plot few.jsonl -o few.svg
    figure=$(cat few*.svg)
    for text in '1 KiB' '2 KiB' '4 KiB' 'step = 64 B' 'step = 128 B'; do
        printf '%s' "$figure" | tr -d '\n' | grep -q "$text" || fail "'$text' is not in the figure"
    done
fi

# ---- ranges ----
range_of()
{
    printf 'benchmark { name = "r", sweep = { v = %s }, kernel = function(p) return { nop{} } end }\n' "$1" >range.lua
}
accepts() # RANGE NAMES: the values of the points
{
    range_of "$1"
    expect_exit 0 "$TRAUMA" gen range.lua -m zen5 -o ranges --force
    expect_same "$(ls ranges/r | sed 's/^v=//' | sort -V | tr '\n' ' ')" "$2 " "$1"
    rm -rf ranges
}
accepts 'range{ 1, 64, factor = 4 }' "1 4 16 64"
accepts 'range{ from = 1, to = 100, factor = 10 }' "1 10 100"
accepts 'range{ 1, 2, factor = 2^0.5 }' "1 1.414213562 2"
accepts 'range{ 2, 10, step = 4 }' "2 6 10"
accepts 'range("1KiB", "3KiB", "1KiB")' "1KiB 2KiB 3KiB"
accepts 'range{ "1KiB", "4KiB", factor = 1.5, multiple = "64B" }' "1KiB 1536B 2304B 3456B"
accepts 'range{ 1048576, 1073741824, factor = 32 }' "1048576 33554432 1073741824"

refuses() # RANGE TEXT
{
    range_of "$1"
    expect_exit 3 "$TRAUMA" gen range.lua -m zen5 -o refused
    expect_text err "range.lua:1:"
    expect_text err "$2"
}
refuses 'range{ 1, 64, factor = 1 }' 'range{ factor } is 1: expected a factor above 1'
refuses 'range{ 1, 64, factor = 0.5 }' 'expected a factor above 1'
refuses 'range{ 0, 64, factor = 2 }' 'from is 0: a geometric range begins above 0'
refuses 'range{ -1, 64, factor = 2 }' 'from is -1: a geometric range begins above 0'
refuses 'range{ 64, 1, factor = 2 }' 'never reaches'
refuses 'range{ 1, 64, factor = 2, step = 2 }' 'both factor and step'
refuses 'range{ 1, 64 }' 'factor'
refuses 'range{ 1, factor = 2 }' "to"
refuses 'range{ 1, 64, from = 2, factor = 2 }' "twice"
refuses 'range{ 1, 64, facter = 2 }' "did you mean 'factor'?"
refuses 'range{ 1, 1e300, factor = 1.0001 }' 'more than 100000 values'
refuses 'range{ 1, "4KiB", factor = 2 }' 'both'
refuses 'range("4KiB", "64KiB")' 'step'
refuses 'range{ "1KiB", "4KiB", factor = 2^0.5 }' 'multiple'
refuses '{ 1024, "1KiB" }' 'twice'
refuses '{ "1KiB", "1024B" }' 'twice'
refuses '{ 1.5, "1KiB" }' 'whole number of bytes'
refuses 'range{ "1KB", "4KB", factor = 2 }' 'KiB'

# ---- refusals name the form that works ----
cat >wrong.lua <<'RECIPE'
benchmark { name = "wrong", kernel = function() return { load { working_set = "32KB" } } end }
RECIPE
expect_exit 3 "$TRAUMA" gen wrong.lua -m zen5 -o no
expect_text err 'load.working_set is "32KB"'
expect_text err '"32KiB"'

# ---- numbers of bytes are shown as sizes where a figure says that they are ----
cat >strides.lua <<'RECIPE'
benchmark { name = "strides", sweep = { size = { 4096, 16384 }, stride = { 64, 1024 } },
  kernel = function(p) return { load { working_set = p.size, stride = p.stride } } end,
  plot = { x = "size", xunit = "bytes", y = "pass.ns", by = "stride", byunit = "bytes" } }
RECIPE
expect_exit 0 "$TRAUMA" run strides.lua --time 0.01 --reps 2 --counters timing --power none -o strides.jsonl
expect_exit 0 "$TRAUMA" plot strides.jsonl -o strides.svg
expect_text strides.svg "stride = 64 B"
expect_text strides.svg "stride = 1 KiB"
expect_exit 0 "$TRAUMA" report strides.jsonl -o strides.html
expect_text strides.html ">16 KiB</td>"
sed 's/by = "stride", //' strides.lua >alone.lua
expect_exit 3 "$TRAUMA" list alone.lua
expect_text err "plot.byunit: there is no"

# A walk is as long as stated, within a hundredth: a loop whose passes make another one is refused, and without a stated loop one that
# fits is found.
walk()
{
    echo "benchmark { name = \"walk\", target = \"$1\", $2 kernel = function() return { load { working_set = $3 } } end }" >walk.lua
}
walk x86_64 'loop = { units = 64 },' 5120
expect_exit 3 "$TRAUMA" gen walk.lua -m skylake-sp -o walks
expect_text err "its walk would go through 4096 bytes"
expect_text err "expected working_set = 4096 or 8192"
walk ptx 'grid = { blocks = 1, threads = 32 }, loop = { units = 64 },' 12800
expect_exit 3 "$TRAUMA" gen walk.lua -m h100 -o walks
expect_text err "goes through 8192 of them; expected 8192 bytes"
walk x86_64 'loop = { units = 64 },' 524288
expect_exit 0 "$TRAUMA" gen walk.lua -m skylake-sp -o walks
for bytes in 5120 12800 255872 1000064; do
    walk ptx 'grid = { blocks = 1, threads = 32 },' $bytes
    rm -rf walks
    expect_exit 0 "$TRAUMA" gen walk.lua -m h100 -o walks
    made=$(json_document walks/walk/default/manifest.json streams | sed 's/.*"bytes":\([0-9]*\).*/\1/')
    awk -v made="$made" -v bytes=$bytes 'BEGIN { exit made < 0.99 * bytes || made > 1.01 * bytes }' || fail "a walk of $bytes bytes goes through $made"
done
