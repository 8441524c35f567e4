#include "generator/gpu/gpu_asm_gcn.h"

#include "isa/gcn/decode.h"
#include "isa/gcn/walk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 250 };

/* ---- what no instruction of a loop may do, by how its name begins ---- */

static const struct {
    const char *begins, *why;
} refused[] = {
    {"s_branch", "jumps"},
    {"s_cbranch", "jumps"},
    {"s_setpc", "jumps"},
    {"s_swappc", "jumps"},
    {"s_call", "jumps"},
    {"s_rfe", "jumps"},
    {"s_subvector", "jumps"},
    {"s_endpgm", "ends the program"},
    {"s_trap", "ends the program"},
    {"s_sethalt", "ends the program"},
    {"s_code_end", "ends the program"},
    {"s_setreg", "changes how the wave runs"},
    {"s_set_gpr", "changes how the wave runs"},
    {"s_setvskip", "changes how the wave runs"},
    {"s_sendmsg", "sends messages"},
    {"v_cmpx", "changes which threads take part"},
    {"buffer_", "reaches memory, which is for load{} and store{}"},
    {"tbuffer_", "reaches memory, which is for load{} and store{}"},
    {"image_", "reaches memory, which is for load{} and store{}"},
    {"flat_", "reaches memory, which is for load{} and store{}"},
    {"global_", "reaches memory, which is for load{} and store{}"},
    {"scratch_", "reaches memory, which is for load{} and store{}"},
    {"ds_", "reaches memory, which is for load{} and store{}"},
    {"lds_", "reaches memory, which is for load{} and store{}"},
    {"exp", "exports, which a compute program cannot"},
};

static const char *refuse_name(const char *text)
{
    size_t length = strcspn(text, " \t");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strncmp(text, refused[i].begins, strlen(refused[i].begins)) == 0)
            return refused[i].why;
    for (const char *at = text; at + 4 <= text + length; at++)
        if (strncmp(at, "exec", 4) == 0)
            return "changes which threads take part";
    return NULL;
}

/* ---- what it writes ---- */

/* Whether `dwords` registers from that operand on are the text's to write. */
static bool may_write(unsigned first, unsigned dwords)
{
    static const struct {
        unsigned first, last;
    } free_ones[] = {{GCN_VECTOR + 1, GCN_VECTOR + 3},
                     {GCN_VECTOR + 5, GCN_VECTOR + 7},
                     {27, 27},
                     {GCN_VCC, GCN_VCC + 1},
                     {GCN_NO_OPERAND, GCN_NO_OPERAND + 1}};
    for (size_t i = 0; i < sizeof free_ones / sizeof free_ones[0]; i++)
        if (first >= free_ones[i].first && first + (dwords == 0 ? 1 : dwords) - 1 <= free_ones[i].last)
            return true;
    return false;
}

static bool decoded_may(unsigned generation, const struct gcn_instruction *code)
{
    static const bool reaches[GCN_FORMATS] = {
        [GCN_SMEM] = true, [GCN_DS] = true, [GCN_FLAT] = true, [GCN_GLOBAL] = true, [GCN_MUBUF] = true};
    const uint16_t written[] = {code->dst, code->dst2};
    if (reaches[code->row->format])
        return false;
    for (unsigned i = 0; i < 2; i++) {
        char letter = gcn_letter_out(code->row, i);
        unsigned dwords = letter == 'm' && generation >= 10 ? 1 : gcn_letter_dwords(letter);
        if (letter != '\0' && !may_write(written[i], dwords) && !(generation >= 10 && written[i] == GCN_NULL))
            return false;
    }
    struct gcn_instruction beside = {0};
    if (code->beside != NULL)
        beside = gcn_beside(code);
    return code->beside == NULL || decoded_may(generation, &beside);
}

/* "v5" or "v[5:7]" at text, as operands; false for anything else. */
static bool read_vector(const char *text, unsigned *first, unsigned *count)
{
    char *end = NULL;
    if (*text++ != 'v')
        return false;
    bool several = *text == '[';
    text += several;
    if (!isdigit((unsigned char)*text))
        return false;
    unsigned long low = strtoul(text, &end, 10), high = low;
    if (several && *end == ':')
        high = strtoul(end + 1, &end, 10);
    *first = GCN_VECTOR + (unsigned)low;
    *count = (unsigned)(high - low + 1);
    return low <= high && high < 256;
}

/* What the decoder lacks are operations of vectors, whose text begins with what they write; those that write
 * more than that it knows, or they are refused. */
static bool text_may(const char *text)
{
    static const char *const more[] = {"v_cmp",     "v_div_scale", "v_swap",
                                       "v_mov_rel", "v_movrel",    "v_permlane"};
    unsigned first, count;
    if (strncmp(text, "v_", 2) != 0)
        return false;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (strncmp(text, more[i], strlen(more[i])) == 0)
            return false;
    text += strcspn(text, " \t");
    return read_vector(text + strspn(text, " \t"), &first, &count) && may_write(first, count);
}

/* ---- one instruction, and all ---- */

static enum status at_recipe(const struct behaviour *item, struct error *error)
{
    if (item->file != NULL)
        error_at(error, item->file, item->line);
    return STATUS_RECIPE;
}

static enum status wrong(const struct behaviour *item, const char *text, const char *why, struct error *error)
{
    error_set(error, STATUS_RECIPE, "asm's '%.60s' %s", text, why);
    return at_recipe(item, error);
}

static enum status check_one(const struct gcn_target *target, const struct behaviour *item, const char *text,
                             struct error *error)
{
    unsigned char code[GCN_INSTRUCTION_BYTES];
    struct gcn_instruction instruction;
    struct error complaint = {0};
    size_t size = 0;
    const char *why = refuse_name(text);
    if (why != NULL)
        return wrong(item, text, why, error);
    enum status status = gcn_assemble(target, text, code, &size, &complaint);
    if (status == STATUS_UNAVAILABLE) {
        *error = complaint;
        return status;
    }
    if (status != STATUS_OK) {
        error_set(error, STATUS_RECIPE, "asm: %s", complaint.message);
        return at_recipe(item, error);
    }
    bool known = gcn_decode(target->generation, code, size, 0, &instruction, NULL) == STATUS_OK &&
                 instruction.length == size;
    if (known ? !decoded_may(target->generation, &instruction) : !text_may(text))
        return wrong(
            item, text,
            "writes what the loop needs: expected v1 to v3, v5 to v7, s27 or vcc, which it leaves to asm{}",
            error);
    return STATUS_OK;
}

enum status gpu_asm_gcn_check(const char *arch, const struct behaviour *item, struct error *error)
{
    static const char ends[] = ";\n\r";
    const struct gcn_target *target = gcn_target_named(arch);
    struct error unread = {0};
    unsigned count = 0;
    error = error == NULL ? &unread : error;
    if (target == NULL)
        return error_set(error, STATUS_RECIPE, "asm: the processor %s is not known", arch);
    for (const char *at = item->text; *at != '\0';) {
        char text[LONGEST + 1];
        at += strspn(at, " \t;\n\r");
        size_t length = strcspn(at, ends);
        snprintf(text, sizeof text, "%.*s", (int)(length < LONGEST ? length : LONGEST), at);
        if (length > LONGEST)
            return wrong(item, text, "is an instruction of more than 250 characters", error);
        enum status status = length > 0 ? check_one(target, item, text, error) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
        count += length > 0;
        at += length;
    }
    return count > 0 ? STATUS_OK : wrong(item, item->text, "has no instruction", error);
}
