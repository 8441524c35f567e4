#include "sim/gcn/hardware.h"

#include "isa/gcn/field.h"

/* Numbers of hardware registers; from GFX10 on, the last two hold the wave's place. */
enum { MODE = 1, STATUS_BITS = 2, HW_ID = 4, XCC_ID = 20, HW_ID1 = 23, HW_ID2 = 24 };

/* Round to nearest even, keep denormals: a ROCm kernel's initial mode. */
enum { MODE_VALUE = 0xf0, MODE_ROUND = 0xf, STATUS_SCC = 1, VMID = 8, COMPUTE_ENGINE = 1 };

/* Sets the field to the value, if the register of that number has it. */
static void put(const struct gcn_target *target, unsigned id, uint32_t *word, const char *name,
                unsigned value)
{
    struct gcn_bits bits;
    if (gcn_field_parse(target, name, &bits, NULL) != STATUS_OK || bits.id != id)
        return;
    uint32_t mask = ((UINT32_C(1) << bits.size) - 1) << bits.low;
    *word = (*word & ~mask) | ((uint32_t)value << bits.low & mask);
}

static uint32_t place_word(const struct gcn_target *target, unsigned id, const struct wave_place *place,
                           unsigned group)
{
    const struct {
        const char *name;
        unsigned value;
    } fields[] = {
        {"wave", place->slot}, {"simd", place->simd},  {"pipe", 0},       {"cu", place->cu},
        {"wgp", place->cu},    {"sh", place->sh},      {"sa", place->sh}, {"se", place->se},
        {"tg", group},         {"wg", group},          {"vm", VMID},      {"queue", 0},
        {"state", 0},          {"me", COMPUTE_ENGINE},
    };
    uint32_t word = UINT32_MAX; /* bits without a field are reserved */
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        put(target, id, &word, fields[i].name, fields[i].value);
    return word;
}

uint32_t wave_hw_id(const struct gcn_target *target, const struct wave_place *place, unsigned group)
{
    return place_word(target, target->generation >= 10 ? HW_ID1 : HW_ID, place, group);
}

enum status wave_check_hw_id(const struct gcn_target *target, const struct wave_chip *chip,
                             struct error *error)
{
    bool rdna = target->generation >= 10;
    const struct {
        const char *name;
        unsigned count;
    } fields[] = {
        {"se", chip->se}, {rdna ? "sa" : "sh", chip->sh_per_se}, {rdna ? "wgp" : "cu", chip->cu_per_sh}};
    if (chip->xcc > 1 && (target->traits & GCN_XCC) == 0)
        return error_set(error, STATUS_USAGE, "the machine has %u dies, and %s has no register XCC_ID",
                         chip->xcc, target->name);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct gcn_bits bits;
        enum status status = gcn_field_parse(target, fields[i].name, &bits, error);
        if (status != STATUS_OK)
            return status;
        if (fields[i].count > 1u << bits.size)
            return error_set(error, STATUS_USAGE,
                             "the machine has %u units where the field %s in %s of %s has %u bits",
                             fields[i].count, fields[i].name, bits.name, target->name, bits.size);
    }
    return STATUS_OK;
}

/* False if the processor lacks the register, or its value is not modelled. */
static bool value_of(const struct wave_core *core, const struct wave *wave, unsigned number, uint32_t *value)
{
    const struct gcn_target *target = core->kernel.target;
    bool rdna = target->generation >= 10;
    *value = 0;
    if (number == (rdna ? HW_ID1 : HW_ID))
        *value = wave->report->hw_id;
    else if (number == HW_ID2 && rdna)
        *value = place_word(target, HW_ID2, &wave->place, wave->group->slot);
    else if (number == MODE)
        *value = MODE_VALUE;
    else if (number == STATUS_BITS)
        *value = wave->scc ? STATUS_SCC : 0;
    else if (number == XCC_ID && (target->traits & GCN_XCC) != 0)
        *value = wave->place.xcc;
    else
        return false;
    return true;
}

/* The hardware register of s_getreg_b32 and s_setreg_b32, and its bits. */
struct register_bits {
    unsigned number, low, size;
};

static struct register_bits bits_of(const struct wave_instruction *it)
{
    unsigned word = (unsigned)it->in.number;
    return (struct register_bits){word & 0x3f, word >> 6 & 0x1f, (word >> 11 & 0x1f) + 1};
}

bool wave_getreg(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    struct register_bits at = bits_of(it);
    uint32_t value;
    if (!value_of(core, wave, at.number, &value))
        return wave_fault(core, wave, "reads hardware register %u, which is not modelled", at.number);
    if (at.low + at.size > 32)
        return wave_fault(core, wave,
                          "reads %u bits of a hardware register from bit %u on, which exceeds its 32 bits",
                          at.size, at.low);
    wave->s[it->in.dst] = (uint32_t)((value >> at.low) & ((UINT64_C(1) << at.size) - 1));
    return true;
}

/* True if writing the bits of MODE from `low` on keeps rounding to nearest even. */
static bool keeps_rounding(uint32_t value, unsigned low, unsigned size)
{
    uint32_t set = (uint32_t)(value & ((UINT64_C(1) << size) - 1)) << low;
    return (set & MODE_ROUND) == 0;
}

bool wave_setreg(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    struct register_bits at = bits_of(it);
    if (at.number == MODE) /* denormals are always kept */
        return keeps_rounding(wave_read(wave, &it->in, it->in.src[1]), at.low, at.size) ||
               wave_fault(core, wave, "sets a rounding mode other than nearest even, which is not modelled");
    return wave_fault(core, wave, "writes hardware register %u%s", at.number,
                      at.number == HW_ID && core->kernel.target->generation < 10
                          ? ", HW_ID, which is read-only"
                          : ", which is not modelled");
}
