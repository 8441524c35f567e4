#include "sim/ptx/warp_chip.h"

#include <string.h>

/* Defaults for what the machine file does not state: 16 ways, and a page on one side. */
enum { USUAL_WAYS = 16, USUAL_SIDE_BYTES = 4096, MOST_SMS = 65536, MOST_SECTORS = 8 };

static struct cache cache_from(const struct cache *own)
{
    struct cache cache = *own;
    cache.ways = own->ways > 0 ? own->ways : USUAL_WAYS;
    cache.sector = own->sector > 0 && own->sector < own->line ? own->sector : own->line;
    return cache;
}

enum status warp_chip_from(const struct machine *machine, struct warp_chip *chip, struct error *error)
{
    const struct gpu *gpu = &machine->gpu;
    *chip = (struct warp_chip){.sms = gpu->sm,
                               .sides = gpu->sides > 0 ? gpu->sides : 1,
                               .side_bytes = gpu->side_bytes > 0 ? gpu->side_bytes : USUAL_SIDE_BYTES,
                               .l1 = cache_from(&machine->l1d),
                               .l2 = cache_from(&machine->l2)};
    if (gpu->sm == 0 || gpu->sm > MOST_SMS || chip->l1.size == 0 || chip->l2.size == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the machine %s does not state its multiprocessors, L1 and L2", machine->name);
    if (chip->sides > WARP_MOST_SIDES)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the L2 of the machine %s has %u sides: the executor supports 1 and 2",
                         machine->name, chip->sides);
    if (chip->l1.line != chip->l2.line || chip->l1.sector != chip->l2.sector ||
        chip->l1.line / chip->l1.sector > MOST_SECTORS)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the caches of the machine %s have lines of %u and %u bytes with sectors of %u and "
                         "%u bytes: the executor supports lines of one size, of up to %d sectors",
                         machine->name, chip->l1.line, chip->l2.line, chip->l1.sector, chip->l2.sector,
                         MOST_SECTORS);
    return STATUS_OK;
}

unsigned warp_chip_near(const struct warp_chip *chip, unsigned sm)
{
    return chip->sides < 2 ? 0 : sm >= chip->sms / 2;
}

unsigned warp_chip_home(const struct warp_chip *chip, uint64_t address)
{
    uint64_t number = address / chip->side_bytes;
    return chip->sides < 2 ? 0 : (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 63);
}
