#include "sim/gcn/dispatch.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct dispatch_unit {
    unsigned slots[GCN_SIMDS]; /* one bit per slot in use */
    unsigned lds;
    uint64_t groups;
};

struct wave_dispatch {
    const struct wave_chip *chip;
    unsigned waves, lds; /* of a group */
    unsigned unit_lds;
    unsigned slots; /* waves that a SIMD takes */
    unsigned count, next;
    unsigned blocks, placed; /* of the launch; so far */
    struct dispatch_unit *units;
};

struct wave_dispatch *wave_dispatch_new(const struct wave_chip *chip, const struct wave_kernel *kernel,
                                        unsigned threads, unsigned blocks)
{
    struct wave_dispatch *dispatch = memory_zeroed(1, sizeof *dispatch);
    dispatch->chip = chip;
    dispatch->blocks = blocks;
    dispatch->waves = (threads + kernel->lanes - 1) / kernel->lanes;
    dispatch->lds = kernel->lds_bytes;
    dispatch->unit_lds = kernel->room->lds;
    dispatch->slots = gcn_room_waves(kernel->room, kernel->vgprs);
    dispatch->count = wave_chip_units(chip) - chip->xcc * chip->off;
    dispatch->units = memory_zeroed(wave_chip_units(chip), sizeof *dispatch->units);
    return dispatch;
}

void wave_dispatch_free(struct wave_dispatch *dispatch)
{
    if (dispatch != NULL)
        free(dispatch->units);
    free(dispatch);
}

/* The place for that turn: over dies first, then shader engines, then arrays, then CUs. */
static struct wave_place place_of(const struct wave_chip *chip, unsigned turn)
{
    unsigned own = turn / chip->xcc;
    struct wave_place place = {.xcc = turn % chip->xcc,
                               .se = own % chip->se,
                               .sh = own / chip->se % chip->sh_per_se,
                               .cu = own / chip->se / chip->sh_per_se};
    place.unit =
        ((place.se * chip->sh_per_se + place.sh) * chip->cu_per_sh + place.cu) * chip->xcc + place.xcc;
    return place;
}

/* The hardware's turn begins where it will: no number of a work-group says where it runs. Those of a round
 * that is not full have the first places. */
static unsigned shifted(const struct wave_dispatch *dispatch, unsigned turn)
{
    unsigned left = dispatch->blocks - dispatch->placed / dispatch->count * dispatch->count;
    unsigned size = left < dispatch->count ? left : dispatch->count;
    unsigned shift = size / 2;
    shift += dispatch->chip->se > 1 && shift % dispatch->chip->se == 0;
    shift += dispatch->chip->xcc > 1 && shift % dispatch->chip->xcc == 0;
    return turn < size ? (turn + shift) % size : turn;
}

/* Takes a slot on the SIMD with the fewest waves; false if none is free. */
static bool take(const struct wave_dispatch *dispatch, struct dispatch_unit *unit, struct wave_place *place)
{
    unsigned best = 0;
    for (unsigned i = 1; i < GCN_SIMDS; i++)
        if (__builtin_popcount(unit->slots[i]) < __builtin_popcount(unit->slots[best]))
            best = i;
    for (unsigned slot = 0; slot < dispatch->slots; slot++)
        if ((unit->slots[best] >> slot & 1) == 0) {
            unit->slots[best] |= 1u << slot;
            place->simd = best;
            place->slot = slot;
            return true;
        }
    return false;
}

static bool fits(const struct wave_dispatch *dispatch, struct dispatch_unit *unit, struct wave_place *places,
                 unsigned *slot)
{
    struct dispatch_unit before = *unit;
    struct wave_place there = places[0];
    for (*slot = 0; *slot < WAVE_MOST_GROUPS && (unit->groups >> *slot & 1) != 0;)
        ++*slot;
    if (*slot == WAVE_MOST_GROUPS || unit->lds + dispatch->lds > dispatch->unit_lds)
        return false;
    for (unsigned i = 0; i < dispatch->waves; i++) {
        places[i] = there;
        if (!take(dispatch, unit, &places[i])) {
            *unit = before;
            return false;
        }
    }
    unit->lds += dispatch->lds;
    unit->groups |= UINT64_C(1) << *slot;
    return true;
}

bool wave_dispatch_place(struct wave_dispatch *dispatch, struct wave_place *places, unsigned *slot)
{
    for (unsigned i = 0; i < dispatch->count; i++) {
        unsigned turn = (dispatch->next + i) % dispatch->count;
        places[0] = place_of(dispatch->chip, shifted(dispatch, turn));
        if (fits(dispatch, &dispatch->units[places[0].unit], places, slot)) {
            dispatch->next = (turn + 1) % dispatch->count;
            dispatch->placed++;
            return true;
        }
    }
    return false;
}

void wave_dispatch_release(struct wave_dispatch *dispatch, const struct wave_place *places, unsigned slot)
{
    struct dispatch_unit *unit = &dispatch->units[places[0].unit];
    for (unsigned i = 0; i < dispatch->waves; i++)
        unit->slots[places[i].simd] &= ~(1u << places[i].slot);
    unit->lds -= dispatch->lds;
    unit->groups &= ~(UINT64_C(1) << slot);
}
