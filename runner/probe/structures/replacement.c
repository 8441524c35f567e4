/* Replacement policies of L1D and L2, by access sequences as in CacheQuery and nanoBench, timed from user
 * space. A block is a line in each of some sets that are all treated alike. After a flush and the sequence,
 * the time of a chain through the lines of the probed block shows whether the sets have it. L1D's sets are
 * those of addresses within a page; L2's need memory with contiguous physical addresses: huge pages. */
#include "runner/probe/structures/policy.h"
#include "runner/probe/structures/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 64, SETS_MOST = 16, NUMBER_BYTES = 24, OTHER_PAGES = 24, BLOCKS_BYTES = 8 << 20 };

/* The sets of a level that are used, and the code of the last sequence. */
struct replacement_sets {
    struct structure_bench *bench;
    unsigned char *blocks;
    size_t span;             /* bytes from block to block */
    size_t lines[SETS_MOST]; /* offsets of the sets' lines in a block, in the order of access */
    size_t count;
    bool clear;   /* the nearer level must be emptied between accesses, */
    void *others; /* by a chain through other_count lines */
    size_t other_count;
    struct probe_code code;
    unsigned char sequence[POLICY_SEQUENCE_MOST];
    size_t length;
    unsigned probed;
    size_t readings, shared; /* shared: taken while another thread of the core ran, which uses the sets too */
    enum status status;      /* of making code */
    struct error *error;
};

/* Appends the section for a line of the block, or for the whole block. */
static enum status add_section(const struct replacement_sets *sets, const char *name, size_t block,
                               size_t offset, struct buffer *text, struct error *error)
{
    const struct template *texts = &sets->bench->probe->texts;
    char numbers[3][NUMBER_BYTES];
    snprintf(numbers[0], NUMBER_BYTES, "%zu", block * sets->span);
    snprintf(numbers[1], NUMBER_BYTES, "%zu", offset);
    snprintf(numbers[2], NUMBER_BYTES, "%zu", sets->other_count);
    const struct binding bindings[] = {{"block", numbers[0]}, {"offset", numbers[1]}, {"count", numbers[2]}};
    const char *section = probe_section(texts, name, error);
    enum status status =
        section == NULL ? STATUS_FAILED : template_expand(texts, section, bindings, 3, text, error);
    buffer_text(text, "\n");
    return status;
}

static enum status add_block(const struct replacement_sets *sets, const char *section, size_t block,
                             struct buffer *text, struct error *error)
{
    enum status status = add_section(sets, "replace.block", block, 0, text, error);
    for (size_t i = 0; status == STATUS_OK && i < sets->count; i++)
        status = add_section(sets, section, block, sets->lines[i], text, error);
    return status;
}

/* Appends code that flushes all blocks of the sequence, accesses them in its order, and times the block
 * `probe`.
 */
static enum status write_sequence(const struct replacement_sets *sets, const unsigned char *sequence,
                                  size_t length, unsigned probe, struct buffer *text, struct error *error)
{
    bool named[POLICY_BLOCKS_MOST] = {false};
    enum status status = STATUS_OK;
    named[probe] = true;
    for (size_t i = 0; i < length; i++)
        named[sequence[i]] = true;
    for (size_t block = 0; status == STATUS_OK && block < POLICY_BLOCKS_MOST; block++)
        if (named[block])
            status = add_block(sets, "replace.flush", block, text, error);
    for (size_t i = 0; status == STATUS_OK && i < length; i++) {
        status = add_section(sets, "replace.fence", 0, 0, text, error);
        if (status == STATUS_OK)
            status = add_block(sets, "replace.load", sequence[i], text, error);
        if (status == STATUS_OK && sets->clear)
            status = add_section(sets, "replace.clear", 0, 0, text, error);
    }
    if (status == STATUS_OK)
        status = add_section(sets, "replace.begin", 0, 0, text, error);
    if (status == STATUS_OK)
        status = add_block(sets, "replace.probe", probe, text, error);
    return status == STATUS_OK ? add_section(sets, "replace.end", 0, 0, text, error) : status;
}

/* Ticks of one run, from the third word. */
static uint64_t run_sequence(void *context, const struct probe_code *code, uint64_t iterations)
{
    struct probe_words *words = context;
    words->third = 0;
    (void)probe_code_run(code, iterations, words);
    return words->third;
}

static enum status make_sequence(struct replacement_sets *sets, const unsigned char *sequence, size_t length,
                                 unsigned probe, struct error *error)
{
    struct buffer text = {0};
    probe_code_free(&sets->code);
    enum status status = write_sequence(sets, sequence, length, probe, &text, error);
    const struct probe_loop loop = {.text = text.data, .repeat = 1};
    if (status == STATUS_OK)
        status = probe_code_make(&sets->bench->probe->texts, &loop, &sets->code, error);
    buffer_free(&text);
    if (status == STATUS_OK)
        memcpy(sets->sequence, sequence, length);
    sets->length = status == STATUS_OK ? length : 0;
    sets->probed = probe;
    return status;
}

/* The number of readings to average: more where the clock's steps are as long as a reading. */
static uint64_t readings_of(const struct structure_bench *bench)
{
    enum { MOST = 64 };
    static const double CYCLES = 4;
    return (uint64_t)fmax(1, fmin(MOST, (double)bench->step / bench->probe->clock / CYCLES));
}

static double measure_sequence(void *context, const unsigned char *sequence, size_t length, unsigned probe)
{
    struct replacement_sets *sets = context;
    bool same =
        sets->length == length && sets->probed == probe && memcmp(sets->sequence, sequence, length) == 0;
    if (sets->status == STATUS_OK && !same)
        sets->status = make_sequence(sets, sequence, length, probe, sets->error);
    if (sets->status != STATUS_OK)
        return NAN;
    struct probe_words words = {.first = (uintptr_t)sets->blocks, .second = (uintptr_t)sets->others};
    const struct probe_timed timed = {&sets->code, readings_of(sets->bench), (double)sets->count,
                                      run_sequence, &words};
    struct probe_point points[STRUCTURE_COMPANIES];
    structure_sample(sets->bench, &timed, points);
    sets->readings++;
    sets->shared += points[STRUCTURE_ALONE].disturbed;
    return !points[STRUCTURE_ALONE].disturbed    ? points[STRUCTURE_ALONE].cycles.value
           : !points[STRUCTURE_SHARED].disturbed ? points[STRUCTURE_SHARED].cycles.value
                                                 : NAN;
}

/* ---- levels ---- */

static const struct replacement_level {
    const char *value, *name;
    size_t offset; /* in struct machine */
    size_t sets;   /* number used at a time */
    bool behind;   /* it is behind another level */
} levels[] = {
    {"l1d.policy", "L1D", offsetof(struct machine, l1d), 8, false},
    {"l2.policy", "L2", offsetof(struct machine, l2), 4, true},
};

/* Chooses lines of sets->count sets, none adjacent, in an order that no prefetcher follows. */
static void choose_lines(struct replacement_sets *sets, size_t first)
{
    enum { PAGE_LINES = PROBE_SMALL_PAGE / LINE, JUMP = 3 };
    size_t apart = PAGE_LINES / sets->count;
    for (size_t i = 0; i < sets->count; i++)
        sets->lines[i] = (i * JUMP % sets->count * apart + first % apart) * LINE;
}

/* Chains lines of the same sets of the nearer level, and of other sets of this one: lines at the same offsets
 * of other pages. */
static void make_others(struct replacement_sets *sets, unsigned char *bytes)
{
    size_t offsets[OTHER_PAGES * SETS_MOST], count = 0;
    for (size_t page = 1; page <= OTHER_PAGES; page++)
        for (size_t i = 0; i < sets->count; i++)
            offsets[count++] = page * PROBE_SMALL_PAGE + sets->lines[i];
    sets->others = probe_chain_list(bytes, offsets, count);
    sets->other_count = count;
}

static void add_finding(const struct replacement_sets *sets, const struct replacement_level *level,
                        const struct policy_finding *finding)
{
    struct probe *probe = sets->bench->probe;
    /* Evictions by another thread look random. */
    bool chance = finding->verdict == POLICY_NONE ||
                  (finding->verdict == POLICY_FOUND && finding->policy.kind == KIND_RANDOM);
    if (chance && 2 * sets->shared > sets->readings)
        probe_add_missing(
            probe, level->value, "",
            "undetermined: no policy fits, but another thread of the core used the sets meanwhile");
    else if (finding->verdict == POLICY_NONE)
        probe_add_missing(probe, level->value, "",
                          "none of these: LRU, FIFO, PLRU, QLRU, random; %zu sequences of accesses",
                          finding->sequences);
    else if (finding->verdict == POLICY_UNDETERMINED)
        probe_add_missing(
            probe, level->value, "",
            "undetermined: loads of blocks that the set should have and of others take %.1f and %.1f cycles, "
            "too many readings are disturbed, or its ways hold fewer blocks, or more",
            finding->hit, finding->miss);
    else {
        const struct interval sequences = {(double)finding->sequences, NAN, NAN, finding->sequences};
        struct probe_value *value = probe_add(
            probe, level->value, "", sequences,
            "%zu sequences of accesses, %zu of which contradict it; %zu other policies cannot be told from "
            "it",
            finding->sequences, finding->contradicting, finding->alike);
        policy_name(&finding->policy, value->text);
    }
}

static bool same_finding(const struct policy_finding *a, const struct policy_finding *b, unsigned ways)
{
    return a->verdict == b->verdict &&
           (a->verdict != POLICY_FOUND ||
            (a->policy.kind == b->policy.kind && policy_alike(&a->policy, &b->policy, ways)));
}

/* Chooses the sets that are used least: some contain the probe's own code and data. False: none is usable. */
static bool choose_sets(struct replacement_sets *sets, unsigned char *others, unsigned ways)
{
    enum { CHOICES = 8 };
    const struct policy_cache cache = {measure_sequence, sets, ways};
    double least = INFINITY;
    size_t best = 0;
    for (size_t first = 0; first < CHOICES && sets->status == STATUS_OK; first++) {
        choose_lines(sets, first);
        make_others(sets, others);
        sets->length = 0;
        double lost = policy_losses(&cache);
        if (lost < least) {
            least = lost;
            best = first;
        }
    }
    choose_lines(sets, best);
    make_others(sets, others);
    sets->length = 0;
    return isfinite(least);
}

/* Adds the policy that two of three findings agree on. */
static void find_policy(struct replacement_sets *sets, const struct replacement_level *level, unsigned ways)
{
    enum { FINDINGS = 3 };
    struct policy_finding findings[FINDINGS];
    const struct policy_cache cache = {measure_sequence, sets, ways};
    for (size_t i = 0; i < FINDINGS; i++) {
        policy_find(&cache, &findings[i]);
        if (sets->status != STATUS_OK)
            return;
        for (size_t j = 0; j < i; j++)
            if (same_finding(&findings[j], &findings[i], ways)) {
                add_finding(sets, level, &findings[i]);
                return;
            }
    }
    probe_add_missing(sets->bench->probe, level->value, "", "undetermined: no two of %d attempts agree",
                      FINDINGS);
}

static enum status measure_level(struct structure_bench *bench, const struct replacement_level *level,
                                 struct error *error)
{
    struct probe *probe = bench->probe;
    const struct cache *cache = (const struct cache *)((const char *)probe->request->machine + level->offset);
    struct replacement_sets sets = {.bench = bench, .count = level->sets, .clear = level->behind};
    if (cache->ways == 0 || cache->ways > POLICY_WAYS_MOST / 2 || cache->line != LINE) {
        probe_add_missing(probe, level->value, "",
                          "%s has %u ways and lines of %u bytes: expected 1 to %d and %d", level->name,
                          cache->ways, cache->line, POLICY_WAYS_MOST / 2, LINE);
        return STATUS_OK;
    }
    sets.span = cache->size / cache->ways;
    if (3 * cache->ways * sets.span > BLOCKS_BYTES || (!level->behind && sets.span > PROBE_SMALL_PAGE)) {
        probe_add_missing(probe, level->value, "", "lines that meet in a set are %zu bytes apart, too many",
                          sets.span);
        return STATUS_OK;
    }
    if (level->behind && probe->huge_share < 0.99) {
        probe_add_missing(probe, level->value, "",
                          "needs huge pages: the system provided them for %.0f %% of the memory",
                          100 * probe->huge_share);
        return STATUS_OK;
    }
    sets.blocks = bench->blocks;
    sets.error = error;
    if (!choose_sets(&sets, bench->blocks + BLOCKS_BYTES, cache->ways) && sets.status == STATUS_OK)
        probe_add_missing(
            probe, level->value, "",
            "undetermined: blocks that a set should have and others take the same time, or too many "
            "readings were disturbed");
    else if (sets.status == STATUS_OK)
        find_policy(&sets, level, cache->ways);
    probe_code_free(&sets.code);
    return sets.status;
}

enum status structure_replacement(struct structure_bench *bench, struct error *error)
{
    enum status status = STATUS_OK;
    bool can = template_section(&bench->probe->texts, "replace.load") != NULL;
    if (can)
        memset(bench->blocks, 0, BLOCKS_BYTES);
    for (size_t i = 0; status == STATUS_OK && i < sizeof levels / sizeof levels[0]; i++) {
        if (can)
            status = measure_level(bench, &levels[i], error);
        else
            probe_add_missing(bench->probe, levels[i].value, "", "templates/%s/%s has no code for it",
                              bench->probe->texts.isa->name, bench->probe->texts.isa->probe);
    }
    return status;
}
