# What the probe measures of a processor's operations are the rates of the kernels' own: a loop that is throttled by them has
# its duty, also where it divides and where its unit is longer than what a processor sees ahead.
. "$SOURCE/tests/e2e/lib.sh"

ATTEMPTS=3
got=0
"$TRAUMA" machine probe --time 2 --json -o probed.lua >probe.json 2>"$WORK/err" </dev/null || got=$?
[ "$got" -ne 4 ] || skip "$(head -n 1 "$WORK/err")"

# value NAME: an operation's rate and how wide its interval is, in shares of it.
value()
{
    json_document probe.json "values/rate.$1/value" "values/rate.$1/low" "values/rate.$1/high" |
        awk '{ printf "%s %.3f\n", $1, ($3 - $2) / $1 }'
}

# duty UNIT: what is measured of half the rate, with its interval.
duty()
{
    echo "benchmark { name = 'half', kernel = function() return { $1, throttle { duty = 0.5 } } end, loop = { units = 4 } }" >half.lua
    "$TRAUMA" check half.lua -m probed.lua --counters duty --json >duty.json 2>"$WORK/err" </dev/null || true
    grep '"throttle.duty"' duty.json >line.json || return 0
    json line.json observations/0/value observations/0/low observations/0/high
}

# half NAME UNIT: the duty is a half where the rate was measured and the duty is; noise that hides it is said.
half()
{
    said=""
    for attempt in $(seq "$ATTEMPTS"); do
        [ "$attempt" -eq 1 ] || "$TRAUMA" machine probe --time 2 --json -o probed.lua >probe.json 2>"$WORK/err" </dev/null
        rate=$(value "$1")
        seen=$(duty "$2")
        said="$said; rate $rate, duty $seen"
        [ -n "$seen" ] || continue
        verdict=$(echo "$rate $seen" | awk '
            $4 <= 0.53 && $5 >= 0.47 { print "kept"; exit }
            { print $2 > 0.02 || $5 - $4 > 0.02 ? "noisy" : "missed" }')
        [ "$verdict" != kept ] || return 0
        [ "$verdict" != missed ] || missed=yes
    done
    [ "${missed:-}" = yes ] && fail "half of the rate of { $2 }$said"
    noisy="${noisy:-} $1"
}

half div.4 'div { count = 4, width = 4 }'
half div 'div { count = 32 }'
half fma 'fma { count = 8 }'
half mul 'mul { count = 256 }'
[ -z "${noisy:-}" ] || skip "this machine is too noisy to measure the duty of$noisy"
