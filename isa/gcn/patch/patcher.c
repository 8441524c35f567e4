#include "isa/gcn/patch/patcher.h"

#include "base/memory.h"
#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/binary/elf.h"
#include "isa/gcn/decode/decode.h"
#include "isa/gcn/patch/find.h"
#include "isa/gcn/patch/select.h"
#include "isa/gcn/walk/map.h"
#include "isa/gcn/walk/texts.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- destinations ---- */

/* GFX11 swaps M0 and NULL relative to the decoder's operands. */
static unsigned as_encoded(const struct gcn_target *target, unsigned code)
{
    return target->generation >= 11 && (code == GCN_M0 || code == GCN_NULL) ? GCN_M0 + GCN_NULL - code : code;
}

static unsigned null_of(const struct gcn_target *target)
{
    return target->generation < 10 ? 0x100 : as_encoded(target, GCN_NULL);
}

/* From the decoder's rows. */
static bool from_rows(const struct gcn_target *target, const struct gcn_instruction *instruction,
                      struct gcn_destination *to)
{
    char letter = gcn_letter_out(instruction->row, 0);
    bool scalar = instruction->row->format <= GCN_SMEM;
    unsigned dwords = gcn_letter_dwords(letter);
    if (instruction->beside != NULL || letter == '\0' || instruction->dst >= GCN_SCALARS)
        return false;
    if (!scalar && letter != 's' && letter != 'm')
        return false;
    *to = (struct gcn_destination){as_encoded(target, instruction->dst), dwords == 0 ? 1 : dwords};
    return true;
}

/* True for a mnemonic whose first operand is read, or is not a scalar register. */
static bool is_read(const char *text)
{
    static const char *const reading[] = {"s_cmp",           "s_bitcmp",       "s_setvskip",
                                          "s_set",           "s_cbranch",      "s_store",
                                          "s_scratch_store", "s_buffer_store", "s_atomic",
                                          "s_buffer_atomic", "s_dcache",       "s_rfe",
                                          "s_movreld",       "s_wait",         "s_sleep",
                                          "s_barrier",       "s_prefetch",     "s_buffer_prefetch",
                                          "s_alloc",         "s_subvector",    "s_sendmsg ",
                                          "s_trap",          "s_branch",       "s_ttrace",
                                          "s_monitor",       "s_icache",       "s_endpgm",
                                          "s_nop",           "s_atc_probe",    "s_version",
                                          "s_wakeup"};
    for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
        if (strncmp(text, reading[i], strlen(reading[i])) == 0)
            return true;
    return false;
}

/* A register as LLVM writes it: "s5", "s[4:5]", "vcc_lo", "ttmp3". */
static bool parse_register(const struct gcn_target *target, const char *text, struct gcn_destination *to)
{
    static const struct special {
        const char *name;
        unsigned code, count;
    } specials[] = {
        {"vcc_lo", GCN_VCC, 1},   {"vcc_hi", GCN_VCC + 1, 1},   {"vcc", GCN_VCC, 2},   {"m0", GCN_M0, 1},
        {"exec_lo", GCN_EXEC, 1}, {"exec_hi", GCN_EXEC + 1, 1}, {"exec", GCN_EXEC, 2},
    };
    size_t length = strcspn(text, ", ");
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strlen(specials[i].name) == length && strncmp(text, specials[i].name, length) == 0) {
            *to = (struct gcn_destination){as_encoded(target, specials[i].code), specials[i].count};
            return true;
        }
    bool traps = strncmp(text, "ttmp", 4) == 0;
    unsigned trap = target->generation < 9 ? 112 : 108;
    unsigned first = 0;
    unsigned last = 0;
    text += traps ? 4 : 1;
    if (!traps && text[-1] != 's')
        return false;
    if (sscanf(text, "[%3u:%3u]", &first, &last) != 2) {
        if (!isdigit((unsigned char)*text))
            return false;
        first = last = (unsigned)strtoul(text, NULL, 10);
    }
    *to = (struct gcn_destination){first + (traps ? trap : 0), last - first + 1};
    return last >= first && to->number < GCN_SCALARS;
}

/* From LLVM's text, for operations that the rows lack. */
static bool from_text(const struct gcn_target *target, const char *text, struct gcn_destination *to)
{
    static const char *const vectors[] = {"v_readlane", "v_readfirstlane", "v_cmp", "v_s_"};
    bool writes = strncmp(text, "s_", 2) == 0 && !is_read(text);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        writes = writes || strncmp(text, vectors[i], strlen(vectors[i])) == 0;
    const char *operands = strchr(text, ' ');
    return writes && operands != NULL && parse_register(target, operands + strspn(operands, " "), to);
}

/* Operations that the rows lack, on GFX6 and GFX7, which LLVM does not disassemble. */
static const struct register_writer {
    uint32_t match;
    unsigned count;
} old_writers[] = {
    {0xbe800900, 1}, {0xbe800a00, 2}, /* s_wqm_b32, _b64 */
    {0xbe802c00, 1}, {0xbe802d00, 2}, /* s_quadmask */
    {0xbe802e00, 1}, {0xbe802f00, 2}, /* s_movrels */
};

static bool from_old(const struct gcn_target *target, uint32_t word, struct gcn_destination *to)
{
    for (size_t i = 0; i < sizeof old_writers / sizeof old_writers[0]; i++)
        if (target->generation <= 7 && (word & 0xff80ff00) == old_writers[i].match) {
            *to = (struct gcn_destination){word >> 16 & 0x7f, old_writers[i].count};
            return true;
        }
    return false;
}

bool gcn_destination_of(const struct gcn_target *target, struct gcn_walker *walker,
                        const unsigned char *bytes, size_t length, struct gcn_destination *to)
{
    struct gcn_instruction instruction;
    struct error none;
    char text[GCN_TEXT_BYTES];
    bool found;
    if (gcn_decode(target->generation, bytes, length, 0, &instruction, &none) == STATUS_OK)
        found = from_rows(target, &instruction, to);
    else if (gcn_walker_step(walker, bytes, length, text) > 0 && text[0] != '\0')
        found = from_text(target, text, to);
    else
        found = from_old(target, gcn_read32(bytes), to);
    return found && to->number != null_of(target);
}

/* ---- proof ---- */

/* Counts the bytes that differ, which must all be in the changes, in file order. */
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

/* Keeps results of earlier changes, as many changes are often alike. */
struct proof {
    const unsigned char *file;
    struct gcn_code code;
    struct gcn_walker *walker;
    const struct gcn_piece *piece; /* the piece that map describes */
    struct gcn_map map;
    const struct gcn_change *proved; /* the last change whose text was assembled */
    bool nops;                       /* s_nop 0 was assembled */
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
    const struct gcn_change *proved = proof->proved;
    enum status status = walk_to(proof, patch, change, error);
    if (status == STATUS_OK)
        status = prove_filling(proof, patch, change, error);
    if (status == STATUS_OK && proved != NULL && proved->length == change->length &&
        memcmp(proved->after, change->after, change->length) == 0) {
        memcpy(change->text_after, proved->text_after, sizeof proved->text_after);
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
    proof->proved = change;
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

/* ---- patching ---- */

#define NOP_WORD UINT32_C(0xbf800000) /* s_nop 0, on all generations */

enum { OFFSETS_LISTED = 8 };

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

/* The words of the instruction there, in the form that --replace accepts. */
static const char *words_at(const struct job *job, size_t offset, char text[GCN_TEXT_BYTES])
{
    char none[GCN_TEXT_BYTES];
    size_t length = gcn_walker_step(job->walker, job->file + offset, job->size - offset, none);
    return gcn_words(job->file + offset, length, text);
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

static void hint_offsets(const struct gcn_found *found, struct error *error)
{
    char text[512];
    size_t used = 0;
    for (size_t i = 0; i < found->count && i < OFFSETS_LISTED; i++) {
        const struct gcn_piece *piece = found->list[i].piece;
        int length = piece->kernel_length < 24 ? piece->kernel_length : 24;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s0x%zx%s%.*s%s", i == 0 ? "" : ", ",
                                 found->list[i].offset, length > 0 ? " in " : "", length, piece->kernel,
                                 length < piece->kernel_length ? "..." : "");
    }
    if (found->count > OFFSETS_LISTED)
        snprintf(text + used, sizeof text - used, " and %zu more", found->count - OFFSETS_LISTED);
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
        hint_offsets(found, error);
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

static void describe_placeholder(const struct job *job, const struct gcn_match *match,
                                 struct gcn_change *change)
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
    describe_placeholder(job, match, change);
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
        gcn_code_hint_unread(&job->code, error);
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
