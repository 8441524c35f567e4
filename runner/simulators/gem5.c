/* Reads the first block of statistics of gem5's stats.txt. It is the block between the markers if a script
 * resets the statistics at the first marker and dumps them at the second. A line is "PATH.STATISTIC::SHARE
 * VALUE ...", without "::SHARE" where there are no shares. Caches have no line for a count of 0. */
#include "runner/simulators/simulator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256 };

enum gem5_part { OF_NONE, OF_L1D, OF_L2, OF_L3, OF_TLB, OF_PREDICTOR, PARTS };

/* How a component of a path begins, or the whole of it: "dcache", "l1d-cache-0", "l2cache". */
static const struct {
    const char *name;
    bool whole;
    enum gem5_part part;
} components[] = {{"dcache", false, OF_L1D}, {"l1d", false, OF_L1D}, {"l2", false, OF_L2},
                  {"l3", false, OF_L3},      {"dtb", true, OF_TLB},  {"branchPred", true, OF_PREDICTOR}};

/* A count is the sum of all lines of its rows. Newer and older versions of gem5 may use different names. */
static const struct {
    enum gem5_part part;
    enum simulated_count count;
    const char *names[2];
    const char *share; /* the end of its share; "": no share */
    bool older;        /* used only if no other row has the count */
} rows[] = {
    {OF_L1D, SIMULATED_LOADS, {".ReadReq.accesses", ".ReadReq_accesses"}, "total", false},
    {OF_L1D, SIMULATED_STORES, {".WriteReq.accesses", ".WriteReq_accesses"}, "total", false},
    {OF_L1D, SIMULATED_L1D_LOAD_MISSES, {".ReadReq.misses", ".ReadReq_misses"}, "total", false},
    {OF_L1D, SIMULATED_L1D_STORE_MISSES, {".WriteReq.misses", ".WriteReq_misses"}, "total", false},
    {OF_L2, SIMULATED_L2_ACCESSES, {".demandAccesses", ".demand_accesses"}, ".data", false},
    {OF_L2, SIMULATED_L2_MISSES, {".demandMisses", ".demand_misses"}, ".data", false},
    {OF_L3, SIMULATED_L3_ACCESSES, {".demandAccesses", ".demand_accesses"}, ".data", false},
    {OF_L3, SIMULATED_L3_MISSES, {".demandMisses", ".demand_misses"}, ".data", false},
    {OF_TLB, SIMULATED_TLB_MISSES, {".rdMisses", ".readMisses"}, "", false},
    {OF_TLB, SIMULATED_TLB_MISSES, {".wrMisses", ".writeMisses"}, "", false},
    {OF_PREDICTOR, SIMULATED_BRANCHES, {".committed_0"}, "DirectCond", false},
    {OF_PREDICTOR, SIMULATED_BRANCHES, {".committed_0"}, "IndirectUncond", false},
    {OF_PREDICTOR, SIMULATED_BRANCH_MISSES, {".mispredicted_0"}, "DirectCond", false},
    {OF_PREDICTOR, SIMULATED_BRANCH_MISSES, {".mispredicted_0"}, "IndirectUncond", false},
    {OF_PREDICTOR, SIMULATED_BRANCHES, {".condPredicted"}, "", true},
    {OF_PREDICTOR, SIMULATED_BRANCH_MISSES, {".condIncorrect"}, "", true},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct gem5_block {
    bool has[PARTS];
    double translated; /* accesses of the TLB */
    double sums[ROWS]; /* NAN: no line */
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* A bus in front of a cache ("l2bus") is not a part. */
static enum gem5_part part_of(const char *path)
{
    for (const char *at = path; *at != '\0'; at += strcspn(at, "."), at += *at == '.') {
        size_t length = strcspn(at, ".");
        bool bus = length > 3 && strncmp(at + length - 2, "us", 2) == 0;
        for (size_t i = 0; !bus && i < sizeof components / sizeof components[0]; i++) {
            size_t begins = strlen(components[i].name);
            if (strncmp(at, components[i].name, begins) == 0 && (!components[i].whole || begins == length))
                return components[i].part;
        }
    }
    return OF_NONE;
}

static void take_line(struct gem5_block *block, char *name, double value)
{
    char *colons = strstr(name, "::");
    const char *share = colons == NULL ? "" : colons + 2;
    if (colons != NULL)
        *colons = '\0';
    enum gem5_part part = part_of(name);
    block->has[part] = true;
    if (part == OF_TLB && (ends_with(name, "Accesses") || ends_with(name, ".accesses")))
        block->translated += value;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t n = 0; n < 2 && rows[i].names[n] != NULL; n++)
            if (rows[i].part == part && ends_with(name, rows[i].names[n]) &&
                (*rows[i].share == '\0' ? *share == '\0' : ends_with(share, rows[i].share)))
                block->sums[i] = (isnan(block->sums[i]) ? 0 : block->sums[i]) + value;
}

static void take_block(struct gem5_block *block, const char *text, const char *end)
{
    for (const char *line = text; line < end; line += strcspn(line, "\n"), line += *line == '\n') {
        char name[NAME_BYTES];
        size_t length = strcspn(line, " \n");
        snprintf(name, sizeof name, "%.*s", (int)length, line);
        double value = length > 0 && length < sizeof name ? simulated_number(line, name) : NAN;
        if (!isnan(value))
            take_line(block, name, value);
    }
}

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    struct gem5_block block = {0};
    const char *end = strstr(from->text, "End Simulation Statistics");
    if (end == NULL)
        end = from->text + strlen(from->text);
    for (size_t i = 0; i < ROWS; i++)
        block.sums[i] = NAN;
    take_block(&block, from->text, end);
    bool any = false;
    for (size_t i = 0; i < ROWS; i++) {
        bool left_out = rows[i].part < OF_TLB && block.has[rows[i].part];
        double value = isnan(block.sums[i]) && left_out ? 0 : block.sums[i];
        any = any || !isnan(block.sums[i]);
        if (rows[i].part == OF_TLB && !(block.translated > 0)) /* emulated system calls may not use it */
            continue;
        if (!rows[i].older || isnan(stats->of[rows[i].count]))
            simulated_stats_add(stats, rows[i].count, value);
    }
    return any ? STATUS_OK
               : simulated_refuse(from, "gem5's stats.txt with caches named dcache and l2, or branchPred",
                                  error);
}

/* ---- its configuration ---- */

/* The end of the configuration, after the classes of the caches: a system with them and a processor that runs
 * a program. The arguments of printf are the processor's name in gem5, the size of a line, a statement about
 * the TLB, and the caches below L1, the last one first. */
static const char script[] =
    "\n\nprogram, passes = sys.argv[1:3]\n"
    "CPU = getattr(m5.objects, \"%s\" + (sys.argv + [\"TimingSimpleCPU\"])[3])\n"
    "system = System(cache_line_size=%u, mem_mode=CPU.memory_mode(), mem_ranges=[AddrRange(\"4GiB\")])\n"
    "system.exit_on_work_items = True\n"
    "system.clk_domain = SrcClockDomain(clock=\"1GHz\", voltage_domain=VoltageDomain())\n"
    "system.membus = SystemXBar(snoop_filter=NULL)\n"
    "system.system_port = system.membus.cpu_side_ports\n"
    "system.memory = SimpleMemory(range=system.mem_ranges[0], port=system.membus.mem_side_ports)\n"
    "system.cpu = CPU()\n"
    "if hasattr(system.cpu, \"LQEntries\"): # lines stay until missed ones come, and further loads hit them\n"
    "    system.cpu.LQEntries = 1\n"
    "system.cpu.branchPred = LocalBP(localPredictorSize=65536, instShiftAmt=0, indirectBranchPred=NULL)\n"
    "system.cpu.branchPred.btb = SimpleBTB(numEntries=65536, instShiftAmt=0)\n"
    "%s"
    "system.cpu.addPrivateSplitL1Caches(L1I(), L1D())\n"
    "system.cpu.createInterruptController()\n"
    "above = system.membus\n"
    "for level in [%s]:\n"
    "    cache, bus = level(mem_side=above.cpu_side_ports), L2XBar(snoop_filter=NULL)\n"
    "    bus.mem_side_ports = cache.cpu_side\n"
    "    setattr(system, level.__name__.lower(), cache)\n"
    "    setattr(system, level.__name__.lower() + \"bus\", bus)\n"
    "    above = bus\n"
    "system.cpu.connectAllPorts(above.cpu_side_ports, system.membus.cpu_side_ports,\n"
    "                           system.membus.mem_side_ports)\n"
    "system.workload = SEWorkload.init_compatible(program)\n"
    "system.cpu.workload = Process(cmd=[program, passes])\n"
    "system.cpu.createThreads()\n"
    "\n"
    "root = Root(full_system=False, system=system)\n"
    "m5.instantiate()\n"
    "for marker in \"workbegin\", \"workend\":\n"
    "    cause = m5.simulate().getCause()\n"
    "    if cause != marker:\n"
    "        raise SystemExit(f\"{cause}, expected {marker}: programs for gem5 are generated with --markers "
    "gem5\")\n"
    "    m5.stats.reset() if marker == \"workbegin\" else m5.stats.dump()\n";

static const char *processor_of(const char *isa)
{
    static const char *const names[][2] = {{"x86_64", "X86"}, {"aarch64", "Arm"}, {"riscv64", "Riscv"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], isa) == 0)
            return names[i][1];
    return NULL;
}

static void write_tlb(const struct machine *machine, const char *processor, char line[64],
                      struct buffer *notes)
{
    const struct tlb *tlb = &machine->data_tlb;
    line[0] = '\0';
    if (tlb->entries == 0)
        return;
    snprintf(line, 64, "system.cpu.mmu.dtb.size = %u\n", tlb->entries);
    if (strcmp(machine->isa, "x86_64") != 0)
        buffer_printf(notes, "gem5's %s uses no TLB in system-call emulation\n", processor);
    else if (tlb->ways != 0 && tlb->ways != tlb->entries)
        buffer_printf(notes, "gem5's TLB has no sets: any of its %u entries takes any page\n", tlb->entries);
}

static enum status configure(const struct machine *machine, struct buffer *text, struct buffer *notes,
                             struct error *error)
{
    static const char *const policies[] = {[POLICY_UNKNOWN] = "LRURP",
                                           [POLICY_LRU] = "LRURP",
                                           [POLICY_TREE_PLRU] = "TreePLRURP",
                                           [POLICY_RANDOM] = "RandomRP",
                                           [POLICY_FIFO] = "FIFORP"};
    const struct {
        const char *name;
        const struct cache *cache;
        double latency;
    } levels[] = {{"L1I", &machine->l1i, 0},
                  {"L1D", &machine->l1d, machine->latency_l1d},
                  {"L2", &machine->l2, machine->latency_l2},
                  {"L3", &machine->l3, machine->latency_l3}};
    const char *processor = processor_of(machine->isa);
    enum status status = STATUS_OK;
    char tlb[64];
    if (processor == NULL)
        return error_set(error, STATUS_USAGE, "no gem5 configuration is known for the ISA %s", machine->isa);
    buffer_printf(text,
                  "# %s in gem5's system-call emulation: gem5.opt THIS PROGRAM PASSES [CPU]\n"
                  "import sys\n\nimport m5\nfrom m5.objects import *\n",
                  machine->name);
    for (size_t i = 0; status == STATUS_OK && i < sizeof levels / sizeof levels[0]; i++) {
        const struct cache *cache = levels[i].cache;
        int latency = levels[i].latency > 0 ? (int)levels[i].latency : 1;
        if (cache->size == 0)
            continue;
        status = simulator_check_sets("gem5", levels[i].name, cache, error);
        buffer_printf(
            text,
            "\n\nclass %s(Cache):\n    size = \"%lluB\"\n    assoc = %u\n    replacement_policy = %s()\n"
            "    tag_latency = data_latency = response_latency = %d\n    mshrs = 16\n"
            "    tgts_per_mshr = 20\n",
            levels[i].name, (unsigned long long)cache->size, cache->ways, policies[cache->policy], latency);
    }
    write_tlb(machine, processor, tlb, notes);
    buffer_printf(text, script, processor, machine->l1d.line, tlb,
                  machine->l3.size > 0   ? "L3, L2"
                  : machine->l2.size > 0 ? "L2"
                                         : "");
    return status;
}

const struct simulator simulator_gem5 = {
    .name = "gem5", .title = "gem5's stats.txt", .read = read_stats, .configure = configure};
