# A made-up machine whose state can be set, for --sysfs-root.

# make_tree FOLDER: two processors of Intel's with everything that can be wished for.
make_tree()
{
    system=$1/sys/devices/system/cpu
    mkdir -p "$1/proc" "$system/cpufreq"
    echo 0-1 >"$system/online"
    echo 1 >"$system/cpufreq/boost"
    printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\n' >"$1/proc/cpuinfo"
    for cpu in 0 1; do
        mkdir -p "$1/dev/cpu/$cpu" "$system/cpu$cpu/cpufreq"
        head -c 1024 /dev/zero >"$1/dev/cpu/$cpu/msr"
        echo powersave >"$system/cpu$cpu/cpufreq/scaling_governor"
        for pair in scaling_min_freq:800000 scaling_max_freq:3500000 cpuinfo_min_freq:800000 cpuinfo_max_freq:3600000; do
            echo "${pair#*:}" >"$system/cpu$cpu/cpufreq/${pair%:*}"
        done
        for pair in 0:POLL 1:C1 2:C6; do
            mkdir -p "$system/cpu$cpu/cpuidle/state${pair%:*}"
            echo "${pair#*:}" >"$system/cpu$cpu/cpuidle/state${pair%:*}/name"
            echo 0 >"$system/cpu$cpu/cpuidle/state${pair%:*}/disable"
        done
    done
}

# until_true SECONDS COMMAND...: the command is tried every tenth of a second until it is true or the seconds are over.
until_true()
{
    most=$(($1 * 10))
    shift
    attempt=0
    until "$@"; do
        attempt=$((attempt + 1))
        [ $attempt -lt $most ] || return 1
        sleep 0.1
    done
}

# journals: those of made-up trees that stand; they lie with the user's settings and not in the tree.
journals()
{
    ls "$XDG_CONFIG_HOME"/traumagen/state/*.journal 2>/dev/null || true
}

no_journal()
{
    [ -z "$(journals)" ]
}

# as_before: the tree TREE is as BEFORE, and nothing else is in it.
as_before()
{
    diff -r "${1:-tree}" "${2:-before}" >differences
}

# is_set: all is as the recipe wishes; the last thing to be set is the second processor's prefetchers.
is_set()
{
    [ "$(od -An -tx1 -j 420 -N 1 "${1:-tree}/dev/cpu/1/msr" | tr -d ' ')" = 0f ]
}
