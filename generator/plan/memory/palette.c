#include "generator/plan/memory/palette.h"

#include "base/rational.h"

enum { PAGE_BYTES = 4096 };

enum status palette_make(const struct machine *machine, struct arena *arena, struct palette *palette,
                         struct error *error)
{
    *palette = (struct palette){0};
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(machine, level);
        if (cache == NULL)
            continue;
        uint64_t span = cache->size / cache->ways;
        palette->row = palette->row == 0 ? span : rational_gcd(palette->row, span);
        palette->unit = palette->unit < cache->line ? cache->line : palette->unit;
    }
    if (palette->row > PAGE_BYTES && palette->row % PAGE_BYTES == 0)
        palette->row = PAGE_BYTES;
    palette->colors = (unsigned)(palette->row / palette->unit);
    if (palette->row % palette->unit != 0 || palette->colors < 2) {
        error_set(error, STATUS_RECIPE,
                  "lines that must stay in L1D cannot be separated from others: the sets of this machine's "
                  "caches share %u positions",
                  palette->colors);
        error_hint(error, "for such a machine, only loads that L1 and L2 serve can be generated");
        return STATUS_RECIPE;
    }
    palette->open = palette->colors;
    palette->used = arena_alloc(arena, palette->colors, sizeof *palette->used);
    return STATUS_OK;
}

/* The i-th phase to try. Even ones come first, so that a prefetched adjacent line belongs to no working set.
 */
static unsigned phase_of(const struct palette *palette, unsigned i, unsigned spacing)
{
    unsigned evens = (spacing + 1) / 2;
    if (!palette->by_halves || (spacing & (spacing - 1)) != 0)
        return i < evens ? 2 * i : 2 * (i - evens) + 1;
    unsigned phase = 0;
    for (unsigned bit = 1; bit < spacing; bit *= 2)
        phase += i & bit ? spacing / 2 / bit : 0;
    return phase;
}

bool palette_take(struct palette *palette, unsigned count, unsigned spacing, unsigned *colors)
{
    for (unsigned i = 0; i < spacing; i++) {
        unsigned phase = phase_of(palette, i, spacing);
        bool is_free = true;
        for (unsigned c = 0; c < count; c++)
            is_free = is_free && !palette->used[(phase + c * spacing) % palette->open];
        if (!is_free)
            continue;
        for (unsigned c = 0; c < count; c++) {
            colors[c] = (phase + c * spacing) % palette->open;
            palette->used[colors[c]] = true;
        }
        return true;
    }
    return false;
}

unsigned palette_take_run(struct palette *palette, unsigned most, unsigned *colors)
{
    unsigned count = 0;
    for (unsigned c = 0; c < palette->colors && count < most; c++) {
        if (palette->used[c])
            continue;
        palette->used[c] = true;
        colors[count++] = c;
    }
    return count;
}

void palette_give_back(struct palette *palette, unsigned count, const unsigned *colors)
{
    for (unsigned i = 0; i < count; i++)
        palette->used[colors[i]] = false;
}

unsigned palette_left(const struct palette *palette)
{
    unsigned left = 0;
    for (unsigned c = 0; c < palette->colors; c++)
        left += !palette->used[c];
    return left;
}

enum status palette_refuse(const struct palette *palette, struct error *error)
{
    error_set(
        error, STATUS_RECIPE,
        "no position is left for a level of this unit: this machine's caches have %u that share no set, and "
        "other levels, loads and stores take them",
        palette->colors);
    error_hint(error, "fewer levels, loads or stores with rates need fewer; so do longer strides");
    return STATUS_RECIPE;
}
