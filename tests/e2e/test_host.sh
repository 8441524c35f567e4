# tests/host.sh: five lines about any host, one of which nothing is known too.
. "$SOURCE/tests/e2e/lib.sh"

mkdir -p tree/proc/sys/kernel tree/sys/class/powercap/intel-rapl:0 tree/sys/class/hwmon/hwmon3 tree/sys/bus/event_source/devices/cpu_core
printf 'processor : 0\nmodel name : A processor\nflags : fpu hypervisor sse\n' >tree/proc/cpuinfo
echo 3 >tree/proc/sys/kernel/perf_event_paranoid
echo zenpower >tree/sys/class/hwmon/hwmon3/name
echo 1 >tree/sys/class/hwmon/hwmon3/power1_input
expect_exit 0 sh "$SOURCE/tests/host.sh" tree
expect_text out "processor: A processor, "
expect_text out "hypervisor: yes, "
expect_text out "counters: cpu_core, perf_event_paranoid 3"
expect_text out "power: powercap intel-rapl:0, perf none, hwmon zenpower; GPUs: none"

for root in "" "$WORK/nowhere"; do
    expect_exit 0 sh "$SOURCE/tests/host.sh" "$root"
    expect_empty err
    expect_same "$(sed 's/:.*//' out | tr '\n' ' ')" "processor memory system counters power " "the lines"
done
expect_text out "hypervisor: unknown"
expect_text out "counters: none, perf_event_paranoid unknown"
