# throttle{}: as many idle instructions as the unit's cycles at peak come to, over the duty; else a sentence.
. "$SOURCE/tests/e2e/lib.sh"

cat >machine.lua <<'LUA'
machine {
  name = "paced", isa = "x86_64", issue_width = 4, ports = { load = 2, store = 1 }, latency = { L1D = 5, L2 = 16 },
  caches = { L1I = { size = "32KiB", ways = 8, line = 64 }, L1D = { size = "32KiB", ways = 8, line = 64 },
             L2 = { size = "256KiB", ways = 8, line = 64 } },
}
LUA

# recipe UNIT: a benchmark of that unit, in throttled.lua
recipe()
{
    cat >throttled.lua <<LUA
benchmark { name = "throttled", kernel = function() return { $1 } end, loop = { units = 10 } }
LUA
}

# idle COUNT UNIT: each unit gets that many idle instructions, and the program says so of itself.
idle()
{
    recipe "$2"
    rm -rf suite
    expect_exit 0 "$TRAUMA" gen throttled.lua -m machine.lua -o suite -q
    expect_same "$(grep -c notq suite/throttled/default/program.s)" "$((10 * $1))" "idle instructions of { $2 }"
    expect_exit 0 "$TRAUMA" check suite --counters bytes,plan -q
    expect_exit 0 suite/throttled/default/program 100
}

idle 4 'load { served_by = { L1 = 1 }, count = 4 }, throttle { duty = 0.5 }'
idle 10 'load { served_by = { L1 = 1 }, address = "chase" }, throttle { duty = 0.5 }'
idle 26 'load { served_by = { L1 = 0.5, L2 = 0.5 }, address = "chase" }, throttle { duty = 0.4 }'
idle 8 'store { served_by = { L1 = 1 }, count = 2 }, load { served_by = { L1 = 1 } }, throttle { duty = 0.25 }'
idle 8 'add { count = 8 }, throttle { duty = 0.25 }'
idle 0 'load { served_by = { L1 = 1 }, count = 4 }, throttle { duty = 1 }'

# refused SENTENCE UNIT
refused()
{
    recipe "$2"
    expect_exit 3 "$TRAUMA" gen throttled.lua -m machine.lua -o refused
    expect_text err "$1"
}

refused "so it wants 1.667 idle ones, which is no whole number" \
    'load { served_by = { L1 = 1 } }, throttle { duty = 0.3 }'
refused "a unit 3 times as long" 'load { served_by = { L1 = 1 } }, throttle { duty = 0.3 }'
refused "at what rate a level beyond L1 serves loads" 'load { served_by = { L2 = 1 } }, throttle { duty = 0.5 }'
refused "the latency of MEM is not known of the machine paced" \
    'load { served_by = { MEM = 1 }, address = "chase" }, throttle { duty = 0.5 }'
refused "idle instructions in a unit, more than" \
    'load { served_by = { L2 = 1 }, address = "chase", count = 100 }, throttle { duty = 0.1 }'
refused "stands twice in a unit" 'add { count = 8 }, throttle { duty = 0.5 }, throttle { duty = 0.5 }'
