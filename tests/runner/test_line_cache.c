/* The caches of qemu's plugin, by sequences whose hits follow from each policy's definition. */
#include "sim/qemu/line_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Accesses the lines 'A', 'B', ... of one set in turn: "h" for each hit, "." for each miss. */
static void run(const char *text, const char *lines, const char *wanted)
{
    struct line_cache cache = {0};
    char seen[64] = "";
    assert_true(line_cache_parse(&cache, text));
    assert_true(line_cache_start(&cache, 1));
    for (size_t i = 0; lines[i] != '\0'; i++) {
        uint64_t address = (uint64_t)lines[i] * cache.sets * cache.line + i % cache.line;
        seen[i] = line_cache_access(&cache, address) ? 'h' : '.';
    }
    assert_string_equal(seen, wanted);
    free(cache.tags);
    free(cache.tree);
}

static void policies(void **state)
{
    (void)state;
    run("512:2:64:lru", "ABACAB", "..h.h.");
    run("512:2:64:fifo", "ABACAB", "..h...");
    run("1024:4:64:lru", "ABCDAEBCD", "....h....");
    /* After A the root points at C and D, whose node points away from D: E replaces C, where LRU takes B. */
    run("1024:4:64:tree_plru", "ABCDAEABDC", "....h.hhh.");
    run("1024:4:64:lru", "ABCDAEABDC", "....h.h.h.");
    run("576:3:64:lru", "ABCADC", "...h.h");
    run("576:3:64:fifo", "ABCADA", "...h..");
    run("64:1:64:lru", "AAB", ".h.");
}

/* A cyclic walk over one line more than there are ways: LRU never hits; random replacement does with the
 * chance that a line survives. */
static void chance(void **state)
{
    (void)state;
    struct line_cache cache = {0};
    unsigned hits = 0;
    enum { PASSES = 20000, LINES = 5 };
    assert_true(line_cache_parse(&cache, "256:4:64:random"));
    assert_true(line_cache_start(&cache, 7));
    for (unsigned i = 0; i < PASSES * LINES; i++)
        hits += line_cache_access(&cache, UINT64_C(64) * (i % LINES));
    assert_in_range(hits, PASSES * LINES / 2, PASSES * LINES * 8 / 10);
    free(cache.tags);
    free(cache.tree);
}

/* A cyclic walk over all lines of one set hits after the first round; over one line more, LRU and FIFO never
 * hit, and tree-PLRU does. More than 64 ways: fully associative TLBs have as many. */
static void many_ways(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned ways;
        bool hits_beyond;
    } rows[] = {{"393216:96:4096:lru", 96, false},
                {"393216:96:4096:fifo", 96, false},
                {"524288:128:4096:tree_plru", 128, true},
                {"393216:96:4096:tree_plru", 96, true},
                {"16777216:4096:4096:lru", 4096, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned beyond = 0; beyond < 2; beyond++) {
            struct line_cache cache = {0};
            unsigned lines = rows[i].ways + beyond;
            unsigned hits = 0;
            assert_true(line_cache_parse(&cache, rows[i].text));
            assert_true(line_cache_start(&cache, 1));
            for (unsigned pass = 0; pass < 3; pass++)
                for (unsigned line = 0; line < lines; line++)
                    hits += line_cache_access(&cache, UINT64_C(4096) * line);
            if (beyond == 0)
                assert_int_equal(hits, 2 * lines);
            else
                assert_int_equal(hits > 0, rows[i].hits_beyond);
            free(cache.tags);
            free(cache.tree);
        }
    }
}

/* Each line of a tree-PLRU set of 128 ways that was just used stays when others replace half of the rest. */
static void large_tree(void **state)
{
    (void)state;
    enum { WAYS = 128 };
    struct line_cache cache = {0};
    assert_true(line_cache_parse(&cache, "8192:128:64:tree_plru"));
    assert_true(line_cache_start(&cache, 1));
    for (uint64_t line = 0; line < WAYS; line++)
        assert_false(line_cache_access(&cache, 64 * line));
    /* After lines 0 to 127 in order, every node points to its first half; replacements alternate halves. */
    assert_false(line_cache_access(&cache, UINT64_C(64) * WAYS));       /* replaces 0 */
    assert_false(line_cache_access(&cache, UINT64_C(64) * (WAYS + 1))); /* replaces 64 */
    assert_true(line_cache_access(&cache, 64 * 1));
    assert_true(line_cache_access(&cache, 64 * 65));
    assert_false(line_cache_access(&cache, 64 * 0));
    free(cache.tags);
    free(cache.tree);
}

/* Lines a way apart share a set of a plain index, and spread over sets of a hashed one. */
static void hashed(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct line_cache cache = {.hashed = i == 1};
        unsigned hits = 0;
        assert_true(line_cache_parse(&cache, "65536:4:64:lru"));
        assert_true(line_cache_start(&cache, 1));
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint64_t line = 0; line < 64; line++)
                hits += line_cache_access(&cache, line * 65536 / 4);
        assert_int_equal(hits, i == 1 ? 64 : 0);
        free(cache.tags);
        free(cache.tree);
    }
}

static void refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "64",
                                        "64:1:64",
                                        "100:1:64:lru",
                                        "64:0:64:lru",
                                        "96:1:48:lru",
                                        "64:1:64:mru",
                                        "64:1:64:lru:more",
                                        "262208:4097:64:lru"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct line_cache cache = {0};
        assert_false(line_cache_parse(&cache, texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),   cmocka_unit_test(chance), cmocka_unit_test(many_ways),
        cmocka_unit_test(large_tree), cmocka_unit_test(hashed), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
