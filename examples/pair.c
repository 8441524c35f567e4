/* Two points of examples/my.lua in one program, which runs them in turns: what disturbs one disturbs the
 * other. In the folder that has the suite:
 *
 *     cc -O2 -I suite pair.c "suite/my/dependents=2,miss=0.03/program.o" \
 *         "suite/my/dependents=2,miss=0.89/program.o" -o pair && ./pair
 *
 * An object's names begin with the text "symbols" of its manifest.json.
 */
#include "trauma.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PROGRAMS = 2, ROUNDS = 5, PASSES = 20000 };

TRAUMA_DECLARE(trauma_my__dependents_2__miss_0_03);
TRAUMA_DECLARE(trauma_my__dependents_2__miss_0_89);

static const struct trauma_program programs[PROGRAMS] = {TRAUMA_PROGRAM(trauma_my__dependents_2__miss_0_03),
                                                         TRAUMA_PROGRAM(trauma_my__dependents_2__miss_0_89)};
static const char *const names[PROGRAMS] = {"miss=0.03", "miss=0.89"};

static double now_s(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The time of a pass, in nanoseconds. */
static double time_pass(const struct trauma_program *program, void *data)
{
    const uint64_t passes = PASSES / program->layout->period * program->layout->period;
    program->kernel(program->layout->warmup, data);
    double start = now_s();
    program->kernel(passes, data);
    return (now_s() - start) / (double)passes * 1e9;
}

int main(void)
{
    void *data[PROGRAMS];
    for (int i = 0; i < PROGRAMS; i++) {
        data[i] = aligned_alloc(programs[i].layout->align, trauma_program_size(&programs[i]));
        if (data[i] == NULL)
            return EXIT_FAILURE;
        trauma_program_setup(&programs[i], data[i]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PROGRAMS; i++)
            printf("%s %.1f ns%s", names[i], time_pass(&programs[i], data[i]),
                   i + 1 < PROGRAMS ? ", " : "\n");
    for (int i = 0; i < PROGRAMS; i++)
        free(data[i]);
    return EXIT_SUCCESS;
}
