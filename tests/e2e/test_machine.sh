# Machine descriptions: shown, detected, and read back as written.
. "$SOURCE/tests/e2e/lib.sh"
without_sanitizers

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

# ---- copies of other machines ----

# put_core TREE CPU L1D-SIZE L2-SIZE MHZ: with ways and lines as most have them.
put_core()
{
    core=$1/sys/devices/system/cpu/cpu$2
    for cache in "0 1 Data $3 4" "1 1 Instruction 32K 4" "2 2 Unified $4 16"; do
        # shellcheck disable=SC2086
        set -- "$1" "$2" "$3" "$4" "$5" $cache
        mkdir -p "$core/cache/index$6"
        echo "$7" >"$core/cache/index$6/level"
        echo "$8" >"$core/cache/index$6/type"
        echo "$9" >"$core/cache/index$6/size"
        shift 9
        echo "$1" >"$core/cache/index${cache%% *}/ways_of_associativity"
        echo 64 >"$core/cache/index${cache%% *}/coherency_line_size"
        set -- "$tree" "$number" "$l1d" "$l2" "$mhz"
    done
    mkdir -p "$core/cpufreq"
    echo "$5"000 >"$core/cpufreq/cpuinfo_max_freq"
}
cores()
{
    tree=$1 l1d=$3 l2=$4 mhz=$5
    for number in $2; do
        put_core "$tree" "$number" "$l1d" "$l2" "$mhz"
    done
}
# midr TREE CPUS NUMBER
midr()
{
    for number in $2; do
        mkdir -p "$1/sys/devices/system/cpu/cpu$number/regs/identification" "$1/proc"
        echo "$3" >"$1/sys/devices/system/cpu/cpu$number/regs/identification/midr_el1"
        printf 'processor\t: %s\nFeatures\t: fp asimd\n\n' "$number" >>"$1/proc/cpuinfo"
    done
}

# Two kinds of core, as in the rk3399: each is described with its own caches and clock, for its own processors.
cores rk3399 "0 1 2 3" 32K 512K 1416
cores rk3399 "4 5" 32K 1024K 1800
midr rk3399 "0 1 2 3" 0x410fd034
midr rk3399 "4 5" 0x410fd082
echo 0-5 >rk3399/sys/devices/system/cpu/online
expect_exit 0 "$TRAUMA" machine detect --sysfs-root rk3399 --json -o little.json
expect_text err "detect --cpu 4\` describes 4-5, which differ"
expect_same "$(json_document little.json name processors clock_ghz caches/L2/size | tr '\t' ' ')" \
    "cortex-a53 0-3 1.416 524288" "the little cores"
expect_exit 0 "$TRAUMA" machine detect --sysfs-root rk3399 --cpu 5 --json -o big.json
expect_same "$(json_document big.json name processors clock_ghz caches/L2/size | tr '\t' ' ')" \
    "cortex-a72 4-5 1.8 1048576" "the big cores"
expect_exit 0 "$TRAUMA" machine detect --sysfs-root rk3399 --cpu 5 -o big.lua
expect_exit 0 "$TRAUMA" gen small.lua -m big.lua -o big-suite
expect_exit 4 "$TRAUMA" machine detect --sysfs-root rk3399 --cpu 6
expect_text err "there is no rk3399/sys/devices/system/cpu/cpu6"
expect_exit 2 "$TRAUMA" machine show --cpu 1
expect_text err "takes no --cpu"

# Intel's hybrid cores have one vendor and model; the kernel lists them apart (Lakefield: 0 to 3 are small).
cores hybrid "0 1 2 3" 32K 1536K 2800
cores hybrid "4" 64K 512K 3000
mkdir -p hybrid/proc hybrid/sys/devices/cpu_atom hybrid/sys/devices/cpu_core
echo 0-3 >hybrid/sys/devices/cpu_atom/cpus
echo 4 >hybrid/sys/devices/cpu_core/cpus
echo 0-4 >hybrid/sys/devices/system/cpu/online
for number in 0 1 2 3 4; do
    printf 'processor\t: %s\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 138\nmodel name\t: Lakefield\nflags\t\t: fpu lm sse2\n\n' \
        "$number" >>hybrid/proc/cpuinfo
done
expect_exit 0 "$TRAUMA" machine detect --sysfs-root hybrid --json -o small.json
expect_same "$(json_document small.json processors clock_ghz caches/L1D/size | tr '\t' ' ')" "0-3 2.8 32768" "the small cores"
expect_exit 0 "$TRAUMA" machine detect --sysfs-root hybrid --cpu 4 --json -o large.json
expect_same "$(json_document large.json processors clock_ghz caches/L1D/size | tr '\t' ' ')" "4 3 65536" "the large core"

# A folder gets a file of each kind, of which each has its own caches and clock.
expect_exit 0 "$TRAUMA" machine detect --sysfs-root hybrid --json -o kinds/
expect_same "$(cd kinds && ls | sed 's/.*-//' | tr '\n' ' ')" "atom.json core.json " "files of the two kinds"
expect_same "$(json_document kinds/*-atom.json processors clock_ghz caches/L1D/size | tr '\t' ' ')" "0-3 2.8 32768" "the atoms"
expect_same "$(json_document kinds/*-core.json processors clock_ghz caches/L1D/size | tr '\t' ' ')" "4 3 65536" "the core"
expect_exit 0 "$TRAUMA" machine detect --sysfs-root rk3399 -o arms/
expect_same "$(cd arms && ls | tr '\n' ' ')" "cortex-a53-part-0xd03.lua cortex-a72-part-0xd08.lua " "files of Arm's kinds"
expect_exit 0 "$TRAUMA" gen small.lua -m arms/cortex-a72-part-0xd08.lua -o arms-suite
expect_exit 2 "$TRAUMA" machine detect --sysfs-root hybrid --cpu 4 -o kinds
expect_text err "is a folder for all kinds of core, and --cpu names one"

# Cores that only differ in their highest clock are of one kind.
cores favoured "0 1" 32K 1024K 4000
cores favoured "2" 32K 1024K 4200
midr favoured "0 1 2" 0x413fd0c1
echo 0-2 >favoured/sys/devices/system/cpu/online
expect_exit 0 "$TRAUMA" machine detect --sysfs-root favoured --json -o favoured.json
grep -q processors favoured.json && fail "favoured cores are a kind of their own"

# An L3 that no cache can be is left out, with the reason; in a machine file such an L3 of whole sets works.
cores kunpeng "0" 64K 512K 2600
midr kunpeng "0" 0x481fd010
odd=kunpeng/sys/devices/system/cpu/cpu0/cache/index3
mkdir -p $odd
echo 3 >$odd/level; echo Unified >$odd/type; echo 32768K >$odd/size; echo 15 >$odd/ways_of_associativity; echo 128 >$odd/coherency_line_size
expect_exit 0 "$TRAUMA" machine detect --sysfs-root kunpeng -o kunpeng.lua
expect_text err "L3 is left out"
expect_text err "15 * 128 = 1920B"
grep -q "L3 is left out" kunpeng.lua || fail "the description does not say that L3 is missing"
expect_exit 0 "$TRAUMA" gen small.lua -m kunpeng.lua -o kunpeng-suite
sed 's/L2  = {/L3 = { size = "30MiB", ways = 15, line = 128 }, L2 = {/' kunpeng.lua >whole.lua
grep -q 30MiB whole.lua || fail "there is no L2 to put an L3 beside: $(cat kunpeng.lua)"
expect_exit 0 "$TRAUMA" gen small.lua -m whole.lua -o whole-suite

# What is not served is refused by name, by the kernel's word or by what its cpuinfo looks like.
# other NAME CPUINFO TEXT [ARCH]
other()
{
    cp -r rk3399 "$1"
    find "$1" -name regs -exec rm -r {} +
    printf '%b' "$2" >"$1/proc/cpuinfo"
    [ -z "${4:-}" ] || { mkdir -p "$1/proc/sys/kernel" && echo "$4" >"$1/proc/sys/kernel/arch"; }
    expect_exit 4 "$TRAUMA" machine detect --sysfs-root "$1"
    expect_text err "$3"
}
other s390 'vendor_id       : IBM/S390\nfeatures\t: esan3 zarch msa\nprocessor 0: version = FF,  identification = 123,  machine = 8561\n' "an s390x processor (vendor_id IBM/S390)"
other power 'processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 2300MHz\n\ntimebase\t: 512000000\n' "a POWER processor"
other mips 'system type\t: MT7621\nprocessor\t: 0\ncpu model\t: MIPS 1004Kc V2.15\n' "a MIPS processor"
other loongson 'system type\t: generic-loongson-machine\nprocessor\t: 0\nCPU Family\t: Loongson-64bit\n' "a LoongArch processor"
other pentium 'processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Pentium III\nflags\t\t: fpu vme de pse tsc sse\n' "an x86 processor of 32 bits"
other armv7 'processor\t: 0\nFeatures\t: half thumb fastmult vfp neon\nCPU implementer\t: 0x41\nCPU architecture: 7\nCPU part\t: 0xc07\n' "an Arm processor of 32 bits"
other sparc 'cpu\t\t: UltraSparc T1 (Niagara)\n' "a processor whose kernel is for sparc64" sparc64
other i686 'processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu lm sse2\n' "a processor whose kernel is for i686" i686
