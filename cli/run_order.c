#include "cli/run_order.h"

#include "base/random.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

enum status run_order_check(const struct options *options, struct error *error)
{
    static const char *const orders[] = {"given", "random"};
    if (options->order == NULL || strcmp(options->order, orders[0]) == 0 ||
        strcmp(options->order, orders[1]) == 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--order is given or random, found '%s'", options->order);
    suggest_hint(error, options->order, orders, 2, "leave it out for the usual one");
    return STATUS_USAGE;
}

size_t *run_order(const struct options *options, const struct work *work, const struct recorder *recorder)
{
    size_t count = work->item_count;
    size_t *order = calloc(count + 1, sizeof *order);
    if (order == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    bool shuffled = options->order != NULL ? strcmp(options->order, "random") == 0
                                           : meters_power_channels(recorder_meters(recorder)) > 0;
    struct random random = random_start((uint64_t)options->seed, "order of points");
    for (size_t i = count; shuffled && i > 1; i--) {
        size_t j = random_below(&random, (uint32_t)i);
        size_t held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
    return order;
}
