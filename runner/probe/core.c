/* The core itself: the cost of a mispredicted branch, and its throughput per cycle. */
#include "runner/probe/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAMPLE_S = 60e-6;

/* ---- branches ---- */

static const struct probe_loop branches = {.body = "branch", .repeat = 8};
static const uint64_t MULTIPLIER = UINT64_C(6364136223846793005);
static const unsigned BIT = 50;

enum status probe_branch(struct probe *probe, struct error *error)
{
    struct probe_code code = {0};
    enum status status = probe_code_make(&probe->texts, &branches, &code, error);
    if (status != STATUS_OK)
        return status;
    struct probe_words words = {.first = 1, .second = UINT64_C(1) << BIT, .third = MULTIPLIER};
    struct probe_timing timing = {.code = &code, .things = branches.repeat, .words = &words};
    timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    struct interval random = probe_time(probe, &timing, probe->samples, NULL);
    bool doubted = timing.disturbed;
    words.second = 0;
    struct interval steady = probe_time(probe, &timing, probe->samples, NULL);
    doubted = doubted || timing.disturbed;
    probe_code_free(&code);
    struct interval cost = {2 * (random.value - steady.value), 2 * (random.low - steady.high),
                            2 * (random.high - steady.low), random.n};
    if (cost.low <= 0)
        probe_add_missing(probe, "branch.miss", "cycles",
                          "random branches took no longer than predictable ones");
    else
        probe_add(
            probe, "branch.miss", "cycles", cost,
            "a loop with random branches minus the same loop with predictable ones, assuming that half the "
            "random ones are mispredicted");
    if (doubted)
        probe_doubt(probe);
    return STATUS_OK;
}

/* ---- widths ---- */

enum { COPIES = 96, ADD_COPIES = 20, ADDS = 10, NOPS = 504, WORD_BYTES = 8 };

/* The fastest of several measurements; *agree: the two fastest agree, and so the rate is right. Copies may
 * fall into step with the core's ports in several ways, and other programs may lower a rate for a while. */
static struct interval fastest_of_several(struct probe *probe, struct probe_timing *timing, bool *agree)
{
    enum { MOST = 8 };
    static const double AGREE = 1.005;
    struct interval fastest = {.value = INFINITY};
    *agree = false;
    for (int i = 0; i < MOST && !*agree; i++) {
        struct interval found = probe_time(probe, timing, probe->samples, NULL);
        if (timing->disturbed && i + 1 < MOST)
            continue;
        double ratio = found.value / fastest.value;
        *agree = !timing->disturbed && ratio < AGREE && ratio > 1 / AGREE;
        if (found.value < fastest.value)
            fastest = found;
    }
    return fastest;
}

static enum status measure_width(struct probe *probe, const char *name, const struct probe_loop *loop,
                                 double things, const char *remark, struct error *error)
{
    struct probe_code code = {0};
    enum status status = probe_code_make(&probe->texts, loop, &code, error);
    if (status != STATUS_OK)
        return status;
    struct probe_words words = {.first = (uintptr_t)probe->memory.bytes};
    struct probe_timing timing = {.code = &code, .things = things, .words = &words};
    bool agree;
    timing.iterations = probe_iterations(probe, &timing, SAMPLE_S);
    struct interval cycles = fastest_of_several(probe, &timing, &agree);
    probe_code_free(&code);
    probe_add(probe, name, "per cycle", probe_inverse(cycles), "%s", remark);
    if (!agree)
        probe_doubt(probe);
    return STATUS_OK;
}

/* bytes 0: the widest. */
static enum status measure_access(struct probe *probe, const char *name, unsigned bytes, bool store,
                                  const char *remark, struct error *error)
{
    struct probe_access access;
    if (!probe_access_find(probe, bytes, &access))
        return error_set(error, STATUS_FAILED, "templates/%s/%s has no access of %u bytes",
                         probe->texts.isa->name, probe->texts.isa->probe, bytes);
    struct probe_loop loop = {.before = "accesses.before",
                              .text = store ? access.store : access.load,
                              .repeat = COPIES,
                              .step = access.bytes};
    return measure_width(probe, name, &loop, COPIES, remark, error);
}

/* ---- operations per cycle ---- */

enum { OPERATION_COPIES = 48, MOST_TEXT = 160, MOST_WORD = 32 };

/* A row of the section "rates". */
struct issue_rate {
    char name[MOST_WORD], registers[MOST_WORD], before[MOST_WORD], after[MOST_WORD];
    char text[MOST_TEXT];
};

static bool read_rate(const char *line, struct issue_rate *rate)
{
    return line[0] != '#' && sscanf(line, "%31s %31s %31s %31s %159[^\n]", rate->name, rate->registers,
                                    rate->before, rate->after, rate->text) == 5;
}

/* The row's text once for each register, one instruction per line; *count: their number. */
static enum status write_operations(const struct template *texts, const struct issue_rate *rate,
                                    unsigned *count, struct buffer *body, struct error *error)
{
    const char *registers = probe_section(texts, rate->registers, error);
    struct buffer text = {0};
    enum status status = STATUS_OK;
    *count = 0;
    if (registers == NULL)
        return STATUS_FAILED;
    char name[MOST_WORD];
    for (int used; status == STATUS_OK && sscanf(registers, "%31s%n", name, &used) == 1; registers += used) {
        const struct binding binding = {"register", name};
        status = template_expand(texts, rate->text, &binding, 1, &text, error);
        buffer_text(&text, "\n");
        ++*count;
    }
    for (const char *line = text.data, *more; line != NULL && *line != '\0'; line = more) {
        const char *end = strstr(line, "; ");
        buffer_printf(body, "%.*s\n", (int)(end == NULL ? strlen(line) : (size_t)(end - line)), line);
        more = end == NULL ? NULL : end + 2;
    }
    buffer_free(&text);
    return status;
}

static enum status measure_rate(struct probe *probe, struct issue_rate *rate, struct error *error)
{
    struct buffer body = {0};
    unsigned count = 0;
    size_t plain = strcspn(rate->name, "@");
    if (rate->name[plain] == '@' && !machine_has(probe->request->machine, rate->name + plain + 1))
        return STATUS_OK;
    char *name = arena_alloc(&probe->texts.arena, strlen("rate.") + plain + 1, 1);
    memcpy(stpcpy(name, "rate."), rate->name, plain);
    enum status status = write_operations(&probe->texts, rate, &count, &body, error);
    const struct probe_loop loop = {.before = rate->before[0] == '-' ? NULL : rate->before,
                                    .text = body.data,
                                    .after = rate->after[0] == '-' ? NULL : rate->after,
                                    .repeat = OPERATION_COPIES};
    if (status == STATUS_OK)
        status = measure_width(probe, name, &loop, (double)OPERATION_COPIES * count, "independent operations",
                               error);
    buffer_free(&body);
    return status;
}

static enum status measure_operations(struct probe *probe, struct error *error)
{
    enum status status = STATUS_OK;
    const char *line = template_section(&probe->texts, "rates");
    for (struct issue_rate rate; status == STATUS_OK && line != NULL && *line != '\0';
         line = probe_next_line(line))
        if (read_rate(line, &rate))
            status = measure_rate(probe, &rate, error);
    return status;
}

enum status probe_issue(struct probe *probe, struct error *error)
{
    static const struct probe_loop nops = {.body = "nop", .repeat = NOPS};
    return measure_width(probe, "width.issue", &nops, NOPS, "idle instructions", error);
}

enum status probe_width(struct probe *probe, struct error *error)
{
    static const struct probe_loop adds = {.body = "adds", .repeat = ADD_COPIES};
    enum status status =
        measure_width(probe, "width.add", &adds, ADD_COPIES * ADDS, "independent adds", error);
    if (status == STATUS_OK)
        status =
            measure_access(probe, "width.load", WORD_BYTES, false, "loads of 8 bytes that hit L1D", error);
    if (status == STATUS_OK)
        status = measure_access(probe, "width.load_wide", 0, false, "the widest loads", error);
    if (status == STATUS_OK)
        status = measure_access(probe, "width.store", WORD_BYTES, true, "stores of 8 bytes", error);
    if (status == STATUS_OK)
        status = measure_access(probe, "width.store_wide", 0, true, "the widest stores", error);
    if (status == STATUS_OK)
        status = measure_operations(probe, error);
    return status;
}
