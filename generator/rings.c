#include "generator/rings.h"

#include "base/rational.h"
#include "base/units.h"
#include "generator/page_ring.h"
#include "generator/palette.h"
#include "generator/ring_parts.h"

#include <math.h>
#include <string.h>

/* Below 2 GiB, so that a displacement reaches all of it. */
static const uint64_t MOST_BYTES = UINT64_C(0x7fffffff);
enum { PAGE_BYTES = 4096, STATE_BYTES = 64, DEPTH_UNIT = 8 };

/* A ring being placed. */
struct attempt {
    const struct rings_request *request;
    const struct ring_request *wanted;
    const struct palette *palette;
    unsigned *colors; /* [color_count] of the ring */
    unsigned color_count;
    uint64_t first_row;
    uint64_t row_step;    /* rows from one of the ring's rows to the next */
    uint64_t static_rows; /* of a pass, for what is read in every pass */
    uint64_t rows;        /* of a pass */
    unsigned turns;
    unsigned *counts; /* lines of each row class of a cache */
    unsigned *always; /* of these, such as are read in every pass */
};

/* ---- colors ---- */

static enum status refuse_stride(const struct palette *palette, uint64_t stride, struct error *error)
{
    error_set(error, STATUS_RECIPE, "a stride of %llu bytes does not keep a stated rate here",
              (unsigned long long)stride);
    error_hint(error,
               "expected a multiple of the line, %llu bytes, that divides %llu or is a multiple of it; or "
               "working_set = BYTES in place of a rate",
               (unsigned long long)palette->unit, (unsigned long long)palette->row);
    return STATUS_RECIPE;
}

/* True when the stride alone says which colors: those of other rings come after. */
static bool has_own_stride(const struct ring_request *wanted, const struct palette *palette)
{
    return wanted->stride > 0 && wanted->stride != palette->unit;
}

/* The colors of a ring whose stride is stated. */
static enum status color_by_stride(struct attempt *attempt, struct palette *palette, struct error *error)
{
    uint64_t stride = attempt->wanted->stride;
    if (stride % palette->unit != 0 || (palette->row % stride != 0 && stride % palette->row != 0))
        return refuse_stride(palette, stride, error);
    attempt->row_step = stride > palette->row ? stride / palette->row : 1;
    attempt->color_count = stride >= palette->row ? 1 : (unsigned)(palette->row / stride);
    if (palette_take(palette, attempt->color_count, palette->open / attempt->color_count, attempt->colors))
        return STATUS_OK;
    return palette_refuse(palette, error);
}

/* ---- lines in a cache's sets ---- */

static unsigned row_classes(const struct attempt *attempt, const struct cache *cache)
{
    return (unsigned)(cache->size / cache->ways / attempt->palette->row);
}

/* The fewest lines that a set has which the ring's accesses must miss in, and the most that a set is to hold.
 */
struct spread {
    unsigned least, most;
};

static uint64_t row_of(const struct attempt *attempt, unsigned turn, uint64_t row)
{
    return attempt->first_row + (turn * attempt->rows + row) * attempt->row_step;
}

static void count_color(const struct attempt *attempt, unsigned color, unsigned classes)
{
    const struct ring_request *wanted = attempt->wanted;
    memset(attempt->counts, 0, classes * sizeof *attempt->counts);
    for (unsigned i = color; i < wanted->lines; i += attempt->color_count)
        for (unsigned turn = 0; turn < attempt->turns; turn++)
            attempt->counts[row_of(attempt, turn, i / attempt->color_count) % classes]++;
    memcpy(attempt->always, attempt->counts, classes * sizeof *attempt->counts);
    for (unsigned i = color; i < wanted->extra_count; i += attempt->color_count) {
        const struct ring_extra *extra = &wanted->extras[i];
        for (unsigned turn = 0; turn < attempt->turns; turn++) {
            unsigned pass = turn % attempt->request->period;
            bool whole = attempt->turns % attempt->request->period == 0;
            if (whole && (pass < extra->from || pass >= extra->until))
                continue;
            uint64_t row = attempt->static_rows + i / attempt->color_count;
            attempt->counts[row_of(attempt, turn, row) % classes]++;
        }
    }
}

static struct spread spread_in(const struct attempt *attempt, const struct cache *cache)
{
    unsigned classes = row_classes(attempt, cache);
    struct spread spread = {.least = -1U};
    for (unsigned color = 0; color < attempt->color_count; color++) {
        count_color(attempt, color, classes);
        for (unsigned i = 0; i < classes; i++) {
            unsigned pushing = attempt->always[i] > 0 ? attempt->always[i] : attempt->counts[i];
            if (pushing > 0 && pushing < spread.least)
                spread.least = pushing;
            if (attempt->counts[i] > spread.most)
                spread.most = attempt->counts[i];
        }
    }
    return spread;
}

/* ---- one ring ---- */

/* Lines that a set is to have for a depth in eighths of the ways. */
static unsigned lines_for(const struct attempt *attempt, const struct cache *cache, unsigned depth)
{
    unsigned lines = depth * cache->ways / DEPTH_UNIT;
    if (attempt->request->depth_told)
        return lines > 0 ? lines : 1;
    return lines > cache->ways ? lines : cache->ways + 1;
}

/* Turns that are likely enough for the cache; they are counted afterwards. */
static uint64_t first_guess(const struct attempt *attempt, const struct cache *cache, unsigned depth)
{
    uint64_t classes = row_classes(attempt, cache);
    uint64_t wanted = lines_for(attempt, cache, depth) * classes / rational_gcd(classes, attempt->row_step);
    uint64_t rows = attempt->static_rows > 0 ? attempt->static_rows : attempt->rows;
    bool partial = attempt->wanted->lines % attempt->color_count != 0 && rows > 1;
    uint64_t turns = (wanted + rows - partial - 1) / (rows - partial);
    return turns == 0 ? 1 : turns;
}

static bool is_below(const struct attempt *attempt, uint64_t turns)
{
    uint64_t rows = attempt->first_row + turns * attempt->rows * attempt->row_step;
    return rows * attempt->palette->row < MOST_BYTES;
}

/* Turns until all caches above the serving level miss. Without lines of every pass, extras alone fill the
 * ring, and turns are whole periods. */
static bool choose_turns(struct attempt *attempt, unsigned depth)
{
    const struct machine *machine = attempt->request->machine;
    unsigned step = attempt->wanted->lines == 0 ? attempt->request->period : 1;
    attempt->turns = step;
    for (int level = 0; level < (int)attempt->wanted->level; level++) {
        const struct cache *cache = machine_cache(machine, level);
        if (cache == NULL)
            continue;
        uint64_t guess = first_guess(attempt, cache, depth);
        guess = (guess + step - 1) / step * step;
        if (guess > attempt->turns && is_below(attempt, guess))
            attempt->turns = (unsigned)guess;
        while (spread_in(attempt, cache).least < lines_for(attempt, cache, depth)) {
            uint64_t more = attempt->turns + (attempt->turns / 16 / step + 1) * step;
            if (!is_below(attempt, more))
                return false;
            attempt->turns = (unsigned)more;
        }
    }
    return true;
}

/* Rows of a pass are coprime with every cache's, so that a color's lines come to all of them evenly. */
static void choose_rows(struct attempt *attempt)
{
    const struct ring_request *wanted = attempt->wanted;
    unsigned colors = attempt->color_count;
    attempt->static_rows = (wanted->lines + colors - 1) / colors;
    attempt->rows = attempt->static_rows + (wanted->extra_count + colors - 1) / colors;
    bool good = false;
    for (; !good; attempt->rows += !good) {
        good = true;
        for (int level = 0; level < LEVEL_COUNT; level++) {
            const struct cache *cache = machine_cache(attempt->request->machine, level);
            good = good && (cache == NULL || rational_gcd(row_classes(attempt, cache), attempt->rows) == 1);
        }
    }
}

static bool is_held(const struct attempt *attempt, unsigned spare)
{
    const struct cache *cache = machine_cache(attempt->request->machine, attempt->wanted->level);
    return cache == NULL || spread_in(attempt, cache).most + spare <= cache->ways;
}

/* From twice the ways of each cache that shall miss down to one more than these, a way of the serving cache
 * left free for code and what else comes by; then without. */
static bool search(struct attempt *attempt)
{
    int wished = (int)ceil(attempt->request->depth * DEPTH_UNIT);
    int least = attempt->request->depth_told ? wished : DEPTH_UNIT;
    choose_rows(attempt);
    for (unsigned spare = 2; spare-- > 0;)
        for (int depth = wished; depth >= least; depth -= 2)
            if (choose_turns(attempt, (unsigned)depth) && is_held(attempt, spare))
                return true;
    return false;
}

static enum status refuse(const struct attempt *attempt, struct error *error)
{
    const struct machine *machine = attempt->request->machine;
    int level = (int)attempt->wanted->level;
    const struct cache *cache = machine_cache(machine, level);
    char size[32];
    if (cache == NULL) {
        error_set(error, STATUS_RECIPE,
                  "no working set below 2 GiB misses every cache of %s with these shares of each pass",
                  machine->name);
        error_hint(error, "larger shares, or more loop.units, read more lines in a pass");
        return STATUS_RECIPE;
    }
    error_set(
        error, STATUS_RECIPE, "the levels above %s cannot all be missed by lines that %s (%s, %u-way) holds",
        level_name(level), level_name(level), units_format_size(cache->size, size, sizeof size), cache->ways);
    error_hint(error,
               "served_by.%s = 0 leaves the level out; few accesses of a pass need more lines than many",
               level_name(level));
    return STATUS_RECIPE;
}

static uint64_t offset_of(const struct attempt *attempt, uint64_t row, unsigned color)
{
    return row * attempt->row_step * attempt->palette->row + attempt->colors[color] * attempt->palette->unit;
}

static void write_ring(const struct attempt *attempt, struct random *random, struct arena *arena,
                       struct ring *ring)
{
    const struct ring_request *wanted = attempt->wanted;
    ring->start = attempt->first_row * attempt->palette->row;
    ring->turns = attempt->turns;
    ring->step = attempt->turns > 1 ? attempt->rows * attempt->row_step * attempt->palette->row : 0;
    ring->offsets = arena_alloc(arena, wanted->lines + wanted->extra_count + 1, sizeof *ring->offsets);
    ring->lines = (uint64_t)wanted->lines * attempt->turns;
    for (unsigned i = 0; i < wanted->lines; i++)
        ring->offsets[i] = (uint32_t)offset_of(attempt, i / attempt->color_count, i % attempt->color_count);
    for (unsigned i = wanted->lines; i > 1 && !wanted->in_order; i--) {
        unsigned other = random_below(random, i);
        uint32_t offset = ring->offsets[i - 1];
        ring->offsets[i - 1] = ring->offsets[other];
        ring->offsets[other] = offset;
    }
    for (unsigned i = 0; i < wanted->extra_count; i++)
        ring->offsets[wanted->lines + i] = (uint32_t)offset_of(
            attempt, attempt->static_rows + i / attempt->color_count, i % attempt->color_count);
}

/* The first row after the ring. */
static uint64_t row_after(const struct attempt *attempt, const struct ring *ring)
{
    uint64_t top = 0;
    for (unsigned i = 0; i < attempt->wanted->lines + attempt->wanted->extra_count; i++)
        top = ring->offsets[i] > top ? ring->offsets[i] : top;
    uint64_t row = attempt->palette->row;
    return (ring->start + (ring->turns - 1) * ring->step + top) / row + 1;
}

/* Tries that many colors, apart from each other; gives them back when the ring does not fit in them. */
static bool search_with(struct attempt *attempt, struct palette *palette, unsigned count)
{
    attempt->color_count = count;
    if (!palette_take(palette, count, palette->open / count, attempt->colors))
        return false;
    if (search(attempt))
        return true;
    palette_give_back(palette, count, attempt->colors);
    return false;
}

/* Past L2 a pass that reads one line of a page, and no second one soon, gives a prefetcher nothing to follow:
 * one color is best. In L2 an odd number of colors spreads the lines over its banks. More hold more lines. */
static bool search_apart(struct attempt *attempt, struct palette *palette, unsigned most)
{
    static const unsigned beyond[] = {1, 3, 7, 2, 4, 8, 16, 32, 64};
    static const unsigned near[] = {7, 3, 1, 8, 4, 2, 16, 32, 64};
    const unsigned *counts = attempt->wanted->level > LEVEL_L2 ? beyond : near;
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
        if (counts[i] <= most && search_with(attempt, palette, counts[i]))
            return true;
    return false;
}

/* As many colors as there are, in a row, then fewer. */
static bool search_run(struct attempt *attempt, struct palette *palette, unsigned most)
{
    for (; most > 0; most /= 2) {
        attempt->color_count = palette_take_run(palette, most, attempt->colors);
        if (search(attempt))
            return true;
        palette_give_back(palette, attempt->color_count, attempt->colors);
    }
    return false;
}

/* rings_left: this one and those that still have to choose their colors. */
static enum status search_colors(struct attempt *attempt, struct palette *palette, unsigned rings_left,
                                 struct error *error)
{
    if (has_own_stride(attempt->wanted, palette))
        return search(attempt) ? STATUS_OK : refuse(attempt, error);
    unsigned most = palette_left(palette) / rings_left;
    if (most == 0)
        return palette_refuse(palette, error);
    bool found = !attempt->wanted->in_order && search_apart(attempt, palette, most);
    return found || search_run(attempt, palette, most) ? STATUS_OK : refuse(attempt, error);
}

static enum status place_pages(const struct attempt *attempt, struct arena *arena, struct ring *ring,
                               struct error *error)
{
    struct page_ring_request pages = {.machine = attempt->request->machine,
                                      .first_color = attempt->colors[0],
                                      .colors = attempt->color_count,
                                      .lines = attempt->wanted->lines,
                                      .extras = attempt->wanted->extra_count,
                                      .own_words = attempt->request->hot_words > 0};
    return page_ring_place(&pages, attempt->palette, attempt->first_row, arena, ring, error);
}

static enum status place_ring(struct attempt *attempt, struct palette *palette, unsigned rings_left,
                              struct random *random, struct arena *arena, struct ring *ring,
                              struct error *error)
{
    if ((int)attempt->wanted->level == LEVEL_PAGE) {
        enum status status = place_pages(attempt, arena, ring, error);
        if (status != STATUS_OK)
            return status;
    } else if (attempt->wanted->working_set > 0) {
        rings_write_walk(attempt->wanted, attempt->request->machine->l1d.line,
                         attempt->first_row * attempt->palette->row, random, arena, ring);
    } else {
        enum status status = search_colors(attempt, palette, rings_left, error);
        if (status != STATUS_OK)
            return status;
        write_ring(attempt, random, arena, ring);
    }
    attempt->first_row = row_after(attempt, ring);
    if (attempt->first_row * attempt->palette->row < MOST_BYTES)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE,
              "the working sets come to more than 2 GiB, which displacements do not reach");
    error_hint(error, "fewer levels, or a smaller working_set, need less");
    return STATUS_RECIPE;
}

static unsigned most_row_classes(const struct rings_request *request, const struct palette *palette)
{
    uint64_t most = 1;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(request->machine, level);
        if (cache != NULL && cache->size / cache->ways / palette->row > most)
            most = cache->size / cache->ways / palette->row;
    }
    return (unsigned)most;
}

/* Lines in pages of their own take the upper half of the colors, before all others. */
static void leave_half(struct palette *palette, struct attempt *attempt)
{
    unsigned first = palette->colors / 2;
    attempt->color_count = palette->colors - first;
    palette->open = first;
    for (unsigned i = 0; i < attempt->color_count; i++) {
        attempt->colors[i] = first + i;
        palette->used[first + i] = true;
    }
}

enum turn { TURN_PAGES, TURN_STRIDES, TURN_FREE, TURN_RUNS, TURNS };

/* Who chooses colors when: a stride leaves the least choice, a run of colors takes what is left. */
static enum turn turn_to_choose(const struct ring_request *wanted, const struct palette *palette)
{
    if ((int)wanted->level == LEVEL_PAGE)
        return TURN_PAGES;
    if (wanted->working_set > 0 || has_own_stride(wanted, palette))
        return TURN_STRIDES;
    return wanted->in_order ? TURN_RUNS : TURN_FREE;
}

static bool is_strided(const struct ring_request *wanted, const struct palette *palette)
{
    return wanted->working_set == 0 && turn_to_choose(wanted, palette) == TURN_STRIDES;
}

/* Short strides, which take many colors, before long ones. */
static enum status color_strides(struct attempt *attempts, const struct rings_request *request,
                                 struct palette *palette, struct error *error)
{
    enum status status = STATUS_OK;
    uint64_t stride = 0;
    for (bool found = true; found && status == STATUS_OK;) {
        uint64_t next = UINT64_MAX;
        for (unsigned i = 0; i < request->ring_count; i++) {
            const struct ring_request *wanted = &request->rings[i];
            if (is_strided(wanted, palette) && wanted->stride > stride && wanted->stride < next)
                next = wanted->stride;
        }
        found = next != UINT64_MAX;
        stride = next;
        for (unsigned i = 0; found && status == STATUS_OK && i < request->ring_count; i++)
            if (is_strided(&request->rings[i], palette) && request->rings[i].stride == stride)
                status = color_by_stride(&attempts[i], palette, error);
    }
    return status;
}

static struct attempt *make_attempts(const struct rings_request *request, struct palette *palette,
                                     struct arena *arena)
{
    struct attempt *attempts = arena_alloc(arena, request->ring_count + 1, sizeof *attempts);
    unsigned classes = most_row_classes(request, palette);
    unsigned *counts = arena_alloc(arena, 2 * (size_t)classes, sizeof *counts);
    for (unsigned i = 0; i < request->ring_count; i++) {
        attempts[i] = (struct attempt){.request = request,
                                       .wanted = &request->rings[i],
                                       .palette = palette,
                                       .row_step = 1,
                                       .counts = counts,
                                       .always = counts + classes};
        attempts[i].colors = arena_alloc(arena, palette->colors, sizeof *attempts[i].colors);
        if (turn_to_choose(&request->rings[i], palette) == TURN_PAGES)
            leave_half(palette, &attempts[i]);
    }
    return attempts;
}

/* left: rings that still have to choose their colors. */
static enum status place_some(const struct rings_request *request, enum turn turn, struct palette *palette,
                              struct attempt *attempts, unsigned *left, struct random *random,
                              struct arena *arena, uint64_t *row, struct rings_layout *layout,
                              struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < request->ring_count; i++) {
        if (turn_to_choose(&request->rings[i], palette) != turn)
            continue;
        attempts[i].first_row = *row;
        status = place_ring(&attempts[i], palette, *left, random, arena, &layout->rings[i], error);
        *row = attempts[i].first_row;
        *left -= turn > TURN_STRIDES;
    }
    return status;
}

static enum status place_rings(const struct rings_request *request, struct palette *palette,
                               struct random *random, struct arena *arena, struct rings_layout *layout,
                               struct error *error)
{
    struct attempt *attempts = make_attempts(request, palette, arena);
    uint64_t row = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < request->ring_count; i++)
        left += turn_to_choose(&request->rings[i], palette) > TURN_STRIDES;
    enum status status = color_strides(attempts, request, palette, error);
    if (status == STATUS_OK)
        status =
            place_some(request, TURN_PAGES, palette, attempts, &left, random, arena, &row, layout, error);
    /* What misses the TLB shall be pages of 4 KiB, and nothing else shall miss it. */
    uint64_t step = RINGS_HUGE_BYTES / palette->row;
    row = (row + step - 1) / step * step;
    layout->huge_from = row * palette->row;
    if (status == STATUS_OK)
        status = rings_place_hot(request, palette, left, row, arena, layout, error);
    row = layout->state / palette->row + (STATE_BYTES + palette->row - 1) / palette->row;
    for (int turn = TURN_STRIDES; status == STATUS_OK && turn < TURNS; turn++)
        status = place_some(request, (enum turn)turn, palette, attempts, &left, random, arena, &row, layout,
                            error);
    layout->bytes = row * palette->row;
    return status;
}

enum status rings_place(const struct rings_request *request, struct random *random, struct arena *arena,
                        struct rings_layout *layout, struct error *error)
{
    struct palette palette;
    memset(layout, 0, sizeof *layout);
    enum status status = palette_make(request->machine, arena, &palette, error);
    if (status != STATUS_OK)
        return status;
    palette.used[0] = true;
    layout->rings = arena_alloc(arena, request->ring_count + 1, sizeof *layout->rings);
    status = place_rings(request, &palette, random, arena, layout, error);
    layout->align = palette.row > PAGE_BYTES ? palette.row : PAGE_BYTES;
    if (layout->align % PAGE_BYTES != 0)
        layout->align *= PAGE_BYTES / rational_gcd(layout->align, PAGE_BYTES);
    return status;
}
