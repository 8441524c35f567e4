#include "base/random.h"

static const uint64_t MULTIPLIER = UINT64_C(6364136223846793005);
static const uint64_t INCREMENT = UINT64_C(1442695040888963407);

struct random random_start(uint64_t seed, const char *label)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (seed * UINT64_C(0x9e3779b97f4a7c15)); /* FNV-1a */
    for (; *label != '\0'; label++)
        hash = (hash ^ (unsigned char)*label) * UINT64_C(0x100000001b3);
    struct random random = {hash + INCREMENT};
    random_next(&random);
    return random;
}

uint32_t random_next(struct random *random)
{
    uint64_t old = random->state;
    random->state = old * MULTIPLIER + INCREMENT;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    unsigned rotation = (unsigned)(old >> 59);
    return (mixed >> rotation) | (mixed << ((32 - rotation) & 31));
}

uint32_t random_below(struct random *random, uint32_t bound)
{
    uint32_t threshold = -bound % bound;
    for (;;) {
        uint32_t value = random_next(random);
        if (value >= threshold)
            return value % bound;
    }
}

void random_shuffle(struct random *random, unsigned char *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = random_below(random, (uint32_t)i);
        unsigned char held = items[i - 1];
        items[i - 1] = items[j];
        items[j] = held;
    }
}

void random_shuffle_numbers(struct random *random, uint32_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(random, (uint32_t)i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[other];
        items[other] = item;
    }
}
