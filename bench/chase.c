#include "bench/chase.h"

#include "base/clock.h"
#include "base/random.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_BYTES = 2 << 20, UNROLLED = 16, FIRST_LOADS = 1 << 16 };
static const double RUN_S = 0.15;

/* The number of hops must be a multiple of UNROLLED. Returns the last node, so that the compiler keeps the
 * loop. */
static void *hop(void *node, uint64_t hops)
{
    for (uint64_t i = 0; i < hops; i += UNROLLED) {
        __asm__ volatile(".rept 16\n\tmovq (%0), %0\n\t.endr" : "+r"(node) : : "memory");
    }
    return node;
}

/* Sattolo's shuffle: one cycle through all nodes. */
static bool link_nodes(char *data, const struct chase_side *side)
{
    size_t count = side->bytes / side->line;
    uint32_t *order = malloc(count * sizeof *order);
    struct random random = random_start(side->bytes, "chase");
    if (order == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(&random, (unsigned)(i - 1));
        uint32_t node = order[i - 1];
        order[i - 1] = order[other];
        order[other] = node;
    }
    for (size_t i = 0; i < count; i++)
        *(void **)(data + (size_t)order[i] * side->line) = data + (size_t)order[(i + 1) % count] * side->line;
    free(order);
    return true;
}

static double time_hops(void **node, uint64_t loads)
{
    double begin = clock_now_s();
    *node = hop(*node, loads);
    return clock_now_s() - begin;
}

static double measure(char *data, struct chase_side *side)
{
    void *node = data;
    uint64_t nodes = side->bytes / side->line;
    double seconds = time_hops(&node, nodes < FIRST_LOADS ? FIRST_LOADS : nodes);
    for (uint64_t loads = FIRST_LOADS; side->loads == 0; loads *= 2) {
        seconds = time_hops(&node, loads);
        if (seconds > RUN_S / 4)
            side->loads = (uint64_t)((double)loads * RUN_S / seconds) / UNROLLED * UNROLLED;
    }
    return (double)side->loads / time_hops(&node, side->loads);
}

enum status chase_side_measure(void *context, double *rate, struct error *error)
{
    struct chase_side *side = context;
    size_t size = (side->bytes / HUGE_BYTES + 2) * HUGE_BYTES;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "no memory for a chase through %llu bytes",
                         (unsigned long long)side->bytes);
    cpu_set_t before;
    cpu_set_t one;
    bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    CPU_ZERO(&one);
    CPU_SET((size_t)side->cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one); /* on another processor it is as good a chase */
    char *data = memory + (HUGE_BYTES - (uintptr_t)memory % HUGE_BYTES) % HUGE_BYTES;
    (void)madvise(data, size - HUGE_BYTES, MADV_HUGEPAGE);
    bool linked = link_nodes(data, side);
    if (linked)
        *rate = measure(data, side);
    if (known)
        (void)sched_setaffinity(0, sizeof before, &before);
    munmap(memory, size);
    return linked ? STATUS_OK
                  : error_set(error, STATUS_FAILED, "no memory for the order of a chase through %llu bytes",
                              (unsigned long long)side->bytes);
}
