/* Reads ChampSim's statistics of the region of interest, from --json or from the text that it prints. Only
 * demand misses count: of loads, and of stores, which are WRITE in L1D and RFO in the levels behind it.
 * ChampSim's accesses of L1D are no denominator, as loads of a line that wait together in the read queue are
 * one access, and loads may take their value from stores. The program's own number of accesses is used. */
#include "runner/simulators/simulator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MARK_BYTES = 64, HUGE_PAGE = 2 << 20 };

static const struct {
    const char *cache;
    enum simulated_count loads, stores, load_misses, store_misses;
} caches[] = {
    {"L1D", SIMULATED_COUNTS, SIMULATED_COUNTS, SIMULATED_L1D_LOAD_MISSES, SIMULATED_L1D_STORE_MISSES},
    {"L2C", SIMULATED_L2_ACCESSES, SIMULATED_L2_ACCESSES, SIMULATED_L2_MISSES, SIMULATED_L2_MISSES},
    {"LLC", SIMULATED_L3_ACCESSES, SIMULATED_L3_ACCESSES, SIMULATED_L3_MISSES, SIMULATED_L3_MISSES},
    {"DTLB", SIMULATED_COUNTS, SIMULATED_COUNTS, SIMULATED_TLB_MISSES, SIMULATED_TLB_MISSES}};

static const struct {
    const char *type;
    bool store;
} types[] = {{"LOAD", false}, {"RFO", true}, {"WRITE", true}};

/* The accesses of one type. JSON: "LOAD":{"hit":[2], "miss":[1]}; text: cpu0->cpu0_L1D LOAD ACCESS: 3 HIT: 2
 * MISS: 1. */
static void read_type(const char *cache, const char *type, bool json, double *hits, double *misses)
{
    char mark[MARK_BYTES];
    snprintf(mark, sizeof mark, json ? "\"%s\":{" : "%s ", type);
    const char *found = strstr(cache, mark);
    *hits = found == NULL ? NAN : simulated_number(found, json ? "\"hit\":[" : "HIT:");
    *misses = found == NULL ? NAN : simulated_number(found, json ? "\"miss\":[" : "MISS:");
}

/* The statistics of the cache; NULL: none. In JSON, "roi" comes before "sim"; the text of a single core has
 * the region of interest alone. */
static const char *find_cache(const char *roi, const char *name, bool json)
{
    static const char *const cores[] = {"cpu0_", ""};
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        char mark[MARK_BYTES];
        snprintf(mark, sizeof mark, "%s%s%s%s", json ? "\"" : "->", cores[i], name, json ? "\":{" : " ");
        const char *found = strstr(roi, mark);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* The text states the share of correct predictions, JSON the mispredictions of each kind of branch. */
static void read_core(const char *roi, bool json, struct simulated_stats *stats)
{
    static const char *const kinds[] = {
        "\"BRANCH_CONDITIONAL\":", "\"BRANCH_DIRECT_CALL\":",   "\"BRANCH_DIRECT_JUMP\":",
        "\"BRANCH_INDIRECT\":",    "\"BRANCH_INDIRECT_CALL\":", "\"BRANCH_RETURN\":"};
    const char *line = strstr(roi, "Branch Prediction Accuracy:");
    double accuracy = NAN;
    stats->of[SIMULATED_INSTRUCTIONS] = simulated_number(roi, json ? "\"instructions\":" : "instructions:");
    for (size_t i = 0; json && i < sizeof kinds / sizeof kinds[0]; i++)
        simulated_stats_add(stats, SIMULATED_BRANCH_MISSES, simulated_number(roi, kinds[i]));
    if (!json && line != NULL && sscanf(line, "Branch Prediction Accuracy: %lf%%", &accuracy) == 1) {
        stats->of[SIMULATED_BRANCHES] = 100;
        stats->of[SIMULATED_BRANCH_MISSES] = 100 - accuracy;
    }
}

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    bool json = strstr(from->text, "\"roi\":") != NULL;
    const char *roi = strstr(from->text, json ? "\"roi\":" : "Region of Interest Statistics");
    bool any = false;
    if (roi == NULL)
        return simulated_refuse(from, "what ChampSim prints, or its --json FILE", error);
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        const char *cache = find_cache(roi, caches[i].cache, json);
        for (size_t t = 0; cache != NULL && t < sizeof types / sizeof types[0]; t++) {
            double hits = NAN, misses = NAN;
            read_type(cache, types[t].type, json, &hits, &misses);
            if (strcmp(types[t].type, "WRITE") == 0 && i > 0)
                continue; /* behind L1D, a write is an evicted line */
            if (caches[i].loads != SIMULATED_COUNTS)
                simulated_stats_add(stats, types[t].store ? caches[i].stores : caches[i].loads,
                                    hits + misses);
            simulated_stats_add(stats, types[t].store ? caches[i].store_misses : caches[i].load_misses,
                                misses);
            any = any || !isnan(hits);
        }
    }
    read_core(roi, json, stats);
    return any ? STATUS_OK
               : simulated_refuse(from, "the caches L1D, L2C and LLC in ChampSim's statistics", error);
}

/* ---- its configuration ---- */

static void write_part(struct buffer *text, const char *name, unsigned sets, unsigned ways,
                       enum cache_policy policy, struct buffer *notes)
{
    bool random = policy == POLICY_RANDOM;
    buffer_printf(
        text, ",\n  \"%s\": { \"sets\": %u, \"ways\": %u, \"replacement\": \"%s\", \"prefetcher\": \"no\" }",
        name, sets, ways, random ? "random" : "lru");
    if (policy == POLICY_TREE_PLRU || policy == POLICY_FIFO)
        buffer_printf(notes, "ChampSim does not support replacement by %s: %s uses lru\n",
                      cache_policy_name(policy), name);
}

/* A page whose offset contains every cache's index. ChampSim assigns pages of memory in the order of their
 * first use: with smaller pages, lines would be in other sets than those that the program chose. */
static uint64_t page_of_index(const struct machine *machine)
{
    const struct cache *const levels[] = {&machine->l1i, &machine->l1d, &machine->l2, &machine->l3};
    uint64_t page = HUGE_PAGE;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        while (levels[i]->size > 0 && page < (uint64_t)cache_sets(levels[i]) * levels[i]->line)
            page *= 2;
    return page;
}

/* The levels of page tables for addresses of 64 bits: 9 bits per level, at most ChampSim's own five. */
static unsigned table_levels(uint64_t page)
{
    unsigned bits = 64;
    for (; page > 1; page /= 2)
        bits--;
    return bits / 9 < 5 ? bits / 9 : 5;
}

static void write_tlb(const struct machine *machine, struct buffer *text, struct buffer *notes)
{
    const struct tlb *tlb = &machine->data_tlb;
    unsigned ways = tlb->ways == 0 ? tlb->entries : tlb->ways;
    uint64_t page = tlb->entries == 0 ? page_of_index(machine) : tlb->page;
    buffer_printf(text, ",\n  \"virtual_memory\": { \"num_levels\": %u, \"randomization\": 0 }",
                  table_levels(page));
    buffer_printf(text, ",\n  \"page_size\": %llu", (unsigned long long)page);
    if (tlb->entries == 0)
        return;
    buffer_printf(text, ", \"DTLB\": { \"sets\": %u, \"ways\": %u }", tlb->entries / ways, ways);
    if (tlb->page < page_of_index(machine))
        buffer_printf(
            notes,
            "ChampSim places pages of %llu bytes in the order of their use, and TLB misses change the order "
            "of accesses: rates of caches hold only if the machine states no tlb\n",
            (unsigned long long)tlb->page);
    if (tlb->policy != POLICY_LRU && tlb->policy != POLICY_UNKNOWN)
        buffer_printf(notes, "ChampSim's DTLB uses lru, not %s\n", cache_policy_name(tlb->policy));
}

static enum status configure(const struct machine *machine, struct buffer *text, struct buffer *notes,
                             struct error *error)
{
    const struct {
        const char *name;
        const struct cache *cache;
    } levels[] = {
        {"L1I", &machine->l1i}, {"L1D", &machine->l1d}, {"L2C", &machine->l2}, {"LLC", &machine->l3}};
    enum status status = STATUS_OK;
    buffer_printf(text,
                  "{\n  \"executable_name\": \"champsim-%s\", \"block_size\": %u, \"num_cores\": 1,\n"
                  "  \"ooo_cpu\": [{ \"branch_predictor\": \"bimodal\", \"btb\": \"basic_btb\",\n"
                  "    \"rob_size\": 16, \"lq_size\": 16, \"sq_size\": 16 }]",
                  machine->name, machine->l1d.line);
    for (size_t i = 0; status == STATUS_OK && i < sizeof levels / sizeof levels[0]; i++) {
        const struct cache *cache = levels[i].cache;
        status = simulator_check_sets("ChampSim", levels[i].name, cache, error);
        if (status == STATUS_OK && cache->size > 0)
            write_part(text, levels[i].name, cache_sets(cache), cache->ways, cache->policy, notes);
        else if (status == STATUS_OK)
            buffer_printf(notes, "the machine has no %s: ChampSim keeps its default\n", levels[i].name);
    }
    write_tlb(machine, text, notes);
    buffer_text(text, "\n}\n");
    buffer_text(notes,
                "a machine file describes no predictor: ChampSim uses bimodal\n"
                "ChampSim's core is small, so that accesses keep their order; larger rob_size, lq_size "
                "and sq_size change rates\n");
    return status;
}

const struct simulator simulator_champsim = {.name = "champsim",
                                             .title = "ChampSim's output, or its --json FILE",
                                             .read = read_stats,
                                             .configure = configure};
