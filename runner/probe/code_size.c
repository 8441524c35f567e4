/* The instruction cache: a chain of jumps, one in each line, in an order that no prefetcher can follow. */
#include "isa/assemble.h"
#include "runner/probe/family.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,
    SMALLEST = 8192,
    LARGEST = 512 * 1024,
    PARTS = 4,
    ROUNDS = 3,
};
static const double SAMPLE_S = 60e-6;

/* The code that makes up chains. */
struct links {
    const struct isa *isa;
    const struct encoding *jump;
    unsigned char back[ENCODING_BYTES];
    size_t back_bytes;
    struct probe_code caller;
};

/* The narrowest jump that reaches all of the chain. */
static enum status learn_jump(const struct template *texts, struct links *links, struct error *error)
{
    struct buffer text = {0};
    const char *section = template_section(texts, "jump");
    const struct binding binding = {"target", (const char[]){STENCIL_HOLE, 0}};
    enum status status =
        section == NULL ? STATUS_FAILED
                        : template_expand(texts, section + strspn(section, " "), &binding, 1, &text, error);
    struct shape *shape = status == STATUS_OK ? stencils_shape(texts->stencils, text.data,
                                                               strcspn(text.data, "\n"), NUMBER_TARGET)
                                              : NULL;
    for (size_t class = 0; status == STATUS_OK && links->jump == NULL; class ++) {
        bool known = true;
        if (!stencils_has_target(texts->stencils, class))
            break;
        if (!stencils_target_fits(texts->stencils, class, LARGEST) ||
            !stencils_target_fits(texts->stencils, class, -LARGEST))
            continue;
        links->jump = stencils_target(texts->stencils, shape, class, &known);
        if (!known)
            status = stencils_learn(texts->stencils, error);
        if (!known && status == STATUS_OK)
            links->jump = stencils_target(texts->stencils, shape, class, &known);
    }
    buffer_free(&text);
    return links->jump != NULL ? STATUS_OK
                               : error_set(error, STATUS_FAILED, "templates/%s/%s has no jump over %d bytes",
                                           texts->isa->name, texts->isa->probe, LARGEST);
}

static enum status learn_return(const struct template *texts, struct links *links, struct error *error)
{
    struct buffer text = {0};
    const char *section = template_section(texts, "return");
    buffer_text(&text, section == NULL ? "" : section);
    enum status status = assemble_text(texts->assembly, &text, texts->isa->probe, error);
    struct assembly_bytes code = {0};
    if (status == STATUS_OK)
        code = assembly_section(texts->assembly, ".text");
    links->back_bytes = code.size;
    if (status == STATUS_OK && (code.size == 0 || code.size > sizeof links->back))
        status = error_set(error, STATUS_FAILED, "templates/%s/%s has no section return", texts->isa->name,
                           texts->isa->probe);
    if (status == STATUS_OK)
        memcpy(links->back, code.bytes, code.size);
    buffer_free(&text);
    return status;
}

/* A jump from `from` to the line `to`. */
static void put_jump(const struct links *links, unsigned char *bytes, size_t from, size_t to)
{
    unsigned char jump[ENCODING_ROOM];
    size_t origin = from + (links->isa->branch_origin == ORIGIN_END ? links->jump->size : 0);
    encoding_stencil(links->jump, (int64_t)to - (int64_t)origin, jump);
    memcpy(bytes + from, jump, links->jump->size);
}

/* The places of a chain of jumps: `each` in every line, visited in one order after the other. */
struct jumps {
    size_t lines;
    size_t each;
};

/* The lines' order: that of a chain of pointers through as many words. The first entry is the first line. */
static size_t *make_order(size_t lines)
{
    unsigned char **words = calloc(lines, sizeof *words);
    size_t *order = calloc(lines, sizeof *order);
    if (words == NULL || order == NULL)
        abort();
    unsigned char **at = probe_chain_random((unsigned char *)words, lines, sizeof *words, 0);
    for (size_t i = 0; i < lines; i++) {
        order[i] = (size_t)(at - words);
        at = (unsigned char **)(void *)*at;
    }
    free(words);
    return order;
}

static enum status lay_jumps(const struct links *links, struct jumps jumps, struct probe_code *code,
                             size_t *entry, struct error *error)
{
    size_t count = jumps.lines * jumps.each;
    size_t *order = make_order(jumps.lines);
    unsigned char *bytes = calloc(jumps.lines, LINE);
    if (bytes == NULL)
        abort();
    size_t from = order[0] * LINE;
    *entry = from;
    for (size_t i = 1; i < count; i++) {
        size_t to = order[i % jumps.lines] * LINE + i / jumps.lines * (LINE / jumps.each);
        put_jump(links, bytes, from, to);
        from = to;
    }
    memcpy(bytes + from, links->back, links->back_bytes);
    enum status status = probe_code_place(bytes, jumps.lines * LINE, code, error);
    free(bytes);
    free(order);
    return status;
}

static enum status measure_point(struct probe *probe, const struct links *links, struct jumps jumps,
                                 struct probe_point *point, struct error *error)
{
    size_t entry;
    struct probe_code code = {0};
    enum status status = lay_jumps(links, jumps, &code, &entry, error);
    if (status != STATUS_OK)
        return status;
    struct probe_words words = {.first = (uintptr_t)code.bytes + entry};
    struct probe_timing timing = {
        .code = &links->caller, .things = (double)(jumps.lines * jumps.each), .words = &words};
    timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    struct interval cycles = probe_time(probe, &timing, probe->samples, NULL);
    bool first = point->size == 0;
    if (first || cycles.value < point->cycles.value)
        point->cycles = cycles;
    point->size = (double)(jumps.lines * LINE);
    probe_code_free(&code);
    return STATUS_OK;
}

/* For each size the fastest round, as in the latency curve. */
static enum status measure_curve(struct probe *probe, const struct links *links, size_t each,
                                 struct probe_curve *curve, struct error *error)
{
    for (size_t round = 0; round < ROUNDS; round++) {
        curve->count = 0;
        for (size_t octave = SMALLEST; octave < LARGEST; octave *= 2) {
            for (size_t part = 0; part < PARTS; part++) {
                struct jumps jumps = {octave / LINE / PARTS * (PARTS + part), each};
                enum status status =
                    measure_point(probe, links, jumps, &curve->points[curve->count++], error);
                if (status != STATUS_OK)
                    return status;
            }
        }
    }
    return STATUS_OK;
}

/* Branch predictors have their own steps, at a number of jumps; the cache's step is at a number of lines,
 * however many jumps are in each. */
static void add_size(struct probe *probe, const struct probe_curve curves[2])
{
    struct probe_plateau plateaus[2][PLATEAUS_MOST];
    size_t found[2];
    for (size_t i = 0; i < 2; i++)
        found[i] = probe_plateaus(curves[i].points, curves[i].count, PLATEAUS_MOST, plateaus[i]);
    int step =
        probe_common_step(curves[0].points, plateaus[0], found[0], curves[1].points, plateaus[1], found[1]);
    if (step < 0) {
        probe_add_missing(
            probe, "l1i.size", "bytes",
            "no step is at the same size with one jump per line and with two: all steps belong to the "
            "branch predictor");
        probe_compare(&probe->values[probe->value_count - 1], (double)probe->request->machine->l1i.size,
                      "sysfs", "");
        return;
    }
    struct probe_plateau *at = &plateaus[0][step];
    struct probe_value *value =
        probe_add(probe, "l1i.size", "bytes", probe_capacity(curves[0].points, &at[0], &at[1]),
                  "where jumps in random order take longer, with one jump per line and with two");
    probe_compare(value, (double)probe->request->machine->l1i.size, "sysfs",
                  "the front end fetches ahead, which hides some of the misses");
}

enum status probe_code_size(struct probe *probe, struct error *error)
{
    static const struct probe_loop call = {.body = "call", .repeat = 1};
    struct links links = {.isa = probe->texts.isa};
    struct probe_curve curves[2] = {0};
    enum status status = probe_code_make(&probe->texts, &call, &links.caller, error);
    if (status == STATUS_OK)
        status = learn_jump(&probe->texts, &links, error);
    if (status == STATUS_OK)
        status = learn_return(&probe->texts, &links, error);
    for (size_t i = 0; status == STATUS_OK && i < 2; i++)
        status = measure_curve(probe, &links, i + 1, &curves[i], error);
    probe_code_free(&links.caller);
    if (status == STATUS_OK)
        add_size(probe, curves);
    return status;
}
