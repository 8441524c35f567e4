#include "isa/gcn/prove.h"

#include "isa/gcn/code.h"
#include "isa/gcn/find.h"

#include <string.h>

/* Counts what differs; nothing may outside the changes, which are in the order of the file. */
static enum status compare(const unsigned char *before, const unsigned char *after, size_t size,
                           struct gcn_patch *patch, struct error *error)
{
    size_t change = 0;
    patch->bytes_changed = 0;
    for (size_t at = 0; at < size; at++) {
        if (before[at] == after[at])
            continue;
        while (change < patch->count && patch->changes[change].offset + patch->changes[change].size <= at)
            change++;
        if (change == patch->count || at < patch->changes[change].offset)
            return error_set(error, STATUS_FAILED, "not proven: the byte at 0x%zx changed too", at);
        patch->bytes_changed++;
    }
    return STATUS_OK;
}

static enum status assembles_to(const struct gcn_patch *patch, const struct gcn_change *change,
                                const char *text, struct error *error)
{
    unsigned char bytes[GCN_INSTRUCTION_BYTES];
    size_t length;
    enum status status = gcn_assemble(patch->target, text, bytes, &length, error);
    if (status == STATUS_OK && length == change->size && memcmp(bytes, change->after, length) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "not proven: '%.200s' is assembled for %s to other bytes than those written at 0x%zx",
                     text, patch->target->name, change->offset);
}

/* What is known from the changes before: many are often alike. */
struct proof {
    const unsigned char *file;
    struct gcn_code code;
    struct gcn_walker *walker;
    const struct gcn_piece *piece; /* that found is from */
    struct gcn_pattern pattern;    /* that found is of */
    struct gcn_found found;
    size_t next;                   /* in found */
    const struct gcn_change *told; /* the last whose text was assembled */
};

static enum status find_all(struct proof *proof, const struct gcn_patch *patch,
                            const struct gcn_change *change, struct error *error)
{
    struct gcn_code one = {0};
    for (size_t i = 0; i < proof->code.count && one.count == 0; i++)
        if (proof->code.pieces[i].offset <= change->offset &&
            change->offset - proof->code.pieces[i].offset < proof->code.pieces[i].size)
            one = (struct gcn_code){.pieces = &proof->code.pieces[i], .count = 1};
    if (one.count == 0 || one.pieces->target != patch->target)
        return error_set(error, STATUS_FAILED, "read again, 0x%zx is in no code for %s", change->offset,
                         patch->target->name);
    gcn_found_free(&proof->found);
    proof->next = 0;
    proof->piece = one.pieces;
    proof->pattern = (struct gcn_pattern){.length = change->size, .mask = UINT32_MAX};
    memcpy(proof->pattern.bytes, change->after, change->size);
    return gcn_find(proof->file, &one, NULL, &proof->pattern, proof->walker, &proof->found, error);
}

/* Finds the change by a walk of the code that it lies in. */
static enum status walk_to(struct proof *proof, const struct gcn_patch *patch,
                           const struct gcn_change *change, struct error *error)
{
    bool again = proof->piece != NULL && change->offset - proof->piece->offset < proof->piece->size &&
                 proof->pattern.length == change->size &&
                 memcmp(proof->pattern.bytes, change->after, change->size) == 0;
    enum status status = again ? STATUS_OK : find_all(proof, patch, change, error);
    if (status != STATUS_OK) {
        error_prefix(error, "not proven");
        return status;
    }
    while (proof->next < proof->found.count && proof->found.list[proof->next].offset < change->offset)
        proof->next++;
    if (proof->next < proof->found.count && proof->found.list[proof->next].offset == change->offset)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "not proven: read again, no instruction of %zu bytes begins at 0x%zx", change->size,
                     change->offset);
}

static enum status prove_change(struct proof *proof, struct gcn_patch *patch, struct gcn_change *change,
                                struct error *error)
{
    char text[GCN_TEXT_BYTES];
    const struct gcn_change *told = proof->told;
    enum status status = walk_to(proof, patch, change, error);
    if (status == STATUS_OK && told != NULL && memcmp(told->after, change->after, sizeof told->after) == 0) {
        memcpy(change->text_after, told->text_after, sizeof told->text_after);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = assembles_to(patch, change, change->text_after, error);
    if (status == STATUS_OK && gcn_walker_step(proof->walker, change->after, change->size, text) > 0 &&
        text[0] != '\0') {
        memcpy(change->text_after, text, sizeof text);
        patch->disassembled = true;
        status = assembles_to(patch, change, text, error);
    }
    proof->told = change;
    return status;
}

enum status gcn_prove(const void *before, const void *after, size_t size, struct gcn_walker *walker,
                      struct gcn_patch *patch, struct error *error)
{
    struct proof proof = {.file = after, .walker = walker};
    enum status status = compare(before, after, size, patch, error);
    if (status != STATUS_OK)
        return status;
    status = gcn_code_find(after, size, &proof.code, error);
    if (status != STATUS_OK)
        error_prefix(error, "not proven");
    for (size_t i = 0; status == STATUS_OK && i < patch->count; i++)
        status = prove_change(&proof, patch, &patch->changes[i], error);
    gcn_found_free(&proof.found);
    gcn_code_free(&proof.code);
    return status;
}
