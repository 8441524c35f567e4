/* Selects the blocks of a GPU's program that work: each reads from the hardware where it runs. */
#include "generator/emit/gpu_emission.h"
#include "isa/gcn/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PLACES = 1 << 16 }; /* the most multiprocessors that a machine file may have */

/* ---- by the number of the multiprocessor ---- */

static void list_sms(struct gpu_emission *emission, const struct place_list *list, struct buffer *bits)
{
    uint32_t words[MOST_PLACES / 32] = {0};
    unsigned sms = emission->plan->machine->gpu.sm;
    for (size_t i = 0; i < list->count; i++)
        words[list->numbers[i] / 32] |= (uint32_t)1 << (list->numbers[i] % 32);
    /* A place by side only: the multiprocessors in the table of starts. */
    for (unsigned sm = 0; list->count == 0 && sm < sms && sm < MOST_PLACES; sm++)
        words[sm / 32] |= (uint32_t)1 << (sm % 32);
    for (unsigned i = 0; i < (sms + 31) / 32; i++)
        buffer_printf(bits, "%s0x%08" PRIx32, i == 0 ? "" : ", ", words[i]);
    bindings_set(&emission->bindings, "words", "%u", (sms + 31) / 32);
    bindings_text(&emission->bindings, "bits", bits->data);
}

static enum status place_on_sms(struct gpu_emission *emission, struct buffer *tables,
                                struct buffer *placement)
{
    struct buffer bits = {0};
    list_sms(emission, &emission->plan->kernel->place.of[PLACE_SM], &bits);
    enum status status = bindings_section(&emission->bindings, "places", tables);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "placement", placement);
    bindings_text(&emission->bindings, "bits", "");
    buffer_free(&bits);
    return status;
}

/* ---- by fields of the register that holds a wave's place ---- */

/* From GFX10 on a shader array is "sa", and a wave reports as its compute unit the work-group processor "wgp"
 * (two compute units), which is a machine's cu there. */
static const char *const later[] = {
    [PLACE_XCC] = "xcc", [PLACE_SE] = "se", [PLACE_SH] = "sa", [PLACE_CU] = "wgp"};
enum { FIELDS = sizeof later / sizeof later[0] };

static const char *name_of(const struct gcn_target *target, size_t field)
{
    return target->generation >= 10 ? later[field] : place_fields[field];
}

static uint32_t mask_of(const struct place_list *list)
{
    uint32_t mask = 0;
    for (size_t i = 0; i < list->count; i++)
        mask |= (uint32_t)1 << list->numbers[i];
    return mask;
}

/* around: the bits of all fields; a patched program reads them at once. */
static enum status place_by_field(struct gpu_emission *emission, size_t field,
                                  const struct gcn_target *target, const struct gcn_bits *around,
                                  struct buffer *placement)
{
    struct gcn_bits bits;
    uint32_t mask = mask_of(&emission->plan->kernel->place.of[field]);
    enum status status = STATUS_OK;
    if (gcn_field_parse(target, name_of(target, field), &bits, emission->error) != STATUS_OK)
        return emission->error->code = STATUS_RECIPE;
    bindings_set(&emission->bindings, "field", "%s", name_of(target, field));
    bindings_set(&emission->bindings, "mask", "0x%" PRIx32, mask);
    bindings_set(&emission->bindings, "register_id", "%u", bits.id);
    bindings_set(&emission->bindings, "low", "%u", bits.low);
    bindings_set(&emission->bindings, "size", "%u", bits.size);
    bindings_set(&emission->bindings, "shift", "%u", bits.low - around->low);
    bindings_set(&emission->bindings, "field_mask", "0x%x", (1U << bits.size) - 1);
    size_t before = placement->size;
    if (bits.id != around->id) /* in a separate register, which a patched program reads separately */
        status = bindings_section_if(&emission->bindings, "placement.apart", placement);
    return placement->size > before ? status : bindings_section(&emission->bindings, "placement", placement);
}

/* The first bit that a patched program reads: of cu, sh and se, which are adjacent; from GFX10 on, of the
 * fields that the recipe names. */
static void find_around(const struct gpu_emission *emission, const struct gcn_target *target,
                        struct gcn_bits *around)
{
    struct gcn_bits bits;
    if (target->generation < 10)
        (void)gcn_field_parse(target, "cu,sh,se", around, NULL);
    for (size_t i = 0; target->generation >= 10 && i < FIELDS; i++)
        if (emission->plan->kernel->place.of[i].count > 0 &&
            gcn_field_parse(target, name_of(target, i), &bits, NULL) == STATUS_OK &&
            (around->size == 0 || bits.low < around->low))
            *around = bits;
}

static enum status place_by_fields(struct gpu_emission *emission, struct buffer *placement)
{
    const struct machine *machine = emission->plan->machine;
    const struct gcn_target *target = gcn_target_named(machine->gpu.arch);
    struct gcn_bits around = {0};
    if (target == NULL)
        return error_set(emission->error, STATUS_RECIPE, "place: the processor %s is not known",
                         machine->gpu.arch);
    find_around(emission, target, &around);
    enum status status = bindings_section_if(&emission->bindings, "placement.marker", placement);
    for (size_t i = 0; status == STATUS_OK && i < FIELDS; i++)
        if (emission->plan->kernel->place.of[i].count > 0)
            status = place_by_field(emission, i, target, &around, placement);
    return status;
}

static bool names_fields(const struct gpu_place *place)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (place->of[i].count > 0)
            return true;
    return false;
}

enum status gpu_emit_places(struct gpu_emission *emission, struct buffer *tables, struct buffer *placement)
{
    const struct gpu_place *place = &emission->plan->kernel->place;
    bool by_number = place->of[PLACE_SM].count > 0 || place->side != NULL;
    if (by_number)
        return place_on_sms(emission, tables, placement);
    return names_fields(place) ? place_by_fields(emission, placement) : STATUS_OK;
}
