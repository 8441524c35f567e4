# Where qemu-user loads no plugin, qemu-system runs the same executable on a board: to the same counts.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >all.lua <<'RECIPE'
benchmark {
  name   = "levels",
  kernel = function() return { load { served_by = { L1 = 0.37, L2 = 0.33, L3 = 0.3 }, address = "chase" },
                               store { served_by = { L1 = 1 } }, add { count = 2 } } end,
}
benchmark { name = "memory", kernel = function() return { load { served_by = { L1 = 0.5, MEM = 0.5 } } } end }
benchmark {
  name   = "pages",
  kernel = function() return { load { served_by = { L1 = 0.6, L2 = 0.4 }, address = "chase" }, tlb { miss_rate = 0.2 } } end,
}
benchmark { name = "branch", kernel = function() return { add { count = 3 }, branch { accuracy = 0.9, taken = 0.5 } } end }
benchmark {
  name   = "code",
  kernel = function() return { load { miss_rate = { L1 = 0 } }, code { served_by = { L1I = 0.7, L2 = 0.3 } } } end,
}
benchmark {
  name   = "added", threads = 3,
  kernel = function() return { atomic { op = "add", shared = "counter", offset = 0 } } end,
}
benchmark { name = "turn", threads = 2, kernel = function() return { atomic { op = "turn", shared = "turns", offset = 64 } } end }
benchmark {
  name   = "left", threads = 2, sweep = { coherence = { "modified", "shared" } }, where = function(p, m)
    return p.coherence == "modified" or m.isa ~= "riscv64"
  end,
  kernel = function(p) return { load { shared = "lines", working_set = 4096, coherence = p.coherence } } end,
}
RECIPE
# machine_of ISA: three levels, a TLB of pages of 4 KiB, and a policy of its own.
machine_of()
{
    cat >"$1.lua" <<MACHINE
machine {
  name = "board-$1", isa = "$1",
  caches = {
    L1I = { size = "16KiB", ways = 4, line = 64, policy = "tree-plru" },
    L1D = { size = "24KiB", ways = 6, line = 64, policy = "lru" },
    L2  = { size = "240KiB", ways = 10, line = 64, policy = "fifo" },
    L3  = { size = "1920KiB", ways = 15, line = 64, policy = "lru" },
  },
  tlb = { data = { entries = 64, ways = 4, page = "4KiB" } },
}
MACHINE
}

# bin/ of boards alone
mkdir -p boards
judged=0
for isa in x86_64 aarch64 riscv64; do
    system=$(command -v "qemu-system-$isa") || {
        echo "not run: qemu-system-$isa is not installed"
        continue
    }
    rm -f boards/*
    ln -s "$system" "boards/qemu-system-$isa"
    machine_of $isa

    expect_exit 0 env PATH="$WORK/boards" "$TRAUMA" check all.lua -m $isa.lua --counters qemu,bytes --json
    cp "$WORK/out" $isa.board
    ! grep -E '"verdict":"(fail|inconclusive|unobserved|did not run)' $isa.board | head -c 1000 | grep . || fail "$isa"
    for metric in l3.miss_rate dtlb.miss_rate branch.taken_rate l1i.miss_rate coherence.common_words; do
        grep -q "\"metric\":\"$metric\",\"wanted\":[0-9].*\"verdict\":\"pass" $isa.board || fail "$isa: no $metric passes"
    done
    # Of branches the verdict: RISC-V's start code has one on each digit of the time that it prints.
    if loads_plugins "qemu-$isa"; then
        expect_exit 0 "$TRAUMA" check all.lua -m $isa.lua --counters qemu,bytes --json
        sed '/"branch\./s/,"observations".*//' "$WORK/out" >$isa.user
        sed '/"branch\./s/,"observations".*//' $isa.board >$isa.counts
        diff $isa.user $isa.counts >differences || fail "$isa: $(head -n 4 differences)"
    fi

    # What is there and does not count is not usable, and a board is taken for a qemu-user that does not.
    printf '#!/bin/sh\nexit 0\n' >"boards/qemu-$isa"
    chmod +x "boards/qemu-$isa"
    expect_exit 0 env PATH="$WORK/boards:/usr/bin:/bin" "$TRAUMA" check all.lua -m $isa.lua --filter levels --counters qemu
    expect_text out "qemu 0.37"
    judged=$((judged + 1))
done
[ "$judged" -gt 0 ] || skip "no qemu-system is installed"
