/* Your own harness around a generated loop. In the folder that has the suite:
 *
 *     cc -O2 -I suite harness.c "suite/my/dependents=2,miss=0.37/program.o" -o harness && ./harness
 */
#include "trauma.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void)
{
    void *data = aligned_alloc(trauma_layout.align, trauma_size());
    if (data == NULL)
        return EXIT_FAILURE;
    trauma_setup(data);
    trauma_kernel(trauma_layout.warmup, data);

    const uint64_t iterations = 100000 / trauma_layout.period * trauma_layout.period;
    double start = now_s();
    trauma_kernel(iterations, data);
    double passed = now_s() - start;
    printf("%" PRIu64 " passes, %.1f ns each\n", iterations, passed / (double)iterations * 1e9);
    free(data);
    return EXIT_SUCCESS;
}
