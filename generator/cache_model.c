#include "generator/cache_model.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t EMPTY = UINT64_MAX;

struct cache_model {
    unsigned sets;
    unsigned ways;
    unsigned line;
    unsigned leaves; /* ways rounded up to a power of two: the tree's leaves */
    enum cache_policy policy;
    uint64_t *tags;     /* [sets][ways]; under LRU the most recent first */
    uint8_t *direction; /* [sets][leaves]: node n's victim is in its left (0) or right (1) half; node 1 is the
                           root */
    struct random random;
};

struct cache_model *cache_model_new(const struct cache *geometry)
{
    struct cache_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        abort();
    model->sets = cache_sets(geometry);
    model->ways = geometry->ways;
    model->line = geometry->line;
    model->policy = geometry->policy;
    model->leaves = 1;
    while (model->leaves < model->ways)
        model->leaves *= 2;
    model->random = random_start(1, "replacement");
    size_t lines = (size_t)model->sets * model->ways;
    model->tags = malloc((lines + 1) * sizeof *model->tags);
    model->direction = calloc((size_t)model->sets * model->leaves + 1, 1);
    if (model->tags == NULL || model->direction == NULL)
        abort();
    for (size_t i = 0; i < lines; i++)
        model->tags[i] = EMPTY;
    return model;
}

static unsigned find(const uint64_t *tags, unsigned ways, uint64_t tag)
{
    unsigned way = 0;
    while (way < ways && tags[way] != tag)
        way++;
    return way;
}

static bool access_lru(struct cache_model *model, unsigned set, uint64_t tag)
{
    uint64_t *tags = model->tags + (size_t)set * model->ways;
    unsigned way = find(tags, model->ways, tag);
    bool hit = way < model->ways;
    unsigned moved = hit ? way : model->ways - 1;
    memmove(tags + 1, tags, moved * sizeof *tags);
    tags[0] = tag;
    return hit;
}

/* Points every node on the way's path at the other half. */
static void tree_touch(struct cache_model *model, unsigned set, unsigned way)
{
    uint8_t *direction = model->direction + (size_t)set * model->leaves;
    unsigned node = 1;
    for (unsigned half = model->leaves / 2; half > 0; half /= 2) {
        unsigned right = (way / half) % 2;
        direction[node] = !right;
        node = 2 * node + right;
    }
}

/* Follows the nodes to the victim. With ways that are no power of two, a half without any way is never taken.
 */
static unsigned tree_victim(const struct cache_model *model, unsigned set)
{
    const uint8_t *direction = model->direction + (size_t)set * model->leaves;
    unsigned node = 1;
    unsigned way = 0;
    for (unsigned half = model->leaves / 2; half > 0; half /= 2) {
        unsigned right = direction[node] && way + half < model->ways;
        way += right * half;
        node = 2 * node + right;
    }
    return way;
}

static bool access_in_place(struct cache_model *model, unsigned set, uint64_t tag)
{
    uint64_t *tags = model->tags + (size_t)set * model->ways;
    unsigned way = find(tags, model->ways, tag);
    bool hit = way < model->ways;
    if (!hit)
        way = find(tags, model->ways, EMPTY);
    if (way == model->ways)
        way = model->policy == POLICY_RANDOM ? random_below(&model->random, model->ways)
                                             : tree_victim(model, set);
    tags[way] = tag;
    if (model->policy == POLICY_TREE_PLRU)
        tree_touch(model, set, way);
    return hit;
}

bool cache_model_access(struct cache_model *model, uint64_t address)
{
    uint64_t tag = address / model->line;
    unsigned set = (unsigned)(tag % model->sets);
    bool in_place = model->policy == POLICY_TREE_PLRU || model->policy == POLICY_RANDOM;
    return in_place ? access_in_place(model, set, tag) : access_lru(model, set, tag);
}

void cache_model_free(struct cache_model *model)
{
    if (model == NULL)
        return;
    free(model->tags);
    free(model->direction);
    free(model);
}
