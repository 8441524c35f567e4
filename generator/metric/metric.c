#include "generator/metric/metric.h"

#include "base/text/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Sources that count cache accesses. */
#define CACHE_COUNTS "perf,import,cachegrind,qemu,timing,plan"
#define GPU_CACHE_COUNTS "cupti,import,warp,plan"
#define WAVE_COUNTS "wave,import,plan"

/* {processor, ptx, gcn} */
#define ON_ALL(sources)                                                                                      \
    {                                                                                                        \
        sources, sources, sources                                                                            \
    }
#define ON_PROCESSORS(sources)                                                                               \
    {                                                                                                        \
        sources, NULL, NULL                                                                                  \
    }
#define ON_GCN(sources)                                                                                      \
    {                                                                                                        \
        NULL, NULL, sources                                                                                  \
    }
#define SENSORS ON_ALL("sensors")

const struct metric metric_table[] = {
    /* ---- times and rates that users ask for first ---- */
    {.name = "bandwidth.*",
     .star = STAR_LEVEL,
     .label = "Bandwidth, *",
     .unit = "B/s",
     .shown = "GB/s",
     .scale = 1e-9,
     .except = "perf:L1", /* events count loads, not their bytes */
     .meaning =
         "bytes that the program moves to and from the level per second, if the level serves all accesses; "
         "summed over copies, beyond L1 in whole lines",
     .sources = {"perf,import,timing", "record,import", "record,import"},
     .trend = TREND_MORE},
    {.name = "latency.*",
     .star = STAR_LEVEL,
     .label = "Load latency, *",
     .unit = "cycles",
     .meaning = "cycles from one load of a chase to the next, if the level serves them all (else load.ns)",
     .sources = {"perf,timing", "record", NULL},
     .trend = TREND_SLOWER},
    {.name = "latency.*_ns",
     .star = STAR_LEVEL,
     .label = "Load latency, *",
     .unit = "ns",
     .meaning = "the same in nanoseconds",
     .sources = {"timing", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "loaded.latency_ns",
     .label = "Loaded latency",
     .unit = "ns",
     .meaning =
         "nanoseconds from one load of a chase to the next while the other cores' kernels, or a GPU's other "
         "grids, run, which they do for at least 0.95 of its time",
     .sources = {"timing", "record", NULL},
     .trend = TREND_SLOWER},
    {.name = "loaded.bandwidth",
     .label = "Bandwidth beside the chase",
     .unit = "B/s",
     .shown = "GB/s",
     .scale = 1e-9,
     .meaning =
         "bytes per second that the other cores' kernels, or a GPU's other grids, load and store while "
         "this one runs",
     .sources = {"timing", "record", NULL},
     .trend = TREND_MORE},
    {.name = "time.wall",
     .label = "Time of the application",
     .unit = "s",
     .meaning = "seconds from an application's start to its end",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "time.user",
     .label = "Processor time of the application",
     .unit = "s",
     .meaning = "seconds of processor time of an application and its children, outside of the kernel",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "time.system",
     .label = "Processor time of the kernel for the application",
     .unit = "s",
     .meaning = "seconds of processor time that the kernel worked for an application and its children",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.modified_ns",
     .label = "Load of a line that another core modified",
     .unit = "ns",
     .meaning = "nanoseconds per line loaded that another core has modified; of a chase, its latency",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.exclusive_ns",
     .label = "Load of a line that another core has alone",
     .unit = "ns",
     .meaning = "nanoseconds per line loaded that another core alone has read; of a chase, its latency",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.shared_ns",
     .label = "Load of a shared line",
     .unit = "ns",
     .meaning = "nanoseconds per line loaded that several cores have read; of a chase, its latency",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.copy_ns",
     .label = "Copy of a line that another core left",
     .unit = "ns",
     .meaning = "nanoseconds per line that is loaded in a given state and stored elsewhere",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.bandwidth",
     .label = "Bandwidth of lines that another core left",
     .unit = "B/s",
     .shown = "GB/s",
     .scale = 1e-9,
     .meaning = "bytes per second that a copy loads or copies, in whole lines that another core left in a "
                "given state",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_MORE},
    {.name = "coherence.from_core",
     .label = "Share of loads served by another core's cache",
     .unit = "",
     .meaning = "share of the loads, those of turns and of preparing lines included, that another core's "
                "cache serves",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("perf,import")},
    {.name = "coherence.from_core_modified",
     .label = "Share of loads of lines that another core's cache has modified",
     .unit = "",
     .meaning = "the same, of lines that the other core has modified",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("perf,import")},
    {.name = "coherence.placed",
     .label = "Share of shared accesses as stated",
     .unit = "",
     .meaning = "share of the accesses to shared regions whose kind, place and number are as the recipe "
                "states; missing and additional accesses count against it",
     .of_bytes = true,
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.common_lines",
     .label = "Share of shared accesses to lines of several copies",
     .unit = "",
     .meaning = "share of the accesses to shared regions whose line another copy accesses, too",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.common_words",
     .label = "Share of shared accesses to words of several copies",
     .unit = "",
     .meaning = "the same of words: lines in common without words in common are shared falsely",
     .of_bytes = true,
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.left_modified",
     .label = "Share of lines that another copy left modified",
     .unit = "",
     .meaning = "share of the lines that loads with coherence first use while another copy holds them "
                "modified, in caches of any size",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.left_exclusive",
     .label = "Share of lines that another copy left exclusive",
     .unit = "",
     .meaning = "the same while another copy alone has read them",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.left_shared",
     .label = "Share of lines that several copies have read",
     .unit = "",
     .meaning = "the same while they are shared, with another copy at least",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.taken",
     .label = "Share of shared accesses that take the line from another copy",
     .unit = "",
     .meaning = "share of the accesses to shared regions that read a line that only other copies hold, or "
                "write one that another holds, if copies make one access each in turn",
     .tolerance = TOLERANCE_OF_LINES,
     .sources = ON_PROCESSORS("qemu")},
    {.name = "coherence.pingpong_ns",
     .label = "Hand-over of a line",
     .unit = "ns",
     .meaning = "nanoseconds from one copy's turn at a line to the next copy's",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.atomic_ns",
     .label = "Atomic of a shared line",
     .unit = "ns",
     .meaning = "nanoseconds per atomic of each copy",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "coherence.store_ns",
     .label = "Store to a shared line",
     .unit = "ns",
     .meaning = "nanoseconds per store of each copy",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "unit.ns",
     .label = "Time per unit",
     .unit = "ns",
     .meaning = "nanoseconds per unit of the loop, which is the kernel's list once",
     .sources = {"timing", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "unit.cycles",
     .label = "Cycles per unit",
     .unit = "cycles",
     .unit_in_label = true,
     .meaning = "cycles of the core per unit of the loop",
     .sources = {"perf,timing", "record", NULL},
     .trend = TREND_SLOWER},
    {.name = "solo.unit.ns",
     .label = "Time per unit, alone",
     .unit = "ns",
     .meaning = "unit.ns of one core's kernel of { cores = {...} } while the others do not run",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_SLOWER},
    {.name = "solo.ipc",
     .label = "Instructions per cycle, alone",
     .unit = "1/cycle",
     .unit_in_label = true,
     .meaning = "instructions per cycle of such a kernel while the others do not run",
     .sources = ON_PROCESSORS("perf,timing"),
     .trend = TREND_MORE},
    {.name = "load.ns",
     .label = "Time per load",
     .unit = "ns",
     .meaning = "nanoseconds per load of the unit, all else in the unit included; on a GPU per load of a "
                "thread",
     .sources = {"timing", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "store.ns",
     .label = "Time per store",
     .unit = "ns",
     .meaning = "the same per store",
     .sources = {"timing", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "atomic.ns",
     .label = "Time per atomic",
     .unit = "ns",
     .meaning = "the same per atomic of a GPU's thread",
     .sources = {NULL, "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "branch.ns",
     .label = "Time per branch",
     .unit = "ns",
     .meaning = "the same per branch{} of the unit",
     .sources = {"timing", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "pass.cycles",
     .label = "Cycles per pass",
     .unit = "cycles",
     .unit_in_label = true,
     .meaning = "cycles of the core per pass of the loop",
     .sources = {"perf,timing", "record", NULL},
     .trend = TREND_SLOWER},
    {.name = "pass.instructions",
     .label = "Instructions per pass",
     .unit = "instructions",
     .unit_in_label = true,
     .meaning = "instructions that a pass of the loop executes",
     .of_bytes = true,
     .sources = ON_PROCESSORS("bytes"),
     .trend = TREND_MORE},
    {.name = "pass.ns",
     .label = "Time per pass",
     .unit = "ns",
     .meaning = "nanoseconds per pass of the loop",
     .sources = {"timing", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "time.ticks_per_pass",
     .label = "Ticks per pass",
     .unit = "ticks",
     .unit_in_label = true,
     .meaning =
         "ticks of the program's own clock per pass; on x86-64 of the TSC, on GPUs of the multiprocessors",
     .sources = {"tsc", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "ticks_per_load",
     .label = "Ticks per load",
     .unit = "ticks",
     .unit_in_label = true,
     .meaning = "the same per load; on a GPU of the whole grid",
     .sources = {"tsc", "record", "record"},
     .trend = TREND_SLOWER},
    {.name = "loads_per_tick",
     .label = "Loads per tick",
     .unit = "1/tick",
     .unit_in_label = true,
     .meaning = "loads of all threads together per tick",
     .sources = {"tsc", "record", "record"},
     .trend = TREND_MORE},
    {.name = "ipc",
     .label = "Instructions per cycle",
     .brief = "IPC",
     .unit = "1/cycle",
     .unit_in_label = true,
     .meaning = "instructions per cycle of the core",
     .sources = {"perf,import,timing", "cupti,import", "import"},
     .trend = TREND_MORE},
    {.name = "core.additions",
     .label = "Simple operations per cycle beside the kernel",
     .unit = "1/cycle",
     .meaning = "independent additions (x86-64: sign extensions) per cycle of a loop in turn with the "
                "kernel: fewer in "
                "some rounds where another thread uses the core's units",
     .sources = ON_PROCESSORS("timing"),
     .trend = TREND_MORE},
    {.name = "dpc",
     .label = "Decoded instructions per cycle",
     .brief = "DPC",
     .unit = "1/cycle",
     .unit_in_label = true,
     .meaning = "instructions decoded, or micro-operations dispatched, per cycle",
     .sources = ON_PROCESSORS("perf,import"),
     .trend = TREND_MORE},

    {.name = "insn.latency",
     .label = "Latency of an instruction",
     .unit = "cycles",
     .meaning = "cycles from an operand of an instruction to its result; `trauma measure instruction`",
     .sources = ON_PROCESSORS("measure"),
     .trend = TREND_SLOWER},
    {.name = "insn.per_cycle",
     .label = "Instructions of a kind per cycle",
     .unit = "1/cycle",
     .unit_in_label = true,
     .meaning =
         "independent copies of an instruction that a core executes per cycle; `trauma measure instruction`",
     .sources = ON_PROCESSORS("measure"),
     .trend = TREND_MORE},

    {.name = "insn.energy_j",
     .label = "Energy of an instruction",
     .unit = "J",
     .shown = "nJ",
     .scale = 1e9,
     .meaning = "energy of one instruction above the idle level, while independent copies of it run on one "
                "core; `trauma measure instruction`",
     .sources = ON_PROCESSORS("measure"),
     .trend = TREND_SLOWER},

    /* ---- where accesses are served ---- */
    {.name = "served.*",
     .star = STAR_LEVEL,
     .label = "Share of loads served by *",
     .unit = "",
     .meaning = "share of the loads that the level serves",
     .except = "cupti:DSMEM", /* no known counter distinguishes such loads from others */
     .of_data_caches = true,
     .sources = {CACHE_COUNTS, GPU_CACHE_COUNTS, WAVE_COUNTS}},
    {.name = "l1d.miss_rate",
     .label = "L1 data-cache miss rate",
     .unit = "",
     .meaning = "misses per access of the L1 data cache",
     .of_data_caches = true,
     .sources = {CACHE_COUNTS, GPU_CACHE_COUNTS, WAVE_COUNTS}},
    {.name = "l2.miss_rate",
     .label = "L2 miss rate",
     .unit = "",
     .meaning = "misses per access of L2",
     .of_data_caches = true,
     .sources = {CACHE_COUNTS, GPU_CACHE_COUNTS, WAVE_COUNTS}},
    {.name = "l3.miss_rate",
     .label = "L3 miss rate",
     .unit = "",
     .meaning = "misses per access of L3",
     .of_data_caches = true,
     .sources = ON_PROCESSORS("perf,import,cachegrind,qemu,timing")},
    {.name = "l1i.miss_rate",
     .label = "L1 instruction-cache miss rate",
     .unit = "",
     .meaning = "misses of the L1 instruction cache per line of code entered",
     .sources = ON_PROCESSORS("perf,import,cachegrind,qemu,plan")},
    {.name = "dtlb.miss_rate",
     .label = "Data-TLB miss rate",
     .unit = "",
     .meaning = "misses of the first data TLB per access",
     .sources = ON_PROCESSORS("perf,import,qemu")},
    {.name = "l2.far_share",
     .label = "Share of accesses to the far side of L2",
     .unit = "",
     .meaning = "share of the accesses that the far side of L2 serves",
     .sources = {NULL, "cupti,import,warp,timing", "wave,import"}},
    {.name = "l2.channel*.share",
     .star = STAR_NUMBER,
     .label = "Share of L2's accesses, channel *",
     .unit = "",
     .meaning = "share of L2's accesses that the channel serves",
     .sources = ON_GCN("wave,import")},
    {.name = "place.xcc*.share",
     .star = STAR_NUMBER,
     .label = "Share of the work, die *",
     .unit = "",
     .meaning = "share of the blocks that ran on the die of compute units (XCD)",
     .sources = ON_GCN("record,import,wave")},
    {.name = "place.se*.share",
     .star = STAR_NUMBER,
     .label = "Share of the work, shader engine *",
     .unit = "",
     .meaning = "share of the blocks that ran on the shader engine",
     .sources = ON_GCN("record,import,wave")},
    {.name = "place.sh*.share",
     .star = STAR_NUMBER,
     .label = "Share of the work, shader array *",
     .unit = "",
     .meaning = "share of the blocks that ran on the shader array",
     .sources = ON_GCN("record,import,wave")},
    {.name = "place.cu*.share",
     .star = STAR_NUMBER,
     .label = "Share of the work, compute unit *",
     .unit = "",
     .meaning = "share of the blocks that ran on the compute unit",
     .sources = ON_GCN("record,import,wave")},
    {.name = "place.sm*.share",
     .star = STAR_NUMBER,
     .label = "Share of the work, multiprocessor *",
     .unit = "",
     .meaning = "share of the blocks that ran on the multiprocessor",
     .sources = {NULL, "record,import,warp", NULL}},

    /* ---- branches, data, instructions ---- */
    {.name = "branch.miss_rate",
     .label = "Branch misprediction rate",
     .unit = "",
     .meaning = "mispredicted branches per branch",
     .tolerance = TOLERANCE_OF_BRANCHES,
     .sources = ON_PROCESSORS("perf,import,cachegrind,qemu,timing")},
    {.name = "branch.taken_rate",
     .label = "Share of branches taken",
     .unit = "",
     .meaning = "taken branches per branch",
     .tolerance = TOLERANCE_OF_BRANCHES,
     .sources = ON_PROCESSORS("perf,import,qemu")},
    {.name = "branch.distance",
     .label = "Cycles between branches",
     .unit = "cycles",
     .unit_in_label = true,
     .meaning = "cycles per branch, mispredicted ones included; by bytes those that the instructions between "
                "branches take at the machine's issue_width",
     .tolerance = TOLERANCE_OF_BRANCHES,
     .sources = ON_PROCESSORS("bytes,perf,import,timing")},
    {.name = "atomic.threads_per_word",
     .label = "Threads per word of atomics",
     .unit = "threads",
     .meaning =
         "threads of the grid that change the same word by atomics, the mean over words, of streams by "
         "their atomics",
     .sources = {NULL, "warp", "wave"}},
    {.name = "atomic.blocks_per_line",
     .label = "Blocks per line of atomics",
     .unit = "blocks",
     .meaning = "blocks of the grid that change the same line of L2 by atomics, likewise; 1 in shared memory",
     .sources = {NULL, "warp", "wave"}},
    {.name = "branch.divergence",
     .label = "Share of branches that diverge",
     .unit = "",
     .meaning = "share of the branches whose threads take both ways",
     .tolerance = TOLERANCE_OF_BRANCHES,
     .sources = {NULL, "warp", "wave"}},
    {.name = "data.toggle_rate",
     .label = "Data toggle rate",
     .unit = "",
     .meaning = "share of the bus's bits that change from one access's data to the next",
     .of_bytes = true,
     .sources = {"bytes,import", "bytes,import,warp", "wave,import"}},
    {.name = "data.toggle_rate.dealt",
     .label = "Data toggle rate as dealt",
     .unit = "",
     .meaning = "the rate farthest from the requested one, among those over every second, third and fourth "
                "access and by address, on GPUs also at units and channels of L2",
     .of_bytes = true,
     .sources = {"bytes", "warp", "wave"},
     .near = 0.02},
    {.name = "data.ones_rate",
     .label = "Share of ones in the data",
     .unit = "",
     .meaning = "share of ones among the bits that accesses move",
     .of_bytes = true,
     .sources = {"bytes,import", "bytes,import,warp", "wave,import"}},
    {.name = "mix.*",
     .star = STAR_OPERATION,
     .label = "Share of instructions, *",
     .unit = "",
     .meaning = "share of the loop's instructions that are of that kind",
     .of_bytes = true,
     .listed = true,
     .sources = {"bytes,import,plan", "bytes,warp,import,plan", "wave,import,plan"}},
    {.name = "body.share",
     .label = "Share of instructions in the body",
     .unit = "",
     .meaning = "share of the loop's instructions that belong to the recipe",
     .of_bytes = true,
     .listed = true,
     .sources = {"bytes,import,plan", "bytes,warp,import,plan", "wave,import,plan"}},
    {.name = "throttle.duty",
     .label = "Share of the unthrottled rate",
     .unit = "",
     .meaning = "rate of a throttled loop, divided by that of the same loop without idle instructions",
     .tolerance = TOLERANCE_OF_IDLE,
     .sources = {"duty", "duty", "duty,wave"}},
    {.name = "events.*",
     .star = STAR_EVENT,
     .label = "Count per pass, *",
     .unit = "1/pass",
     .unit_in_label = true,
     .meaning = "raw count of the event per pass of the loop",
     .sources = {"perf,import", "cupti,import", "import"}},

    /* ---- power ---- */
    {.name = "power.static_w",
     .label = "Static power",
     .unit = "W",
     .meaning = "power of the idle machine at the run's temperature",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "power.dynamic_w",
     .label = "Dynamic power",
     .unit = "W",
     .meaning = "power of the loop above the static one",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "power.total_w",
     .label = "Power",
     .unit = "W",
     .meaning = "power that the sensor measures while the loop runs",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "power.cpu_w",
     .label = "Processor power",
     .unit = "W",
     .meaning = "power that the processor's own meter reports",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "power.constant_w",
     .label = "Power of the rest of the system",
     .unit = "W",
     .meaning = "power of the rest of the system that no load changes",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "power.outside_w",
     .label = "Power outside of the processor",
     .unit = "W",
     .meaning = "power of all but the processor",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "power.fans_w",
     .label = "Power of the fans",
     .unit = "W",
     .meaning = "power of the fans",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "energy.dynamic_j",
     .label = "Dynamic energy",
     .unit = "J",
     .meaning = "energy of the repetitions above the static power",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = "energy.per_access_j.*",
     .star = STAR_LEVEL,
     .label = "Energy per access, *",
     .unit = "J",
     .shown = "nJ",
     .scale = 1e9,
     .meaning = "dynamic energy per access, if the level serves them all",
     .sources = SENSORS,
     .trend = TREND_MORE},
    {.name = NULL},
};

static const char *const levels[METRIC_GROUNDS][5] = {
    [METRIC_ON_PROCESSOR] = {"L1", "L2", "L3", "MEM"},
    [METRIC_ON_PTX] = {"SHARED", "DSMEM", "L1", "L2", "MEM"},
    [METRIC_ON_GCN] = {"SHARED", "L1", "L2", "L3", "MEM"},
};

static bool is_level(const char *part, size_t length, enum metric_ground ground)
{
    for (size_t i = 0; i < sizeof levels[ground] / sizeof levels[ground][0]; i++)
        if (levels[ground][i] != NULL && strlen(levels[ground][i]) == length &&
            strncmp(part, levels[ground][i], length) == 0)
            return true;
    return false;
}

static bool is_made_of(const char *part, size_t length, bool (*fits)(char c))
{
    for (size_t i = 0; i < length; i++)
        if (!fits(part[i]))
            return false;
    return length > 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_of_event(char c)
{
    return is_of_word(c) || c == ':' || c == '-';
}

/* True if the part can stand for the star on the ground, or on any with METRIC_GROUNDS. */
static bool star_fits(enum metric_star star, const char *part, size_t length, enum metric_ground ground)
{
    switch (star) {
    case STAR_LEVEL:
        for (unsigned i = 0; i < METRIC_GROUNDS; i++)
            if ((ground == METRIC_GROUNDS || i == ground) && is_level(part, length, (enum metric_ground)i))
                return true;
        return false;
    case STAR_OPERATION:
        return is_made_of(part, length, is_of_word);
    case STAR_NUMBER:
        return is_made_of(part, length, is_digit);
    case STAR_EVENT:
        return is_made_of(part, length, is_of_event);
    case STAR_NONE:
        break;
    }
    return length == 0;
}

static bool matches(const struct metric *metric, const char *name, enum metric_ground ground)
{
    const char *star = strchr(metric->name, '*');
    if (star == NULL)
        return strcmp(metric->name, name) == 0;
    size_t before = (size_t)(star - metric->name), after = strlen(star + 1), length = strlen(name);
    return length > before + after && strncmp(name, metric->name, before) == 0 &&
           strcmp(name + length - after, star + 1) == 0 &&
           star_fits(metric->star, name + before, length - before - after, ground);
}

const struct metric *metric_find(const char *name)
{
    for (const struct metric *row = metric_table; row->name != NULL; row++)
        if (matches(row, name, METRIC_GROUNDS))
            return row;
    return NULL;
}

const char *metric_part(const struct metric *metric, const char *name, size_t *length)
{
    const char *star = strchr(metric->name, '*');
    if (star == NULL)
        return NULL;
    *length = strlen(name) - strlen(metric->name) + 1;
    return name + (star - metric->name);
}

enum metric_ground metric_ground_of(const char *target)
{
    if (strcmp(target, "ptx") == 0)
        return METRIC_ON_PTX;
    return strcmp(target, "gcn") == 0 ? METRIC_ON_GCN : METRIC_ON_PROCESSOR;
}

/* True for a part that the source does not observe although it observes others of the row. */
static bool is_excepted(const struct metric *row, const char *name, const char *source)
{
    size_t part_length = 0, length = strlen(source);
    const char *part = metric_part(row, name, &part_length);
    return row->except != NULL && strncmp(row->except, source, length) == 0 && row->except[length] == ':' &&
           part != NULL && strlen(row->except + length + 1) == part_length &&
           strncmp(row->except + length + 1, part, part_length) == 0;
}

bool metric_is_seen_by(const char *name, const char *source, enum metric_ground ground)
{
    const struct metric *row = metric_find(name);
    for (unsigned i = 0; row != NULL && i < METRIC_GROUNDS; i++) {
        bool asked = ground == METRIC_GROUNDS || i == ground;
        if (asked && row->sources[i] != NULL && names_contain(row->sources[i], source) &&
            matches(row, name, (enum metric_ground)i))
            return !is_excepted(row, name, source);
    }
    return false;
}

bool metric_row_has(const struct metric *row, const char *source)
{
    for (unsigned i = 0; i < METRIC_GROUNDS; i++)
        if (row->sources[i] != NULL && names_contain(row->sources[i], source))
            return true;
    return false;
}

bool metric_is_observable(const char *name, enum metric_ground ground)
{
    const struct metric *row = metric_find(name);
    return row != NULL && row->sources[ground] != NULL && matches(row, name, ground);
}

bool metric_is_share(const char *name)
{
    const struct metric *row = metric_find(name);
    return row != NULL && row->unit[0] == '\0';
}

bool metric_is_listed(const char *name)
{
    const struct metric *row = metric_find(name);
    return row != NULL && row->listed;
}

const char *metric_unit(const char *name)
{
    const struct metric *row = metric_find(name);
    return row == NULL ? "" : row->unit;
}

double metric_near(const char *name)
{
    const struct metric *row = metric_find(name);
    return row == NULL ? 0 : row->near;
}

const char *metric_shown_unit(const char *name)
{
    const struct metric *row = metric_find(name);
    return row == NULL || row->shown == NULL ? metric_unit(name) : row->shown;
}

double metric_scale(const char *name)
{
    const struct metric *row = metric_find(name);
    return row == NULL || row->scale == 0 ? 1 : row->scale;
}

void metric_write_unit(const char *name, char *text, size_t capacity)
{
    const char *unit = metric_shown_unit(name);
    bool per = strncmp(unit, "1/", 2) == 0;
    snprintf(text, capacity, "%s%s", unit[0] == '\0' ? "" : per ? " per " : " ", per ? unit + 2 : unit);
}

void metric_each_name(void (*visit)(const char *name, void *context), void *context)
{
    static const char *const all[] = {"L1", "L2", "L3", "MEM", "SHARED"};
    for (const struct metric *row = metric_table; row->name != NULL; row++) {
        const char *star = strchr(row->name, '*');
        if (row->star == STAR_NONE)
            visit(row->name, context);
        for (size_t i = 0; row->star == STAR_LEVEL && i < sizeof all / sizeof all[0]; i++) {
            char name[64];
            snprintf(name, sizeof name, "%.*s%s%s", (int)(star - row->name), row->name, all[i], star + 1);
            visit(name, context);
        }
    }
}
