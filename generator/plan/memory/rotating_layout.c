#include "generator/plan/memory/rotating_layout.h"

#include "base/rational.h"
#include "base/units.h"
#include "generator/plan/memory/capacity.h"
#include "generator/plan/memory/page_set.h"
#include "generator/plan/memory/palette.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- working set parts ---- */

/* The parts of a layout that need no search: walks through a working set, and words that always hit. */

/* A walk may be longer or shorter than stated by a hundredth of its lines. */
enum { OFF_BY_PARTS = 100 };

static enum status refuse_walk(const struct rotating_set_request *wanted, uint64_t spacing, uint64_t lines,
                               uint64_t turns, struct error *error)
{
    uint64_t pass = wanted->lines, less = lines / pass * pass;
    error_set(error, STATUS_RECIPE,
              "working_set is %" PRIu64 " bytes, %" PRIu64 " lines or strides of %" PRIu64
              " bytes, and a pass accesses %" PRIu64 " of them: its walk would go through %" PRIu64 " bytes",
              wanted->working_set, lines, spacing, pass, turns * pass * spacing);
    error_hint(error,
               "expected working_set = %" PRIu64 " or %" PRIu64 ", or loop = { units = } by which a pass "
               "accesses a divisor of %" PRIu64 " or all of them",
               less * spacing, (less + pass) * spacing, lines);
    return STATUS_RECIPE;
}

/* Writes the walk's lines from start (bytes from the data) on; line: bytes of L1D's line. STATUS_RECIPE if
 * whole passes make a walk of another length than the stated one. */
static enum status write_walk(const struct rotating_set_request *wanted, unsigned line, uint64_t start,
                              struct random *random, struct arena *arena, struct rotating_set *set,
                              struct error *error)
{
    uint64_t spacing = wanted->stride > 0 ? wanted->stride : line;
    uint64_t lines = wanted->working_set / spacing == 0 ? 1 : wanted->working_set / spacing;
    uint64_t turns = (lines + wanted->lines / 2) / wanted->lines;
    turns = lines > wanted->lines && turns == 0 ? 1 : turns;
    uint64_t made = lines > wanted->lines ? turns * wanted->lines : lines;
    uint64_t off = made > lines ? made - lines : lines - made;
    if (off * OFF_BY_PARTS > lines)
        return refuse_walk(wanted, spacing, lines, turns, error);
    set->at = rotation_by(start, turns > 1 ? spacing * wanted->lines : 0, turns == 0 ? 1 : (unsigned)turns);
    set->lines = turns > 1 ? turns * wanted->lines : lines;
    set->offsets = arena_alloc(arena, wanted->lines + 1, sizeof *set->offsets);
    for (unsigned i = 0; i < wanted->lines; i++)
        set->offsets[i] = (uint32_t)(i % lines * spacing);
    if (!wanted->in_order)
        random_shuffle_numbers(random, set->offsets, wanted->lines);
    return STATUS_OK;
}

/* Fills `hot` and `state` of the layout, from the row `first` on. Takes colors for them, and leaves a color
 * for each of sets_left working sets. The stack's line is at the start of an unknown row, so the first line
 * of every row of a way of L1D is left to it. STATUS_RECIPE, and layout->hot_room, if L1D has no room. */
static enum status place_hot(const struct rotating_layout_request *request, struct palette *palette,
                             unsigned sets_left, uint64_t first, struct arena *arena,
                             struct rotating_layout *layout, struct error *error)
{
    const struct cache *l1 = &request->machine->l1d;
    unsigned in_line = l1->line / request->block;
    unsigned rows = (unsigned)(l1->size / palette->row) * cache_keeps(l1) / l1->ways;
    unsigned stack = request->stack ? (unsigned)(l1->size / l1->ways / palette->row) : 0;
    unsigned lines = stack + request->hot_apart + (request->hot_words + in_line - 1) / in_line;
    unsigned wanted = (lines + rows - 1) / rows;
    unsigned left = palette_left(palette);
    unsigned most = 1 + (left > sets_left ? left - sets_left : 0);
    if (wanted > most) {
        unsigned others = stack + request->hot_apart;
        unsigned room = most * rows > others ? (most * rows - others) * in_line : 0;
        layout->hot_room = room > 0 ? room : 1;
        error_set(error, STATUS_RECIPE,
                  "the kernel needs %u words that always hit, but L1D has room for %u beside the rest",
                  request->hot_words, room);
        error_hint(error, "a smaller loop needs fewer: loop = { units = }");
        return STATUS_RECIPE;
    }
    if (request->compact) /* as few rows as there are colors for */
        wanted = lines < most ? lines : most;
    unsigned *colors = arena_alloc(arena, wanted + 1, sizeof *colors);
    for (unsigned i = 1; i < wanted; i++)
        palette_take(palette, 1, palette->open, &colors[i]);
    layout->hot = arena_alloc(arena, (size_t)lines * in_line + 1, sizeof *layout->hot);
    unsigned placed = 0;
    for (unsigned i = 0, line = 0; line < lines - stack; i++) {
        uint64_t row = i / wanted, at = (first + row) * palette->row + colors[i % wanted] * palette->unit;
        if (i % wanted == 0 && row < stack)
            continue;
        for (unsigned word = 0; word < (line < request->hot_apart ? 1 : in_line); word++)
            layout->hot[placed++] = at + word * (uint64_t)request->block;
        line++;
    }
    layout->state = (first + (lines + wanted - 1) / wanted) * palette->row;
    return STATUS_OK;
}

/* ---- working sets ---- */

/* Below 2 GiB: offsets have 31 bits, like x86-64's displacements; other ISAs use anchors (anchors.h). */
static const uint64_t MOST_BYTES = UINT64_C(0x7fffffff);
enum { PAGE_BYTES = 4096, STATE_BYTES = 64, DEPTH_UNIT = 8 };

/* The largest share of all accesses that a wrong level may serve: less than the tolerance of a rate, 0.01. */
static const double MOST_WRONG = 0.0085;
static const double MOST_LOST = 0.005;

/* Refusals name shares in multiples of this. */
static const double LEAST_SHARE = 0.01;

/* A working set being placed. */
struct rotating_attempt {
    const struct rotating_layout_request *request;
    const struct rotating_set_request *wanted;
    const struct palette *palette;
    unsigned *colors; /* [color_count] of the working set */
    unsigned color_count;
    uint64_t first_row;
    uint64_t row_step;    /* rows from one of the working set's rows to the next */
    uint64_t static_rows; /* of a pass, for lines read in every pass */
    uint64_t rows;        /* of a pass */
    unsigned turns;
    unsigned *counts; /* lines in each row class of a cache */
    unsigned *always; /* of these, lines read in every pass */
    uint64_t *steps;  /* counting steps of all attempts so far */
};

/* ---- colors ---- */

static enum status refuse_stride(const struct palette *palette, uint64_t stride, struct error *error)
{
    error_set(error, STATUS_RECIPE, "a stride of %llu bytes cannot meet a stated rate here",
              (unsigned long long)stride);
    error_hint(
        error,
        "expected a multiple of the line, %llu bytes, that divides %llu bytes or is a multiple of them; or "
        "working_set = BYTES instead of a rate",
        (unsigned long long)palette->unit, (unsigned long long)palette->row);
    return STATUS_RECIPE;
}

/* Reports how many positions the stride needs and how many the unit's other levels, loads and stores leave.
 */
static enum status refuse_taken(const struct rotating_attempt *attempt, const struct palette *palette,
                                struct error *error)
{
    const char *level = level_name((int)attempt->wanted->level);
    error_set(error, STATUS_RECIPE,
              "a stride of %llu bytes in accesses that %s serves takes %u of the %u positions that share no "
              "set of this machine's caches: %u are free, and not that far apart; accesses that other levels "
              "serve have the rest",
              (unsigned long long)attempt->wanted->stride, level, attempt->color_count, palette->colors,
              palette_left(palette));
    error_hint(error,
               "a stride of %llu bytes takes one position, and a load without a stride as few as are left; "
               "or use a separate load for the level that has the stride",
               (unsigned long long)palette->row);
    return STATUS_RECIPE;
}

/* True if the stride alone determines the colors; other working sets choose later. */
static bool has_own_stride(const struct rotating_set_request *wanted, const struct palette *palette)
{
    return wanted->stride > 0 && wanted->stride != palette->unit;
}

/* Chooses the colors of a working set with a stated stride. */
static enum status color_by_stride(struct rotating_attempt *attempt, struct palette *palette,
                                   struct error *error)
{
    uint64_t stride = attempt->wanted->stride;
    if (stride % palette->unit != 0 || (palette->row % stride != 0 && stride % palette->row != 0))
        return refuse_stride(palette, stride, error);
    attempt->row_step = stride > palette->row ? stride / palette->row : 1;
    attempt->color_count = stride >= palette->row ? 1 : (unsigned)(palette->row / stride);
    if (palette_take(palette, attempt->color_count, palette->open / attempt->color_count, attempt->colors))
        return STATUS_OK;
    return refuse_taken(attempt, palette, error);
}

/* ---- lines in a cache's sets ---- */

static unsigned row_classes(const struct rotating_attempt *attempt, const struct cache *cache)
{
    return (unsigned)(cache->size / cache->ways / attempt->palette->row);
}

/* The fewest lines in any set that must miss, and the most in any set that must hold them. */
struct page_spread {
    unsigned least, most;
};

static uint64_t row_of(const struct rotating_attempt *attempt, unsigned turn, uint64_t row)
{
    return attempt->first_row + (turn * attempt->rows + row) * attempt->row_step;
}

static unsigned lines_of_color(const struct rotating_attempt *attempt, unsigned color)
{
    unsigned lines = attempt->wanted->lines;
    return lines > color ? (lines - color - 1) / attempt->color_count + 1 : 0;
}

/* Turns after which the rows return to the same classes. */
static unsigned cycle_of(const struct rotating_attempt *attempt, unsigned classes)
{
    return classes / (unsigned)rational_gcd(classes, attempt->rows * attempt->row_step);
}

/* The number of the attempt's turns that equal the turn modulo the cycle. */
static unsigned times(const struct rotating_attempt *attempt, unsigned turn, unsigned cycle)
{
    return turn < attempt->turns ? (attempt->turns - turn - 1) / cycle + 1 : 0;
}

/* There may be hundreds of thousands of turns, but they are cyclic: each turn of a cycle represents all like
 * it. */
static void count_color(const struct rotating_attempt *attempt, unsigned color, unsigned classes)
{
    const struct rotating_set_request *wanted = attempt->wanted;
    unsigned cycle = cycle_of(attempt, classes);
    unsigned once = cycle < attempt->turns ? cycle : attempt->turns;
    *attempt->steps += (uint64_t)lines_of_color(attempt, color) * once + classes;
    memset(attempt->counts, 0, classes * sizeof *attempt->counts);
    for (unsigned i = color; i < wanted->lines; i += attempt->color_count)
        for (unsigned turn = 0; turn < once; turn++)
            attempt->counts[row_of(attempt, turn, i / attempt->color_count) % classes] +=
                times(attempt, turn, cycle);
    memcpy(attempt->always, attempt->counts, classes * sizeof *attempt->counts);
    unsigned period = attempt->request->period;
    bool whole = attempt->turns % period == 0;
    cycle = (unsigned)rational_lcm(cycle, period);
    once = cycle < attempt->turns ? cycle : attempt->turns;
    for (unsigned i = color; i < wanted->extra_count; i += attempt->color_count) {
        const struct rotating_set_extra *extra = &wanted->extras[i];
        uint64_t row = attempt->static_rows + i / attempt->color_count;
        *attempt->steps += once;
        for (unsigned turn = 0; turn < once; turn++)
            if (!whole || (turn % period >= extra->from && turn % period < extra->until))
                attempt->counts[row_of(attempt, turn, row) % classes] += times(attempt, turn, cycle);
    }
}

/* True if the color's lines fall into the same classes as the previous color's. */
static bool is_like_last(const struct rotating_attempt *attempt, unsigned color)
{
    return color > attempt->wanted->extra_count &&
           lines_of_color(attempt, color) == lines_of_color(attempt, color - 1);
}

static struct page_spread spread_in(const struct rotating_attempt *attempt, const struct cache *cache)
{
    unsigned classes = row_classes(attempt, cache);
    struct page_spread spread = {.least = -1U};
    for (unsigned color = 0; color < attempt->color_count; color++) {
        if (is_like_last(attempt, color))
            continue;
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

/* ---- one working set ---- */

/* Lines per set for a depth in eighths of the ways. */
static unsigned lines_for(const struct rotating_attempt *attempt, const struct cache *cache, unsigned depth)
{
    unsigned lines = depth * cache->ways / DEPTH_UNIT;
    if (attempt->request->depth_fixed)
        return lines > 0 ? lines : 1;
    return lines > cache->ways ? lines : cache->ways + 1;
}

/* A number of turns that probably suffices for the cache; checked by counting afterwards. */
static uint64_t first_guess(const struct rotating_attempt *attempt, const struct cache *cache, unsigned depth)
{
    uint64_t classes = row_classes(attempt, cache);
    uint64_t wanted = lines_for(attempt, cache, depth) * classes / rational_gcd(classes, attempt->row_step);
    uint64_t rows = attempt->static_rows > 0 ? attempt->static_rows : attempt->rows;
    bool partial = attempt->wanted->lines % attempt->color_count != 0 && rows > 1;
    uint64_t turns = (wanted + rows - partial - 1) / (rows - partial);
    return turns == 0 ? 1 : turns;
}

static bool is_below(const struct rotating_attempt *attempt, uint64_t turns)
{
    uint64_t rows = attempt->first_row + turns * attempt->rows * attempt->row_step;
    return rows * attempt->palette->row < MOST_BYTES;
}

/* True for a working set of a level whose index function a plan cannot know. */
static bool is_deep(const struct rotating_layout_request *request, const struct rotating_set_request *wanted)
{
    return !request->by_conflict && wanted->working_set == 0 &&
           (wanted->level == LEVEL_L3 || wanted->level == LEVEL_MEM);
}

/* The cache in front of the level. */
static const struct cache *front_of(const struct machine *machine, enum memory_level level)
{
    int front = (int)level - 1;
    while (machine_cache(machine, front) == NULL)
        front--;
    return machine_cache(machine, front);
}

/* Accesses of a pass that the working set serves, on average. */
static double weight_of(const struct rotating_layout_request *request,
                        const struct rotating_set_request *wanted)
{
    double weight = wanted->lines;
    for (unsigned i = 0; i < wanted->extra_count; i++)
        weight += (wanted->extras[i].until - wanted->extras[i].from) / (double)request->period;
    return weight;
}

/* The same for all deep working sets of this level and of levels behind it: the traffic in the cache in front
 * of the level. */
static double weight_from(const struct rotating_layout_request *request, enum memory_level level)
{
    double weight = 0;
    for (unsigned i = 0; i < request->set_count; i++)
        if (is_deep(request, &request->sets[i]) && request->sets[i].level >= level)
            weight += weight_of(request, &request->sets[i]);
    return weight;
}

/* The accesses that the deep working sets of the level serve, as a share of all. */
static double share_of(const struct rotating_layout_request *request, enum memory_level level)
{
    double served = weight_from(request, level) - (level < LEVEL_MEM ? weight_from(request, level + 1) : 0);
    return served / request->accesses;
}

/* A level behind L2, and the share of a row that is used by its lines, or by the lines that evict them. With
 * a plain index it is the same share of the sets. */
struct deep {
    enum memory_level level;
    double cover;
};

/* The shares of a level's accesses that other levels serve, at a depth: lines that stay in the cache in
 * front, and lines that the level's own cache has evicted. */
struct faults {
    double stay, lost;
};

/* Copies whose cores may share the cache: all, unless fewer cores are known to share it. */
static double sharing(const struct rotating_layout_request *request, const struct cache *cache)
{
    unsigned copies = request->copies == 0 ? 1 : request->copies;
    return cache->shared_by > 0 && cache->shared_by < copies ? cache->shared_by : copies;
}

static struct faults faults_at(const struct rotating_layout_request *request, const struct deep *deep,
                               double depth)
{
    enum memory_level level = deep->level;
    const struct cache *cache = machine_cache(request->machine, (int)level);
    const struct cache *front = front_of(request->machine, level);
    struct faults faults = {.stay = capacity_stays(front, depth)};
    if (cache == NULL)
        return faults;
    double all = depth * (double)(front->size / front->line);
    double own = all * (1 - weight_from(request, level + 1) / weight_from(request, level));
    double copies = sharing(request, cache);
    bool overflows = copies * all > deep->cover * cache_sets(cache) * cache->ways;
    faults.lost = overflows || copies * all * cache->line > (double)capacity_room(cache)
                      ? 1
                      : capacity_lost(cache, copies * own, copies * (all - own));
    return faults;
}

/* True if, according to the description, only this core uses the level and the one in front of it. */
static bool is_own(const struct machine *machine, enum memory_level level)
{
    const struct cache *caches[] = {front_of(machine, level), machine_cache(machine, (int)level)};
    bool own = !machine->is_virtual;
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        own = own && (caches[i] == NULL || (caches[i]->shared_by <= 1 && caches[i]->effective == 0));
    return own;
}

/* True if some depth meets the rate even under random replacement: nearly always for memory, for a cache if
 * most of it stays free. */
static bool is_random_proof(const struct rotating_layout_request *request, const struct deep *deep)
{
    enum memory_level level = deep->level;
    static const double MOST_MEMORY = 1e9;
    const struct cache *front = front_of(request->machine, level);
    double depth = capacity_random_depth(front);
    double bytes = depth * (double)front->size;
    struct faults faults = faults_at(request, deep, depth);
    const struct cache *cache = machine_cache(request->machine, (int)level);
    if (!is_own(request->machine, level))
        return false;
    return cache == NULL ? bytes <= MOST_MEMORY
                         : 2 * bytes <= deep->cover * (double)cache->size &&
                               faults.lost * share_of(request, level) < MOST_LOST / 2;
}

/* The lines accessed before a line of the working set is reused, in multiples of the lines of the cache in
 * front: the least that meets the rate, because a core's part of a shared cache is uncertain. */
static double deep_depth(const struct rotating_layout_request *request, const struct deep *deep)
{
    static const double LEAST = 1.5, MOST = 8, STEP = 0.25;
    if (request->depth_fixed)
        return request->depth;
    if (!request->pages_fit && is_random_proof(request, deep))
        return capacity_random_depth(front_of(request->machine, deep->level));
    double share = share_of(request, deep->level);
    double best = LEAST;
    double fewest = INFINITY;
    for (double depth = LEAST; depth <= MOST; depth += STEP) {
        struct faults faults = faults_at(request, deep, depth);
        if ((faults.stay + faults.lost) * share <= MOST_WRONG)
            return depth;
        if (faults.stay + faults.lost < fewest) {
            fewest = faults.stay + faults.lost;
            best = depth;
        }
    }
    return best;
}

/* The largest share of all accesses that the level can serve beside the deeper ones. */
static double most_share(const struct rotating_layout_request *request, const struct deep *deep)
{
    static const double LEAST = 1.5, MOST = 8, STEP = 0.25;
    double least = 1;
    for (double depth = LEAST; depth <= MOST; depth += STEP) {
        struct faults faults = faults_at(request, deep, depth);
        least = faults.stay + faults.lost < least ? faults.stay + faults.lost : least;
    }
    return MOST_WRONG / least;
}

/* Lines of a deep working set: its share of all lines that pass through the cache in front. */
static uint64_t deep_lines(const struct rotating_layout_request *request,
                           const struct rotating_set_request *wanted, const struct deep *deep)
{
    const struct cache *front = front_of(request->machine, wanted->level);
    double all = deep_depth(request, deep) * (double)(front->size / front->line);
    return (uint64_t)ceil(all * weight_of(request, wanted) / weight_from(request, wanted->level));
}

/* Chooses the turns after which all caches above the serving level miss. Without lines read in every pass,
 * extras alone fill the working set, and turns are whole periods. */
static bool choose_turns(struct rotating_attempt *attempt, unsigned depth)
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

/* The number of rows of a pass is coprime with every cache's row classes, so that a color's lines cover all
 * of them evenly. */
static void choose_rows(struct rotating_attempt *attempt)
{
    const struct rotating_set_request *wanted = attempt->wanted;
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

static bool is_held(const struct rotating_attempt *attempt, unsigned spare)
{
    const struct cache *cache = machine_cache(attempt->request->machine, attempt->wanted->level);
    return cache == NULL || spread_in(attempt, cache).most + spare <= cache->ways;
}

/* Tries from twice the ways of each cache that must miss down to one more than the ways, leaving one way of
 * the serving cache free for code and other data; then without the free way. */
static bool search(struct rotating_attempt *attempt)
{
    int preferred = (int)ceil(attempt->request->depth * DEPTH_UNIT);
    int least = attempt->request->depth_fixed ? preferred : DEPTH_UNIT;
    if (is_deep(attempt->request, attempt->wanted)) {
        /* As many lines as missing by size requires, in these places. */
        const struct deep deep = {attempt->wanted->level, 1};
        double part = (double)attempt->palette->colors / attempt->color_count;
        least = preferred = (int)ceil(deep_depth(attempt->request, &deep) * part * DEPTH_UNIT);
    }
    choose_rows(attempt);
    for (unsigned spare = 2; spare-- > 0;)
        for (int depth = preferred; depth >= least; depth -= 2)
            if (*attempt->steps > ROTATING_MOST_STEPS)
                return false;
            else if (choose_turns(attempt, (unsigned)depth) && is_held(attempt, spare))
                return true;
    return false;
}

static enum status refuse(const struct rotating_attempt *attempt, struct error *error)
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
    error_set(error, STATUS_RECIPE, "no lines can both miss all levels above %s and stay in %s (%s, %u-way)",
              level_name(level), level_name(level), units_format_size(cache->size, size, sizeof size),
              cache->ways);
    error_hint(error, "served_by.%s = 0 omits the level; few accesses per pass need more lines than many",
               level_name(level));
    return STATUS_RECIPE;
}

static uint64_t offset_of(const struct rotating_attempt *attempt, uint64_t row, unsigned color)
{
    return row * attempt->row_step * attempt->palette->row + attempt->colors[color] * attempt->palette->unit;
}

static void write_set(const struct rotating_attempt *attempt, struct random *random, struct arena *arena,
                      struct rotating_set *set)
{
    const struct rotating_set_request *wanted = attempt->wanted;
    uint64_t step = attempt->turns > 1 ? attempt->rows * attempt->row_step * attempt->palette->row : 0;
    set->at = rotation_by(attempt->first_row * attempt->palette->row, step, attempt->turns);
    set->offsets = arena_alloc(arena, wanted->lines + wanted->extra_count + 1, sizeof *set->offsets);
    set->lines = (uint64_t)wanted->lines * attempt->turns;
    for (unsigned i = 0; i < wanted->lines; i++)
        set->offsets[i] = (uint32_t)offset_of(attempt, i / attempt->color_count, i % attempt->color_count);
    if (!wanted->in_order)
        random_shuffle_numbers(random, set->offsets, wanted->lines);
    for (unsigned i = 0; i < wanted->extra_count; i++)
        set->offsets[wanted->lines + i] = (uint32_t)offset_of(
            attempt, attempt->static_rows + i / attempt->color_count, i % attempt->color_count);
}

/* The first row after the working set. */
static uint64_t row_after(const struct rotating_attempt *attempt, const struct rotating_set *set)
{
    uint64_t top = 0;
    for (unsigned i = 0; i < attempt->wanted->lines + attempt->wanted->extra_count; i++)
        top = set->offsets[i] > top ? set->offsets[i] : top;
    uint64_t row = attempt->palette->row;
    const struct rotation *at = &set->at;
    uint64_t end = set->bytes > 0 ? set->bytes - 1 : (at->positions - 1) * at->step + top;
    return (at->start + end) / row + 1;
}

/* Tries that many colors, apart from each other; returns them if the working set does not fit. */
static bool search_with(struct rotating_attempt *attempt, struct palette *palette, unsigned count)
{
    attempt->color_count = count;
    if (!palette_take(palette, count, palette->open / count, attempt->colors))
        return false;
    if (search(attempt))
        return true;
    palette_give_back(palette, count, attempt->colors);
    return false;
}

/* Many colors put a pass's lines into few pages, which few base registers reach. Otherwise, beyond L2, one
 * color is best: a pass that reads one line of a page, and no second one soon, gives a prefetcher nothing to
 * follow. In L2, an odd number of colors spreads the lines over its banks. More colors hold more lines. */
static bool search_apart(struct rotating_attempt *attempt, struct palette *palette, unsigned most)
{
    static const unsigned beyond[] = {1, 3, 7, 2, 4, 8, 16, 32, 64};
    static const unsigned near[] = {7, 3, 1, 8, 4, 2, 16, 32, 64};
    static const unsigned compact[] = {64, 32, 16, 8, 7, 4, 3, 2, 1};
    const unsigned *counts = attempt->wanted->level > LEVEL_L2 ? beyond : near;
    /* Few lines are reused before others, wherever they lie, evict them. */
    if (palette->by_halves)
        counts = beyond;
    if (attempt->request->compact)
        counts = compact;
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
        if (counts[i] <= most && search_with(attempt, palette, counts[i]))
            return true;
    return false;
}

/* As many consecutive colors as there are, then fewer. */
static bool search_run(struct rotating_attempt *attempt, struct palette *palette, unsigned most)
{
    for (; most > 0; most /= 2) {
        attempt->color_count = palette_take_run(palette, most, attempt->colors);
        if (search(attempt))
            return true;
        palette_give_back(palette, attempt->color_count, attempt->colors);
    }
    return false;
}

/* ---- lines that L2 serves, again and again in a pass ---- */

enum { MOST_ROUND_COLORS = 8 };

/* Lines of one L1D set, visited several times in a pass. */
struct set_rounds {
    unsigned lines, times, used;
};

/* True if so few lines would be evicted by the traffic of deeper levels, which is random over L2's sets. */
static bool is_crowded(const struct rotating_layout_request *request,
                       const struct rotating_set_request *wanted, unsigned lines)
{
    const struct cache *l2 = &request->machine->l2;
    double others = weight_from(request, LEVEL_L3) / weight_of(request, wanted) * lines;
    double share = weight_of(request, wanted) / request->accesses;
    return weight_from(request, LEVEL_L3) > 0 && capacity_lost(l2, lines, others) * share > MOST_LOST;
}

/* Number of places in L2's sets for a page's lines, among which pages fall at random. */
static unsigned page_classes(const struct cache *cache)
{
    uint64_t classes = cache->size / cache->ways / PAGE_BYTES;
    return classes == 0 ? 1 : (unsigned)classes;
}

/* True if L2 may lose some of that many lines at one place in their pages, wherever the pages lie. */
static bool is_lot(const struct cache *l2, double lines)
{
    static const double RARE = 0.001;
    struct cache pages = *l2; /* a place within a page: a set for each class of pages */
    pages.size = (uint64_t)page_classes(l2) * pages.ways * pages.line;
    return page_classes(l2) > 1 && capacity_lost(&pages, lines, 0) > RARE;
}

/* Number of lines of an L1D set that always evict each other, one per page: 1.5 times the ways, or more if L2
 * keeps them wherever the pages lie. */
static unsigned lines_of_set(const struct rotating_layout_request *request)
{
    static const double FEWER = 1.5;
    const struct machine *machine = request->machine;
    double depth = request->depth;
    if (!request->depth_fixed && !request->by_conflict && depth > FEWER &&
        is_lot(&machine->l2, depth * machine->l1d.ways))
        depth = FEWER;
    unsigned lines = (unsigned)ceil(depth * machine->l1d.ways);
    return lines <= machine->l1d.ways && !request->depth_fixed ? machine->l1d.ways + 1 : lines;
}

/* Places the lines in a few L1D sets, each with as many lines as its depth requires, which a pass visits a
 * whole number of times; the last set has the remainder. So few lines lie in few pages, and recur before
 * lines of deeper levels evict them from L2. The sets alternate, because one that misses again at once stalls
 * some cores. False if a pass has too few accesses for a set, or if the recipe states the lines' layout. */
static bool place_rounds(const struct rotating_attempt *attempt, struct palette *palette, unsigned sets_left,
                         struct random *random, struct arena *arena, struct rotating_set *set)
{
    const struct rotating_layout_request *request = attempt->request;
    const struct rotating_set_request *wanted = attempt->wanted;
    unsigned deep = lines_of_set(request);
    struct set_rounds rounds[MOST_ROUND_COLORS] = {0};
    unsigned colors[MOST_ROUND_COLORS];
    if (request->compact || wanted->level != LEVEL_L2 || wanted->in_order || wanted->stride > 0 ||
        wanted->lines < deep)
        return false;
    unsigned times = wanted->lines / deep;
    unsigned most = palette_left(palette) / (sets_left == 0 ? 1 : 2 * sets_left);
    unsigned count = times < MOST_ROUND_COLORS ? times : MOST_ROUND_COLORS;
    count = count > most ? most : count;
    while (count > 1 && is_crowded(request, wanted, deep * (count + 1)))
        count /= 2;
    if (count == 0)
        return false;
    for (unsigned i = 0; i < count; i++)
        rounds[i] = (struct set_rounds){.lines = deep, .times = times / count + (i < times % count)};
    struct set_rounds *last = &rounds[count - 1];
    unsigned left = wanted->lines - times * deep;
    if (left > 0 && last->times > 1 && count == 1) { /* one set: lines that divide the accesses */
        unsigned lines = deep;
        while (lines < wanted->lines && wanted->lines % lines != 0)
            lines++;
        *last = (struct set_rounds){.lines = lines, .times = wanted->lines / lines};
    } else if (left > 0) {
        for (; last->times > 1; last->times--)
            rounds[(last->times - 2) % (count - 1)].times++;
        last->lines += left;
    }
    /* Each visit of a line reads another word, in the half that loads read. */
    unsigned words = palette_words(palette, request->block);
    for (unsigned i = 0; request->own_words && i < count; i++)
        if (rounds[i].times > words)
            return false;
    unsigned rows = last->lines > deep ? last->lines : deep;
    /* Where a way of L1D is longer than a row, rows this far apart share its sets. */
    unsigned step = row_classes(attempt, &request->machine->l1d);
    unsigned held = request->machine->l2.ways * row_classes(attempt, &request->machine->l2);
    if ((uint64_t)(rows + wanted->extra_count) * step > held)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!palette_take(palette, 1, palette->open, &colors[i])) {
            palette_give_back(palette, i, colors);
            return false;
        }
    /* If a few classes of pages may get too many of a set's lines, each set's lines are in separate pages. */
    unsigned apart = !request->by_conflict && is_lot(&request->machine->l2, deep) ? rows : 0;
    set->at = rotation_by(attempt->first_row * palette->row, 0, 1);
    set->lines = wanted->lines;
    set->offsets = arena_alloc(arena, wanted->lines + wanted->extra_count + 1, sizeof *set->offsets);
    /* Each set's lines have their own order, the same in every round. */
    unsigned *order = arena_alloc(arena, (size_t)count * rows, sizeof *order);
    for (unsigned k = 0; k < count; k++) {
        for (unsigned i = 0; i < rounds[k].lines; i++)
            order[k * rows + i] = i;
        random_shuffle_numbers(random, &order[k * rows], rounds[k].lines);
    }
    for (unsigned i = 0; i < wanted->lines; i++) {
        unsigned next = 0;
        double behind = -INFINITY;
        for (unsigned k = 0; k < count; k++) {
            unsigned all = rounds[k].lines * rounds[k].times;
            double wait = (double)(i + 1) * all / wanted->lines - rounds[k].used;
            if (rounds[k].used < all && wait > behind) {
                behind = wait;
                next = k;
            }
        }
        unsigned visit = rounds[next].used / rounds[next].lines;
        unsigned row = order[next * rows + rounds[next].used++ % rounds[next].lines] + next * apart;
        uint64_t word = request->own_words ? visit * (uint64_t)request->block : 0;
        set->offsets[i] = (uint32_t)(row * step * palette->row + colors[next] * palette->unit + word);
    }
    for (unsigned i = 0; i < wanted->extra_count; i++) {
        uint64_t row = (uint64_t)(rows + (count - 1) * apart + i / count) * step;
        set->offsets[wanted->lines + i] = (uint32_t)(row * palette->row + colors[i % count] * palette->unit);
    }
    return true;
}

/* sets_left: this working set and those that still have no colors. */
static enum status search_colors(struct rotating_attempt *attempt, struct palette *palette,
                                 unsigned sets_left, struct error *error)
{
    if (has_own_stride(attempt->wanted, palette))
        return search(attempt) ? STATUS_OK : refuse(attempt, error);
    unsigned most = palette_left(palette) / sets_left;
    if (most == 0)
        return palette_refuse(palette, error);
    bool found = !attempt->wanted->in_order && search_apart(attempt, palette, most);
    return found || search_run(attempt, palette, most) ? STATUS_OK : refuse(attempt, error);
}

static enum status place_pages(const struct rotating_attempt *attempt, struct arena *arena,
                               struct rotating_set *set, struct error *error)
{
    struct page_set_request pages = {.machine = attempt->request->machine,
                                     .colors = attempt->colors,
                                     .color_count = attempt->color_count,
                                     .accesses = attempt->request->accesses,
                                     .lines = attempt->wanted->lines,
                                     .extras = attempt->wanted->extra_count,
                                     .block = attempt->request->block,
                                     .own_words = attempt->request->hot_words > 0};
    return page_set_place(&pages, attempt->palette, attempt->first_row, arena, set, error);
}

static enum status refuse_deep(const struct rotating_attempt *attempt, const struct deep *deep,
                               struct error *error)
{
    const struct rotating_layout_request *request = attempt->request;
    const struct machine *machine = request->machine;
    const struct cache *cache = machine_cache(machine, (int)deep->level);
    const char *name = level_name((int)deep->level);
    uint64_t bytes = (uint64_t)(deep_depth(request, deep) * (double)front_of(machine, deep->level)->size);
    char size[32], room[32];
    error_set(error, STATUS_RECIPE,
              "no lines can both miss all levels above %s and stay in %s (%s, %u-way): a line must return "
              "only after %s of other lines, or a nearer cache may still hold it, and by then %s has lost "
              "too many of its own%s",
              name, name, units_format_size(capacity_room(cache), room, sizeof room), cache->ways,
              units_format_size(bytes, size, sizeof size), name,
              request->copies > 1 ? ", when copies of the program share it" : "");
    double share = floor(most_share(request, deep) / LEAST_SHARE) * LEAST_SHARE;
    if (share > 0 && share < share_of(request, deep->level))
        error_hint(error,
                   "served_by.%s = %.2g of all loads and stores can be met; --index virtual can meet more, "
                   "because it uses the sets of plainly indexed caches, as in simulators",
                   name, share);
    else
        error_hint(error,
                   "served_by.%s = 0 omits the level; --index virtual uses the sets of plainly indexed "
                   "caches, as in simulators",
                   name);
    return STATUS_RECIPE;
}

/* True if the level keeps the working set's lines beside all other traffic. */
static bool keeps(const struct rotating_layout_request *request, const struct deep *deep)
{
    if (request->depth_fixed || machine_cache(request->machine, (int)deep->level) == NULL)
        return true;
    struct faults faults = faults_at(request, deep, deep_depth(request, deep));
    return (faults.lost + faults.stay) * share_of(request, deep->level) <= MOST_WRONG;
}

/* True if L3 replaces at random and there are working sets both in it and behind it. Those behind it would
 * evict its own lines, so each of the two levels gets every other color. */
static bool is_apart(const struct rotating_layout_request *request)
{
    return request->machine->l3.policy == POLICY_RANDOM && weight_from(request, LEVEL_MEM) > 0 &&
           share_of(request, LEVEL_L3) > 0;
}

/* Number of lines, in sets of their own, that L3 keeps and L2 does not: several times what these sets of L2
 * hold, limited by what the sets of L3 hold with room to settle. */
static uint64_t lines_apart(const struct rotating_layout_request *request,
                            const struct rotating_set_request *wanted, const struct deep *deep)
{
    static const double DEPTH = 5, MOST_FILLED = 0.6;
    const struct cache *l2 = &request->machine->l2;
    const struct cache *l3 = &request->machine->l3;
    double lost = DEPTH * (double)(l2->size / l2->line);
    double kept = MOST_FILLED * (double)(l3->size / l3->line);
    double part =
        weight_of(request, wanted) / (weight_from(request, LEVEL_L3) - weight_from(request, LEVEL_MEM));
    if (wanted->lines > 0) /* extras have as many lines each as the accesses of every pass */
        kept *= wanted->lines / (double)(wanted->lines + wanted->extra_count);
    return (uint64_t)(deep->cover * part * fmin(lost, kept));
}

static const bool *deep_of_any(const struct palette *palette)
{
    const bool *colors = NULL;
    for (int level = 0; level < LEVEL_COUNT && colors == NULL; level++)
        colors = palette->deep[level];
    return colors;
}

static enum status place_deep(const struct rotating_attempt *attempt, struct palette *palette,
                              struct random *random, struct arena *arena, struct rotating_set *set,
                              struct error *error)
{
    const struct rotating_layout_request *request = attempt->request;
    bool *colors = arena_alloc(arena, palette->colors, sizeof *colors);
    enum memory_level level = attempt->wanted->level;
    bool apart = is_apart(request);
    const bool *deep_colors = apart ? palette->deep[level] : deep_of_any(palette);
    bool any = false;
    for (unsigned color = 0; color < palette->open; color++)
        if ((deep_colors == NULL || deep_colors[color]) && (!apart || color % 2 == (level == LEVEL_L3)))
            any = (colors[color] = !palette->used[color]) || any;
    if (!any)
        return palette_refuse(palette, error);
    struct capacity_set placed = {.wanted = attempt->wanted,
                                  .row = palette->row,
                                  .unit = palette->unit,
                                  .color_count = palette->colors,
                                  .free = colors,
                                  .period = request->period,
                                  .first_row = attempt->first_row,
                                  .compact = request->compact,
                                  .near = request->pages_near};
    const struct deep deep = {attempt->wanted->level, capacity_cover(&placed)};
    if (!keeps(request, &deep))
        return refuse_deep(attempt, &deep, error);
    placed.lines = deep_lines(request, attempt->wanted, &deep);
    if (apart && level == LEVEL_L3) {
        uint64_t own = lines_apart(request, attempt->wanted, &deep);
        placed.lines = placed.lines < own ? own : placed.lines;
    }
    set->by_capacity = true;
    if (!capacity_set_place(&placed, MOST_BYTES, random, arena, set))
        return refuse(attempt, error);
    if (deep_colors == NULL)
        palette->deep[level] = colors;
    return STATUS_OK;
}

static enum status place_set(struct rotating_attempt *attempt, struct palette *palette, unsigned sets_left,
                             struct random *random, struct arena *arena, struct rotating_set *set,
                             struct error *error)
{
    if ((int)attempt->wanted->level == LEVEL_PAGE) {
        enum status status = place_pages(attempt, arena, set, error);
        if (status != STATUS_OK)
            return status;
    } else if (attempt->wanted->working_set > 0) {
        enum status status =
            write_walk(attempt->wanted, attempt->request->machine->l1d.line,
                       attempt->first_row * attempt->palette->row, random, arena, set, error);
        if (status != STATUS_OK)
            return status;
    } else if (is_deep(attempt->request, attempt->wanted) && !attempt->wanted->in_order) {
        enum status status = place_deep(attempt, palette, random, arena, set, error);
        if (status != STATUS_OK)
            return status;
    } else if (!place_rounds(attempt, palette, sets_left, random, arena, set)) {
        enum status status = search_colors(attempt, palette, sets_left, error);
        if (status != STATUS_OK)
            return status;
        write_set(attempt, random, arena, set);
    }
    attempt->first_row = row_after(attempt, set);
    if (attempt->first_row * attempt->palette->row < MOST_BYTES)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE, "the working sets exceed the 2 GiB that displacements reach");
    error_hint(error, "use fewer levels or a smaller working_set");
    return STATUS_RECIPE;
}

static bool has_deep(const struct rotating_layout_request *request)
{
    for (unsigned i = 0; i < request->set_count; i++)
        if (is_deep(request, &request->sets[i]))
            return true;
    return false;
}

static unsigned most_row_classes(const struct rotating_layout_request *request, const struct palette *palette)
{
    uint64_t most = 1;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        const struct cache *cache = machine_cache(request->machine, level);
        if (cache != NULL && cache->size / cache->ways / palette->row > most)
            most = cache->size / cache->ways / palette->row;
    }
    return (unsigned)most;
}

/* The shortest stated stride that takes several colors, in colors; 1: there is none. */
static unsigned shortest_stride(const struct rotating_layout_request *request, const struct palette *palette)
{
    uint64_t shortest = palette->row;
    for (unsigned i = 0; i < request->set_count; i++)
        if (has_own_stride(&request->sets[i], palette) && request->sets[i].stride < shortest)
            shortest = request->sets[i].stride;
    return shortest < palette->row ? (unsigned)(shortest / palette->unit) : 1;
}

/* True if the color is reserved for lines in separate pages: the colors from `first` on or, beside a stride,
 * half of the colors that it passes over. */
static bool is_for_pages(const struct palette *palette, unsigned color, unsigned stride, unsigned first)
{
    if (stride > 1)
        return color % stride < stride / 2;
    return palette->pages_alternate ? color % 2 == 1 : color >= first;
}

/* Reserves colors for lines in separate pages, which choose first: half of the colors, or more if half would
 * hold no more lines than the data TLB has entries. */
static void leave_half(const struct rotating_layout_request *request, struct palette *palette,
                       struct rotating_attempt *attempt)
{
    unsigned stride = shortest_stride(request, palette);
    uint64_t rows = request->machine->l1d.size / palette->row;
    uint64_t wanted = request->machine->data_tlb.entries * UINT64_C(9) / 8;
    unsigned eighth = palette->colors / 8;
    unsigned first = palette->colors / 2;
    while (stride == 1 && eighth > 0 && first > 2 * eighth && (palette->colors - first) * rows <= wanted)
        first -= eighth;
    attempt->color_count = 0;
    for (unsigned color = 0; color < palette->colors; color++)
        if (!palette->used[color] && is_for_pages(palette, color, stride, first)) {
            attempt->colors[attempt->color_count++] = color;
            palette->used[color] = true;
        }
    palette->open = stride > 1 || palette->pages_alternate ? palette->colors : first;
}

enum layout_turn { TURN_PAGES, TURN_STRIDES, TURN_FREE, TURN_RUNS, TURN_DEEP, TURNS };

/* The turn in which a working set chooses its colors: those with a stride come early because they have the
 * least choice, a run of colors takes the rest. */
static enum layout_turn turn_to_choose(const struct rotating_layout_request *request,
                                       const struct rotating_set_request *wanted,
                                       const struct palette *palette)
{
    if (is_deep(request, wanted) && !wanted->in_order)
        return TURN_DEEP;
    if ((int)wanted->level == LEVEL_PAGE)
        return TURN_PAGES;
    if (wanted->working_set > 0 || has_own_stride(wanted, palette))
        return TURN_STRIDES;
    return wanted->in_order ? TURN_RUNS : TURN_FREE;
}

static bool is_strided(const struct rotating_layout_request *request,
                       const struct rotating_set_request *wanted, const struct palette *palette)
{
    return wanted->working_set == 0 && turn_to_choose(request, wanted, palette) == TURN_STRIDES;
}

/* Short strides, which take many colors, before long ones. */
static enum status color_strides(struct rotating_attempt *attempts,
                                 const struct rotating_layout_request *request, struct palette *palette,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    uint64_t stride = 0;
    for (bool found = true; found && status == STATUS_OK;) {
        uint64_t next = UINT64_MAX;
        for (unsigned i = 0; i < request->set_count; i++) {
            const struct rotating_set_request *wanted = &request->sets[i];
            if (is_strided(request, wanted, palette) && wanted->stride > stride && wanted->stride < next)
                next = wanted->stride;
        }
        found = next != UINT64_MAX;
        stride = next;
        for (unsigned i = 0; found && status == STATUS_OK && i < request->set_count; i++)
            if (is_strided(request, &request->sets[i], palette) && request->sets[i].stride == stride)
                status = color_by_stride(&attempts[i], palette, error);
    }
    return status;
}

static struct rotating_attempt *make_attempts(const struct rotating_layout_request *request,
                                              struct palette *palette, uint64_t *steps, struct arena *arena)
{
    struct rotating_attempt *attempts = arena_alloc(arena, request->set_count + 1, sizeof *attempts);
    unsigned classes = most_row_classes(request, palette);
    unsigned *counts = arena_alloc(arena, 2 * (size_t)classes, sizeof *counts);
    for (unsigned i = 0; i < request->set_count; i++) {
        attempts[i] = (struct rotating_attempt){.request = request,
                                                .wanted = &request->sets[i],
                                                .palette = palette,
                                                .row_step = 1,
                                                .steps = steps,
                                                .counts = counts,
                                                .always = counts + classes};
        attempts[i].colors = arena_alloc(arena, palette->colors, sizeof *attempts[i].colors);
        if (turn_to_choose(request, &request->sets[i], palette) == TURN_PAGES)
            leave_half(request, palette, &attempts[i]);
    }
    return attempts;
}

/* The working set that follows this one in the turn; the number of working sets if there is none. Deep ones
 * come in order of their accesses, most first. */
static unsigned next_set(const struct rotating_layout_request *request, enum layout_turn turn,
                         const struct palette *palette, unsigned after, const bool *placed)
{
    if (turn != TURN_DEEP) {
        unsigned i = after;
        while (i < request->set_count && turn_to_choose(request, &request->sets[i], palette) != turn)
            i++;
        return i;
    }
    unsigned best = request->set_count;
    for (unsigned i = 0; i < request->set_count; i++) {
        const struct rotating_set_request *wanted = &request->sets[i];
        if (!placed[i] && turn_to_choose(request, wanted, palette) == turn &&
            (best == request->set_count ||
             weight_of(request, wanted) > weight_of(request, &request->sets[best])))
            best = i;
    }
    return best;
}

/* left: working sets that still have no colors. */
static enum status place_some(const struct rotating_layout_request *request, enum layout_turn turn,
                              struct palette *palette, struct rotating_attempt *attempts, unsigned *left,
                              struct random *random, struct arena *arena, uint64_t *row,
                              struct rotating_layout *layout, struct error *error)
{
    enum status status = STATUS_OK;
    bool *placed = arena_alloc(arena, request->set_count + 1, sizeof *placed);
    for (unsigned i = next_set(request, turn, palette, 0, placed);
         status == STATUS_OK && i < request->set_count; i = next_set(request, turn, palette, i + 1, placed)) {
        placed[i] = true;
        attempts[i].first_row = *row;
        status = place_set(&attempts[i], palette, *left, random, arena, &layout->sets[i], error);
        *row = attempts[i].first_row;
        *left -= turn > TURN_STRIDES;
    }
    return status;
}

static enum status place_sets(const struct rotating_layout_request *request, struct palette *palette,
                              struct random *random, struct arena *arena, struct rotating_layout *layout,
                              struct error *error)
{
    struct rotating_attempt *attempts = make_attempts(request, palette, &layout->steps, arena);
    uint64_t row = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < request->set_count; i++)
        left += turn_to_choose(request, &request->sets[i], palette) > TURN_STRIDES;
    enum status status = color_strides(attempts, request, palette, error);
    /* The kernel's state and its stack are in the first bytes of a row, beside words that always hit. */
    for (unsigned color = 1; color * palette->unit < STATE_BYTES && 2 * color < palette->colors; color++)
        palette->used[color] = true;
    if (status == STATUS_OK)
        status =
            place_some(request, TURN_PAGES, palette, attempts, &left, random, arena, &row, layout, error);
    /* Lines that must miss the TLB need pages of 4 KiB; all others are in huge pages, so that they do not
     * miss it. */
    uint64_t step = ROTATING_HUGE_BYTES / palette->row;
    row = (row + step - 1) / step * step;
    layout->huge_from = row * palette->row;
    if (status == STATUS_OK)
        status = place_hot(request, palette, left, row, arena, layout, error);
    row = layout->state / palette->row + (STATE_BYTES + palette->row - 1) / palette->row;
    for (int turn = TURN_STRIDES; status == STATUS_OK && turn < TURNS; turn++)
        status = place_some(request, (enum layout_turn)turn, palette, attempts, &left, random, arena, &row,
                            layout, error);
    layout->bytes = row * palette->row;
    return status;
}

static enum status place_in(const struct rotating_layout_request *request, bool pages_alternate,
                            struct random *random, struct arena *arena, struct rotating_layout *layout,
                            struct error *error)
{
    struct palette palette;
    memset(layout, 0, sizeof *layout);
    enum status status = palette_make(request->machine, arena, &palette, error);
    if (status != STATUS_OK)
        return status;
    palette.used[0] = true;
    palette.by_halves = has_deep(request);
    palette.pages_alternate = pages_alternate;
    layout->sets = arena_alloc(arena, request->set_count + 1, sizeof *layout->sets);
    status = place_sets(request, &palette, random, arena, layout, error);
    layout->apart = palette.by_halves && is_apart(request) && request->machine->l3.line == palette.unit
                        ? 2 * (uint64_t)palette.unit
                        : 0;
    layout->align = palette.row > PAGE_BYTES ? palette.row : PAGE_BYTES;
    uint64_t page = request->pages_matter ? request->machine->data_tlb.page : PAGE_BYTES;
    if (layout->align % page != 0)
        layout->align *= page / rational_gcd(layout->align, page);
    return status;
}

/* Tries both reservations for lines in separate pages: a working set that moves in even parts of a row finds
 * few colors if the upper half is reserved, and many if every other color is. */
enum status rotating_layout_place(const struct rotating_layout_request *request, struct random *random,
                                  struct arena *arena, struct rotating_layout *layout, struct error *error)
{
    struct random again = *random;
    enum status status = place_in(request, false, random, arena, layout, error);
    if (status != STATUS_RECIPE || !request->pages_matter || !has_deep(request) || is_apart(request))
        return status;
    struct rotating_layout refused = *layout;
    struct error ignored = {0};
    bool found = place_in(request, true, &again, arena, layout, &ignored) == STATUS_OK;
    refused.steps = layout->steps += refused.steps;
    *layout = found ? *layout : refused;
    return found ? STATUS_OK : status;
}
