#include "runner/sources/warp/warp_operations.h"

#include "base/json.h"
#include "base/memory.h"
#include "generator/suite/code_generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 128, NAME_BYTES = 96 };

/* Instructions of the loop, by their text's operation. */
struct tally {
    struct {
        char name[NAME_BYTES];
        long wanted, seen;
    } rows[MOST_NAMES];
    size_t count;
};

/* What the close of the loop and the walks of streams use besides: no row says how often. */
static const char *const elsewhere[] = {"add.u64", "sub.u64", "and.b64", "setp.ge.u64", "setp.ne.u64"};

static void count(struct tally *tally, const char *name, size_t length, long wanted, long seen)
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

/* The operations of a row or section: the first word of each statement that is no guard, label or comment. */
static void want_text(struct tally *tally, const char *text, long times)
{
    while (*text != '\0') {
        text += strspn(text, " \t\n;");
        if (*text == '@')
            text += strcspn(text, " ") + 1;
        size_t length = strcspn(text, " \t\n;:");
        if (text[length] != ':' && length > 0 && *text >= 'a' && *text <= 'z')
            count(tally, text, length, times, 0);
        text += strcspn(text, ";\n");
    }
}

static void want_row(struct tally *tally, const struct template *templates, const char *name, long times)
{
    const struct form *form = template_form(templates, name);
    if (form != NULL && times > 0)
        want_text(tally, form->text, times);
}

static void want_item(struct tally *tally, const struct template *templates, const json_t *item, long units)
{
    char name[NAME_BYTES];
    const char *op = json_string_or(item, "op", "");
    long each = (long)json_number_or(item, "count", 1);
    long dependents = (long)json_number_or(item, "dependents", 0);
    const char *section = template_section(templates, op);
    bool wide = json_number_or(item, "width", 4) == 8;
    if (strcmp(op, "load") == 0 || strcmp(op, "store") == 0)
        return;
    if (strcmp(op, "branch") == 0 && section != NULL) {
        want_text(tally, section, each * units);
        return;
    }
    dependents = dependents > each ? each : dependents;
    snprintf(name, sizeof name, "%.60s%s", op, wide ? ".8" : "");
    want_row(tally, templates, name, (each - dependents) * units);
    snprintf(name, sizeof name, "%.60s.dependent%s", op, wide ? ".8" : "");
    want_row(tally, templates, name, dependents * units);
}

/* A stream's accesses, and what consumes its loads. */
static void want_stream(struct tally *tally, const struct template *templates, const json_t *stream)
{
    char name[NAME_BYTES];
    bool shared = strcmp(json_string_or(stream, "level", ""), "SHARED") == 0;
    bool chase = json_is_true(json_object_get(stream, "chase"));
    long times = (long)json_number_or(stream, "per_pass", 0);
    int width = (int)json_number_or(stream, "width", 0);
    const char *op = json_string_or(stream, "op", "");
    snprintf(name, sizeof name, "%.10s.%.20s%s.%d", op,
             shared ? "shared" : json_string_or(stream, "cache", ""), chase ? ".chase" : "", width);
    want_row(tally, templates, name, times);
    snprintf(name, sizeof name, "consume.%d", width);
    if (!chase && strcmp(op, "load") == 0)
        want_row(tally, templates, name, times);
    long links = (long)json_number_or(stream, "links", 0);
    const char *section = template_section(templates, "side.next");
    if (links > 0 && section != NULL)
        want_text(tally, section, links);
}

static bool is_elsewhere(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(elsewhere[i], name) == 0)
            return true;
    return false;
}

static void see_loop(struct tally *tally, const struct ptx_program *program)
{
    for (size_t i = program->loop; i < program->loop_end; i++) {
        const char *name = program->code[i].name;
        if (program->code[i].kind == PTX_OPERATE || program->code[i].kind == PTX_BRANCH)
            count(tally, name, strlen(name), 0, 1);
    }
}

static enum status compare(const struct tally *tally, const struct ptx_program *program, struct error *error)
{
    for (size_t i = 0; i < tally->count; i++) {
        const char *name = tally->rows[i].name;
        long wanted = tally->rows[i].wanted, seen = tally->rows[i].seen;
        bool other = strncmp(name, "ld.", 3) == 0 || strncmp(name, "st.", 3) == 0 ||
                     strncmp(name, "bar.", 4) == 0 || strncmp(name, "cvt.", 4) == 0;
        if (other || seen == wanted || (is_elsewhere(name) && seen >= wanted))
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

enum status warp_operations_check(const struct test_program *test_program, const struct ptx_program *program,
                                  struct error *error)
{
    const json_t *manifest = test_program->manifest->document;
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    const json_t *streams = json_object_get(manifest, "streams");
    long units = (long)json_number_or(manifest, "units", 1), idle = (long)json_number_or(manifest, "idle", 0);
    struct code_generator generator;
    for (size_t i = 0; i < json_array_size(unit); i++)
        if (strcmp(json_string_or(json_array_get(unit, i), "op", ""), "asm") == 0)
            return STATUS_OK;
    enum status status = code_generator_open("ptx", &generator, error);
    if (status == STATUS_OK) {
        struct tally *tally = memory_zeroed(1, sizeof *tally);
        for (size_t i = 0; i < json_array_size(unit); i++)
            want_item(tally, &generator.templates, json_array_get(unit, i), units);
        for (size_t i = 0; i < json_array_size(streams); i++)
            want_stream(tally, &generator.templates, json_array_get(streams, i));
        want_row(tally, &generator.templates, "idle", idle * units);
        see_loop(tally, program);
        status = compare(tally, program, error);
        free(tally);
    }
    code_generator_close(&generator);
    return status;
}
