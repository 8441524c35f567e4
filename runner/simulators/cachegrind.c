/* Reads what cachegrind prints at its end. `program N +MORE` gives two reports, whose difference is that of
 * MORE passes alone. A single report includes set-up and warm-up. */
#include "runner/simulators/simulator.h"

#include <math.h>
#include <string.h>

/* "D   refs:      281,073  (272,774 rd   + 8,299 wr)" */
static void add_line(const char *report, const char *name, int sign, struct simulated_stats *stats,
                     enum simulated_count reads, enum simulated_count writes)
{
    const char *line = strstr(report, name);
    if (line == NULL)
        return;
    double read = simulated_number(line, "("), wrote = simulated_number(line, "+");
    simulated_stats_add(stats, reads, sign * read);
    simulated_stats_add(stats, writes, sign * wrote);
}

/* "Branches:  101,100  (...)": the total is the first number. */
static void add_total(const char *report, const char *name, int sign, struct simulated_stats *stats,
                      enum simulated_count count)
{
    simulated_stats_add(stats, count, sign * simulated_number(report, name));
}

static void add_report(const char *report, int sign, struct simulated_stats *stats)
{
    add_line(report, "D   refs:", sign, stats, SIMULATED_LOADS, SIMULATED_STORES);
    add_line(report, "D1  misses:", sign, stats, SIMULATED_L1D_LOAD_MISSES, SIMULATED_L1D_STORE_MISSES);
    add_line(report, "LLd misses:", sign, stats, SIMULATED_L2_MISSES, SIMULATED_L2_MISSES);
    add_total(report, "Branches:", sign, stats, SIMULATED_BRANCHES);
    add_total(report, "Mispredicts:", sign, stats, SIMULATED_BRANCH_MISSES);
}

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    const char *first = strstr(from->text, "D   refs:");
    if (first == NULL)
        return simulated_refuse(from, "what valgrind --tool=cachegrind --cache-sim=yes prints", error);
    const char *second = strstr(first + 1, "D   refs:");
    bool grows =
        second != NULL && simulated_number(second, "D   refs:") > simulated_number(first, "D   refs:");
    add_report(first, grows ? -1 : 1, stats);
    if (second != NULL)
        add_report(second, grows ? 1 : -1, stats);
    return STATUS_OK;
}

static enum status configure(const struct machine *machine, struct buffer *text, struct buffer *notes,
                             struct error *error)
{
    const struct cache *last = machine->l3.size > 0 ? &machine->l3 : &machine->l2;
    const struct {
        const char *name, *option;
        const struct cache *cache;
    } levels[] = {{"L1I", "I1", &machine->l1i}, {"L1D", "D1", &machine->l1d}, {"the last level", "LL", last}};
    enum status status = STATUS_OK;
    buffer_text(text, "--tool=cachegrind --cache-sim=yes --branch-sim=yes --vex-iropt-level=0");
    for (size_t i = 0; status == STATUS_OK && i < sizeof levels / sizeof levels[0]; i++) {
        const struct cache *cache = levels[i].cache;
        status = simulator_check_sets("cachegrind", levels[i].name, cache, error);
        if (cache->size > 0)
            buffer_printf(text, " --%s=%llu,%u,%u", levels[i].option, (unsigned long long)cache->size,
                          cache->ways, cache->line);
        if (cache->size > 0 && cache->policy != POLICY_LRU && cache->policy != POLICY_UNKNOWN)
            buffer_printf(notes, "cachegrind replaces by LRU, not by %s: %s\n",
                          cache_policy_name(cache->policy), levels[i].name);
    }
    if (machine->l3.size > 0)
        buffer_text(notes, "cachegrind has two levels: LL is L3, and L2 is left out\n");
    buffer_text(text, "\n");
    return status;
}

const struct simulator simulator_cachegrind = {.name = "cachegrind",
                                               .title = "what cachegrind prints of `program N +MORE`",
                                               .read = read_stats,
                                               .configure = configure};
