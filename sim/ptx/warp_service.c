/* How an L2 with two sides caches lines is not published: only at their home, or also on the side that reads
 * them. Both are simulated; if they differ, the observation is a range. */
#include "sim/ptx/warp_service.h"

#include "base/memory.h"
#include "sim/caches.h"

#include <stdlib.h>

enum { L1, L2, COPIES, LEVELS };

struct warp_service {
    const struct warp_chip *chip;
    struct caches *caches;
    bool copies;
};

enum status warp_service_new(const struct warp_chip *chip, uint64_t shared_bytes, bool copies,
                             struct warp_service **service, struct error *error)
{
    struct cache_level levels[LEVELS] = {
        [L1] = {.cache = chip->l1, .copies = chip->sms},
        [L2] = {.cache = chip->l2, .copies = chip->sides},
        [COPIES] = {.cache = chip->l2, .copies = chip->sides},
    };
    levels[L1].cache.size -= shared_bytes < chip->l1.size ? shared_bytes : chip->l1.size;
    if (cache_sets(&levels[L1].cache) == 0)
        levels[L1].cache.size = (uint64_t)chip->l1.ways * chip->l1.line;
    levels[L2].cache.size = levels[COPIES].cache.size = chip->l2.size / chip->sides;
    struct caches *caches;
    enum status status = caches_new(levels, copies ? LEVELS : COPIES, &caches, error);
    if (status != STATUS_OK)
        return status;
    struct warp_service *own = memory_zeroed(1, sizeof *own);
    *own = (struct warp_service){.chip = chip, .caches = caches, .copies = copies};
    *service = own;
    return STATUS_OK;
}

void warp_service_free(struct warp_service *service)
{
    if (service != NULL)
        caches_free(service->caches);
    free(service);
}

void warp_service_soon(const struct warp_service *service, unsigned sm, uint64_t line)
{
    const struct warp_chip *chip = service->chip;
    unsigned home = warp_chip_home(chip, line * chip->l2.line), near = warp_chip_near(chip, sm);
    caches_serve_soon(service->caches, L2, home, line);
    if (service->copies)
        caches_serve_soon(service->caches, COPIES, near, line);
    if (service->copies && home != near)
        caches_serve_soon(service->caches, COPIES, home, line);
}

void warp_service_line(struct warp_service *service, unsigned sm, bool past_l1, struct warp_line *line)
{
    const struct warp_chip *chip = service->chip;
    line->in_l1 = past_l1 ? 0 : caches_serve_sectors(service->caches, L1, sm, line->number, line->wanted);
    unsigned rest = line->wanted & ~line->in_l1;
    line->in_l2 = line->in_copies = 0;
    line->far = false;
    if (rest == 0)
        return;
    unsigned home = warp_chip_home(chip, line->number * chip->l2.line);
    unsigned near = warp_chip_near(chip, sm);
    line->far = home != near;
    line->in_l2 = line->in_copies = caches_serve_sectors(service->caches, L2, home, line->number, rest);
    if (!service->copies)
        return;
    line->in_copies = caches_serve_sectors(service->caches, COPIES, near, line->number, rest);
    if (line->far && (rest & ~line->in_copies) != 0)
        line->in_copies |=
            caches_serve_sectors(service->caches, COPIES, home, line->number, rest & ~line->in_copies);
}
