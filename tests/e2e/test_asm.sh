# asm{}: the code of a recipe's own text, and that its errors name the recipe's line.
. "$SOURCE/tests/e2e/lib.sh"
need_program valgrind

cat >own.lua <<'LUA'
benchmark {
  name = "plain",
  sweep = { miss = { 0.13, 0.5 } },
  kernel = function(p)
    return {
      load { miss_rate = { L1 = p.miss }, address = "chase" },
      asm  { x86_64 = "popcntq {r0}, {r1}; addq {r1}, {r2}", registers = 3, count = 4 },
      add  { count = 2, dependents = 1 },
    }
  end,
}
benchmark {
  name = "named",
  kernel = function(p)
    return {
      load   { miss_rate = { L1 = 0.2 }, address = "chase" },
      asm    {
        x86_64 = [[
          mulq {r2}
          leaq 1(%rax,%rdx), {r2:64}
          movl {r2:32}, %eax
        ]],
        registers = { "rax", "rdx", "r13" },
      },
      branch { accuracy = 0.9 },
      branch { accuracy = 0.9, kind = "indirect" },
    }
  end,
}
benchmark {
  name = "memory",
  kernel = function(p)
    return {
      load   { miss_rate = { L1 = 0.2 } },
      asm    {
        x86_64 = "movq {r0}, {memory}; movq 8+{memory}, {r0}; movdqu {r1}, 64+{memory}; paddq {r1}, {r1}",
        registers = { "r9", "xmm3" }, memory = 128,
      },
      add    { count = 2, dependents = 1 },
      branch { accuracy = 0.75 },
    }
  end,
  expect = { ["mix.asm"] = { min = 0.1 } },
}
LUA
expect_exit 0 "$TRAUMA" check own.lua -m zen5 --counters cachegrind,bytes --json
json "$WORK/out" benchmark point metric verdict >verdicts
if grep -vE '	(pass|pass \(code\)|observed|not applicable)$' verdicts; then
    fail "not all pass: $(cat verdicts)"
fi
expect_same "$(grep -c '	mix.asm	pass' verdicts)" 4 "shares of the text"
expect_same "$(grep -c '^plain	.*	l1d.miss_rate	pass' verdicts)" 2 "rates beside a text without memory"
expect_same "$(grep -cE "^memory	.*	(l1d|l2|served)[^	]*	pass" verdicts || true)" 0 "rates that memory takes back"
expect_same "$(grep -c '^memory	.*	branch.miss_rate	pass' verdicts)" 1 "branches beside a text with memory"

# The programs run, and say the same of themselves.
expect_exit 0 "$TRAUMA" gen own.lua -m zen5 -o suite
for program in suite/*/*/program; do
    expect_exit 0 "$program" 1000
    expect_text out '"iterations":1000'
done
manifest=suite/memory/default/manifest.json
grep -q '"file"' $manifest && fail "the manifest has the recipe's path"
expect_same "$(json_document $manifest kernel/unit/1/memory)" 128 "memory in the manifest"
offset=$(sed -n 's/.*movq %r9, \([0-9]*\)(%rsi).*/\1/p' suite/memory/default/program.s | head -n 1)
[ "$((offset + 128))" -le "$(json_document $manifest data/bytes)" ] || fail "the text's memory is beyond the data"
expect_exit 0 "$TRAUMA" check suite --counters bytes
expect_exit 0 "$TRAUMA" explain suite --counters plan --filter memory
expect_text out "the recipe's own text, with 128 B of memory"

# What the last load brought: before the text stands a copy of the register that the load wrote, and that is what the text reads.
cat >loaded.lua <<'LUA'
benchmark {
  name = "loaded", target = { "x86_64", "aarch64", "riscv64" }, sweep = { address = { "chase", "independent" }, width = { 4, 8 } },
  where = function(p) return p.address == "independent" or p.width == 8 end,
  kernel = function(p) return {
    load { miss_rate = { L1 = 0.25 }, address = p.address, width = p.width, count = 2 },
    asm  { x86_64 = "addq {loaded}, {r0}; negq {loaded}", aarch64 = "add {r0}, {r0}, {loaded}; neg {loaded}, {loaded}",
           riscv64 = "add {r0}, {r0}, {loaded}; neg {loaded}, {loaded}", registers = 1, count = 2 },
  } end,
}
LUA
for machine in zen5 neoverse-v1 thead-c920; do
    expect_exit 0 "$TRAUMA" gen loaded.lua -m $machine -o $machine
    "$TRAUMA" check $machine --counters bytes >out 2>err </dev/null || [ $? -eq 4 ] || fail "$machine: $(cat out err)"
    expect_same "$(grep -c ' mix.asm .* pass ' out)" 3 "shares of texts that consume loads"
    for program in $machine/*/*/program.s; do
        sed -n '/^trauma_loop:/,/^trauma_advance:/p' "$program" | sed 's/[#][^0-9].*//; s/,//g' | awk -v machine=$machine '
            /text_end/ { inside = 0; next }
            /Ltext/ { inside = 1; line = 0; next }
            !/^ / { next }
            !inside { value = machine == "zen5" ? $NF : $2; next }
            { line++; source = machine == "zen5" ? $2 : $3; target = machine == "zen5" ? $3 : $2 }
            line == 1 && substr(source, 3) != substr(value, 3) && $0 !~ value { print "copies another register: " value ":" $0; exit 1 }
            line == 1 { copy = target; copies++; if (source == target) { print "no copy: " $0; exit 1 } }
            line == 2 && index($0, copy) == 0 { print "does not consume " copy ": " $0; exit 1 }
            END { if (copies == 0) print "no copies" }' >wrong
        [ ! -s wrong ] || fail "$program: $(cat wrong)"
    done
done
expect_exit 0 "$TRAUMA" check zen5 --counters cachegrind,bytes
for program in zen5/*/*/program; do
    expect_exit 0 "$program" 100
done

# refused LINE TEXT
refused()
{
    expect_exit 3 "$TRAUMA" gen bad.lua -m pentium-pro -o never
    expect_text err "bad.lua:$1: b/default: $2"
    [ ! -e never ] || fail "a suite was written"
}
recipe()
{
    printf 'benchmark { name = "b", kernel = function()\n  return {\n    nop {},\n    asm { %s },\n  }\nend }\n' "$1" >bad.lua
}
recipe 'x86_64 = "nop; frobnicate"'
refused 4 "line 1 of asm's text, 'frobnicate': invalid instruction mnemonic"
recipe 'x86_64 = "mov rax, rbx"'
refused 4 "line 1 of asm's text, 'mov rax, rbx': unknown use of instruction mnemonic without a size suffix"
expect_text err "a text is in AT&T syntax, sources first: movq %rbx, %rax"
recipe 'x86_64 = "nop\nincq %rdi"'
refused 4 "line 2 of asm's text, 'incq %rdi': it uses rdi, which counts the passes"
recipe 'x86_64 = "vpaddd %zmm1, %zmm1, %zmm1", registers = { "zmm1" }'
refused 4 "line 1 of asm's text, 'vpaddd %zmm1, %zmm1, %zmm1': it needs avx512f, which the machine pentium-pro lacks"
recipe 'x86_64 = "nop", registers = 99'
refused 4 "asm.registers is 99"
recipe 'x86_64 = "addq {loaded}, {r0}", registers = 1'
expect_exit 3 "$TRAUMA" gen bad.lua -m pentium-pro -o never
expect_text err 'a load of 4 or 8 bytes before it in the unit'

# What would change what others rely on, or may: none writes anything but its own.
recipe 'x86_64 = "movl $4096, %eax; clzero", registers = { "rax" }'
refused 4 "line 1 of asm's text, 'clzero': an implicit register holds its address"
recipe 'x86_64 = "xsave {memory}", registers = { "rax", "rdx" }, memory = 64'
refused 4 "line 1 of asm's text, 'xsave {memory}': the size of its memory depends on the processor"
recipe 'x86_64 = "nop\nmovq {r0}, 60+{memory}", registers = 1, memory = 64'
refused 4 "line 2 of asm's text, 'movq {r0}, 60+{memory}': its 8 bytes from byte 60 on are not all within the 64 bytes of {memory}"
recipe 'x86_64 = "movq {r0}, ({r0})", registers = { "rbx" }, memory = 64'
refused 4 "line 1 of asm's text, 'movq {r0}, ({r0})': its address is [rbx]: expected {memory} or 8+{memory}"
recipe 'x86_64 = "movq 0x7ff00000+0*{memory}, {r0}", registers = 1, memory = 64'
refused 4 "line 1 of asm's text, 'movq 0x7ff00000+0*{memory}, {r0}': only a signed number can join {memory}"
# Memory is behind the data, and an address reaches 2 GiB.
cat >far.lua <<'LUA'
local gib = 1024 * 1024 * 1024
benchmark { name = "far", kernel = function() return {
  load { working_set = gib, data = pattern.ones() }, load { working_set = gib, data = pattern.zeros() }, load { working_set = gib - 4096 },
  asm { x86_64 = "movq {memory}, {r0}", registers = 1, memory = 64 } } end }
LUA
expect_exit 3 "$TRAUMA" gen far.lua -m zen5 -o never
expect_text err "asm.memory starts 2048 MiB after the data's start, but {memory} reaches 2047 MiB"
[ ! -e never ] || fail "a suite was written"
cat >ones.lua <<'LUA'
benchmark { name = "ones", kernel = function() return {
  load { served_by = { L1 = 1 }, data = pattern.ones() }, asm { x86_64 = "movl $ADDRESS, %eax; TEXT", registers = { "rax" } } } end }
LUA
sed 's/ADDRESS/4096/; s/TEXT/clzero/' ones.lua >zeroed.lua
expect_exit 3 "$TRAUMA" check zeroed.lua -m zen5 --counters bytes
expect_no_text out "data.ones_rate"
sed 's/ADDRESS/4096/; s/TEXT/incq %rax/' ones.lua >kept.lua
expect_exit 0 "$TRAUMA" check kept.lua -m zen5 --counters bytes
expect_text out "data.ones_rate"

# In a file that is included, the place is there.
recipe 'x86_64 = "jmp 0"'
mv bad.lua part.lua
echo 'include "part"' >bad.lua
expect_exit 3 "$TRAUMA" gen bad.lua -m pentium-pro -o never
expect_text err "part.lua:4: b/default: line 1 of asm's text, 'jmp 0': it leaves the text"

# A typo is found before anything is listed, announced or run; one after the first points, too.
cat >typo.lua <<'LUA'
benchmark { name = "fine", kernel = function() return { load { served_by = { L1 = 1 } } } end }
benchmark { name = "typo", sweep = { n = { 1, 2 } },
  kernel = function(p) return { asm { x86_64 = p.n == 1 and "incq {r0}" or "incqq {r0}", registers = 1 } } end }
LUA
for command in "list typo.lua -m zen5" "gen typo.lua -m zen5 --dry-run -o none" "run typo.lua -m zen5 --dry-run -o none.jsonl" \
    "run typo.lua -m zen5 --counters bytes --time 0.01 -o none.jsonl"; do
    expect_exit 3 "$TRAUMA" $command
    expect_text err "typo.lua:3: typo/n=2: line 1 of asm's text, 'incqq {r0}'"
    expect_empty out
done
[ ! -e none.jsonl ] || fail "points ran before a typo was found"
sed 's/incqq/incq/' typo.lua >right.lua
expect_exit 0 "$TRAUMA" list right.lua -m zen5
echo 'benchmark { name = "g", target = "gcn", kernel = function() return { asm { gcn = "v_bogus v1" } } end }' >gcn.lua
expect_exit 3 "$TRAUMA" list gcn.lua -m w9100
expect_text err "is not an instruction of gfx701"
echo 'benchmark { name = "g", target = "ptx", kernel = function() return { asm { ptx = "add.u32 {r0}, {r3}, 1;", registers = 1 } } end }' >ptx.lua
expect_exit 3 "$TRAUMA" list ptx.lua -m h200
expect_text err "asm uses {r3}: it has registers = 1"

# As many registers as a kernel is said to give it gives, and one more is refused for that reason.
for kernel in "" "load { served_by = { L1 = 1 } }," "div {}," "store { served_by = { L1 = 1 } }, branch { accuracy = 0.9 }," \
    "load { served_by = { L1 = 0.5, L2 = 0.5 }, address = 'chase' }, add { count = 2 }, mul {},"; do
    for count in 99 most more; do
        [ "$count" != most ] || count=$most
        [ "$count" != more ] || count=$((most + 1))
        echo "benchmark { name = 'n', kernel = function() return { $kernel asm { x86_64 = 'incq {r0}', registers = $count } } end }" >n.lua
        code=3
        [ "$count" != "${most:-}" ] || code=0
        [ "$count" != 99 ] || sed -i 's/= 99/= 16/' n.lua
        expect_exit $code "$TRAUMA" gen n.lua -m zen5 -o n
        [ $code -eq 0 ] || most=$(sed -n 's/.*this kernel can give \([0-9]*\);.*/\1/p' err)
        [ -n "$most" ] || fail "the registers of '$kernel' have no limit"
    done
    most=
done
# Registers by name take none from a role that the kernel has no use for.
cat >named.lua <<'LUA'
benchmark { name = "named", kernel = function() return { load { served_by = { L1 = 1 } },
  asm { x86_64 = "incq %rax", registers = { "rax", "r9", "r10", "r11", "r13", "r14", "r15" } } } end }
LUA
expect_exit 0 "$TRAUMA" gen named.lua -m zen5 -o named
expect_exit 0 named/named/default/program 100
