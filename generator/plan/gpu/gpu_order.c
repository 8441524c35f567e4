#include "generator/plan/gpu/gpu_order.h"

/* One wave's walk. */
struct wave_walk {
    const struct gpu_stream *stream;
    uint64_t bus, period;
    uint64_t before,
        span; /* bytes from a row to the wave's first access, and from there to the end of its last */
    gpu_step_visitor *visit;
    void *context;
};

/* The place of the word, as far as the data has it whole. */
static uint64_t place_of(const struct wave_walk *walk, uint64_t word)
{
    return word % walk->period;
}

/* Visits the steps within an access of the wave whose row is there; *first and *last are its words. */
static void visit_access(const struct wave_walk *walk, uint64_t row, uint64_t times, uint64_t *first,
                         uint64_t *last)
{
    const struct gpu_stream *stream = walk->stream;
    uint64_t bus = walk->bus, apart = stream->lane < bus ? bus : stream->lane;
    uint64_t reach = stream->lane < bus ? 1 : stream->width, before = UINT64_MAX;
    for (uint64_t at = 0; at < walk->span; at += apart)
        for (uint64_t word = (row + walk->before + at) / bus;
             word <= (row + walk->before + at + reach - 1) / bus; word++) {
            if (word == before)
                continue;
            const struct gpu_step step = {place_of(walk, before), place_of(walk, word), times};
            if (before != UINT64_MAX && walk->visit != NULL)
                walk->visit(&step, walk->context);
            *first = before == UINT64_MAX ? word : *first;
            *last = before = word;
        }
}

static void visit_link(const struct wave_walk *walk, uint64_t from_row, uint64_t to_row, uint64_t times)
{
    struct wave_walk quiet = *walk;
    uint64_t first = 0, last = 0, unused;
    quiet.visit = NULL;
    visit_access(&quiet, from_row, 0, &unused, &last);
    visit_access(&quiet, to_row, 0, &first, &unused);
    const struct gpu_step step = {place_of(walk, last), place_of(walk, first), times};
    walk->visit(&step, walk->context);
}

/* Bytes from the region's start to its row-th row. */
static uint64_t row_at(const struct gpu_stream *stream, uint64_t row)
{
    uint64_t dense = row * stream->step;
    return stream->dense == 0 ? dense : dense / stream->dense * stream->apart + dense % stream->dense;
}

/* Rows after which both the words and the chosen channels repeat. */
static uint64_t rows_of_words(const struct wave_walk *walk)
{
    const struct gpu_stream *stream = walk->stream;
    return walk->period * (stream->dense > 0 ? stream->dense / stream->step : 1);
}

/* How many of the first `count` numbers are `own` modulo `every`. */
static uint64_t times_of(uint64_t count, uint64_t own, uint64_t every)
{
    return count / every + (own < count % every);
}

/* A wave makes `length` accesses, one row after the other of the region's rows, and begins again. */
static void visit_round(const struct wave_walk *walk, uint64_t length)
{
    const struct gpu_stream *stream = walk->stream;
    uint64_t rows = stream->rows < length ? stream->rows : length;
    uint64_t among = rows_of_words(walk) < rows && length <= stream->rows ? rows_of_words(walk) : rows;
    uint64_t unused;
    for (uint64_t k = 0; k < among; k++) {
        visit_access(walk, row_at(stream, k), times_of(length, k, among), &unused, &unused);
        uint64_t next = k + 1 == rows && length > rows ? 0 : k + 1;
        uint64_t times = times_of(length - 1, k, among);
        if (times > 0)
            visit_link(walk, row_at(stream, k), row_at(stream, next), times);
    }
    visit_link(walk, row_at(stream, (length - 1) % rows), 0, 1);
    for (uint64_t k = 1; stream->ahead > 0 && k < rows_of_words(walk); k++) {
        visit_access(walk, row_at(stream, k), 0, &unused, &unused);
        visit_link(walk, row_at(stream, k), row_at(stream, k + 1), 0);
        visit_link(walk, row_at(stream, k + rows - 1), row_at(stream, k), 0);
    }
}

/* Each chunk of a side: the words run on from chunk to chunk, so that as many as the words' period differ. */
static void visit_chunks(const struct wave_walk *walk)
{
    const struct gpu_stream *stream = walk->stream;
    const struct gpu_rule *rule = &stream->rule;
    uint64_t unused;
    for (uint64_t chunk = 0; chunk < walk->period; chunk++) {
        uint64_t from = chunk * rule->chunk + rule->header;
        for (unsigned k = 0; k < stream->hop; k++) {
            visit_access(walk, from + k * stream->step, 1, &unused, &unused);
            if (k + 1 < stream->hop)
                visit_link(walk, from + k * stream->step, from + (k + 1) * stream->step, 1);
        }
    }
}

uint64_t gpu_order_visit(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t period,
                         gpu_step_visitor *visit, void *context)
{
    unsigned wave = plan->machine->gpu.wave;
    unsigned waves = stream->side != NULL ? 1 : (plan->threads + wave - 1) / wave;
    uint64_t length = stream->advance > 0 ? stream->rows : stream->per_pass;
    for (unsigned i = 0; i < waves; i++) {
        unsigned before = i * wave, threads = plan->threads - before < wave ? plan->threads - before : wave;
        struct wave_walk walk = {.stream = stream,
                                 .bus = gpu_stream_bus(plan, stream),
                                 .period = period,
                                 .before = before * stream->lane,
                                 .span = stream->lane * (threads - 1) + stream->width,
                                 .visit = visit,
                                 .context = context};
        if (stream->side != NULL)
            visit_chunks(&walk);
        else if (length > 0)
            visit_round(&walk, length);
    }
    return stream->side != NULL ? period * stream->hop : length;
}
