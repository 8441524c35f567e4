#include "runner/counters/wave/hardware.h"

#include "isa/gcn/field.h"

/* Of the hardware's registers. */
enum { MODE = 1, STATUS_BITS = 2, HW_ID = 4, XCC_ID = 20 };

/* Round to nearest even, denormals kept: what a ROCm kernel begins with. */
enum { MODE_VALUE = 0xf0, STATUS_SCC = 1, VMID = 8, COMPUTE_ENGINE = 1 };

/* Puts the value where the target's HW_ID has the field. */
static void put(const struct gcn_target *target, uint32_t *word, const char *name, unsigned value)
{
    struct gcn_bits bits;
    if (gcn_field_parse(target, name, &bits, NULL) != STATUS_OK || bits.id != HW_ID)
        return;
    uint32_t mask = ((UINT32_C(1) << bits.size) - 1) << bits.low;
    *word = (*word & ~mask) | ((uint32_t)value << bits.low & mask);
}

uint32_t wave_hw_id(const struct gcn_target *target, const struct wave_place *place, unsigned group)
{
    uint32_t word = UINT32_MAX; /* what no field has is reserved */
    put(target, &word, "wave", place->slot);
    put(target, &word, "simd", place->simd);
    put(target, &word, "pipe", 0);
    put(target, &word, "cu", place->cu);
    put(target, &word, "sh", place->sh);
    put(target, &word, "se", place->se);
    put(target, &word, "tg", group);
    put(target, &word, "vm", VMID);
    put(target, &word, "queue", 0);
    put(target, &word, "state", 0);
    put(target, &word, "me", COMPUTE_ENGINE);
    return word;
}

enum status wave_check_hw_id(const struct gcn_target *target, const struct wave_machine *machine,
                             struct error *error)
{
    const struct {
        const char *name;
        unsigned count;
    } fields[] = {{"se", machine->se}, {"sh", machine->sh_per_se}, {"cu", machine->cu_per_sh}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct gcn_bits bits;
        enum status status = gcn_field_parse(target, fields[i].name, &bits, error);
        if (status != STATUS_OK)
            return status;
        if (fields[i].count > 1u << bits.size)
            return error_set(error, STATUS_USAGE,
                             "the machine has %u of what HW_ID of %s calls %s: it has %u bits",
                             fields[i].count, target->name, fields[i].name, bits.size);
    }
    return STATUS_OK;
}

bool wave_getreg(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    unsigned number = (unsigned)it->in.number & 0x3f;
    unsigned low = (unsigned)it->in.number >> 6 & 0x1f;
    unsigned size = ((unsigned)it->in.number >> 11 & 0x1f) + 1;
    uint32_t value = 0;
    if (number == HW_ID)
        value = wave->report->hw_id;
    else if (number == MODE)
        value = MODE_VALUE;
    else if (number == STATUS_BITS)
        value = wave->scc ? STATUS_SCC : 0;
    else if (number != XCC_ID || (core->kernel.target->traits & GCN_XCC) == 0) /* one XCC: number 0 */
        return wave_fault(core, wave, "reads the hardware register %u, which is not known here", number);
    if (low + size > 32)
        return wave_fault(core, wave, "reads %u bits of a hardware register from bit %u on, beyond its 32",
                          size, low);
    wave->s[it->in.dst] = (uint32_t)((value >> low) & ((UINT64_C(1) << size) - 1));
    return true;
}

static bool set(struct wave_core *core, const struct wave *wave, const struct wave_instruction *it)
{
    unsigned number = (unsigned)it->in.number & 0x3f;
    if (number == MODE)
        return true; /* rounding and denormals stay */
    return wave_fault(core, wave, "writes the hardware register %u%s", number,
                      number == HW_ID ? ", HW_ID, which no program can" : ", which is not known here");
}

bool wave_setreg(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    return set(core, wave, it);
}
