#include "model/fitting/propagate.h"

#include "base/random.h"
#include "model/fitting/algebra.h"

#include <math.h>
#include <stdlib.h>

static const double TWO_PI = 6.283185307179586;

static double uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(TWO_PI * uniform(random));
}

/* Student's t as Bailey (1994) draws it. */
static double student(struct random *random, size_t freedom)
{
    double n = (double)freedom;
    double radius = sqrt(n * (pow(uniform(random), -2 / n) - 1));
    return radius * cos(TWO_PI * uniform(random));
}

static void draw(const struct propagate_input *inputs, size_t count, struct random *random, double *drawn)
{
    for (size_t i = 0; i < count; i++) {
        drawn[i] = inputs[i].value;
        if (inputs[i].error > 0)
            drawn[i] += inputs[i].error *
                        (inputs[i].freedom > 0 ? student(random, inputs[i].freedom) : normal(random));
    }
}

/* Each output's draws, contiguous and sorted. */
static double *draw_all(const struct propagate_input *inputs, size_t input_count,
                        propagate_function *function, const void *context, size_t output_count)
{
    double drawn[PROPAGATE_MOST];
    double computed[PROPAGATE_MOST];
    double *all = algebra_numbers((size_t)PROPAGATE_DRAWS * output_count);
    struct random random = random_start(1, "propagate");
    for (size_t k = 0; k < PROPAGATE_DRAWS; k++) {
        draw(inputs, input_count, &random, drawn);
        function(drawn, computed, context);
        for (size_t i = 0; i < output_count; i++)
            all[i * PROPAGATE_DRAWS + k] = computed[i];
    }
    for (size_t i = 0; i < output_count; i++)
        stats_sort(all + i * PROPAGATE_DRAWS, PROPAGATE_DRAWS);
    return all;
}

void propagate(const struct propagate_input *inputs, size_t input_count, propagate_function *function,
               const void *context, struct interval *outputs, size_t output_count)
{
    double values[PROPAGATE_MOST];
    double computed[PROPAGATE_MOST];
    double *all = draw_all(inputs, input_count, function, context, output_count);
    for (size_t i = 0; i < input_count; i++)
        values[i] = inputs[i].value;
    function(values, computed, context);
    for (size_t i = 0; i < output_count; i++) {
        const double *sorted = all + i * PROPAGATE_DRAWS;
        outputs[i].value = computed[i];
        outputs[i].low = fmin(computed[i], sorted[PROPAGATE_DRAWS / 40]);
        outputs[i].high = fmax(computed[i], sorted[PROPAGATE_DRAWS - 1 - PROPAGATE_DRAWS / 40]);
        outputs[i].n = 0;
    }
    free(all);
}
