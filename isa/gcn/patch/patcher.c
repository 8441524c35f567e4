#include "isa/gcn/patch/patcher.h"

#include "base/memory.h"
#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/patch/destination.h"
#include "isa/gcn/patch/find.h"
#include "isa/gcn/patch/prove.h"
#include "isa/gcn/patch/select.h"
#include "isa/gcn/walk/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOP_WORD UINT32_C(0xbf800000) /* s_nop 0, on all generations */

enum { OFFSETS_TOLD = 8 };

/* The input of one patch. */
struct job {
    const unsigned char *file;
    size_t size;
    const struct gcn_patch_request *request;
    struct gcn_code code;
    struct gcn_pattern pattern;
    struct gcn_walker *walker;
    struct gcn_found found;
    unsigned char with[GCN_INSTRUCTION_BYTES]; /* the request's text, if it has one */
    size_t length;
};

/* True if the word occurs with its bytes reversed: users often write a word in file order. */
static bool is_reversed(const struct job *job)
{
    struct gcn_pattern pattern = job->pattern;
    struct gcn_found found;
    struct error none;
    if (pattern.mask != UINT32_MAX)
        return false;
    for (size_t i = 0; i < pattern.length; i++)
        pattern.bytes[i] = job->pattern.bytes[i / 4 * 4 + 3 - i % 4];
    if (gcn_find(job->file, &job->code, job->request->kernel, &pattern, job->walker, job->request->unreached,
                 &found, &none) != STATUS_OK)
        return false;
    bool there = found.count > 0;
    gcn_found_free(&found);
    return there;
}

/* The first occurrence of the placeholder's bytes outside all functions; the file's size if there is none. */
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

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* The words of the instruction there, as --replace takes them. */
static const char *words_at(const struct job *job, size_t offset, char text[GCN_TEXT_BYTES])
{
    char none[GCN_TEXT_BYTES];
    size_t length = gcn_walker_step(job->walker, job->file + offset, job->size - offset, none);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < length; i += 4)
        used += (size_t)snprintf(text + used, GCN_TEXT_BYTES - used, "%s%08x", i == 0 ? "" : " ",
                                 gcn_read32(job->file + offset + i));
    return text;
}

static enum status not_found(const struct job *job, const struct gcn_patch *patch, struct error *error)
{
    const struct gcn_found *found = &job->found;
    size_t elsewhere = job->request->target == NULL ? outside(job) : job->size;
    char all[GCN_TEXT_BYTES];
    error_set(error, STATUS_FAILED, "%s: no instruction is '%.200s' in the %zu function%s searched",
              patch->target->name, job->pattern.text, found->pieces, found->pieces == 1 ? "" : "s");
    if (found->unreached.count > 0)
        error_hint(error,
                   "%zu instruction%s that control flow does not reach from an entry %s left out, the first "
                   "at 0x%zx: data may look like this; --unreached includes %s",
                   found->unreached.count, plural(found->unreached.count),
                   found->unreached.count == 1 ? "was" : "were", found->unreached.first,
                   found->unreached.count == 1 ? "it" : "them");
    else if (found->longer.count > 0)
        error_hint(error,
                   "a longer instruction begins with it at 0x%zx; --replace \"%s\" gives all its words",
                   found->longer.first, words_at(job, found->longer.first, all));
    else if (found->literals.count > 0)
        error_hint(error, "the same bytes at 0x%zx are a part of another instruction%s",
                   found->literals.first, found->literals.count > 1 ? ", as they are elsewhere" : "");
    else if (found->data.count > 0)
        error_hint(error, "the same bytes at 0x%zx are data: control flow does not reach them",
                   found->data.first);
    else if (is_reversed(job))
        error_hint(
            error,
            "it occurs with its bytes reversed: write a word as a number, most significant digits first");
    else if (elsewhere < job->size)
        error_hint(error, "the same bytes at 0x%zx are outside all functions", elsewhere);
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
    char others[100] = "";
    if (found->unreached.count > 0)
        snprintf(others, sizeof others,
                 "; %zu more that control flow does not reach %s left out (--unreached)",
                 found->unreached.count, found->unreached.count == 1 ? "is" : "are");
    error_hint(error,
               "they are at %s; --occurrence N replaces one of them, --occurrence all replaces all, --kernel "
               "searches one function only%s",
               text, others);
}

/* Reduces the matches to those to replace. */
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
            error_set(error, STATUS_USAGE, "%zu instructions are '%.200s', but only one may be replaced",
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

/* Fills the room after the new instruction with s_nop 0. */
static void fill(struct gcn_change *change)
{
    for (size_t at = change->length; at < change->size; at += 4)
        put_word(change->after + at, NOP_WORD);
}

/* Reads the fields into the register that the placeholder writes. */
static enum status make_read(const struct job *job, const struct gcn_patch *patch, struct gcn_change *change,
                             struct error *error)
{
    const struct gcn_bits *bits = &patch->bits;
    struct gcn_destination to;
    char name[16];
    if (!gcn_destination_of(patch->target, job->walker, change->before, change->size, &to)) {
        error_set(error, STATUS_USAGE,
                  "the placeholder at 0x%zx writes no scalar register that a read could take over%s%s",
                  change->offset, change->text_before[0] == '\0' ? "" : ": ", change->text_before);
        error_hint(error, "--with \"s_getreg_b32 sN, hwreg(HW_REG_%s, %u, %u)\" names the register",
                   bits->name, bits->low, bits->size);
        return STATUS_USAGE;
    }
    put_word(change->after, gcn_field_word(patch->target, bits, to.number));
    change->length = 4;
    change->written = to.count - 1;
    snprintf(change->text_after, sizeof change->text_after, "s_getreg_b32 %s, hwreg(HW_REG_%s, %u, %u)",
             gcn_field_register(patch->target, to.number, name), bits->name, bits->low, bits->size);
    fill(change);
    return STATUS_OK;
}

static enum status make_text(const struct job *job, const struct gcn_patch *patch, struct gcn_change *change,
                             struct error *error)
{
    const char *text = job->request->with;
    struct gcn_destination old;
    struct gcn_destination new;
    if (job->length > change->size) {
        error_set(error, STATUS_USAGE,
                  "'%.200s' has %zu bytes, the placeholder at 0x%zx has %zu: a patch keeps sizes, because "
                  "branches and symbols depend on code addresses",
                  text, job->length, change->offset, change->size);
        error_hint(error, "a longer placeholder has room: s_mov_b32 sN, 0x81000210 has 8 bytes");
        return STATUS_USAGE;
    }
    memcpy(change->after, job->with, job->length);
    change->length = job->length;
    fill(change);
    snprintf(change->text_after, sizeof change->text_after, "%s", text + strspn(text, " \t"));
    change->moved = gcn_destination_of(patch->target, job->walker, change->before, change->size, &old) &&
                    gcn_destination_of(patch->target, job->walker, change->after, change->length, &new) &&
                    (old.number != new.number || old.count != new.count);
    return STATUS_OK;
}

static void tell_before(const struct job *job, const struct gcn_match *match, struct gcn_change *change)
{
    const struct gcn_target *target = match->piece->target;
    gcn_walker_step(job->walker, change->before, change->size, change->text_before);
    if (change->text_before[0] == '\0')
        gcn_decoded_text(target, change->before, change->size, change->text_before);
    if (change->text_before[0] == '\0' && job->request->replace != NULL &&
        strchr(job->pattern.text, '_') != NULL)
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
    return job->request->field != NULL ? make_read(job, patch, change, error)
                                       : make_text(job, patch, change, error);
}

static enum status make_changes(const struct job *job, struct gcn_patch *patch, struct buffer *result,
                                struct error *error)
{
    enum status status = STATUS_OK;
    size_t start = result->size;
    patch->changes = memory_zeroed(job->found.count, sizeof *patch->changes);
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
        status = gcn_select_target(&job->code, request->kernel, request->target, error);
    if (status == STATUS_OK)
        status = gcn_select_one(&job->code, request->kernel, &patch->target, error);
    if (status == STATUS_OK && request->field != NULL)
        status = gcn_field_parse(patch->target, request->field, &patch->bits, error);
    if (status == STATUS_OK && (job->walker = gcn_walker_open(patch->target, error)) == NULL)
        status = STATUS_UNAVAILABLE;
    if (status == STATUS_OK && request->with != NULL)
        status = gcn_assemble(patch->target, request->with, job->with, &job->length, error);
    if (status == STATUS_OK)
        status = gcn_pattern_parse(patch->target, request->replace, &job->pattern, error);
    if (status == STATUS_OK)
        status = gcn_find(job->file, &job->code, request->kernel, &job->pattern, job->walker,
                          request->unreached, &job->found, error);
    if (status == STATUS_OK)
        status = choose(job, patch, error);
    if (status == STATUS_OK)
        status = make_changes(job, patch, result, error);
    if (status == STATUS_OK)
        status = gcn_prove(job->file, result->data + start, job->size, job->walker, patch, error);
    if (status != STATUS_OK)
        gcn_code_tell_unread(&job->code, error);
    patch->source = job->code.source;
    patch->unread = job->code.unread;
    patch->unread_count = job->code.unread_count;
    job->code.unread = NULL;
    patch->left_out = job->found.unreached.count;
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
    free(patch->unread);
    *patch = (struct gcn_patch){0};
}

const char *gcn_words(const unsigned char *bytes, size_t size, char text[GCN_TEXT_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t at = 0; at + 4 <= size; at += 4)
        used += (size_t)snprintf(text + used, GCN_TEXT_BYTES - used, "%s%02x%02x%02x%02x", at == 0 ? "" : " ",
                                 bytes[at + 3], bytes[at + 2], bytes[at + 1], bytes[at]);
    return text;
}
