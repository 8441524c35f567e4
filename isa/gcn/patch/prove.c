#include "isa/gcn/patch/prove.h"

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/walk/map.h"

#include <string.h>

/* Counts the bytes that differ; only those in the changes, which are in file order, may. */
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
            return error_set(error, STATUS_FAILED, "verification failed: the byte at 0x%zx changed too", at);
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
    if (status == STATUS_OK && length == change->length && memcmp(bytes, change->after, length) == 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_FAILED,
        "verification failed: '%.200s' assembles for %s to other bytes than those written at 0x%zx", text,
        patch->target->name, change->offset);
}

/* Results kept from earlier changes, since many are often alike. */
struct proof {
    const unsigned char *file;
    struct gcn_code code;
    struct gcn_walker *walker;
    const struct gcn_piece *piece; /* the piece that map describes */
    struct gcn_map map;
    const struct gcn_change *told; /* the last change whose text was assembled */
    bool nops;                     /* s_nop 0 was assembled */
};

/* Maps the code around the change as it is now. */
static enum status map_around(struct proof *proof, const struct gcn_patch *patch,
                              const struct gcn_change *change, struct error *error)
{
    const struct gcn_piece *piece = proof->piece;
    if (piece != NULL && change->offset >= piece->offset && change->offset - piece->offset < piece->size)
        return STATUS_OK;
    gcn_map_free(&proof->map);
    proof->piece = NULL;
    for (size_t i = 0; i < proof->code.count && proof->piece == NULL; i++) {
        piece = &proof->code.pieces[i];
        if (piece->offset <= change->offset && change->offset - piece->offset < piece->size)
            proof->piece = piece;
    }
    if (proof->piece == NULL || proof->piece->target != patch->target)
        return error_set(error, STATUS_FAILED,
                         "verification failed: in the result, 0x%zx is in no code for %s", change->offset,
                         patch->target->name);
    return gcn_map_read(proof->walker, proof->file, proof->piece, &proof->map, error);
}

/* Requires that an instruction with those bytes, of that length, begins at the offset. */
static enum status begins(const struct proof *proof, size_t offset, const unsigned char *bytes, size_t length,
                          struct error *error)
{
    const struct gcn_map *map = &proof->map;
    size_t word = (offset - proof->piece->offset) / 4;
    enum gcn_place place = word < map->words ? (enum gcn_place)map->places[word] : GCN_PLACE_NONE;
    if ((place == GCN_PLACE_REACHED || place == GCN_PLACE_UNREACHED) && map->lengths[word] == length &&
        memcmp(proof->file + offset, bytes, length) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "verification failed: in the result, no instruction of %zu bytes begins at 0x%zx",
                     length, offset);
}

/* The change must be whole instructions: the new one, then s_nop 0 up to the next instruction. */
static enum status walk_to(struct proof *proof, const struct gcn_patch *patch,
                           const struct gcn_change *change, struct error *error)
{
    enum status status = map_around(proof, patch, change, error);
    if (status == STATUS_OK)
        status = begins(proof, change->offset, change->after, change->length, error);
    for (size_t at = change->length; status == STATUS_OK && at < change->size; at += 4)
        status = begins(proof, change->offset + at, change->after + at, 4, error);
    return status;
}

/* The filling must equal LLVM's encoding of s_nop 0. */
static enum status prove_filling(struct proof *proof, const struct gcn_patch *patch,
                                 const struct gcn_change *change, struct error *error)
{
    unsigned char bytes[GCN_INSTRUCTION_BYTES];
    size_t length = 0;
    if (change->length == change->size || proof->nops)
        return STATUS_OK;
    enum status status = gcn_assemble(patch->target, "s_nop 0", bytes, &length, error);
    proof->nops = status == STATUS_OK && length == 4 && memcmp(bytes, change->after + change->length, 4) == 0;
    return proof->nops ? STATUS_OK
                       : error_set(error, STATUS_FAILED,
                                   "verification failed: s_nop 0 assembles for %s to other bytes than those "
                                   "written at 0x%zx",
                                   patch->target->name, change->offset + change->length);
}

static enum status prove_change(struct proof *proof, struct gcn_patch *patch, struct gcn_change *change,
                                struct error *error)
{
    char text[GCN_TEXT_BYTES];
    const struct gcn_change *told = proof->told;
    enum status status = walk_to(proof, patch, change, error);
    if (status == STATUS_OK)
        status = prove_filling(proof, patch, change, error);
    if (status == STATUS_OK && told != NULL && told->length == change->length &&
        memcmp(told->after, change->after, change->length) == 0) {
        memcpy(change->text_after, told->text_after, sizeof told->text_after);
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = assembles_to(patch, change, change->text_after, error);
    if (status == STATUS_OK && gcn_walker_step(proof->walker, change->after, change->length, text) > 0 &&
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
        error_prefix(error, "verification failed");
    for (size_t i = 0; status == STATUS_OK && i < patch->count; i++)
        status = prove_change(&proof, patch, &patch->changes[i], error);
    gcn_map_free(&proof.map);
    gcn_code_free(&proof.code);
    return status;
}
