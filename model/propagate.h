/* Numbers computed from several that were measured, each with its own noise: what is unsure of the measured
 * ones is drawn and carried through the computation (JCGM 101:2008, "propagation of distributions": a mean of
 * few samples is drawn from Student's distribution, section 6.4.9). */
#ifndef MODEL_PROPAGATE_H
#define MODEL_PROPAGATE_H

#include "base/stats.h"

#include <stddef.h>

enum { PROPAGATE_MOST = 64, PROPAGATE_DRAWS = 4000 };

struct propagate_input {
    double value;
    double error;   /* standard error; 0: exact */
    size_t freedom; /* degrees that the error rests on; 0: as good as known, and normal */
};

/* Computes outputs[0..output_count) from the inputs. */
typedef void propagate_function(const double *inputs, double *outputs, const void *context);

/* The outputs of the inputs' values, and their 95 % intervals. At most PROPAGATE_MOST of each; the same
 * inputs give the same intervals. */
void propagate(const struct propagate_input *inputs, size_t input_count, propagate_function *function,
               const void *context, struct interval *outputs, size_t output_count);

/* What a share of `share` of the first output's draws lie below. */
double propagate_quantile(const struct propagate_input *inputs, size_t input_count,
                          propagate_function *function, const void *context, double share);

#endif
