/* gem5's stats.txt: the first block of statistics, which is that between the markers if a script resets at
 * the first and dumps at the second. */
#include "runner/simulators/simulator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A name may have any of these forms; the first that is there counts. */
static const struct {
    enum simulated_count count;
    const char *names[4];
} rows[] = {
    {SIMULATED_LOADS, {".dcache.ReadReq.accesses::total", ".dcache.ReadReq_accesses::total"}},
    {SIMULATED_STORES, {".dcache.WriteReq.accesses::total", ".dcache.WriteReq_accesses::total"}},
    {SIMULATED_L1D_LOAD_MISSES, {".dcache.ReadReq.misses::total", ".dcache.ReadReq_misses::total"}},
    {SIMULATED_L1D_STORE_MISSES, {".dcache.WriteReq.misses::total", ".dcache.WriteReq_misses::total"}},
    {SIMULATED_ACCESSES, {".dcache.demandAccesses::total", ".dcache.demand_accesses::total"}},
    {SIMULATED_L1D_MISSES, {".dcache.demandMisses::total", ".dcache.demand_misses::total"}},
    {SIMULATED_L2_ACCESSES,
     {".l2.demandAccesses::cpu.data", ".l2cache.demandAccesses::cpu.data", ".l2.demand_accesses::cpu.data",
      ".l2.demandAccesses::total"}},
    {SIMULATED_L2_MISSES,
     {".l2.demandMisses::cpu.data", ".l2cache.demandMisses::cpu.data", ".l2.demand_misses::cpu.data",
      ".l2.demandMisses::total"}},
    {SIMULATED_BRANCHES, {".branchPred.condPredicted"}},
    {SIMULATED_BRANCH_MISSES, {".branchPred.condIncorrect"}},
};

/* The number in the first line of which a name ends so, before the block's end. */
static double find_value(const char *text, const char *end, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at != NULL && at < end; at = strstr(at + 1, name))
        if (at[length] == ' ')
            return simulated_number(at, name);
    return NAN;
}

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    bool any = false;
    const char *end = strstr(from->text, "End Simulation Statistics");
    if (end == NULL)
        end = from->text + strlen(from->text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t n = 0; n < 4 && rows[i].names[n] != NULL && isnan(stats->of[rows[i].count]); n++)
            stats->of[rows[i].count] = find_value(from->text, end, rows[i].names[n]);
    for (size_t i = 0; i < SIMULATED_COUNTS; i++)
        any = any || !isnan(stats->of[i]);
    return any ? STATUS_OK
               : simulated_refuse(from, "gem5's stats.txt with caches named dcache and l2, or branchPred",
                                  error);
}

/* ---- its configuration ---- */

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
    enum status status = STATUS_OK;
    buffer_printf(text,
                  "# Caches of %s, for a configuration script; system.cache_line_size = %u\n"
                  "from m5.objects import Cache, FIFORP, LRURP, RandomRP, TreePLRURP\n",
                  machine->name, machine->l1d.line);
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
    if (machine->data_tlb.entries > 0)
        buffer_printf(text, "\n\n# system.cpu.mmu.dtb.size = %u\n", machine->data_tlb.entries);
    buffer_text(notes, "no one has run this in gem5 yet\n");
    return status;
}

const struct simulator simulator_gem5 = {
    .name = "gem5", .title = "gem5's stats.txt", .read = read_stats, .configure = configure};
