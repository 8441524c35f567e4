# Loads that lead, and led ones: on every ISA the programs keep their rates, whatever the words that are loaded, which are the
# recipe's; led loads stand as far behind as the recipe says; what makes no sense is refused.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers
plain_program
export TRAUMA_ROOT="$SOURCE"

# 16 of 64 bits of each word are ones, and of the lower 32 bits 8.
cat >led.lua <<'LUA'
local word, half = pattern.constant(0x0f0f00000f0f0000), pattern.constant(0x0f0f0000)
benchmark {
  name  = "led",
  sweep = { behind = { 1, 6, 12 }, miss = { 0, 0.25 } },
  kernel = function(p, m)
    return {
      load { served_by = { L1 = 1 }, count = 4, leads = true, width = 4, data = half },
      load { served_by = { L1 = 1 }, count = 4, address = "led", leads = true, data = word },
      load { miss_rate = { L1 = p.miss }, count = 24, address = "led", behind = p.behind, data = word },
      load { served_by = { L1 = 1 }, count = 8, address = "led", behind = p.behind, width = 4, data = half },
      load { served_by = { L1 = 1 }, count = 8, data = word },
      store { served_by = { L1 = 1 }, count = 6 },
      branch { accuracy = 0.9, count = 10, test = "shared" },
      add { count = 60 },
    }
  end,
}
LUA
# What reads zeros leads by what it read, and nothing that is stored gets there.
cat >zero.lua <<'LUA'
benchmark {
  name  = "zero",
  sweep = { miss = { 0, 0.5 } },
  kernel = function(p, m)
    local function zeros(t)
      t.leads, t.data = true, pattern.constant(0)
      return load(t)
    end
    return {
      zeros { served_by = { L1 = 1 }, count = 4, width = 4 },
      zeros { served_by = { L1 = 1 - p.miss, L2 = p.miss / 2, MEM = p.miss / 2 }, count = 4, address = "led" },
      load { served_by = { L1 = 1 }, count = 24, address = "led", behind = 6, data = pattern.constant(0x0f0f00000f0f0000) },
      load { served_by = { L1 = 0.5, MEM = 0.5 }, count = 8, data = pattern.words { 0xff00ff, 0xff00 } },
      store { miss_rate = { L1 = p.miss }, count = 6, data = pattern.words { 0xffff, 0xff00ff } },
      branch { accuracy = 0.9, count = 10, test = "shared" },
      add { count = 60 },
    }
  end,
}
LUA
# With one unit in the loop, the places of accesses change from pass to pass.
cat >placed.lua <<'LUA'
for name, word in pairs { zeros = 0, words = 0x0f0f } do
  benchmark {
    name = name,
    loop = { units = 1 },
    kernel = function()
      local data, logic = pattern.constant(word), word ~= 0 and 8 or nil
      return {
        load { served_by = { L1 = 1 }, count = 4, leads = true, data = data },
        load { served_by = { L1 = 0.9, L2 = 0.1 }, count = 4, address = "led", leads = true, logic = logic, data = data },
        load { served_by = { L1 = 1 }, count = 8, address = "led", behind = 2 },
        add { count = 6 },
      }
    end,
  }
end
LUA
for way in x86_64:skylake-sp aarch64:cortex-a72 riscv64:sifive-u74; do
    isa=${way%%:*} machine=${way#*:}
    sources=bytes
    ! loads_plugins "qemu-$isa" || sources=bytes,qemu
    expect_exit 0 "$PLAIN" check led.lua -m "$machine" --counters $sources --json
    expect_same "$(json "$WORK/out" metric verdict | grep -c '	fail')" 0 "failed rates on $machine"
    expect_exit 0 "$PLAIN" explain led.lua -m "$machine" --counters bytes --point behind=6,miss=0.25
    expect_text out "led, 8 bytes wide, 6 places behind the one that leads"
    grep -q '^data.ones_rate .*bytes 0.25 ' "$WORK/out" || fail "ones on $machine: $(grep '^data' "$WORK/out")"

    expect_exit 0 "$PLAIN" check zero.lua -m "$machine" --counters $sources --json
    expect_same "$(json "$WORK/out" metric verdict | grep -c '	fail')" 0 "failed rates of zeros on $machine"
    expect_exit 0 "$PLAIN" gen zero.lua -m "$machine" -o "zeros-$isa" -q
    expect_exit 0 "$PLAIN" check placed.lua -m "$machine" --counters bytes
    grep -qE '^[[:space:]]*and[a-z]* .*(\$0,|xzr|zero)' zeros-$isa/zero/*/program.s && fail "a conjunction beside zeros on $isa"
done

# Where they stand: 8 loads that lead, each followed by 4 led ones, the middle of which is so many places behind it.
expect_exit 0 "$PLAIN" gen led.lua -m skylake-sp -o suite -q
for behind in 1 6 12; do
    # Behaviours 3 and 4 are led ones, 7 branches; all but what leads are of one line, of which some name their behaviour.
    awk -v behind="$behind" '
        /^trauma_loop:/ { at = 1000 }
        /andl \$0, / { at = 0; leads++; next }
        /behaviour 7/ { at = 1000 }
        { at++ }
        /behaviour [34]:/ && at < 1000 { sum += at; led++ }
        END { mean = led ? sum / led : 0; wanted = behind < 3 ? 2.5 : behind - 0.5
              if (leads < 8 || led < 24 || mean < wanted - 0.01 || mean > wanted + 0.51) { print behind, leads, led, mean; exit 1 } }
    ' "suite/led/behind=$behind,miss=0/program.s" || fail "distances with behind = $behind"
done

# ---- what makes no sense ----

refused()
{
    echo "benchmark { name = \"b\", kernel = function() return { $1 } end }" >refused.lua
    expect_exit 3 "$PLAIN" gen refused.lua -m skylake-sp -o refused
    expect_text err "$2"
}
lead='load { served_by = { L1 = 1 }, leads = true }'
led='load { served_by = { L1 = 1 }, address = "led", behind = 3 }'
refused 'load { served_by = { L1 = 1 }, address = "led" }' 'a load with leads = true beside "led"'
refused "$lead, load { served_by = { L1 = 1 }, address = \"led\", width = 16 }" "expected 4 or 8 bytes"
refused "$lead, store { served_by = { L1 = 1 }, address = \"led\" }" "only loads lead and are led"
refused 'load { served_by = { L1 = 1 }, leads = true, behind = 3 }' "behind is 3"
refused 'load { served_by = { L1 = 1 }, leads = true, address = "chase" }' "such loads lead to each other"
refused "$lead, load { served_by = { L1 = 1 }, address = \"chase\" }" "one register leads"
refused "$lead, $led, load { served_by = { L1 = 1 }, address = \"led\", behind = 4 }" "one number in all loads"
refused "$lead, $led, add { dependents = 1 }" "in a unit without dependents"
refused "$lead, store { served_by = { L1 = 1 }, data = \"loaded\" }" "no independent load precedes it"

# Where a chase is linked by the words that it reads, other loads of its lines, which have no data, leave those.
cat >linked.lua <<'LUA'
benchmark { name = "linked", kernel = function() return {
    load { served_by = { L1 = 0.75, L2 = 0.25 }, count = 3, address = "chase" },
    load { served_by = { L1 = 0.75, L2 = 0.25 }, count = 3 },
    store { served_by = { L1 = 1 }, count = 3, data = "loaded" } } end }
LUA
for machine in cortex-a72 neoverse-n1 sifive-u74 zen5; do
    expect_exit 0 "$TRAUMA" check linked.lua -m $machine --counters bytes,plan
done

# Stores of two widths whose words end alike write by the same registers: their bits are those of each width.
cat >widths.lua <<'LUA'
benchmark { name = "widths", sweep = { wide = { 10, 51 } }, kernel = function(p) return {
    load { served_by = { L1 = 1 }, count = 35 },
    store { served_by = { L1 = 1 }, count = p.wide, data = pattern.words { 0xf55500007d55, 0xfaaa00007aaa } },
    store { served_by = { L1 = 1 }, count = 61 - p.wide, width = 4, data = pattern.words { 0x7d55, 0x7aaa } } } end }
LUA
for machine in cortex-a72 sifive-u74 zen5; do
    expect_exit 0 "$TRAUMA" check widths.lua -m $machine --counters bytes
    [ "$(grep -c 'data.toggle_rate .*pass' out)" -eq 2 ] || fail "$machine: $(cat out)"
done
