#include "sim/caches.h"

#include "base/memory.h"
#include "generator/plan/memory/cache_model.h"

#include <stdlib.h>

struct level_copies {
    struct cache geometry; /* of one copy */
    unsigned copies;
    uint64_t interleave;
    struct cache_model **models; /* [copies] */
};

struct caches {
    unsigned count;
    struct level_copies levels[CACHES_MOST_LEVELS];
};

static enum status check(const struct cache_level *level, unsigned number, struct error *error)
{
    unsigned sets = cache_sets(&level->cache);
    if (sets == 0 || level->copies == 0)
        return error_set(error, STATUS_USAGE, "cache level %u has no sets, or no copies", number + 1);
    if (level->interleave == 0)
        return STATUS_OK;
    if (sets < level->copies)
        return error_set(error, STATUS_USAGE, "cache level %u has %u sets, fewer than its %u channels",
                         number + 1, sets, level->copies);
    if (level->interleave % level->cache.line != 0)
        return error_set(
            error, STATUS_USAGE,
            "cache level %u has lines of %u bytes, which do not fit an interleaving of %llu bytes",
            number + 1, level->cache.line, (unsigned long long)level->interleave);
    return STATUS_OK;
}

static struct cache part_of(const struct cache_level *level)
{
    struct cache part = level->cache;
    if (level->interleave == 0)
        return part;
    part.size /= level->copies;
    if (part.sector != 0 && part.sector < part.line)
        part.line = part.sector;
    return part;
}

enum status caches_new(const struct cache_level *levels, unsigned count, struct caches **caches,
                       struct error *error)
{
    if (count == 0 || count > CACHES_MOST_LEVELS)
        return error_set(error, STATUS_USAGE, "%u cache levels: expected 1 to %d", count, CACHES_MOST_LEVELS);
    for (unsigned i = 0; i < count; i++) {
        enum status status = check(&levels[i], i, error);
        if (status != STATUS_OK)
            return status;
    }
    struct caches *new = memory_zeroed(1, sizeof *new);
    new->count = count;
    for (unsigned i = 0; i < count; i++) {
        struct level_copies *level = &new->levels[i];
        level->geometry = part_of(&levels[i]);
        level->copies = levels[i].copies;
        level->interleave = levels[i].interleave;
        level->models = memory_zeroed(level->copies, sizeof(struct cache_model *));
        for (unsigned copy = 0; copy < level->copies; copy++)
            level->models[copy] = cache_model_new(&level->geometry);
    }
    *caches = new;
    return STATUS_OK;
}

void caches_free(struct caches *caches)
{
    for (unsigned i = 0; caches != NULL && i < caches->count; i++) {
        for (unsigned copy = 0; copy < caches->levels[i].copies; copy++)
            cache_model_free(caches->levels[i].models[copy]);
        free(caches->levels[i].models);
    }
    free(caches);
}

static unsigned channel_of(const struct level_copies *level, uint64_t address)
{
    return level->interleave == 0 ? 0 : (unsigned)(address / level->interleave % level->copies);
}

/* The address without the channel bits, so that each channel's addresses are contiguous. */
static uint64_t within_channel(const struct level_copies *level, uint64_t address)
{
    uint64_t row = address / level->interleave / level->copies;
    return row * level->interleave + address % level->interleave;
}

/* The level's model for the unit's address, which becomes the one within its channel. */
static struct cache_model *model_of(const struct level_copies *level, unsigned unit, uint64_t *address)
{
    if (level->interleave == 0)
        return level->models[unit % level->copies];
    struct cache_model *model = level->models[channel_of(level, *address)];
    *address = within_channel(level, *address);
    return model;
}

unsigned caches_serve(struct caches *caches, unsigned first, unsigned unit, uint64_t address)
{
    return caches_serve_leaving(caches, first, caches->count, unit, address);
}

unsigned caches_serve_leaving(struct caches *caches, unsigned first, unsigned leaving, unsigned unit,
                              uint64_t address)
{
    for (unsigned level = first; level < caches->count; level++) {
        uint64_t at = address;
        struct cache_model *model = model_of(&caches->levels[level], unit, &at);
        if (level == leaving ? cache_model_access_leaving(model, at) : cache_model_access(model, at))
            return level;
    }
    return caches->count;
}

/* A bijection: neighbouring lines stay in different sets, and lines a power of two apart do not share one. */
static uint64_t hashed(uint64_t line)
{
    return line ^ (line >> 7 & 0x1f) ^ (line >> 12 & 0x1f) ^ (line >> 17 & 0x1f);
}

unsigned caches_serve_sectors(struct caches *caches, unsigned level, unsigned unit, uint64_t line,
                              unsigned wanted)
{
    const struct level_copies *one = &caches->levels[level];
    return cache_model_sectors(one->models[unit % one->copies], hashed(line), wanted);
}

void caches_serve_soon(const struct caches *caches, unsigned level, unsigned unit, uint64_t line)
{
    const struct level_copies *one = &caches->levels[level];
    cache_model_sectors_soon(one->models[unit % one->copies], hashed(line));
}

unsigned caches_channel(const struct caches *caches, unsigned level, uint64_t address)
{
    return channel_of(&caches->levels[level], address);
}

void caches_empty(struct caches *caches, unsigned level, unsigned unit)
{
    struct level_copies *one = &caches->levels[level];
    struct cache_model **model = &one->models[unit % one->copies];
    cache_model_free(*model);
    *model = cache_model_new(&one->geometry);
}
