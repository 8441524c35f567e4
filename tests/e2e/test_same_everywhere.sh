# A recipe gives the same points and programs in every environment: Lua's hash seed, addresses, the clock, the locale,
# the folder and environment variables have no effect.
. "$SOURCE/tests/e2e/lib.sh"

mkdir -p deep/er/folder
cat >deep/er/folder/chance.lua <<'RECIPE'
-- Entries that an order function takes for equals stay as they were.
local list = {}
for index = 1, 500 do list[index] = { key = index % 7, index = index } end
table.sort(list, function(a, b) return a.key < b.key end)
local order, last = 0, 0
for index, entry in ipairs(list) do
    order = (order * 31 + entry.index) % 1000003
    if index > 1 and list[index - 1].key == entry.key and last > entry.index then error("the sort is not stable") end
    last = entry.index
end

-- Lists with holes, in tables whose other keys came and went: Lua's length is any of several.
local lengths = {}
for round = 1, 40 do
    local t = {}
    for index = 1, 11 do t["key" .. round .. index] = index end
    for index = 1, 11 do t["key" .. round .. index] = nil end
    for index = 1, 7 do
        t["other" .. round .. index], t[{}], t[math.sin] = true, true, true
        t["other" .. round .. index] = nil
        if index % 3 ~= 0 then t[index] = index end
    end
    t[4], t[8], t[16] = nil, 1, 1
    table.insert(t, round)
    lengths[round] = #t * 100 + rawlen(t) + select("#", table.unpack(t)) + #table.concat({ #t, #"a#b", --[[ # ]] #'c' })
end
local sum = 0
for _, length in ipairs(lengths) do sum = (sum * 31 + length) % 1000003 end

-- Keys in order, nothing of addresses, and no folder in what a recipe can catch.
local words = {}
for key, value in pairs { b = 1, a = 2, [3] = 4, [1.5] = 5, [true] = 6 } do words[#words + 1] = tostring(key) .. value end
words[#words + 1] = tostring {} .. tostring(string.format) .. string.format("%s", {})
local _, message = pcall(function() error("caught") end)
words[#words + 1] = message
words[#words + 1] = select(2, pcall(function() return {} + 1 end))
words[#words + 1] = string.format("%.3f", 1.5) .. tostring(0 / 0) .. ("a" < "B" and "less" or "more")

benchmark {
  name = "chance", title = table.concat(words, " "),
  sweep = { order = { order }, lengths = { sum }, hit = { 0.5, 0.75 } },
  kernel = function(p) return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { count = 2 } } end,
}
RECIPE
cp deep/er/folder/chance.lua .

# The folder of the recipe is what a suite may say of where it lies: all runs name it alike.
expect_exit 0 "$TRAUMA" gen chance.lua -m pentium-pro -q -o one
expect_exit 0 "$TRAUMA" list chance.lua -m pentium-pro --json
cp out one.json
expect_text one.json "chance.lua:"
expect_no_text one.json "0x"
for run in 1 2 3; do
    expect_exit 0 env LC_ALL=C.UTF-8 TZ=Asia/Kolkata HOME=/nowhere "RUN=$run" "$TRAUMA" gen chance.lua -m pentium-pro \
        -q -o "again$run"
    expect_exit 0 diff -r one "again$run"
done
expect_exit 0 env -i "$TRAUMA" gen chance.lua -m pentium-pro -q -o bare
expect_exit 0 diff -r one bare
for locale in $(locale -a 2>/dev/null | grep -i -E '^(de|fr|tr)_' | head -n 3); do
    expect_exit 0 env LC_ALL="$locale" "$TRAUMA" gen chance.lua -m pentium-pro -q -o "locale-$locale"
    expect_exit 0 diff -r one "locale-$locale"
done
if setarch -R true 2>/dev/null; then
    expect_exit 0 setarch -R "$TRAUMA" gen chance.lua -m pentium-pro -q -o fixed
    expect_exit 0 diff -r one fixed
fi

# From another folder, by a long path: the points and programs are the same.
cd /
expect_exit 0 "$TRAUMA" gen "$WORK/deep/er/folder/chance.lua" -m pentium-pro -q -o "$WORK/far"
cd "$WORK"
expect_exit 0 diff -r one/chance far/chance

# An error tells the whole path all the same, and of two wrong entries always the same one.
cat >deep/er/folder/wrong.lua <<'RECIPE'
benchmark { name = "w", sweep = { a = { 1, 2, z = 1, y = 2, x = 3 } }, kernel = function() return { nop {} } end }
RECIPE
for _ in 1 2 3 4; do
    expect_exit 3 "$TRAUMA" list deep/er/folder/wrong.lua -m pentium-pro
    expect_text err "deep/er/folder/wrong.lua:1: "
    expect_text err 'the entry "x" beside its list'
done
