#include "runner/sources/gpu/ptx_mix.h"

#include <stdio.h>
#include <string.h>

/* A part that stands for every floating-point type, as the last part of an opcode. */
static const char FLOATING[] = "";

/* A row matches an opcode by its first word and, unless the row's part is NULL, by a part of the rest. */
static const struct {
    const char *word, *part, *op;
} rows[] = {
    {"ld", NULL, "load"},
    {"cp", ".bulk.global.", "store"},
    {"cp", ".global", "load"},
    {"st", NULL, "store"},
    {"atom", NULL, "atomic"},
    {"red", NULL, "atomic"},
    {"add", ".f16x2", "hadd"},
    {"sub", ".f16x2", "hadd"},
    {"mul", ".f16x2", "hmul"},
    {"fma", ".f16x2", "hfma"},
    {"add", ".bf16x2", "badd"},
    {"sub", ".bf16x2", "badd"},
    {"mul", ".bf16x2", "bmul"},
    {"fma", ".bf16x2", "bfma"},
    {"dp4a", NULL, "dot"},
    {"mma", ".bf16.", "mma_bf16"},
    {"mma", ".e4m3.", "mma_fp8"},
    {"mma", ".s8.", "mma_int8"},
    {"mma", NULL, "mma"},
    {"wgmma", ".f16.f16", "wgmma_f16"},
    {"wgmma", ".bf16.", "wgmma_bf16"},
    {"wgmma", ".tf32.tf32", "wgmma_tf32"},
    {"wgmma", ".e4m3.", "wgmma_fp8"},
    {"wgmma", ".s8.", "wgmma_int8"},
    {"bra", NULL, "branch"},
    {"add", FLOATING, "fadd"},
    {"add", NULL, "add"},
    {"sub", FLOATING, "fadd"},
    {"sub", NULL, "sub"},
    {"mul", FLOATING, "fmul"},
    {"mul", NULL, "mul"},
    {"div", FLOATING, "fdiv"},
    {"div", NULL, "div"},
    {"fma", NULL, "fma"},
    {"mad", FLOATING, "fma"},
    {"mad", NULL, "mad"},
    {"sqrt", NULL, "fsqrt"},
    {"xor", NULL, "xor"},
    {"shl", NULL, "shift"},
    {"shr", NULL, "shift"},
    {"shf", NULL, "shift"},
    {"nanosleep", NULL, "throttle"},
};

static bool has_part(const char *opcode, const char *part)
{
    const char *type = strrchr(opcode, '.');
    if (part == NULL || part[0] != '\0')
        return part == NULL || strstr(opcode, part) != NULL;
    return type != NULL && (type[1] == 'f' || strcmp(type, ".bf16") == 0);
}

const char *ptx_mix_op(const char *opcode)
{
    size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].word) == length && strncmp(rows[i].word, opcode, length) == 0 &&
            has_part(opcode, rows[i].part))
            return rows[i].op;
    return NULL;
}

bool ptx_mix_is_requested(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->targets.count; i++)
        if (metric_is_listed(manifest->targets.items[i].metric))
            return true;
    for (size_t i = 0; i < manifest->expected.count; i++)
        if (metric_is_listed(manifest->expected.items[i].metric))
            return true;
    for (size_t i = 0; i < manifest->expect_count; i++)
        if (metric_is_listed(manifest->expect[i].metric))
            return true;
    return false;
}

static bool is_wanted(const struct manifest *manifest, const char *metric)
{
    for (size_t i = 0; i < manifest->expect_count; i++)
        if (strcmp(manifest->expect[i].metric, metric) == 0)
            return true;
    return manifest_has_target(manifest, metric);
}

void ptx_mix_observe(const struct manifest *manifest, const struct ptx_lines *lines,
                     ptx_line_counts *counts_line, const void *context, const struct counter_source *source,
                     struct observations *list)
{
    unsigned counts[sizeof rows / sizeof rows[0]] = {0};
    unsigned body = 0, all = 0;
    for (int i = lines->loop; i <= lines->loop_end; i++) {
        if (lines->lines[i].statements == 0 || (counts_line != NULL && !counts_line(context, i, NULL)))
            continue;
        all++;
        body += i < lines->units_end;
        const char *op = i < lines->units_end ? ptx_mix_op(lines->lines[i].opcode) : NULL;
        if (op != NULL && counts_line != NULL && !counts_line(context, i, op))
            op = NULL;
        for (size_t j = 0; op != NULL && j < sizeof rows / sizeof rows[0]; j++)
            counts[j] += strcmp(rows[j].op, op) == 0;
    }
    for (size_t i = 0; all > 0 && i < sizeof rows / sizeof rows[0]; i++) {
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "mix.%s", rows[i].op);
        if ((counts[i] > 0 || is_wanted(manifest, metric)) &&
            observations_find(list, metric, source->name) == NULL)
            source_add_share(source, list, metric, counts[i], all);
    }
    source_add_share(source, list, "body.share", body, all);
}
