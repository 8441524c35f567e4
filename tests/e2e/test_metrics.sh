# Metrics: what trauma list --metrics says, and that a recipe cannot name one that nothing will ever observe.
. "$SOURCE/tests/e2e/lib.sh"

expect_exit 0 "$TRAUMA" list --metrics
for text in 'bandwidth.*' 'GB/s' 'latency.*_ns' 'what it counts' 'pass.cycles'; do
    expect_text out "$text"
done
expect_exit 0 "$TRAUMA" list --metrics --json
json out metric unit shown >rows
expect_text rows "bandwidth.*	B/s	GB/s"
expect_text rows "energy.per_access_j.*	J	nJ"
expect_text rows "latency.*	cycles	cycles"
expect_exit 2 "$TRAUMA" list --metrics bandwidth
expect_text err "takes no RECIPE"
expect_exit 2 "$TRAUMA" list --metrics -m h200
expect_text err "--machine does not apply"

# refused FIELDS TEXT MACHINE
refused()
{
    write_recipe named.lua "$1"
    expect_exit 3 "$TRAUMA" list named.lua -m "$3"
    expect_text err "$2"
    expect_text err "named.lua:"
}

refused 'expect = { ["bandwith.L2"] = { min = 1 } },' "did you mean 'bandwidth.L2'?" skylake-sp
refused 'expect = { ["l2.channel0.share"] = { min = 0.1 } },' 'which no source can observe in programs for x86_64' skylake-sp
refused 'expect = { ["served.SHARED"] = 1 },' 'only for ptx or gcn' skylake-sp
refused 'tolerance = { ["place.sm0.share"] = 0.1 },' 'only for ptx' neoverse-n1
refused 'plot = { x = "hit", y = "bandwidth.SHARED" },' 'no source can observe' skylake-sp
refused 'plot = { x = "hit", y = "latency.L2_us" },' "did you mean 'latency.L2_ns'?" skylake-sp

# Where programs for it exist, the same name is fine.
cat >gpu.lua <<'RECIPE'
benchmark {
  name = "gpu", target = { "ptx", "x86_64" },
  kernel = function() return { load { served_by = { L1 = 1 } } } end,
  expect = { ["place.sm0.share"] = { max = 1 } },
}
RECIPE
expect_exit 0 "$TRAUMA" list gpu.lua -m skylake-sp
for recipe in bandwidth gpu-bandwidth traumagen-2001 gpu-energy-2024 ppep-2014 data-movement-2013; do
    expect_exit 0 "$TRAUMA" list "$recipe" -m "$(case $recipe in gpu*) echo h200 ;; *) echo skylake-sp ;; esac)"
done

# Every metric of a run is in the table, and its observer there.
write_recipe small.lua 'plot = { x = "hit", y = "ipc" },'
got=0
"$TRAUMA" check small.lua --filter hit=0.5 --json >out 2>err || got=$? # 5: counters of this processor see a rate missed
[ $got -eq 0 ] || [ $got -eq 5 ] || fail "exit code $got of a check"
json out metric | sort -u >seen
expect_exit 0 "$TRAUMA" list --metrics --json
json out metric | sed 's/[].[]/\\&/g; s/\*/[A-Za-z0-9_:-]+/; s/.*/^&$/' >known
if grep -vEf known seen >strangers; then
    fail "no row of the table has $(cat strangers)"
fi
