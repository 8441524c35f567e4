/* Random kernels on a toy GPU, with every access of every thread looked up in caches: each stream is served
 * by the planned level from the first pass after the warm-up, and stays in its region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/generator/gpu_toy.h"
#include "tests/generator/gpu_walk.h"
#include "tests/mutate.h"

enum { LINE = 128, SECTOR = 32, MOST_SMS = 4, NOWHERE = -1, MOST_WORK = 30000000 };

/* ---- caches: least recently used first, any line anywhere, sectors of 32 bytes ---- */

struct lru {
    int *before, *after; /* [lines + 1]; the last one is the list's end and begin */
    unsigned char *sectors;
    size_t lines, kept, capacity;
};

static void lru_open(struct lru *cache, size_t lines, size_t capacity)
{
    *cache = (struct lru){calloc(lines + 1, sizeof(int)),
                          calloc(lines + 1, sizeof(int)),
                          calloc(lines + 1, 1),
                          lines,
                          0,
                          capacity};
    cache->before[lines] = cache->after[lines] = (int)lines;
    for (size_t i = 0; i < lines; i++)
        cache->after[i] = NOWHERE;
}

static void lru_close(struct lru *cache)
{
    free(cache->before);
    free(cache->after);
    free(cache->sectors);
}

static void lru_unlink(struct lru *cache, int line)
{
    cache->after[cache->before[line]] = cache->after[line];
    cache->before[cache->after[line]] = cache->before[line];
    cache->after[line] = NOWHERE;
}

/* True when it was there; it is now. */
static bool lru_touch(struct lru *cache, uint64_t sector)
{
    int line = (int)(sector / (LINE / SECTOR)), end = (int)cache->lines;
    unsigned bit = 1U << sector % (LINE / SECTOR);
    bool there = cache->after[line] != NOWHERE;
    bool hit = there && (cache->sectors[line] & bit) != 0;
    if (there)
        lru_unlink(cache, line);
    else if (++cache->kept > cache->capacity) {
        lru_unlink(cache, cache->after[end]);
        cache->kept--;
    }
    cache->sectors[line] = (unsigned char)((there ? cache->sectors[line] : 0) | bit);
    cache->before[line] = cache->before[end];
    cache->after[line] = end;
    cache->after[cache->before[line]] = line;
    cache->before[end] = line;
    return hit;
}

struct caches {
    struct lru first[MOST_SMS], second;
    uint64_t served[GPU_STREAMS][GPU_LEVELS];
};

static void look_up(struct gpu_toy *toy, struct caches *caches, unsigned index, unsigned sm, uint64_t sector)
{
    const struct gpu_stream *stream = &toy->plan.streams[index];
    uint64_t keeps = 0;
    char name[32];
    snprintf(name, sizeof name, "l1.%.20s", stream->cache);
    bool first = !stream->store && template_word(&toy->templates, name, &keeps) && keeps != 0;
    enum gpu_level level = GPU_L1;
    if (!first || !lru_touch(&caches->first[sm], sector))
        level = lru_touch(&caches->second, sector) ? GPU_L2 : GPU_MEM;
    caches->served[index][level]++;
}

/* One access of all threads of a block: each wave's sectors once. */
static void access_block(struct gpu_toy *toy, struct gpu_walk *walk, struct caches *caches,
                         const struct gpu_slot *slot, uint64_t pass, unsigned block)
{
    const struct gpu_plan *plan = &toy->plan;
    const struct gpu_stream *stream = &plan->streams[slot->stream];
    uint64_t last = UINT64_MAX;
    for (unsigned t = 0; t < plan->threads; t++) {
        uint64_t at = gpu_walk_access(walk, slot, pass, block, t);
        assert_true(at + stream->width <= stream->rule.bytes);
        assert_int_equal(at % stream->width, 0);
        uint64_t first = (stream->offset + at) / SECTOR;
        if (gpu_level_in_shared(stream->level)) {
            caches->served[slot->stream][stream->level]++;
            continue;
        }
        if (t % 32 == 0)
            last = UINT64_MAX;
        if (first != last)
            look_up(toy, caches, (unsigned)slot->stream, block % toy->machine.gpu.sm, first);
        last = first;
    }
}

static bool takes_part(const struct gpu_toy *toy, unsigned block)
{
    const struct place_list *places = &toy->kernel.place.of[PLACE_SM];
    for (size_t i = 0; i < places->count; i++)
        if (places->numbers[i] == block % toy->machine.gpu.sm)
            return true;
    return places->count == 0;
}

static void make_pass(struct gpu_toy *toy, struct gpu_walk *walk, struct caches *caches, uint64_t pass)
{
    for (size_t i = 0; i < toy->plan.slot_count; i++)
        for (unsigned block = 0; toy->plan.slots[i].stream >= 0 && block < toy->plan.blocks; block++)
            if (takes_part(toy, block))
                access_block(toy, walk, caches, &toy->plan.slots[i], pass, block);
}

static void compare(const struct gpu_toy *toy, const struct caches *caches, const char *text)
{
    for (size_t s = 0; s < toy->plan.stream_count; s++) {
        const struct gpu_stream *stream = &toy->plan.streams[s];
        const uint64_t *served = caches->served[s];
        uint64_t all = 0;
        for (int level = 0; level < GPU_LEVELS; level++)
            all += served[level];
        bool wished = toy->kernel.items[stream->item].working_set > 0;
        if (wished || stream->store)
            continue;
        if ((double)served[stream->level] < 0.99 * (double)all)
            fail_msg("%s: stream %zu of %s: %llu in L1, %llu in L2, %llu in memory", text, s,
                     gpu_level_name((int)stream->level), (unsigned long long)served[GPU_L1],
                     (unsigned long long)served[GPU_L2], (unsigned long long)served[GPU_MEM]);
    }
}

/* The warm-up's passes by themselves, then a round and more of what is measured. */
static bool play(struct gpu_toy *toy, const char *text)
{
    struct gpu_walk walk;
    struct caches caches = {0};
    const struct gpu_plan *plan = &toy->plan;
    size_t lines = plan->bytes / LINE + 1;
    uint64_t work = (uint64_t)plan->slot_count * plan->blocks * plan->threads;
    uint64_t passes = 40;
    if (lines > 1 << 22 || work * (plan->warmup + passes) > MOST_WORK)
        return false;
    gpu_walk_open(&walk, plan);
    lru_open(&caches.second, lines, toy->machine.l2.size / LINE);
    for (unsigned sm = 0; sm < MOST_SMS; sm++)
        lru_open(&caches.first[sm], lines, (toy->machine.l1d.size - plan->shared) / LINE);
    for (uint64_t pass = 0; pass < plan->warmup; pass++)
        make_pass(toy, &walk, &caches, pass);
    memset(caches.served, 0, sizeof caches.served);
    for (uint64_t pass = plan->warmup; pass < plan->warmup + passes; pass++)
        make_pass(toy, &walk, &caches, pass);
    compare(toy, &caches, text);
    for (unsigned sm = 0; sm < MOST_SMS; sm++)
        lru_close(&caches.first[sm]);
    lru_close(&caches.second);
    gpu_walk_close(&walk);
    return true;
}

/* ---- kernels ---- */

static unsigned one_of(struct random *random, const unsigned *values, unsigned count)
{
    return values[random_below(random, count)];
}

#define ONE_OF(random, ...)                                                                                  \
    one_of(random, (const unsigned[]){__VA_ARGS__}, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static void put_access(struct random *random, struct buffer *text)
{
    static const char *const shares[] = {"\"L1\":1",
                                         "\"L2\":1",
                                         "\"MEM\":1",
                                         "\"SHARED\":1",
                                         "\"L1\":0.5,\"L2\":0.5",
                                         "\"L2\":0.75,\"MEM\":0.25",
                                         "\"SHARED\":0.5,\"L2\":0.5",
                                         "\"L1\":0.9,\"MEM\":0.1",
                                         "\"L1\":0.25,\"L2\":0.25,\"MEM\":0.5",
                                         "\"DSMEM\":1",
                                         "\"SHARED\":0.5,\"DSMEM\":0.25,\"L2\":0.25"};
    static const char *const orders[] = {"shuffled", "even", "burst"};
    bool chase = random_below(random, 3) == 0;
    bool store = !chase && random_below(random, 6) == 0;
    unsigned width = chase ? 8 : ONE_OF(random, 4, 8, 16);
    buffer_printf(text, "{\"op\":\"%s\",\"count\":%u,\"width\":%u,\"order\":\"%s\",\"address\":\"%s\"",
                  store ? "store" : "load", 1 + random_below(random, 4), width,
                  orders[random_below(random, 3)], chase ? "chase" : "independent");
    buffer_printf(text, ",\"served\":{%s}",
                  store ? shares[1 + random_below(random, 3)] : shares[random_below(random, 11)]);
    if (random_below(random, 3) == 0)
        buffer_printf(text, ",\"lane\":%u", width * ONE_OF(random, 1, 2, 4, 8, 3));
    if (chase && random_below(random, 2) == 0)
        buffer_text(text, ",\"stride\":\"random\"");
    else if (random_below(random, 3) == 0)
        buffer_printf(text, ",\"stride\":%u", ONE_OF(random, 32, 96, 256, 512, 2048, 4096));
    if (!store && random_below(random, 4) == 0)
        buffer_printf(text, ",\"cache\":\"%s\"", random_below(random, 2) == 0 ? "ca" : "cg");
    buffer_text(text, "}");
}

static void put_point(struct random *random, struct buffer *text)
{
    buffer_text(text, "{\"kernel\":{\"unit\":[");
    for (unsigned i = random_below(random, 3) + 1; i > 0; i--) {
        put_access(random, text);
        buffer_text(text, i > 1 ? "," : "]");
    }
    if (random_below(random, 2) == 0)
        buffer_printf(text, ",\"loop\":{\"units\":%u}", ONE_OF(random, 4, 8, 20, 40));
    buffer_printf(text, "},\"grid\":{\"blocks\":%u,\"threads\":%u}", ONE_OF(random, 1, 2, 3, 4, 7, 8),
                  ONE_OF(random, 1, 8, 32, 48, 64));
    buffer_text(text, random_below(random, 4) == 0 ? ",\"place\":{\"sm\":[0,1]}}" : "}");
}

static void every_stream_is_served_as_planned(void **state)
{
    (void)state;
    struct gpu_toy toy;
    struct random random = mutate_start("gpu service");
    unsigned played = 0, refused = 0, left = 0;
    gpu_toy_open(&toy, toy_gpu);
    for (struct mutate_span span = mutate_begin(2 * mutate_seconds()); mutate_more(&span);) {
        struct buffer text = {0};
        put_point(&random, &text);
        bool made = gpu_toy_plan(&toy, text.data, played) == STATUS_OK;
        assert_true(made || toy.error.message[0] != '\0');
        if (getenv("TRAUMA_SHOW") != NULL && !made)
            print_message("%s: %s\n", text.data, toy.error.message);
        bool done = made && play(&toy, text.data);
        played += done;
        refused += !made;
        left += made && !done;
        buffer_free(&text);
    }
    print_message("%u played, %u refused, %u too long\n", played, refused, left);
    assert_true(played >= 20);
    gpu_toy_close(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_stream_is_served_as_planned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
