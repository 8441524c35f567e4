#include "runner/sources/timing/plain_chase.h"

#include "base/buffer.h"
#include "base/random.h"
#include "base/units.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, CHASE_LOADS = 32, TIMED = 8192, KEPT_APART = 64 << 10 };

/* A longer wait has no further effect; the loop must stay in the instruction cache. */
enum { DELAY_MOST = 600, DELAYED_LOADS = 8 };

static const struct probe_loop chase_loop = {.body = "chase", .repeat = CHASE_LOADS};

/* Under a hypervisor, a translation may cover only one small page of the host's, and a line of its tables
 * eight of them: a chase in memory loads these lines again before it is timed. */
enum { TRANSLATED = 8 * 4096, MEMORY_SETTLES = 8192 };

static const size_t MEMORY_LEAST = 64 << 20;
static const size_t MEMORY_MOST = 1 << 30;

/* The size of a chase as a multiple of the nearer cache. With this multiple, a cache with random replacement
 * keeps a fiftieth of its lines, with twice the cache's size a fifth: h = exp(-(1 - h) * size / cache). */
enum { RARELY_KEPT = 4 };

/* Lines of a chase through one set, as a multiple of its ways: even random replacement keeps none of them. */
enum { ONE_SET_DEPTH = 4, ONE_SET_LINES_MOST = 256 };

/* With a smaller share of huge pages, loads also wait for translations. */
static const double HUGE_LEAST = 0.95;

/* ---- sizes ---- */

/* The part of the level that one core certainly has. If it was not measured, this is a quarter of a shared
 * cache. */
static size_t sure_of(const struct cache *cache)
{
    bool shared = cache->shared_by > 1;
    if (cache->effective > 0)
        return (size_t)(cache->effective < cache->size ? cache->effective : cache->size);
    return (size_t)(shared ? cache->size / 4 : cache->size);
}

static enum status too_small(enum memory_level level, size_t least, size_t sure, struct error *error)
{
    char wanted[32], found[32];
    error_set(error, STATUS_UNAVAILABLE,
              "no chase is certain to be served by %s: it needs %s, and a core has %s of that cache",
              level_name((int)level), units_show_size(least, wanted, sizeof wanted),
              units_show_size(sure, found, sizeof found));
    error_hint(error, "trauma machine probe measures a core's share of each cache");
    return STATUS_UNAVAILABLE;
}

/* Sizes lie between a multiple of the nearer cache, which then keeps almost none of the lines, and a part of
 * the level itself. */
static enum status sizes_in_cache(const struct machine *machine, enum memory_level level,
                                  size_t sizes[PLAIN_SIZES], struct error *error)
{
    const struct cache *cache = machine_cache(machine, (int)level);
    const struct cache *front = machine_cache(machine, (int)level - 1);
    if (cache == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "%s has no %s", machine->name, level_name((int)level));
    size_t sure = sure_of(cache);
    size_t least = RARELY_KEPT * (size_t)front->size;
    size_t most = level == LEVEL_L2 ? sure / 4 : sure / 2;
    if (level == LEVEL_L3 && least > most)
        least = most < 2 * (size_t)front->size ? 2 * (size_t)front->size : most;
    if (most < least && least <= sure * 3 / 4)
        most = least;
    if (most < least)
        return too_small(level, least, sure, error);
    sizes[0] = least;
    sizes[1] = most < least * 5 / 4 ? most : least * 5 / 4;
    return STATUS_OK;
}

/* The larger size is four times the last cache as described, whatever part of it a core has. */
static void sizes_in_memory(const struct machine *machine, size_t sizes[PLAIN_SIZES])
{
    size_t last = (size_t)(machine->l3.size > 0 ? machine->l3.size : machine->l2.size);
    size_t most = 4 * last;
    most = most < MEMORY_LEAST ? MEMORY_LEAST : most > MEMORY_MOST ? MEMORY_MOST : most;
    sizes[0] = most / 2;
    sizes[1] = most;
}

enum status plain_chase_sizes(const struct machine *machine, enum memory_level level,
                              size_t sizes[PLAIN_SIZES], struct error *error)
{
    if (level == LEVEL_L2 || level == LEVEL_L3)
        return sizes_in_cache(machine, level, sizes, error);
    if (level == LEVEL_MEM) {
        sizes_in_memory(machine, sizes);
        if (sizes[0] >= 2 * (size_t)machine->l3.size)
            return STATUS_OK;
        return error_set(error, STATUS_UNAVAILABLE,
                         "a chase that is certain to miss L3 needs more than %zu MiB of memory here",
                         MEMORY_MOST >> 20);
    }
    sizes[0] = (size_t)machine->l1d.size / 4;
    sizes[1] = (size_t)machine->l1d.size / 2;
    return STATUS_OK;
}

/* ---- layout ---- */

static size_t room_of(const struct plain_chase *chase)
{
    return (chase->bytes + KEPT_APART - 1) / KEPT_APART * KEPT_APART;
}

/* Lays out a chase through lines of one set, one way apart, in random order. Between two lines are the words
 * that hit, all in other sets. */
static void *lay_out_set(const struct plain_chase *chase, const struct cache *l1d)
{
    size_t order[ONE_SET_LINES_MOST];
    size_t offsets[ONE_SET_LINES_MOST * ONE_SET_GAPS];
    size_t way = (size_t)l1d->size / l1d->ways;
    size_t lines = chase->bytes / way;
    size_t count = 0;
    struct random random = random_start(lines, "one set");
    for (size_t i = 0; i < lines; i++) { /* "inside-out" */
        size_t other = random_below(&random, (uint32_t)i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < lines; i++) {
        offsets[count++] = order[i] * way;
        for (size_t hit = 0; hit < chase->hits; hit++)
            offsets[count++] = way / 2 + (i * chase->hits + hit) * sizeof(void *);
    }
    return probe_chain_list(chase->base, offsets, count);
}

static void lay_out(const struct machine *machine, struct plain_chases *chases)
{
    unsigned char *base = chases->memory.bytes;
    for (size_t i = 0; i < chases->count; i++) {
        struct plain_chase *chase = &chases->items[i];
        chase->base = base;
        chase->at.first =
            (uintptr_t)(chase->one_set ? lay_out_set(chase, &machine->l1d)
                                       : probe_chain_random(base, chase->bytes / LINE, LINE, 0));
        base += room_of(chase);
    }
}

static enum status map(struct plain_chases *chases, struct error *error)
{
    size_t bytes = 0;
    bool past_l2 = false;
    for (size_t i = 0; i < chases->count; i++) {
        bytes += room_of(&chases->items[i]);
        past_l2 = past_l2 || chases->items[i].level > LEVEL_L2;
    }
    bytes = (bytes + PROBE_HUGE_PAGE - 1) / PROBE_HUGE_PAGE * PROBE_HUGE_PAGE;
    uint64_t spare = probe_memory_spare();
    if (spare > 0 && bytes > spare / 2)
        return error_set(error, STATUS_UNAVAILABLE,
                         "chases through memory need %zu MiB, and the system has %llu MiB to spare",
                         bytes >> 20, (unsigned long long)(spare >> 20));
    enum status status = probe_memory_map(bytes, true, &chases->memory, error);
    if (status != STATUS_OK)
        return status;
    (void)madvise(chases->memory.mapping, chases->memory.mapping_size, MADV_DONTFORK); /* forks are cheaper */
    if (past_l2 && chases->memory.huge_share < HUGE_LEAST) {
        error_set(error, STATUS_UNAVAILABLE,
                  "the system provides no huge pages (%.0f %% of %zu MiB); on small pages a chase past L2 "
                  "also waits for translations",
                  100 * chases->memory.huge_share, bytes >> 20);
        error_hint(error, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled");
        return STATUS_UNAVAILABLE;
    }
    return STATUS_OK;
}

static enum status add_level(const struct machine *machine, enum memory_level level,
                             struct plain_chases *chases, struct error *error)
{
    size_t sizes[PLAIN_SIZES];
    enum status status = plain_chase_sizes(machine, level, sizes, error);
    for (size_t i = 0; status == STATUS_OK && i < PLAIN_SIZES; i++)
        chases->items[chases->count++] = (struct plain_chase){.level = level, .bytes = sizes[i]};
    return status;
}

/* Adds a chase that waits as long as the loads in between would take. */
static void add_delayed(double cycles, struct plain_chases *chases)
{
    unsigned delay = cycles < DELAY_MOST ? (unsigned)cycles : DELAY_MOST;
    for (size_t i = 0; delay > 0 && i < chases->count; i++) {
        if (chases->items[i].level != LEVEL_L3)
            continue;
        chases->items[chases->count] = chases->items[i];
        chases->items[chases->count++].delay = delay;
        return;
    }
}

/* Makes the loop of a chase with dependent additions of zero. */
static enum status make_delayed(const struct template *texts, unsigned delay, struct probe_code *code,
                                struct error *error)
{
    const char *load = template_section(texts, "chase");
    const char *add = template_section(texts, "clock");
    struct buffer body = {0};
    for (unsigned i = 0; load != NULL && add != NULL && i <= delay; i++) {
        buffer_text(&body, i == 0 ? load : add);
        buffer_text(&body, "\n");
    }
    const struct probe_loop loop = {.body = "chase", .text = body.data, .repeat = DELAYED_LOADS};
    enum status status = probe_code_make(texts, &loop, code, error);
    buffer_free(&body);
    return status;
}

/* Makes the loop of the chase and, with a delay, that of the waiting one. */
static enum status make_loops(unsigned delay, struct plain_chases *chases, struct error *error)
{
    struct template texts;
    enum status status = probe_texts_open(&texts, error);
    if (status == STATUS_OK && delay > 0)
        status = make_delayed(&texts, delay, &chases->delayed, error);
    if (status == STATUS_OK)
        status = probe_code_make(&texts, &chase_loop, &chases->code, error);
    template_free(&texts);
    return status;
}

/* Adds chases through one set of L1: their lines are one way of L1 apart, and L2 spreads them over several
 * sets. */
static void add_one_set(const struct machine *machine, struct plain_chases *chases)
{
    const struct cache *l1d = &machine->l1d;
    size_t lines = ONE_SET_DEPTH * (size_t)l1d->ways;
    size_t way = (size_t)l1d->size / l1d->ways;
    size_t words = lines * (ONE_SET_GAPS - 1);
    if (lines > ONE_SET_LINES_MOST || words * sizeof(void *) > way / 2)
        return; /* near full associativity there are hardly any conflicts */
    for (unsigned hits = 0; hits < ONE_SET_GAPS; hits++)
        chases->items[chases->count++] =
            (struct plain_chase){.level = LEVEL_L2, .one_set = true, .hits = hits, .bytes = lines * way};
}

enum status plain_chases_open(const struct machine *machine, struct plain_chase_request request, int cpu,
                              struct plain_chases *chases, struct error *error)
{
    *chases = (struct plain_chases){.cpu = cpu};
    enum status status = add_level(machine, LEVEL_L1, chases, error);
    for (int level = LEVEL_L2; status == STATUS_OK && level < LEVEL_COUNT; level++)
        if (request.levels[level])
            status = add_level(machine, (enum memory_level)level, chases, error);
    if (status == STATUS_OK && request.one_set)
        add_one_set(machine, chases);
    if (status == STATUS_OK)
        add_delayed(request.l3_delay, chases);
    unsigned delay = chases->count == 0 ? 0 : chases->items[chases->count - 1].delay;
    if (status == STATUS_OK)
        status = make_loops(delay, chases, error);
    if (status == STATUS_OK)
        status = map(chases, error);
    if (status == STATUS_OK)
        lay_out(machine, chases);
    else
        chases->count = 0; /* there is nothing to follow */
    return status;
}

void plain_chases_free(struct plain_chases *chases)
{
    probe_memory_free(&chases->memory);
    probe_code_free(&chases->code);
    probe_code_free(&chases->delayed);
    chases->count = 0;
}

/* ---- timing ---- */

static void touch(const struct plain_chase *chase, size_t step)
{
    const volatile unsigned char *bytes = chase->base;
    for (size_t at = 0; at < chase->bytes; at += step)
        (void)bytes[at];
}

/* The clock's ticks per load, including the wait. */
static double follow(const struct plain_chases *chases, struct plain_chase *chase, uint64_t loads)
{
    uint64_t copies = chase->delay > 0 ? DELAYED_LOADS : CHASE_LOADS;
    uint64_t iterations = (loads + copies - 1) / copies;
    const struct probe_code *code = chase->delay > 0 ? &chases->delayed : &chases->code;
    return (double)probe_code_run(code, iterations, &chase->at) / (double)(iterations * copies);
}

/* Brings the chase into its level after others have used the caches. It is read in line order, which is fast,
 * then followed until the nearer caches hold as much of it as such a chase leaves there, and other programs
 * have had as much time to evict its lines as in a kernel. */
static void settle(const struct plain_chases *chases, struct plain_chase *chase)
{
    size_t lines = chase->bytes / LINE;
    bool shared = chase->level == LEVEL_L3 && chase->delay == 0;
    touch(chase, chase->level == LEVEL_MEM ? TRANSLATED : LINE);
    (void)follow(chases, chase, chase->level == LEVEL_MEM ? MEMORY_SETTLES : shared ? 2 * lines : lines);
}

/* The number of timed loads: once around for levels shared with others, else some tenths of a millisecond, so
 * that disturbances hit a round of a chase as often as one of a kernel. */
static uint64_t timed_loads(const struct plain_chase *chase)
{
    size_t lines = chase->bytes / LINE;
    if (chase->level == LEVEL_L3)
        return chase->delay > 0 ? lines / 2 : lines;
    return chase->level == LEVEL_MEM ? TIMED : chase->level == LEVEL_L2 ? 8 * TIMED : 16 * TIMED;
}

void plain_chases_time(struct plain_chases *chases, double ticks[PLAIN_MOST])
{
    cpu_set_t before, one;
    bool bound = chases->cpu >= 0 && chases->cpu < CPU_SETSIZE && chases->count > 0 &&
                 sched_getaffinity(0, sizeof before, &before) == 0;
    if (bound) {
        CPU_ZERO(&one);
        CPU_SET((size_t)chases->cpu, &one);
        (void)sched_setaffinity(0, sizeof one, &one); /* on another processor it is only noisier */
    }
    for (size_t i = 0; i < chases->count; i++) {
        struct plain_chase *chase = &chases->items[i];
        settle(chases, chase);
        double load = follow(chases, chase, timed_loads(chase));
        ticks[i] = load + chase->hits * (load - ticks[0]);
    }
    if (bound)
        (void)sched_setaffinity(0, sizeof before, &before);
}
