#include "runner/sources/warp/warp_operations.h"

#include "base/memory.h"
#include "base/text/names.h"
#include "generator/kernel/operations.h"
#include "generator/suite/code_generator.h"
#include "runner/sources/gpu/grid_flow.h"
#include "sim/ptx/ptx_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 128, NAME_BYTES = 112, MOST_COUNT = 1 << 30 };

/* Instructions of the loop, counted by operation. */
struct operation_tally {
    const struct machine *machine;
    struct {
        char name[NAME_BYTES];
        long wanted, seen;
    } rows[MOST_NAMES];
    size_t count;
};

/* Operations that the close of the loop and the walks of streams also use, in numbers that no row states. */
static const char ELSEWHERE[] = "add.u64,sub.u64,and.b64,setp.ge.u64,setp.ne.u64";

static void count(struct operation_tally *tally, const char *name, size_t length, long wanted, long seen)
{
    size_t i = 0;
    while (i < tally->count &&
           (strncmp(tally->rows[i].name, name, length) != 0 || tally->rows[i].name[length] != '\0'))
        i++;
    if (i == MOST_NAMES || length >= NAME_BYTES)
        return;
    if (i == tally->count) {
        tally->count++;
        memcpy(tally->rows[i].name, name, length);
        tally->rows[i].name[length] = '\0';
        tally->rows[i].wanted = tally->rows[i].seen = 0;
    }
    tally->rows[i].wanted += wanted;
    tally->rows[i].seen += seen;
}

/* The length of a statement's first word. A single colon after it marks a label. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " \t\n;:");
    while (text[length] == ':' && text[length + 1] == ':')
        length += 2 + strcspn(text + length + 2, " \t\n;:");
    return length;
}

/* Counts the operations of a row or section: the first word of each statement except guards, labels and
 * comments. */
static void want_text(struct operation_tally *tally, const char *text, long times)
{
    while (*text != '\0') {
        text += strspn(text, " \t\n;");
        if (*text == '@')
            text += strcspn(text, " ") + 1;
        size_t length = word_length(text);
        if (text[length] != ':' && length > 0 && *text >= 'a' && *text <= 'z')
            count(tally, text, length, times, 0);
        text += strcspn(text, ";\n");
    }
}

static void want_row(struct operation_tally *tally, const struct template *templates, const char *name,
                     long times)
{
    const struct form *form = operation_row(templates, tally->machine, name);
    if (form != NULL && times > 0)
        want_text(tally, form->text, times);
}

/* A number of the manifest, which is untrusted; 0 if it is out of range. */
static long whole_of(double stated)
{
    return stated > 0 && stated < (double)MOST_COUNT ? (long)stated : 0;
}

static bool is_wide(const struct manifest_item *item)
{
    return item->width == 8;
}

/* An item's count; 1 if the manifest states none. */
static long count_of(const struct manifest_item *item)
{
    return item->count > 0 ? whole_of(item->count) : 1;
}

/* True for an operation or branch that uses the registers of such divisions. Divisions that consume loads may
 * result in 0. */
static bool shares_registers(const struct template *templates, const struct manifest_item *item, bool wide)
{
    if (strcmp(item->op, "branch") == 0)
        return !wide;
    if (strcmp(item->op, "div") == 0)
        return is_wide(item) == wide && item->dependents > 0;
    return is_wide(item) == wide && form_has(template_form(templates, item->op), FORM_ACCUMULATES);
}

/* The number of instances that consume loads. */
static long dependents_of(const struct manifest_item *item)
{
    long each = count_of(item);
    return item->dependents > (double)each ? each : whole_of(item->dependents);
}

/* Counts the statements that keep the divisor of divisions beside such operations from 0. */
static void want_divisors(struct operation_tally *tally, const struct template *templates,
                          const struct manifest *manifest, long units)
{
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        bool shared = false, wide = is_wide(item);
        for (size_t k = 0; strcmp(item->op, "div") == 0 && k < manifest->unit_count; k++)
            shared = shared || shares_registers(templates, &manifest->unit[k], wide);
        if (shared)
            want_row(tally, templates, wide ? "div.beside.8" : "div.beside",
                     (count_of(item) - dependents_of(item)) * units);
    }
}

/* True if the kernel has the operation with that width (0: any) and not only on loaded values. */
static bool has_operation(const struct manifest *manifest, const char *op, unsigned width)
{
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        if (strcmp(item->op, op) == 0 && (width == 0 || is_wide(item) == (width == 8)) &&
            dependents_of(item) < count_of(item))
            return true;
    }
    return false;
}

/* Counts the statements that change the factor of multiplications from pass to pass, if there are no
 * divisions. */
static void want_factors(struct operation_tally *tally, const struct template *templates,
                         const struct manifest *manifest)
{
    static const struct {
        unsigned width;
        const char *section;
    } rows[] = {{4, "factor.turn"}, {8, "factor.turn.8"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = template_section(templates, rows[i].section);
        if (text != NULL && has_operation(manifest, "fmul", rows[i].width) &&
            !has_operation(manifest, "fdiv", 0))
            want_text(tally, text, 1);
    }
}

static void want_item(struct operation_tally *tally, const struct template *templates,
                      const struct manifest_item *item, long units)
{
    char name[NAME_BYTES];
    long each = count_of(item);
    const char *section = template_section(templates, item->op);
    if (strcmp(item->op, "load") == 0 || strcmp(item->op, "store") == 0 || item->atomic != NULL)
        return;
    if (strcmp(item->op, "branch") == 0 && section != NULL) {
        want_text(tally, section, each * units);
        return;
    }
    long dependents = dependents_of(item);
    snprintf(name, sizeof name, "%.60s%s", item->op, is_wide(item) ? ".8" : "");
    want_row(tally, templates, name, (each - dependents) * units);
    snprintf(name, sizeof name, "%.60s.dependent%s", item->op, is_wide(item) ? ".8" : "");
    want_row(tally, templates, name, dependents * units);
}

/* Counts a stream's accesses, and the statements that consume its loads. */
static void want_stream(struct operation_tally *tally, const struct template *templates,
                        const struct manifest_stream *stream)
{
    char name[NAME_BYTES];
    const char *space = strcmp(stream->level, "SHARED") == 0  ? "shared"
                        : strcmp(stream->level, "DSMEM") == 0 ? "dsmem"
                                                              : stream->cache;
    long times = whole_of(stream->per_pass);
    long width = whole_of(stream->width);
    bool async = stream->source[0] != '\0', bulk = strcmp(stream->source, "tma") == 0;
    bool atomic = stream->atomic != NULL,
         returns = atomic ? stream->returns : strcmp(stream->op, "load") == 0;
    if (atomic)
        snprintf(name, sizeof name, "%s.%.20s.%.10s.%ld", stream->returns ? "atomic" : "reduce",
                 space[0] == '\0' ? "global" : space, stream->atomic, width);
    else
        snprintf(name, sizeof name, "%.10s.%.20s%s.%ld",
                 bulk && strcmp(stream->op, "store") == 0 ? "put"
                 : async                                  ? stream->source
                                                          : stream->op,
                 bulk ? "bulk" : space, stream->chase ? ".chase" : "", width);
    want_row(tally, templates, name, times);
    snprintf(name, sizeof name, "consume.%ld", atomic ? 4 : width);
    if (!stream->chase && !async && returns)
        want_row(tally, templates, name, times);
    long links = whole_of(stream->links);
    const char *section = template_section(templates, "side.next");
    if (links > 0 && section != NULL)
        want_text(tally, section, links);
}

/* Counts the waits of an asynchronous load, given its first stream, and the reads of its copies. */
static void want_waits(struct operation_tally *tally, const struct template *templates,
                       const struct manifest_stream *stream, long units)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "cp.async.wait_group %ld", whole_of(stream->pending));
    count(tally, name, strlen(name), units, 0);
    snprintf(name, sizeof name, "consume.%ld", whole_of(stream->width));
    want_row(tally, templates, name, stream->read ? units : 0);
}

/* The same for a bulk load. In each unit, all threads wait for a phase, alternately of both parities, and
 * meet once; one of them begins the next phase. units: or the copies of a chase. */
static void want_phases(struct operation_tally *tally, const struct template *templates,
                        const struct manifest_stream *stream, long units)
{
    static const char wait[] = "mbarrier.try_wait.parity.shared::cta.b64", branch[] = "bra", meet[] = "bar";
    char name[NAME_BYTES];
    for (long parity = 0; parity < 2; parity++) {
        snprintf(name, sizeof name, "%s %ld", wait, parity);
        count(tally, name, strlen(name), units / 2, 0);
    }
    count(tally, branch, strlen(branch), units, 0);
    count(tally, meet, strlen(meet), units, 0);
    want_row(tally, templates, "bulk.expect", units);
    snprintf(name, sizeof name, "consume.%ld", whole_of(stream->width));
    want_row(tally, templates, name, stream->read && !stream->chase ? units : 0);
}

/* The number of separate waits for a ring: one for each copy of a chase, else one for each unit. */
static long waits_of(const struct manifest *manifest, const struct manifest_stream *stream, long units)
{
    long copies = 0;
    for (size_t i = 0; stream->chase && i < manifest->stream_count; i++)
        if (manifest->streams[i].source[0] != '\0' && manifest->streams[i].ring == stream->ring)
            copies += whole_of(manifest->streams[i].per_pass);
    return stream->chase ? copies : units;
}

/* Counts the statements of all rings; streams of one asynchronous load share a ring. */
static void want_rings(struct operation_tally *tally, const struct template *templates,
                       const struct manifest *manifest, long units)
{
    static const char commit[] = "cp.async.commit_group";
    bool any = false, puts = false;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        bool stores = strcmp(stream->op, "store") == 0, first = stream->source[0] != '\0' && !stores;
        if (stores && stream->source[0] != '\0' && !puts)
            want_row(tally, templates, "bulk.commit", units);
        puts = puts || (stores && stream->source[0] != '\0');
        for (size_t k = 0; first && k < i; k++)
            first = manifest->streams[k].source[0] == '\0' || manifest->streams[k].ring != stream->ring;
        if (!first)
            continue;
        if (strcmp(stream->source, "tma") == 0) {
            want_phases(tally, templates, stream, waits_of(manifest, stream, units));
            continue;
        }
        want_waits(tally, templates, stream, units);
        if (!any)
            count(tally, commit, strlen(commit), whole_of(stream->groups) * units, 0);
        any = true;
    }
}

/* Counts the fences, commits and waits of products of groups of warps, one of each per unit. */
static void want_groups(struct operation_tally *tally, const struct template *templates,
                        const struct manifest *manifest, long units)
{
    static const char *const rows[] = {"wgmma.fence", "wgmma.commit", "wgmma.wait"};
    bool any = false;
    for (size_t i = 0; i < manifest->unit_count; i++)
        any = any || form_has(template_form(templates, manifest->unit[i].op), FORM_GROUP_TILE);
    for (size_t i = 0; any && i < sizeof rows / sizeof rows[0]; i++) {
        const struct form *form = operation_row(templates, tally->machine, rows[i]);
        if (form != NULL)
            count(tally, form->text, strlen(form->text), units, 0);
    }
}

static void count_loop(struct operation_tally *tally, const struct ptx_program *program)
{
    for (size_t i = program->loop; i < program->loop_end; i++) {
        const char *name = program->code[i].name;
        enum ptx_kind kind = program->code[i].kind;
        bool operates = kind == PTX_OPERATE || kind == PTX_MATRIX || kind == PTX_PACK || kind == PTX_UNPACK ||
                        kind == PTX_COPY || kind == PTX_COMMIT || kind == PTX_WAIT || kind == PTX_BULK ||
                        kind == PTX_PUT || kind == PTX_PUT_COMMIT || kind == PTX_PUT_WAIT ||
                        kind == PTX_MBARRIER_ARRIVE || kind == PTX_MBARRIER_TEST ||
                        kind == PTX_MBARRIER_INIT || kind == PTX_BARRIER ||
                        (kind >= PTX_GROUP_FENCE && kind <= PTX_GROUP_WAIT);
        if (operates || kind == PTX_BRANCH)
            count(tally, name, strlen(name), 0, 1);
    }
}

static enum status compare(const struct operation_tally *tally, const struct ptx_program *program,
                           struct error *error)
{
    for (size_t i = 0; i < tally->count; i++) {
        const char *name = tally->rows[i].name;
        long wanted = tally->rows[i].wanted, seen = tally->rows[i].seen;
        bool other = strncmp(name, "ld.", 3) == 0 || strncmp(name, "st.", 3) == 0 ||
                     strncmp(name, "atom.", 5) == 0 || strncmp(name, "red.", 4) == 0 ||
                     strncmp(name, "bar.", 4) == 0 || strncmp(name, "cvt.", 4) == 0;
        if (other || seen == wanted || (names_contain(ELSEWHERE, name) && seen >= wanted))
            continue;
        error_set(error, STATUS_FAILED,
                  "a pass of the loop has %ld times %s; by the kernel in the manifest it would be %ld", seen,
                  name, wanted);
        for (size_t k = program->loop; k < program->loop_end && seen > wanted; k++)
            if (strcmp(program->code[k].name, name) == 0)
                error_at(error, "program.ptx", program->code[k].line);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* ---- the loop's order and data flow ---- */

static void read_span(struct grid_step *step, unsigned *count, ptx_place place)
{
    if (place >= 0 && *count < GRID_SPANS)
        step->reads[(*count)++] = (struct grid_span){(unsigned)place / 8, 1};
}

static void statement_spans(const struct ptx_instruction *it, struct grid_step *step)
{
    unsigned count = 0;
    for (unsigned i = 0; i < it->sources; i++)
        read_span(step, &count, it->source[i]);
    if (it->guard != PTX_NO_GUARD)
        read_span(step, &count, it->guard);
    if (it->address.has_base)
        read_span(step, &count, it->address.base);
    if (it->kind ==
        PTX_GROUP_MATRIX) { /* more registers than spans, which are consecutive as they are first used */
        unsigned each = it->result_bytes * PTX_LANES / 8;
        step->writes[0] = (struct grid_span){(unsigned)it->sums[0] / 8, it->count * each};
        step->reads[count] = step->writes[0];
        return;
    }
    for (unsigned i = 0; i < ptx_results(it); i++)
        step->writes[i] = (struct grid_span){(unsigned)ptx_result(it, i) / 8, 1};
}

/* Compares order, dependents and chains of the loop with the manifest's kernel. */
static enum status compare_flow(const struct test_program *test_program, const struct template *templates,
                                const struct ptx_program *program, struct error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < test_program->manifest->stream_count; i++)
        if (test_program->manifest->streams[i].source[0] != '\0')
            return STATUS_OK; /* grid_streams.c checks which copies an operation consumes */
    struct grid_step *steps = memory_zeroed(program->units_end - program->loop + 1, sizeof *steps);
    for (size_t i = program->loop; i < program->units_end; i++) {
        const struct ptx_instruction *it = &program->code[i];
        if (it->text == NULL) /* a pass begins, or a special register is read for the next statement */
            continue;
        steps[count] = (struct grid_step){.name = it->name, .text = it->text, .line = it->line};
        if (it->kind == PTX_LOAD || it->kind == PTX_STORE || it->kind == PTX_ATOMIC)
            steps[count].kind = it->kind == PTX_LOAD    ? GRID_LOAD
                                : it->kind == PTX_STORE ? GRID_STORE
                                                        : GRID_ATOMIC;
        statement_spans(it, &steps[count++]);
    }
    enum status status =
        grid_flow_check(test_program->manifest, test_program->machine, templates, steps, count, NULL, error);
    free(steps);
    return status;
}

enum status warp_operations_check(const struct test_program *test_program, const struct ptx_program *program,
                                  struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    struct code_generator generator;
    if (grid_flow_has_asm(manifest))
        return STATUS_OK;
    enum status status = code_generator_open("ptx", &generator, error);
    if (status == STATUS_OK) {
        struct operation_tally *tally = memory_zeroed(1, sizeof *tally);
        tally->machine = test_program->machine;
        long units = whole_of(manifest->units);
        for (size_t i = 0; i < manifest->unit_count; i++)
            want_item(tally, &generator.templates, &manifest->unit[i], units);
        want_divisors(tally, &generator.templates, manifest, units);
        want_factors(tally, &generator.templates, manifest);
        for (size_t i = 0; i < manifest->stream_count; i++)
            want_stream(tally, &generator.templates, &manifest->streams[i]);
        want_rings(tally, &generator.templates, manifest, units);
        want_groups(tally, &generator.templates, manifest, units);
        want_row(tally, &generator.templates, "throttle.idle", whole_of(manifest->idle) * units);
        count_loop(tally, program);
        status = compare(tally, program, error);
        free(tally);
    }
    if (status == STATUS_OK)
        status = compare_flow(test_program, &generator.templates, program, error);
    code_generator_close(&generator);
    return status;
}
