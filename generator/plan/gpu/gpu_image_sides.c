#include "generator/plan/gpu/gpu_image_sides.h"

#include <string.h>

enum { WORD = 8, MOST_SMS = 65536, MOST_STARTS = 4096, LEAST_CHUNK = 512, MOST_CHUNK = 1 << 24 };

struct gpu_side_cycles {
    uint32_t *next;               /* [chunks]: the next chunk in the cycle; NONE: the chunk is in no cycle */
    unsigned char *side;          /* [chunks] */
    uint32_t *cycle[GPU_SIDES];   /* [count]: each side's chunks, by ascending address */
    const unsigned char *sm_side; /* [sm_count] */
    unsigned *sm_rank;            /* [sm_count]: the multiprocessor's number among those of its side */
    size_t sm_count;
    unsigned sms[GPU_SIDES]; /* of each side */
};

static uint64_t table_bytes(const struct gpu_rule *rule)
{
    uint64_t bytes = (uint64_t)rule->sm * rule->starts * WORD;
    return (bytes + rule->chunk - 1) / rule->chunk * rule->chunk;
}

size_t gpu_sides_chunks(const struct gpu_rule *rule)
{
    uint64_t table = table_bytes(rule);
    return rule->bytes < table ? 0 : (size_t)((rule->bytes - table) / rule->chunk);
}

uint64_t gpu_sides_first(const struct gpu_rule *rule)
{
    return rule->offset + table_bytes(rule);
}

/* ---- learning ---- */

static enum status check_homes(const struct gpu_rule *rule, const struct gpu_homes *homes,
                               struct error *error)
{
    size_t chunks[GPU_SIDES] = {0};
    size_t unknown = 0;
    size_t used = homes->sm_count < rule->sm ? homes->sm_count : rule->sm;
    for (size_t i = 0; i < homes->chunk_count; i++)
        if (homes->chunks[i] < GPU_SIDES)
            chunks[homes->chunks[i]]++;
    for (size_t i = 0; i < used; i++)
        unknown += homes->sms[i] >= GPU_SIDES;
    if (unknown > 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the near side of L2 is unknown for %zu of the %zu multiprocessors", unknown, used);
    for (int side = 0; side < GPU_SIDES; side++)
        if (chunks[side] < rule->count)
            return error_set(error, STATUS_UNAVAILABLE,
                             "of the data's %zu chunks, %zu are on one side of L2 and %zu on the other: the "
                             "program needs %llu on each",
                             homes->chunk_count, chunks[0], chunks[1], (unsigned long long)rule->count);
    return STATUS_OK;
}

enum status gpu_sides_learn(struct gpu_rule *rule, const struct gpu_homes *homes, struct arena *arena,
                            struct error *error)
{
    enum status status = check_homes(rule, homes, error);
    if (status != STATUS_OK)
        return status;
    struct gpu_side_cycles *cycles = arena_alloc(arena, 1, sizeof *cycles);
    size_t chunks = homes->chunk_count;
    cycles->next = arena_alloc(arena, chunks, sizeof *cycles->next);
    cycles->side = arena_alloc(arena, chunks, 1);
    unsigned char *sms = arena_alloc(arena, homes->sm_count, 1);
    memcpy(sms, homes->sms, homes->sm_count);
    cycles->sm_side = sms;
    cycles->sm_rank = arena_alloc(arena, homes->sm_count, sizeof *cycles->sm_rank);
    cycles->sm_count = homes->sm_count < rule->sm ? homes->sm_count : rule->sm;
    for (size_t i = 0; i < cycles->sm_count; i++)
        cycles->sm_rank[i] = cycles->sms[sms[i]]++;
    memset(cycles->side, GPU_SIDE_UNKNOWN, chunks);
    for (unsigned side = 0; side < GPU_SIDES; side++) {
        uint32_t *cycle = cycles->cycle[side] = arena_alloc(arena, (size_t)rule->count, sizeof *cycle);
        uint64_t count = 0;
        for (size_t i = 0; i < chunks && count < rule->count; i++)
            if (homes->chunks[i] == side)
                cycle[count++] = (uint32_t)i;
        for (uint64_t i = 0; i < count; i++) {
            cycles->next[cycle[i]] = cycle[(i + 1) % count];
            cycles->side[cycle[i]] = (unsigned char)side;
        }
    }
    rule->cycles = cycles;
    return STATUS_OK;
}

/* ---- the bytes ---- */

/* Waves of a side's multiprocessors start at even distances over their whole cycle, and those of one
 * multiprocessor far apart: a wave reaches the start of the next one when all together have read as much as
 * the cycle holds. Entries for multiprocessors that the device lacks are never read. */
static uint64_t start_of(const struct gpu_rule *rule, uint64_t first, uint64_t entry)
{
    const struct gpu_side_cycles *cycles = rule->cycles;
    uint64_t sm = entry / rule->starts;
    uint64_t wave = entry % rule->starts;
    if (sm >= cycles->sm_count)
        return 0;
    unsigned home = cycles->sm_side[sm];
    uint64_t all = cycles->sms[home];
    uint64_t place = (wave * all + cycles->sm_rank[sm]) * rule->count / (all * rule->starts);
    return first + cycles->cycle[rule->far ? 1 - home : home][place] * rule->chunk;
}

uint64_t gpu_sides_key(const struct gpu_rule *rule, uint64_t inside)
{
    uint64_t word = 0;
    for (uint64_t i = 0; rule->word_bytes > 0 && i < WORD; i++)
        word |= (uint64_t)rule->words[(inside + i) % rule->word_bytes] << (8 * i);
    return word;
}

/* offset: of the chunks in the data. */
static uint64_t word_of(const struct gpu_rule *rule, uint64_t address, uint64_t offset, uint64_t chunk,
                        uint64_t inside)
{
    uint64_t next = offset + rule->cycles->next[chunk] * rule->chunk;
    if (rule->header == 0)
        return address + next + inside;
    if (inside >= rule->header)
        return gpu_sides_key(rule, chunk * rule->chunk + inside);
    bool link = inside == 0 || inside == rule->bus;
    return gpu_sides_key(rule, inside) ^ (link ? next : 0);
}

void gpu_sides_fill(const struct gpu_rule *rule, uint64_t address, uint64_t from, uint64_t size,
                    unsigned char *bytes)
{
    uint64_t table = table_bytes(rule);
    uint64_t first = address + rule->offset + table;
    for (uint64_t at = 0; rule->cycles != NULL && at < size; at += WORD) {
        uint64_t place = from + at;
        uint64_t chunk = place < table ? 0 : (place - table) / rule->chunk;
        if (place < table)
            gpu_rule_put(bytes + at, start_of(rule, first, place / WORD));
        else if (chunk < gpu_sides_chunks(rule) && rule->cycles->side[chunk] < GPU_SIDES)
            gpu_rule_put(bytes + at,
                         word_of(rule, address, rule->offset + table, chunk, (place - table) % rule->chunk));
    }
}
