# GPUs of several dies (MI300X): place.xcc and the dies' own L2 in each partition; blocks at the wrong die and loads of
# another scope fail, and machine files that leave the dies out are refused.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

cat >dies.lua <<'RECIPE'
for _, level in ipairs { "L1", "L2", "MEM" } do
  benchmark {
    name = "level-" .. level, target = "gcn", grid = { blocks = 304, threads = 64 },
    kernel = function() return { load { served_by = { [level] = 1 } } } end,
  }
end
RECIPE
cat >placed.lua <<'RECIPE'
benchmark {
  name = "placed", target = "gcn", grid = { blocks = 304, threads = 128 }, place = { xcc = { 3, 6 }, se = { 1 } },
  kernel = function() return { load { served_by = { L2 = 0.5, MEM = 0.5 } } } end,
}
RECIPE
plain_program
program=$PLAIN
machine=$SOURCE/recipes/machines/mi300x.lua
for dies in 8 4 1; do
    sed -e "s/xcc = 8/xcc = $dies/" -e 's/name = "mi300x"/name = "dies"/' "$machine" >dies-machine.lua
    expect_exit 0 "$program" check dies.lua -m dies-machine.lua --counters wave
    expect_no_text out unobserved
    expect_no_text out fail
done
expect_exit 0 "$program" check placed.lua -m mi300x --counters wave
expect_text out 'place.xcc3.share     0.5  pass (code)'
expect_text out 'place.xcc6.share     0.5  pass (code)'
expect_text out 'place.se1.share        1  pass (code)'
expect_no_text out unobserved

# changed FROM TO: the program's text is changed so and assembled again, which a check of the suite fails.
changed()
{
    expect_exit 0 "$program" gen placed.lua -m mi300x -o suite -q --force
    text=suite/placed/default/program.s
    sed "s|$1|$2|" "$text" >changed.s
    ! cmp -s "$text" changed.s || fail "nothing is '$1'"
    mv changed.s "$text"
    "$GCN_FILE" program gfx942 suite/placed/default/program.co "$text" || fail "'$2' for '$1' is no program"
    got=0
    "$program" check suite --as-is --counters wave >out 2>err </dev/null || got=$?
    [ "$got" -eq 1 ] || [ "$got" -eq 5 ] || fail "'$2' for '$1' is not failed: exit $got: $(cat out err)"
}
changed 's_getreg_b32 s27, hwreg(20, 0, 4) .. xcc' 's_getreg_b32 s27, hwreg(4, 4, 2)'
changed 's_mov_b32 s28, 0x48' 's_mov_b32 s28, 0x44'
changed ' sc1 //' ' //'
changed ' sc1 //' ' sc0 //'
changed 'hwreg(20, 0, 4)   ' 'hwreg(20, 0, 2)'

cat >from.lua <<'RECIPE'
benchmark { name = "from", target = "gcn", place = { xcc = { 3 }, se = { 0 } }, from = "kernel.co",
  kernel = function() return { load { served_by = { L1 = 1 } } } end }
RECIPE
expect_exit 3 "$program" gen from.lua -m mi300x -o from
expect_text err 'expected xcc alone'

sed -e 's/xcc = 8, //' "$machine" >without.lua
expect_exit 3 "$program" check dies.lua -m without.lua
expect_text err 'machine.gpu.xcc is missing'
sed -e 's/xcc = 8, /xcc = 8, sm = 300, /' "$machine" >other.lua
expect_exit 3 "$program" check dies.lua -m other.lua
expect_text err 'the other fields have 304 compute units'
sed -e 's/gfx942/gfx90a/' "$machine" >one.lua
expect_exit 3 "$program" check dies.lua -m one.lua
expect_text err 'is one die'
sed -e 's/cu_per_xcc = 38/cu_per_xcc = 41/' "$machine" >many.lua
expect_exit 3 "$program" check dies.lua -m many.lua
expect_text err 'cu_per_xcc is 41'
cat >fourth.lua <<'RECIPE'
benchmark { name = "fourth", target = "gcn", place = { xcc = { 3 } }, kernel = function() return { load { served_by = { L1 = 1 } } } end }
RECIPE
expect_exit 3 "$program" check fourth.lua -m mi300x-cpx
expect_text err 'place.xcc names 3'
sed 's/xcc = { 3 }/xcc = 0/; s/fourth/first/' fourth.lua >first.lua
expect_exit 0 "$program" check first.lua -m mi300x-cpx --counters wave
expect_text out 'place.xcc0.share       1  pass (code)'
sed 's/place = { xcc = { 3 } }/grid = { blocks = 304 }, place = { xcc = 0, se = 3, cu = 9 }/' fourth.lua >off.lua
expect_exit 3 "$program" check off.lua -m mi300x
expect_text err 'that are inactive: 38 of 40 are active in each die'
expect_exit 3 "$program" check fourth.lua -m mi210
