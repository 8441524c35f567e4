# Operations: operand data recounted from the disassembly, not by trauma; dependencies as specified; features refused
# when generating for a machine without them, and skipped when run on one.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
need_program objdump

cat >wide.lua <<'LUA'
machine {
  name = "wide", isa = "x86_64",
  caches = {
    L1I = { size = "32KiB", ways = 8, line = 64 },
    L1D = { size = "32KiB", ways = 8, line = 64 },
    L2  = { size = "1MiB",  ways = 16, line = 64 },
  },
  features = { "sse2", "avx", "avx2", "fma", "avx512f" },
}
LUA
cat >data.lua <<'LUA'
local patterns = { quarter = pattern.toggle(0.25), odd = pattern.toggle(0.37), ones = pattern.ones(),
                   all = pattern.toggle(1, { order = "program" }), list = pattern.words { 3, 0x55, 0xff00ff } }
local ops = { add = add, xor = xor, mul = mul, div = div, fma = fma, fadd = fadd }
benchmark {
  name = "data",
  sweep = { pattern = { "quarter", "odd", "all", "ones", "list" }, op = { "add", "xor", "mul", "div", "fma", "fadd" },
            width = { 4, 8, 32, 64 } },
  where = function(p) return p.op ~= "div" or p.width <= 8 end,
  kernel = function(p) return { ops[p.op] { count = 3, width = p.width, data = patterns[p.pattern] }, nop {} } end,
}
LUA
expect_exit 0 "$TRAUMA" gen data.lua -m wide.lua -o suite
expect_exit 0 "$TRAUMA" check suite --counters bytes --json
json "$WORK/out" point metric verdict observations/0/value >seen
expect_same "$(grep -c '	data.toggle_rate	pass	' seen)" 110 "toggle rates that pass"
expect_same "$(grep 'pattern=odd' seen | grep -c '	data.toggle_rate	pass	0.37$')" 22 "toggle rates of exactly 0.37"

# recount POINT BITS REGISTER...: share of bits that differ from one operand to the next, by the disassembly alone.
recount()
{
    point=$1
    bits=$2
    shift 2
    objdump -d --no-show-raw-insn "suite/data/$point/program.o" | awk -v bits="$bits" -v registers="$*" '
        function name(text) {
            sub(/^%/, "", text); sub(/^[yz]mm/, "xmm", text)
            if (text ~ /^r[0-9]+d$/) sub(/d$/, "", text)
            sub(/^e/, "r", text)
            return text
        }
        function flips(a, b,    i, n, x, y) {
            n = 0
            for (i = 17 - bits / 4; i <= 16; i++) {
                x = index("0123456789abcdef", substr(a, i, 1)) - 1
                y = index("0123456789abcdef", substr(b, i, 1)) - 1
                for (p = 8; p >= 1; p /= 2) { if ((x >= p) != (y >= p)) n++; if (x >= p) x -= p; if (y >= p) y -= p }
            }
            return n
        }
        BEGIN { count = split(registers, list, " "); for (i = 1; i <= count; i++) wanted[list[i]] = 1; if (bits > 64) bits = 64 }
        / <trauma_loop>:/ { loop = 1 }
        / <trauma_advance>:/ { loop = 0 }
        { operands = split($3, operand, ",") } # in any order: assemblers turn sums round where this is shorter
        !loop && $2 == "movabs" { value = substr(operand[1], 4); while (length(value) < 16) value = "0" value; word[name(operand[2])] = value }
        !loop && ($2 == "vmovq" || $2 == "movq") { word[name(operand[2])] = word[name(operand[1])] }
        loop {
            taken = ""
            for (i = 1; i <= operands; i++) if (name(operand[i]) in wanted) taken = word[name(operand[i])]
            if (taken == "") next
            if (n++ == 0) first = taken; else all += flips(before, taken)
            before = taken
        }
        END { all += flips(before, first); printf "%.10g", all / (n * bits) }'
}
for point in $(cut -f 1 seen | sort -u); do
    manifest=suite/data/$point/manifest.json
    set -- $(json_document "$manifest" operands/0/registers/0 operands/0/registers/1 operands/0/registers/2)
    found=$(recount "$point" "$(json_document "$manifest" operands/0/bits)" "$@")
    wanted=$(grep "^$point	data.toggle_rate	" seen | cut -f 4)
    [ "$(printf '%.8g' "$found")" = "$(printf '%.8g' "$wanted")" ] || fail "$point toggles $found by the disassembly, $wanted by trauma"
done

# When loads and operations have data, the rate is that of all streams of words together.
cat >both.lua <<'LUA'
benchmark { name = "both", kernel = function()
  return { load { served_by = { L1 = 1 }, data = pattern.toggle(0.5) }, add { data = pattern.toggle(0.25) } } end }
LUA
expect_exit 0 "$TRAUMA" check both.lua -m wide.lua --counters bytes --json
expect_same "$(json "$WORK/out" metric verdict wanted | grep "toggle_rate	")" "data.toggle_rate	pass	0.375" "loads and operations"

# Operations without data of more kinds and widths than there are registers share one that has the templates' word.
cat >kinds.lua <<'LUA'
benchmark { name = "kinds", kernel = function()
  local unit = { load { served_by = { L1 = 1 }, count = 8 }, add { count = 4, width = 16 }, xor { count = 4, width = 16 } }
  for _, op in ipairs { fadd, fmul, fdiv, fsqrt, fma } do
    for _, width in ipairs { 4, 8, 16 } do unit[#unit + 1] = op { count = 3, width = width } end
  end
  return unit
end }
LUA
expect_exit 0 "$TRAUMA" check kinds.lua -m skylake-sp --counters bytes
expect_no_text out "  fail "

# What the machine lacks is refused in a sentence.
cat >needs.lua <<'LUA'
benchmark { name = "needs", kernel = function() return { fma { width = 64 } } end }
LUA
expect_exit 3 "$TRAUMA" gen needs.lua -m pentium-pro -o never
expect_text err 'fma.width is 64: it needs the feature avx512f, and the machine "pentium-pro" has no such feature'

# What the present processor lacks is skipped: neither run, nor passed, nor taken for finished.
expect_exit 0 "$TRAUMA" gen needs.lua -m wide.lua -o needs
expect_same "$(json_document needs/needs/default/manifest.json features/0)" avx512f "the feature that the program needs"
sed -i 's/"avx512f"/"avx1024"/' needs/needs/default/manifest.json
quick="--time 0.01 --reps 1"
expect_exit 4 "$TRAUMA" run needs -o results.jsonl $quick
expect_text err "needs/default: skipped: the program needs avx1024, which this processor lacks"
expect_text out "1 point skipped"
expect_exit 4 "$TRAUMA" run needs -o results.jsonl $quick --resume
expect_text out "1 point skipped"
expect_exit 0 "$TRAUMA" check needs --as-is
expect_text err "needs/default: skipped: the program needs avx1024"
expect_exit 4 "$TRAUMA" check results.jsonl --strict
expect_text out "1 point skipped"
