/* Data of one side of L2: rotating working sets on random sides visit each of their chunks once and no other,
 * the words stand where the program reads them, and any manifest is refused or filled within its region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/random.h"
#include "generator/plan/gpu/gpu_image_sides.h"
#include "generator/suite/gpu_regions.h"

#include <stdlib.h>
#include <string.h>

static struct error error;

enum { CHUNK = 4096, MOST_CHUNKS = 400, MOST_SMS = 40 };

struct made {
    struct gpu_rule rule;
    struct gpu_image image;
    unsigned char chunks[MOST_CHUNKS], sms[MOST_SMS];
    struct gpu_homes homes;
    struct arena arena;
    unsigned char *bytes;
};

static const uint64_t ADDRESS = 0x7f0000000000;

static void make(struct made *made, struct random *random, bool far_side, uint64_t header)
{
    static const unsigned char words[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    size_t count = 2 + random_below(random, 60);
    size_t chunks = 2 * count + random_below(random, 200);
    memset(made, 0, sizeof *made);
    struct gpu_rule *rule = &made->rule;
    *rule = (struct gpu_rule){.offset = CHUNK * (uint64_t)random_below(random, 3),
                              .fill = GPU_FILL_SIDES,
                              .words = header > 0 ? words : NULL,
                              .word_bytes = header > 0 ? sizeof words : 0,
                              .count = count,
                              .chunk = CHUNK,
                              .header = header,
                              .bus = header > 0 ? 32 : 0,
                              .sm = 1 + random_below(random, MOST_SMS),
                              .starts = 1 + random_below(random, 32),
                              .far = far_side};
    uint64_t table = ((uint64_t)rule->sm * rule->starts * 8 + CHUNK - 1) / CHUNK * CHUNK;
    rule->bytes = table + chunks * CHUNK;
    for (size_t i = 0; i < chunks; i++) /* some are of neither */
        made->chunks[i] = random_below(random, 10) == 0 ? GPU_SIDE_UNKNOWN : random_below(random, 2) == 1;
    for (size_t i = 0; i < rule->sm; i++)
        made->sms[i] = random_below(random, 2) == 1;
    made->homes = (struct gpu_homes){made->chunks, chunks, made->sms, rule->sm};
    made->image = (struct gpu_image){rule->offset + rule->bytes, CHUNK, rule, 1};
}

static void fill(struct made *made)
{
    made->bytes = malloc((size_t)made->image.bytes);
    assert_non_null(made->bytes);
    gpu_image_fill(&made->image, ADDRESS, 0, (size_t)made->image.bytes, made->bytes);
}

static void unmake(struct made *made)
{
    free(made->bytes);
    arena_free(&made->arena);
}

static size_t chunks_of(const struct made *made, unsigned side)
{
    size_t count = 0;
    for (size_t i = 0; i < made->homes.chunk_count; i++)
        count += made->chunks[i] == side;
    return count;
}

static uint64_t word_at(const struct made *made, uint64_t address)
{
    uint64_t word;
    assert_true(address >= ADDRESS && address + 8 <= ADDRESS + made->image.bytes);
    memcpy(&word, made->bytes + (address - ADDRESS), sizeof word);
    return word;
}

/* Beneath the words, both places say the same offset; without a header the word is the address. */
static uint64_t chunk_after(const struct made *made, uint64_t at)
{
    uint64_t word = word_at(made, at);
    if (made->rule.header == 0)
        return word;
    assert_int_equal(word ^ gpu_sides_key(&made->rule, 0),
                     word_at(made, at + made->rule.bus) ^ gpu_sides_key(&made->rule, made->rule.bus));
    return ADDRESS + (word ^ gpu_sides_key(&made->rule, 0));
}

/* The cycle from each start: `count` chunks, all of the side that is near to, or far from, who begins there.
 */
static void check_rings(const struct made *made)
{
    const struct gpu_rule *rule = &made->rule;
    uint64_t first = ADDRESS + gpu_sides_first(rule);
    for (unsigned i = 0; i < rule->sm * rule->starts; i++) {
        unsigned char seen[MOST_CHUNKS] = {0};
        unsigned home = made->sms[i / rule->starts];
        uint64_t start = word_at(made, ADDRESS + rule->offset + 8 * (uint64_t)i);
        uint64_t at = start;
        for (uint64_t hop = 0; hop < rule->count; hop++) {
            assert_int_equal((at - first) % CHUNK, 0);
            size_t chunk = (size_t)((at - first) / CHUNK);
            assert_true(chunk < made->homes.chunk_count);
            assert_int_equal(made->chunks[chunk], rule->far ? 1 - home : home);
            assert_int_equal(seen[chunk]++, 0);
            at = chunk_after(made, at);
        }
        assert_int_equal(at, start);
    }
}

static size_t earlier_of_side(const struct made *made, size_t chunk)
{
    size_t count = 0;
    for (size_t i = 0; i < chunk; i++)
        count += made->chunks[i] == made->chunks[chunk];
    return count;
}

/* Waves of a side's multiprocessors begin at even distances all over the cycle: each has as far to go until
 * it comes to where another one began. */
static void check_starts(const struct made *made)
{
    const struct gpu_rule *rule = &made->rule;
    uint64_t first = ADDRESS + gpu_sides_first(rule);
    for (unsigned home = 0; home < GPU_SIDES; home++) {
        unsigned char begins[MOST_CHUNKS] = {0};
        unsigned waves = 0;
        for (unsigned i = 0; i < rule->sm * rule->starts; i++) {
            if (made->sms[i / rule->starts] != home)
                continue;
            uint64_t at = word_at(made, ADDRESS + rule->offset + 8 * (uint64_t)i);
            begins[earlier_of_side(made, (size_t)((at - first) / CHUNK))]++;
            waves++;
        }
        for (unsigned i = 0; i < waves; i++)
            assert_int_not_equal(begins[i * rule->count / waves]--, 0);
    }
}

static void check_words(const struct made *made)
{
    const struct gpu_rule *rule = &made->rule;
    for (size_t c = 0; c < made->homes.chunk_count; c++) {
        uint64_t chunk = ADDRESS + gpu_sides_first(rule) + c * CHUNK;
        bool used = made->chunks[c] < GPU_SIDES && earlier_of_side(made, c) < rule->count;
        for (uint64_t at = 8; at < CHUNK; at += 8) {
            uint64_t word = word_at(made, chunk + at);
            if (rule->header > 0 && at == rule->bus)
                continue; /* with an offset beneath it */
            if (!used)
                assert_int_equal(word, 0);
            else if (rule->header > 0)
                assert_int_equal(word,
                                 (at - rule->header) % 16 == 0 ? 0x0807060504030201 : 0x100f0e0d0c0b0a09);
            else
                assert_int_equal(word, word_at(made, chunk) + at); /* as many lanes as there are */
        }
    }
}

static void rings_stay_on_their_side(void **state)
{
    (void)state;
    struct random random = random_start(7, "cycles");
    size_t learned = 0;
    for (int i = 0; i < 60; i++) {
        struct made made;
        make(&made, &random, i % 2 == 1, i % 3 == 0 ? 0 : 128);
        bool enough = chunks_of(&made, 0) >= made.rule.count && chunks_of(&made, 1) >= made.rule.count;
        enum status status = gpu_sides_learn(&made.rule, &made.homes, &made.arena, &error);
        assert_int_equal(status, enough ? STATUS_OK : STATUS_UNAVAILABLE);
        if (enough) {
            fill(&made);
            check_rings(&made);
            check_starts(&made);
            check_words(&made);
            learned++;
        }
        unmake(&made);
    }
    assert_true(learned > 20);
}

static void pieces_are_as_the_whole(void **state)
{
    (void)state;
    struct random random = random_start(11, "pieces");
    struct made made;
    do {
        make(&made, &random, true, 128);
    } while (chunks_of(&made, 0) < made.rule.count || chunks_of(&made, 1) < made.rule.count);
    assert_int_equal(gpu_sides_learn(&made.rule, &made.homes, &made.arena, &error), STATUS_OK);
    fill(&made);
    for (int i = 0; i < 200; i++) {
        uint64_t from = random_below(&random, (unsigned)(made.image.bytes / 8)) * (uint64_t)8;
        size_t size = 8 * (1 + (size_t)random_below(&random, 100));
        unsigned char piece[808];
        size = from + size > made.image.bytes ? (size_t)(made.image.bytes - from) : size;
        gpu_image_fill(&made.image, ADDRESS, from, size, piece);
        assert_memory_equal(piece, made.bytes + from, size);
    }
    unmake(&made);
}

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    struct random random = random_start(13, "unknown");
    struct made made;
    make(&made, &random, false, 128);
    made.sms[0] = GPU_SIDE_UNKNOWN;
    assert_int_equal(gpu_sides_learn(&made.rule, &made.homes, &made.arena, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "for 1 of the"));
    unmake(&made);
    make(&made, &random, false, 128);
    fill(&made); /* nothing was learned: nothing is made up */
    for (uint64_t i = 0; i < made.image.bytes; i++)
        assert_int_equal(made.bytes[i], 0);
    unmake(&made);
}

/* ---- manifests ---- */

static enum status read_back(const json_t *data, struct arena *arena, struct gpu_image *image)
{
    return gpu_regions_read(&(struct manifest_data){.document = data}, arena, image, &error);
}

static json_t *rule_to_json(const struct gpu_rule *rule)
{
    struct json_text text = {.buffer = NULL};
    gpu_rule_write(&text, NULL, rule);
    return text.tree[0];
}

static json_t *data_of(const struct made *made)
{
    return json_pack("{s:I, s:i, s:[{s:I, s:I, s:o}]}", "bytes", (json_int_t)made->image.bytes, "align",
                     CHUNK, "regions", "offset", (json_int_t)made->rule.offset, "bytes",
                     (json_int_t)made->rule.bytes, "fill", rule_to_json(&made->rule));
}

static void a_manifest_says_all_of_it(void **state)
{
    (void)state;
    struct random random = random_start(17, "manifest");
    for (int i = 0; i < 20; i++) {
        struct made made;
        struct gpu_image image;
        make(&made, &random, i % 2 == 1, i % 3 == 0 ? 0 : 128);
        json_t *data = data_of(&made);
        assert_int_equal(read_back(data, &made.arena, &image), STATUS_OK);
        json_t *again = rule_to_json(&image.rules[0]);
        json_t *once = rule_to_json(&made.rule);
        assert_true(json_equal(again, once));
        assert_int_equal(image.rules[0].far, made.rule.far);
        json_decref(once);
        json_decref(again);
        json_decref(data);
        unmake(&made);
    }
}

static void a_hostile_manifest_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        json_int_t value;
    } rows[] = {{"chunk", 0},   {"chunk", 3000},   {"chunk", -4096},   {"header", 4096},
                {"header", 12}, {"header", -8},    {"count", 0},       {"count", 1000000},
                {"sm", 0},      {"sm", 100000000}, {"starts", 0},      {"starts", 1 << 30},
                {"side", 1},    {"count", -1},     {"chunk", 1 << 30}, {"count", (json_int_t)1 << 40}};
    struct random random = random_start(19, "hostile");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        struct gpu_image image;
        make(&made, &random, false, 128);
        json_t *data = data_of(&made);
        json_t *region = json_array_get(json_object_get(data, "regions"), 0);
        json_object_set_new(json_object_get(region, "fill"), rows[i].key, json_integer(rows[i].value));
        if (read_back(data, &made.arena, &image) != STATUS_FAILED)
            fail_msg("%s %lld was taken", rows[i].key, (long long)rows[i].value);
        json_decref(data);
        unmake(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_stay_on_their_side),      cmocka_unit_test(pieces_are_as_the_whole),
        cmocka_unit_test(what_is_not_known_is_refused),  cmocka_unit_test(a_manifest_says_all_of_it),
        cmocka_unit_test(a_hostile_manifest_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
