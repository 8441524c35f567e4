# Machine descriptions: shown, detected, and read back as written.
. "$SOURCE/tests/e2e/lib.sh"

for file in "$SOURCE"/recipes/machines/*.lua; do
    name=$(basename "$file" .lua)
    expect_exit 0 "$TRAUMA" machine show "$name" -o "$name.lua"
    expect_exit 0 "$TRAUMA" machine show "$name" --json -o first.json
    expect_exit 0 "$TRAUMA" machine show "./$name.lua" --json -o second.json
    expect_exit 0 cmp first.json second.json
done
expect_same "$(json_document first.json isa)" x86_64 "isa in JSON"

# All of them in one table, by the names that -m takes.
expect_exit 0 "$TRAUMA" machine list
sed 1d "$WORK/out" | cut -d ' ' -f 1 >listed
ls "$SOURCE/recipes/machines" | sed -n 's/\.lua$//p' >shipped
diff shipped listed >"$WORK/out" || fail "machines that are shipped, and listed: $(cat "$WORK/out")"
expect_exit 0 "$TRAUMA" machine list --json
expect_same "$(json "$WORK/out" name machine/caches/L2/size | sed -n 's/^zen5	//p')" 1048576 "zen5's L2 in JSON"
expect_exit 2 "$TRAUMA" machine list zen5
expect_text err "takes no argument 'zen5'"

# This machine, where the operating system tells enough of it.
got=0
"$TRAUMA" machine detect -o here.lua 2>"$WORK/err" || got=$?
if [ "$got" -ne 4 ]; then
    expect_same "$got" 0 "exit code of machine detect"
    expect_exit 0 "$TRAUMA" machine show ./here.lua --json -o first.json
    expect_exit 0 "$TRAUMA" machine detect --json -o second.json
    expect_exit 0 cmp first.json second.json
    write_recipe small.lua
    expect_exit 0 "$TRAUMA" gen small.lua -m here.lua -o suite
fi

# A machine whose files were copied: caches of sysfs, the processor of /proc/cpuinfo.
cpu=copied/sys/devices/system/cpu/cpu0
put_cache()
{
    mkdir -p "$cpu/cache/index$1"
    set -- "$cpu/cache/index$1" "$2" "$3" "$4" "$5"
    for pair in "level $2" "type $3" "size $4" "ways_of_associativity $5" "coherency_line_size 64"; do
        echo "${pair#* }" >"$1/${pair%% *}"
    done
}
put_cache 0 1 Data 48K 12
put_cache 1 1 Instruction 32K 8
put_cache 2 2 Unified 2048K 16
mkdir -p copied/proc
printf 'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Some Xeon\nstepping\t: 8\nflags\t\t: sse2 avx2\n' \
    >copied/proc/cpuinfo
expect_exit 0 "$TRAUMA" machine detect --sysfs-root copied --json -o copied.json
expect_same "$(json_document copied.json name isa cpu caches/L1D/ways | tr '\t' ' ')" \
    "some-xeon x86_64 GenuineIntel-6-143-8 12" "the copied machine"
expect_exit 0 "$TRAUMA" machine detect --sysfs-root copied -o copied.lua
write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m copied.lua -o copied-suite
cp -r copied arm
mkdir arm/sys/devices/system/cpu/cpu0/regs arm/sys/devices/system/cpu/cpu0/regs/identification
echo 0x00000000413fd0c1 >arm/sys/devices/system/cpu/cpu0/regs/identification/midr_el1
printf 'processor\t: 0\nFeatures\t: fp asimd atomics\n' >arm/proc/cpuinfo
expect_exit 0 "$TRAUMA" machine detect --sysfs-root arm --json -o arm.json
expect_same "$(json_document arm.json name isa cpu features | tr '\t' ' ')" \
    'neoverse-n1 aarch64 0x41-0xd0c-r3p1 ["fp","asimd","atomics"]' "the copied Arm machine"
rm "$cpu/cache/index2/size"
expect_exit 4 "$TRAUMA" machine detect --sysfs-root copied
expect_text err "reports the L2 size"
expect_exit 2 "$TRAUMA" machine detect --sysfs-root nowhere
expect_exit 2 "$TRAUMA" machine show --sysfs-root copied
expect_text err "takes no --sysfs-root"
expect_exit 2 "$TRAUMA" machine detect --sysfs-root copied -t ptx
