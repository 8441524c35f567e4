#include "isa/gcn/patch.h"

#include "isa/gcn/code.h"
#include "isa/gcn/elf.h"
#include "isa/gcn/find.h"
#include "isa/gcn/prove.h"

#include "base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OFFSETS_TOLD = 8, NAMES_TOLD = 64, NAME_TOLD = 100, PROCESSORS_TOLD = 64 };

/* All that one patch is made from. */
struct job {
    const unsigned char *file;
    size_t size;
    const struct gcn_patch_request *request;
    struct gcn_code code;
    struct gcn_pattern pattern;
    struct gcn_walker *walker;
    struct gcn_found found;
    unsigned char with[GCN_INSTRUCTION_BYTES]; /* the request's text, where it has one */
    size_t length;
};

static enum status no_kernel(const struct job *job, struct error *error)
{
    char names[NAMES_TOLD][NAME_TOLD];
    const char *words[NAMES_TOLD];
    size_t count = 0;
    for (size_t i = 0; i < job->code.count && count < NAMES_TOLD; i++) {
        const struct gcn_piece *piece = &job->code.pieces[i];
        if (piece->kernel_length == 0)
            continue;
        snprintf(names[count], NAME_TOLD, "%.*s", piece->kernel_length, piece->kernel);
        words[count] = names[count];
        count++;
    }
    error_set(error, STATUS_USAGE, "the binary has no kernel '%.200s'", job->request->kernel);
    char others[300] = "its code has no names";
    for (size_t i = 0, used = 0; i < count && used < sizeof others - NAME_TOLD - 2; i++)
        used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", i == 0 ? "it has: " : ", ",
                                 words[i]);
    suggest_hint(error, job->request->kernel, words, count, others);
    return STATUS_USAGE;
}

/* The processors that the kernel's code is for, each once; returns how many. */
static size_t processors(const struct job *job, const char *names[PROCESSORS_TOLD])
{
    size_t count = 0;
    for (size_t i = 0; i < job->code.count && count < PROCESSORS_TOLD; i++) {
        const struct gcn_piece *piece = &job->code.pieces[i];
        size_t known = 0;
        while (known < count && names[known] != piece->target->name)
            known++;
        if (known == count && gcn_piece_is(piece, job->request->kernel))
            names[count++] = piece->target->name;
    }
    return count;
}

static const char *listed(const char *const *names, size_t count, char text[PROCESSORS_TOLD * NAME_TOLD])
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, NAME_TOLD, "%s%s", i == 0 ? "" : ", ", names[i]);
    return text;
}

/* The processor of the code in question, which must be one. */
static enum status choose_target(const struct job *job, struct gcn_patch *patch, struct error *error)
{
    const char *names[PROCESSORS_TOLD];
    char text[PROCESSORS_TOLD * NAME_TOLD];
    size_t count = processors(job, names);
    if (count == 0)
        return no_kernel(job, error);
    if (count == 1) {
        patch->target = gcn_target_named(names[0]);
        return STATUS_OK;
    }
    error_set(error, STATUS_USAGE, "the binary has code for several processors: %.400s",
              listed(names, count, text));
    error_hint(error, "-t %s keeps to one of them", names[0]);
    return STATUS_USAGE;
}

/* Drops what is for other processors than the one asked for. */
static enum status keep_target(struct job *job, struct error *error)
{
    const char *names[PROCESSORS_TOLD];
    char text[PROCESSORS_TOLD * NAME_TOLD];
    size_t kept = 0;
    if (job->request->target == NULL)
        return STATUS_OK;
    size_t count = processors(job, names);
    for (size_t i = 0; i < job->code.count; i++)
        if (strcmp(job->code.pieces[i].target->name, job->request->target) == 0)
            job->code.pieces[kept++] = job->code.pieces[i];
    if (kept == 0 && count > 0) {
        error_set(error, STATUS_USAGE, "the binary has no code for '%.100s'", job->request->target);
        char others[PROCESSORS_TOLD * NAME_TOLD];
        snprintf(others, sizeof others, "it has code for: %.400s", listed(names, count, text));
        suggest_hint(error, job->request->target, names, count, others);
        return STATUS_USAGE;
    }
    job->code.count = kept == 0 ? job->code.count : kept;
    return STATUS_OK;
}

/* A word is often given as its bytes lie in the file. */
static bool is_reversed(const struct job *job)
{
    struct gcn_pattern pattern = job->pattern;
    struct gcn_found found;
    struct error none;
    if (pattern.length != 4 || pattern.mask != UINT32_MAX)
        return false;
    for (size_t i = 0; i < 4; i++)
        pattern.bytes[i] = job->pattern.bytes[3 - i];
    if (gcn_find(job->file, &job->code, job->request->kernel, &pattern, job->walker, &found, &none) !=
        STATUS_OK)
        return false;
    bool there = found.count > 0;
    gcn_found_free(&found);
    return there;
}

/* The first place outside of all functions that has the placeholder's bytes; the size where there is none. */
static size_t outside(const struct job *job)
{
    size_t next = 0;
    for (size_t at = 0; at + job->pattern.length <= job->size; at++) {
        while (next < job->code.count &&
               job->code.pieces[next].offset + job->code.pieces[next].size < at + job->pattern.length)
            next++;
        bool inside = next < job->code.count && job->code.pieces[next].offset <= at;
        if (!inside && gcn_pattern_matches(&job->pattern, job->file + at, job->size - at))
            return at;
    }
    return job->size;
}

static enum status not_found(const struct job *job, const struct gcn_patch *patch, struct error *error)
{
    const struct gcn_found *found = &job->found;
    size_t elsewhere = job->request->target == NULL ? outside(job) : job->size;
    error_set(error, STATUS_FAILED, "%s: no instruction is '%.200s' in the %zu function%s looked through",
              patch->target->name, job->pattern.text, found->pieces, found->pieces == 1 ? "" : "s");
    if (found->literals > 0)
        error_hint(error, "the same bytes at 0x%zx are a part of another instruction%s", found->literal_at,
                   found->literals > 1 ? ", as they are elsewhere" : "");
    else if (is_reversed(job))
        error_hint(error,
                   "it is there with its bytes in the other order: a word is written as a number, most "
                   "significant digits first");
    else if (elsewhere < job->size)
        error_hint(error, "the same bytes at 0x%zx are outside of all functions", elsewhere);
    return STATUS_FAILED;
}

static void tell_offsets(const struct gcn_found *found, struct error *error)
{
    char text[512];
    size_t used = 0;
    for (size_t i = 0; i < found->count && i < OFFSETS_TOLD; i++) {
        const struct gcn_piece *piece = found->list[i].piece;
        int length = piece->kernel_length < 24 ? piece->kernel_length : 24;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s0x%zx%s%.*s%s", i == 0 ? "" : ", ",
                                 found->list[i].offset, length > 0 ? " in " : "", length, piece->kernel,
                                 length < piece->kernel_length ? "..." : "");
    }
    if (found->count > OFFSETS_TOLD)
        snprintf(text + used, sizeof text - used, " and %zu more", found->count - OFFSETS_TOLD);
    error_hint(error,
               "they are at %s; --occurrence N takes one of them, --occurrence all takes all, --kernel "
               "keeps to one function",
               text);
}

/* Leaves in found what is to be replaced. */
static enum status choose(struct job *job, const struct gcn_patch *patch, struct error *error)
{
    struct gcn_found *found = &job->found;
    int wanted = job->request->occurrence;
    if (found->count == 0)
        return not_found(job, patch, error);
    if (wanted == GCN_ALL || (wanted == GCN_ONLY && found->count == 1))
        return STATUS_OK;
    if (wanted == GCN_ONLY || (size_t)wanted > found->count) {
        if (wanted == GCN_ONLY)
            error_set(error, STATUS_USAGE, "%zu instructions are '%.200s', and one is to be replaced",
                      found->count, job->pattern.text);
        else
            error_set(error, STATUS_USAGE, "there is no occurrence %d: %zu instruction%s '%.200s'", wanted,
                      found->count, found->count == 1 ? " is" : "s are", job->pattern.text);
        tell_offsets(found, error);
        return STATUS_USAGE;
    }
    found->list[0] = found->list[wanted - 1];
    found->count = 1;
    return STATUS_OK;
}

static void put_word(unsigned char *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

/* The read of the fields, into the register that the placeholder writes. */
static enum status make_read(const struct gcn_patch *patch, struct gcn_change *change, struct error *error)
{
    const struct gcn_bits *bits = &patch->bits;
    unsigned destination;
    char name[16];
    if (change->size != 4 ||
        !gcn_field_destination(patch->target, gcn_read32(change->before), &destination)) {
        error_set(error, STATUS_USAGE,
                  "the placeholder at 0x%zx is none whose register a read could take over: an s_movk_i32, "
                  "s_mov_b32, s_add_i32 or the like, of four bytes",
                  change->offset);
        error_hint(error, "--with \"s_getreg_b32 sN, hwreg(HW_REG_%s, %u, %u)\" names the register",
                   bits->name, bits->low, bits->size);
        return STATUS_USAGE;
    }
    put_word(change->after, gcn_field_word(patch->target, bits, destination));
    snprintf(change->text_after, sizeof change->text_after, "s_getreg_b32 %s, hwreg(HW_REG_%s, %u, %u)",
             gcn_field_register(patch->target, destination, name), bits->name, bits->low, bits->size);
    return STATUS_OK;
}

static enum status make_text(const struct job *job, const struct gcn_patch *patch, struct gcn_change *change,
                             struct error *error)
{
    const char *text = job->request->with;
    unsigned old = 0;
    unsigned new = 0;
    if (job->length != change->size)
        return error_set(error, STATUS_USAGE,
                         "'%.200s' has %zu bytes, the placeholder at 0x%zx has %zu: a patch keeps sizes",
                         text, job->length, change->offset, change->size);
    memcpy(change->after, job->with, change->size);
    snprintf(change->text_after, sizeof change->text_after, "%s", text + strspn(text, " \t"));
    change->moved = change->size == 4 &&
                    gcn_field_destination(patch->target, gcn_read32(change->before), &old) &&
                    gcn_field_destination(patch->target, gcn_read32(change->after), &new) && old != new;
    return STATUS_OK;
}

static void tell_before(const struct job *job, const struct gcn_match *match, struct gcn_change *change)
{
    unsigned destination;
    char name[16];
    gcn_walker_step(job->walker, change->before, change->size, change->text_before);
    if (change->text_before[0] != '\0')
        return;
    if (job->request->replace == NULL &&
        gcn_field_destination(match->piece->target, gcn_read32(change->before), &destination))
        snprintf(change->text_before, sizeof change->text_before, "s_movk_i32 %s, 0x7a5a",
                 gcn_field_register(match->piece->target, destination, name));
    else if (job->request->replace != NULL && strpbrk(job->pattern.text, " _") != NULL)
        snprintf(change->text_before, sizeof change->text_before, "%s", job->pattern.text);
}

static enum status make_change(const struct job *job, const struct gcn_patch *patch,
                               const struct gcn_match *match, struct gcn_change *change, struct error *error)
{
    *change = (struct gcn_change){.kernel = match->piece->kernel,
                                  .kernel_length = match->piece->kernel_length,
                                  .offset = match->offset,
                                  .size = job->pattern.length};
    memcpy(change->before, job->file + change->offset, change->size);
    tell_before(job, match, change);
    return job->request->field != NULL ? make_read(patch, change, error)
                                       : make_text(job, patch, change, error);
}

static enum status make_changes(const struct job *job, struct gcn_patch *patch, struct buffer *result,
                                struct error *error)
{
    enum status status = STATUS_OK;
    size_t start = result->size;
    patch->changes = calloc(job->found.count, sizeof *patch->changes);
    if (patch->changes == NULL)
        abort();
    buffer_append(result, job->file, job->size);
    for (; status == STATUS_OK && patch->count < job->found.count; patch->count++) {
        struct gcn_change *change = &patch->changes[patch->count];
        status = make_change(job, patch, &job->found.list[patch->count], change, error);
        if (status == STATUS_OK)
            memcpy(result->data + start + change->offset, change->after, change->size);
    }
    return status;
}

static enum status work(struct job *job, struct gcn_patch *patch, struct buffer *result, struct error *error)
{
    const struct gcn_patch_request *request = job->request;
    size_t start = result->size;
    enum status status = gcn_code_find(job->file, job->size, &job->code, error);
    if (status == STATUS_OK)
        status = keep_target(job, error);
    if (status == STATUS_OK)
        status = choose_target(job, patch, error);
    if (status == STATUS_OK && request->field != NULL)
        status = gcn_field_parse(patch->target, request->field, &patch->bits, error);
    if (status == STATUS_OK && (job->walker = gcn_walker_open(patch->target, error)) == NULL)
        status = STATUS_UNAVAILABLE;
    if (status == STATUS_OK && request->with != NULL)
        status = gcn_assemble(patch->target, request->with, job->with, &job->length, error);
    if (status == STATUS_OK)
        status = gcn_pattern_parse(patch->target, request->replace, &job->pattern, error);
    if (status == STATUS_OK)
        status =
            gcn_find(job->file, &job->code, request->kernel, &job->pattern, job->walker, &job->found, error);
    if (status == STATUS_OK)
        status = choose(job, patch, error);
    if (status == STATUS_OK)
        status = make_changes(job, patch, result, error);
    if (status == STATUS_OK)
        status = gcn_prove(job->file, result->data + start, job->size, job->walker, patch, error);
    patch->source = job->code.source;
    return status;
}

enum status gcn_patch(const void *file, size_t size, const struct gcn_patch_request *request,
                      struct buffer *result, struct gcn_patch *patch, struct error *error)
{
    struct job job = {.file = file, .size = size, .request = request};
    *patch = (struct gcn_patch){0};
    enum status status = work(&job, patch, result, error);
    gcn_found_free(&job.found);
    gcn_walker_close(job.walker);
    gcn_code_free(&job.code);
    if (status != STATUS_OK)
        gcn_patch_free(patch);
    return status;
}

void gcn_patch_free(struct gcn_patch *patch)
{
    free(patch->changes);
    *patch = (struct gcn_patch){0};
}
