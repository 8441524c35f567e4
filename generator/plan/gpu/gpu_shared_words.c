#include "generator/plan/gpu/gpu_shared_words.h"

#include "base/rational.h"
#include "base/units.h"

#include <string.h>

enum { REGION_ALIGN = 16 };

/* Of L2, where the atomics of several blocks meet. */
static unsigned line_of(const struct gpu_plan *plan)
{
    return plan->machine->l2.line > 0 ? plan->machine->l2.line : plan->machine->l1d.line;
}

/* A block's words. */
static uint64_t words_of_block(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    return (plan->threads + stream->together - 1) / stream->together;
}

/* The blocks that may change a word of the stream. */
static unsigned blocks_of_word(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    return stream->level == GPU_L2 && item->spread == WORDS_ONE ? plan->blocks : 1;
}

/* Refuses a scope that does not include all threads of a word: their atomics would be a race (PTX ISA, memory
 * consistency model: scopes of morally strong operations include each other). */
static enum status check_scope(const struct gpu_plan *plan, const struct gpu_stream *stream,
                               struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned blocks = blocks_of_word(plan, stream);
    unsigned within = item->scope == SCOPE_CTA       ? 1
                      : item->scope == SCOPE_CLUSTER ? plan->cluster
                                                     : plan->blocks;
    if (item->scope == SCOPE_CLUSTER && plan->cluster == 1)
        return error_set(error, STATUS_RECIPE,
                         "atomic.scope is \"cluster\", and grid.cluster is 1: expected %sscope = \"gpu\"",
                         machine_has(plan->machine, "sm_90") ? "cluster = 2 to 8, or " : "");
    if (item->scope == SCOPE_CTA && stream->level == GPU_DSMEM)
        return error_set(
            error, STATUS_RECIPE,
            "atomic.scope is \"cta\" with served_by.DSMEM: the word is in another block's shared "
            "memory; expected scope = \"cluster\", \"gpu\" or \"sys\"");
    if (blocks <= within)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "atomic.scope is \"%s\" with address = \"one\": %u blocks change the word, and that scope orders "
        "those of %s (%u); expected scope = \"gpu\" or \"sys\", or address = \"block\"",
        atomic_scope_name(item->scope), blocks, item->scope == SCOPE_CTA ? "one block" : "one cluster",
        within);
}

enum status gpu_words_read(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    const unsigned together[] = {[WORDS_ONE] = plan->threads,
                                 [WORDS_BLOCK] = plan->threads,
                                 [WORDS_WARP] = plan->machine->gpu.wave,
                                 [WORDS_THREAD] = 1};
    stream->together = together[item->spread];
    if (item->lane == 0 && item->spread != WORDS_THREAD)
        stream->lane = line_of(plan); /* one for each word */
    return check_scope(plan, stream, error);
}

enum status gpu_words_lay(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    bool shared = gpu_level_in_shared(stream->level), one = item->spread == WORDS_ONE;
    uint64_t words = words_of_block(plan, stream);
    const char *place = plan->kernel->place.first;
    if (!shared && place != NULL)
        return error_set(error, STATUS_RECIPE,
                         "atomic{} with place.%s: the place would change which blocks change a word, and "
                         "where the word is; expected no such place",
                         place);
    stream->block = shared || one ? 0 : words * stream->lane;
    uint64_t bytes = shared ? words * stream->lane : one ? stream->lane : plan->blocks * stream->block;
    stream->bytes = stream->step = rational_round_up(bytes, REGION_ALIGN);
    stream->row_bytes = stream->brought = rational_round_up(stream->bytes, plan->machine->l1d.line);
    stream->rows = 1;
    stream->advance = stream->ahead = stream->tail = stream->dense = stream->apart = 0;
    return STATUS_OK;
}

enum status gpu_words_refuse(const struct gpu_plan *plan, const struct gpu_stream *stream, const char *needs,
                             struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    if (needs != NULL)
        return error_set(error, STATUS_RECIPE,
                         "atomic{}: it needs %s or later, and the machine \"%s\" is %s; expected load{} and "
                         "store{}",
                         needs, plan->machine->name, plan->machine->gpu.arch);
    return error_set(error, STATUS_RECIPE,
                     "atomic.op is \"%s\" with served_by.%s and width = %u%s: the machine executes it as a "
                     "loop; expected width = 4, or served_by = { L2 = 1 }",
                     item->atomic, gpu_level_name((int)stream->level), stream->width,
                     item->returns ? "" : ", returns = false");
}

/* The mean number of threads of the grid that change a word of the stream. */
static double threads_of_word(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    return (double)plan->threads / (double)words_of_block(plan, stream) * blocks_of_word(plan, stream);
}

/* The mean number of blocks that change a line of the stream. */
static double blocks_of_line(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    uint64_t line = line_of(plan), lines = 0, touches = 0, next = 0;
    if (gpu_level_in_shared(stream->level))
        return 1;
    if (stream->block == 0)
        return plan->blocks;
    for (unsigned block = 0; block < plan->blocks; block++) {
        uint64_t own =
            UINT64_MAX; /* the last line of the block; next: the first line that no block has touched */
        for (unsigned t = 0; t < plan->threads; t += stream->together) {
            uint64_t at = (block * stream->block + gpu_thread_offset(stream, t)) / line;
            touches += at != own;
            lines += at >= next;
            next = at + 1 > next ? at + 1 : next;
            own = at;
        }
    }
    return (double)touches / (double)lines;
}

enum status gpu_words_check_dies(const struct gpu_plan *plan, struct error *error)
{
    for (size_t i = 0; i < plan->stream_count; i++)
        if (plan->streams[i].atomic != NULL && plan->machine->gpu.xcc > 1 &&
            blocks_of_line(plan, &plan->streams[i]) > 1)
            return error_set(error, STATUS_RECIPE,
                             "atomic{} on lines that %u dies share: each die has an L2, and it is not "
                             "published which of them performs the atomic; expected address = \"block\" with "
                             "apart = %u, or a machine of one die such as mi300x-cpx",
                             plan->machine->gpu.xcc, line_of(plan));
    return STATUS_OK;
}

void gpu_words_add_rates(struct gpu_plan *plan)
{
    double threads = 0, blocks = 0, all = 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        if (stream->atomic == NULL)
            continue;
        threads += stream->per_pass * threads_of_word(plan, stream);
        blocks += stream->per_pass * blocks_of_line(plan, stream);
        all += stream->per_pass;
    }
    if (all <= 0)
        return;
    const struct {
        const char *metric;
        double value;
    } rows[] = {{"atomic.threads_per_word", threads / all}, {"atomic.blocks_per_line", blocks / all}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rates_add(&plan->arena, &plan->rates.expected, rows[i].metric, rows[i].value);
        rates_add(&plan->arena, &plan->rates.targets, rows[i].metric, rows[i].value);
    }
}
