#include "runner/sources/gpu/ptx_mix.h"

#include <stdio.h>
#include <string.h>

/* A row matches an opcode whose first word it is and which has the type's letter, if the row has one. */
static const struct {
    const char *word;
    char type; /* 'h': two numbers of 16 bits; 'b': the same, bf16; 'f': other floating point; of matrices
                  'm': bf16, 'q': of 8 bits, 'i': integers, 't': tf32, 'w': halves; 's': to memory; 'g': of
                  memory; 0: any */
    const char *op;
} rows[] = {
    {"ld", 0, "load"},
    {"cp", 's', "store"},
    {"cp", 'g', "load"},
    {"st", 0, "store"},
    {"atom", 0, "atomic"},
    {"red", 0, "atomic"},
    {"add", 'h', "hadd"},
    {"sub", 'h', "hadd"},
    {"mul", 'h', "hmul"},
    {"fma", 'h', "hfma"},
    {"add", 'b', "badd"},
    {"sub", 'b', "badd"},
    {"mul", 'b', "bmul"},
    {"fma", 'b', "bfma"},
    {"dp4a", 0, "dot"},
    {"mma", 'm', "mma_bf16"},
    {"mma", 'q', "mma_fp8"},
    {"mma", 'i', "mma_int8"},
    {"mma", 0, "mma"},
    {"wgmma", 'w', "wgmma_f16"},
    {"wgmma", 'm', "wgmma_bf16"},
    {"wgmma", 't', "wgmma_tf32"},
    {"wgmma", 'q', "wgmma_fp8"},
    {"wgmma", 'i', "wgmma_int8"},
    {"bra", 0, "branch"},
    {"add", 'f', "fadd"},
    {"add", 0, "add"},
    {"sub", 'f', "fadd"},
    {"sub", 0, "sub"},
    {"mul", 'f', "fmul"},
    {"mul", 0, "mul"},
    {"div", 'f', "fdiv"},
    {"div", 0, "div"},
    {"fma", 0, "fma"},
    {"mad", 'f', "fma"},
    {"mad", 0, "mad"},
    {"sqrt", 0, "fsqrt"},
    {"xor", 0, "xor"},
    {"shl", 0, "shift"},
    {"shr", 0, "shift"},
    {"shf", 0, "shift"},
    {"nanosleep", 0, "throttle"},
};

static bool is_of(const char *opcode, char letter)
{
    const char *type = strrchr(opcode, '.');
    if (letter == 0 || type == NULL)
        return letter == 0;
    if (letter == 's')
        return strstr(opcode, ".bulk.global.") != NULL;
    if (letter == 'g')
        return strstr(opcode, ".global") != NULL;
    if (letter == 'm' || letter == 'q' || letter == 'i')
        return strstr(opcode, letter == 'm' ? ".bf16." : letter == 'q' ? ".e4m3." : ".s8.") != NULL;
    if (letter == 't' || letter == 'w')
        return strstr(opcode, letter == 't' ? ".tf32.tf32" : ".f16.f16") != NULL;
    if (letter == 'h' || letter == 'b')
        return strcmp(type, letter == 'h' ? ".f16x2" : ".bf16x2") == 0;
    return type[1] == 'f' || strcmp(type, ".bf16") == 0;
}

const char *ptx_mix_op(const char *opcode)
{
    size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].word) == length && strncmp(rows[i].word, opcode, length) == 0 &&
            is_of(opcode, rows[i].type))
            return rows[i].op;
    return NULL;
}

static bool is_mix(const char *metric)
{
    return metric_is_listed(metric);
}

bool ptx_mix_is_asked(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->targets.count; i++)
        if (is_mix(manifest->targets.items[i].metric))
            return true;
    for (size_t i = 0; i < manifest->expected.count; i++)
        if (is_mix(manifest->expected.items[i].metric))
            return true;
    for (size_t i = 0; i < manifest->expect_count; i++)
        if (is_mix(manifest->expect[i].metric))
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
        double share = (double)counts[i] / all;
        snprintf(metric, sizeof metric, "mix.%s", rows[i].op);
        if ((counts[i] > 0 || is_wanted(manifest, metric)) &&
            observations_find(list, metric, source->name) == NULL)
            observations_add(list, metric, source->name, source->kind, share, share, share, all);
    }
    double share = all > 0 ? (double)body / all : 0;
    if (all > 0)
        observations_add(list, "body.share", source->name, source->kind, share, share, share, all);
}
