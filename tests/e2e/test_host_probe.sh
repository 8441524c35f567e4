# With --probe, run and check measure a core's share of this machine's caches; it is stored for this host, later
# commands use it, and it changes no size. The amount itself is not tested.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >far.lua <<'EOF'
benchmark { name = "far", kernel = function() return { load { served_by = { MEM = 1 }, address = "chase" } } end }
EOF

# What the system says alone, before.
got=0
"$TRAUMA" machine detect --json -o before.json 2>"$WORK/err" || got=$?
[ "$got" -ne 4 ] || skip "$(head -n 1 "$WORK/err")"
expect_exit 0 "$TRAUMA" gen far.lua -o plain
expect_no_text plain/suite.json effective
# The width of a core that is not in the program's table is measured; of another, the published one holds until then.
if ! grep -q issue_width before.json; then
    expect_no_text plain/suite.json issue_width
    expect_exit 3 "$TRAUMA" gen traumagen-2001/branches --filter 'accuracy=1,distance=4$' -o spaced
    expect_text err "--probe measures this machine's"
fi
shared=$(json_document before.json virtual 2>/dev/null || json_document before.json caches/L3/shared_by 2>/dev/null || true)
if [ -n "$shared" ]; then
    "$TRAUMA" check far.lua --counters plan >"$WORK/out" 2>"$WORK/err" || true
    expect_text err "--probe"
fi
"$TRAUMA" check far.lua -q --counters plan >"$WORK/out" 2>"$WORK/err" || true
expect_no_text err "--probe"
expect_exit 2 "$TRAUMA" check far.lua -m zen5 --probe
expect_text err "cannot be combined with -m"

got=0
"$TRAUMA" check far.lua --counters plan --probe -v >"$WORK/out" 2>"$WORK/err" || got=$?
if ! ls "$XDG_CONFIG_HOME"/traumagen/*.probe.json >/dev/null 2>&1; then
    expect_same "$got" 4 "exit code without a probe"
    skip "$(head -n 1 "$WORK/err")"
fi
expect_text err "according to the probe in"
expect_exit 0 "$TRAUMA" gen far.lua -o probed
expect_text probed/suite.json '"latency"'
expect_no_text err "--probe"
width=$(json_document probed/suite.json machine/issue_width)
[ "$width" -ge 1 ] || fail "the issue width: $width"

# A cycle between branches is as many instructions as this machine issues.
expect_exit 0 "$TRAUMA" gen traumagen-2001/branches --filter 'accuracy=1,distance=4$' -o spaced
manifest=spaced/branches/accuracy=1,distance=4/manifest.json
loads=$(json_document $manifest loads) all=$(json_document $manifest instructions)
expect_same "$loads" "$((4 * $(json_document $manifest units)))" "loads, one a cycle"
[ "$width" -eq 1 ] || expect_same "$(json_document $manifest expected/mix.add | awk -v all="$all" '{ printf "%.0f", $NF * all }')" \
    "$((loads * (width - 1)))" "additions, the rest of each cycle"

# It is the same machine, of the same sizes.
for cache in L1D L2 L3; do
    was=$(json_document before.json "caches/$cache/size" 2>/dev/null || true)
    [ -z "$was" ] || expect_same "$(json_document probed/suite.json "machine/caches/$cache/size")" "$was" "size of $cache"
done
expect_exit 0 "$TRAUMA" machine detect --json -o after.json
expect_exit 0 cmp before.json after.json
"$TRAUMA" check probed --counters bytes,timing --json >"$WORK/out" 2>"$WORK/err" || true
expect_no_text out "not the machine"

# A file that is none of ours is said and left alone.
for file in "$XDG_CONFIG_HOME"/traumagen/*.probe.json; do
    echo '{"version": 1, "effective": {"L2": "much"}}' >"$file"
done
expect_exit 0 "$TRAUMA" gen far.lua -o spoilt
expect_text err "is ignored"
expect_no_text spoilt/suite.json effective
