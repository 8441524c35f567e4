#!/bin/sh
# What of this host decides how tests go, in five lines; with DIR, of the machine whose /proc and /sys are below it:
#
#     sh tests/host.sh [DIR]
set -u
root=${1:-}

# first COMMAND...: the first line of its output.
first()
{
    "$@" 2>/dev/null | head -n 1 | grep . || echo unknown
}

# The lines of standard input, each once, as one.
words()
{
    sort -u | tr '\n' ' ' | sed 's/ $//' | grep . || echo none
}

# listed PATH...: the last part of each that exists.
listed()
{
    for path in "$@"; do
        [ ! -e "$path" ] || echo "${path##*/}"
    done | words
}

# Drivers under hwmon that report power or energy.
power_drivers()
{
    for file in "$root"/sys/class/hwmon/hwmon*/power*_input "$root"/sys/class/hwmon/hwmon*/power*_average \
        "$root"/sys/class/hwmon/hwmon*/energy*_input; do
        [ ! -e "$file" ] || cat "${file%/*}/name"
    done | words
}

hypervisor()
{
    sed -n '/^flags/{/ hypervisor/{s/.*/yes/;p;q};s/.*/no/;p;q}' "$root/proc/cpuinfo"
}

echo "processor: $(first sed -n 's/^\(model name\|uarch\|CPU part\)[^:]*: *//p' "$root/proc/cpuinfo"), $(uname -m)," \
    "$(nproc) of $(nproc --all) processors (cgroup: $(first cat "$root/sys/fs/cgroup/cpu.max"))," \
    "hypervisor: $(first hypervisor), from $(first cat "$root/sys/class/dmi/id/sys_vendor" "$root/sys/hypervisor/type")"
echo "memory: $(first sed -n 's/^MemTotal: *//p' "$root/proc/meminfo")," \
    "available $(first sed -n 's/^MemAvailable: *//p' "$root/proc/meminfo")," \
    "transparent huge pages $(first cat "$root/sys/kernel/mm/transparent_hugepage/enabled")"
echo "system: $(uname -sr), $(first sed -n 's/^PRETTY_NAME=//p' /etc/os-release)," \
    "user $(first id -un), load $(first cut -d ' ' -f 1-3 "$root/proc/loadavg")"
echo "counters: $(listed "$root"/sys/bus/event_source/devices/cpu* "$root"/sys/bus/event_source/devices/armv*)," \
    "perf_event_paranoid $(first cat "$root/proc/sys/kernel/perf_event_paranoid")"
echo "power: powercap $(listed "$root"/sys/class/powercap/*:*), perf $(listed "$root"/sys/bus/event_source/devices/power)," \
    "hwmon $(power_drivers); GPUs: $(listed "$root"/dev/nvidia[0-9]* "$root"/dev/dri/renderD* "$root"/dev/kfd)"
