#include "isa/gcn/patch/destination.h"

#include "isa/gcn/binary/elf.h"
#include "isa/gcn/decode/decode.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Mnemonics, or their beginnings, whose first operand is read or is not a scalar register. */
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
