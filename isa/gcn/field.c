#include "isa/gcn/field.h"

#include <stdio.h>
#include <string.h>

/* A field on generations first to last, for processors with all traits in `with` and none in `without`.
 * HW_ID1 is the same on GFX12 as on GFX11: SQ_WAVE_HW_ID1 in the Linux kernel's gc_12_0_0_sh_mask.h, and
 * ROCr's trap handler. */
static const struct known_field {
    const char *name;
    unsigned first, last;
    unsigned with, without;
    unsigned id;
    const char *in; /* the register */
    unsigned low, size;
} fields[] = {
    {"wave", 6, 9, 0, 0, 4, "HW_ID", 0, 4},          {"simd", 6, 9, 0, 0, 4, "HW_ID", 4, 2},
    {"pipe", 6, 9, 0, 0, 4, "HW_ID", 6, 2},          {"cu", 6, 9, 0, 0, 4, "HW_ID", 8, 4},
    {"sh", 6, 9, 0, 0, 4, "HW_ID", 12, 1},           {"se", 6, 9, 0, GCN_WIDE_SE, 4, "HW_ID", 13, 2},
    {"se", 9, 9, GCN_WIDE_SE, 0, 4, "HW_ID", 13, 3}, {"tg", 6, 9, 0, 0, 4, "HW_ID", 16, 4},
    {"vm", 6, 9, 0, 0, 4, "HW_ID", 20, 4},           {"queue", 6, 9, 0, 0, 4, "HW_ID", 24, 3},
    {"state", 6, 9, 0, 0, 4, "HW_ID", 27, 3},        {"me", 6, 9, 0, 0, 4, "HW_ID", 30, 2},
    {"xcc", 9, 9, GCN_XCC, 0, 20, "XCC_ID", 0, 4},   {"wave", 10, 12, 0, 0, 23, "HW_ID1", 0, 5},
    {"simd", 10, 12, 0, 0, 23, "HW_ID1", 8, 2},      {"wgp", 10, 12, 0, 0, 23, "HW_ID1", 10, 4},
    {"sa", 10, 12, 0, 0, 23, "HW_ID1", 16, 1},       {"se", 10, 10, 0, 0, 23, "HW_ID1", 18, 2},
    {"se", 11, 12, 0, 0, 23, "HW_ID1", 18, 3},       {"queue", 10, 12, 0, 0, 24, "HW_ID2", 0, 4},
    {"pipe", 10, 12, 0, 0, 24, "HW_ID2", 4, 2},      {"me", 10, 12, 0, 0, 24, "HW_ID2", 8, 2},
    {"state", 10, 12, 0, 0, 24, "HW_ID2", 12, 3},    {"wg", 10, 12, 0, 0, 24, "HW_ID2", 16, 5},
    {"vm", 10, 12, 0, 0, 24, "HW_ID2", 24, 4},
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

/* Reasons why expected fields are missing. */
static const struct absence {
    const char *name;
    unsigned first, last;
    const char *reason;
} absences[] = {
    {"cu", 10, 12, "HW_ID1 has the work-group processor (wgp), which is two compute units"},
    {"sh", 10, 12, "HW_ID1 has the shader array (sa) instead"},
    {"tg", 10, 12, "HW_ID2 has the work-group (wg) instead"},
    {"xcc", 6, 12, "only gfx940, gfx941, gfx942 and gfx950 have XCC_ID"},
    {"wgp", 6, 9, "work-group processors came with GFX10; HW_ID has the compute unit (cu)"},
    {"sa", 6, 9, "before GFX10, HW_ID has the shader array as sh"},
    {"wg", 6, 9, "before GFX10, HW_ID has the thread group (tg)"},
};
enum { ABSENCE_COUNT = sizeof absences / sizeof absences[0] };

/* Opcodes of s_getreg_b32 by generation, from GFX6. */
static const unsigned char getreg[] = {0x12, 0x12, 0x11, 0x11, 0x12, 0x11, 0x11};

static bool has(const struct gcn_target *target, const struct known_field *field)
{
    return target->generation >= field->first && target->generation <= field->last &&
           (target->traits & field->with) == field->with && (target->traits & field->without) == 0;
}

static enum status absent(const struct gcn_target *target, const char *name, int length, struct error *error)
{
    error_set(error, STATUS_USAGE, "%s has no field '%.*s'", target->name, length, name);
    for (size_t i = 0; i < ABSENCE_COUNT; i++)
        if (strlen(absences[i].name) == (size_t)length &&
            memcmp(absences[i].name, name, (size_t)length) == 0 && target->generation >= absences[i].first &&
            target->generation <= absences[i].last) {
            error_hint(error, "%s", absences[i].reason);
            return STATUS_USAGE;
        }
    char known[200];
    size_t used = 0;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (has(target, &fields[i]))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used == 0 ? "" : " ",
                                     fields[i].name);
    error_hint(error, "it has: %s", known);
    return STATUS_USAGE;
}

static const struct known_field *find(const struct gcn_target *target, const char *name, size_t length)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (has(target, &fields[i]) && strlen(fields[i].name) == length &&
            memcmp(fields[i].name, name, length) == 0)
            return &fields[i];
    return NULL;
}

/* Inserts the field, keeping the order of bits. */
static enum status insert(const struct known_field *field, const struct known_field **found, size_t *count,
                          struct error *error)
{
    size_t at = *count;
    for (size_t i = 0; i < *count; i++) {
        if (found[i] == field)
            return error_set(error, STATUS_USAGE, "the field '%s' is given twice", field->name);
        if (found[i]->id != field->id)
            return error_set(error, STATUS_USAGE,
                             "one instruction reads one register: '%s' is in %s, '%s' in %s", found[i]->name,
                             found[i]->in, field->name, field->in);
    }
    for (; at > 0 && found[at - 1]->low > field->low; at--)
        found[at] = found[at - 1];
    found[at] = field;
    ++*count;
    return STATUS_OK;
}

static enum status join(const struct known_field *const *found, size_t count, struct gcn_bits *bits,
                        struct error *error)
{
    *bits = (struct gcn_bits){.id = found[0]->id, .name = found[0]->in, .low = found[0]->low};
    for (size_t i = 0; i < count; i++) {
        unsigned end = bits->low + bits->size;
        if (found[i]->low != end) {
            error_set(error, STATUS_USAGE,
                      "'%s' ends at bit %u of %s and '%s' begins at bit %u: they are not adjacent",
                      found[i - 1]->name, end - 1, bits->name, found[i]->name, found[i]->low);
            error_hint(error,
                       "one s_getreg_b32 reads adjacent bits; use --with to read the bits between them too: "
                       "hwreg(HW_REG_%s, %u, %u)",
                       bits->name, bits->low, found[count - 1]->low + found[count - 1]->size - bits->low);
            return STATUS_USAGE;
        }
        bits->fields[bits->count++] = (struct gcn_field){found[i]->name, found[i]->low, found[i]->size};
        bits->size += found[i]->size;
    }
    return STATUS_OK;
}

enum status gcn_field_parse(const struct gcn_target *target, const char *names, struct gcn_bits *bits,
                            struct error *error)
{
    const struct known_field *found[GCN_FIELDS_MOST];
    size_t count = 0;
    for (const char *at = names;; at++) {
        size_t length = strcspn(at, ",");
        const struct known_field *field = find(target, at, length);
        if (field == NULL)
            return absent(target, at, (int)(length < 100 ? length : 100), error);
        enum status status = insert(field, found, &count, error);
        if (status != STATUS_OK)
            return status;
        at += length;
        if (*at == '\0')
            return join(found, count, bits, error);
    }
}

uint32_t gcn_field_word(const struct gcn_target *target, const struct gcn_bits *bits, unsigned destination)
{
    uint32_t operand = bits->id | bits->low << 6 | (bits->size - 1) << 11;
    return UINT32_C(0xb) << 28 | (uint32_t)getreg[target->generation - 6] << 23 | (destination & 0x7f) << 16 |
           operand;
}

char *gcn_field_register(const struct gcn_target *target, unsigned number, char text[16])
{
    static const char *const special[] = {"vcc_lo", "vcc_hi"};
    unsigned trap = target->generation < 9 ? 112 : 108;
    if (number == 106 || number == 107)
        snprintf(text, 16, "%s", special[number - 106]);
    else if (number == 124)
        snprintf(text, 16, "%s", target->generation >= 11 ? "null" : "m0");
    else if (number == 125)
        snprintf(text, 16, "%s", target->generation >= 11 ? "m0" : "null");
    else if (number == 126 || number == 127)
        snprintf(text, 16, "%s", number == 126 ? "exec_lo" : "exec_hi");
    else if (number >= trap && number < 124)
        snprintf(text, 16, "ttmp%u", number - trap);
    else
        snprintf(text, 16, "s%u", number);
    return text;
}
