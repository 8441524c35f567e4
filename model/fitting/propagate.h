/* Numbers computed from several measured ones, each with its own noise: the inputs are drawn at random and
 * carried through the computation (JCGM 101:2008, "propagation of distributions": a mean of few samples is
 * drawn from Student's distribution, section 6.4.9). */
#ifndef MODEL_FITTING_PROPAGATE_H
#define MODEL_FITTING_PROPAGATE_H

#include "base/stats.h"

#include <stddef.h>

enum { PROPAGATE_MOST = 64, PROPAGATE_DRAWS = 4000 };

struct propagate_input {
    double value;
    double error;   /* standard error; 0: exact */
    size_t freedom; /* degrees of freedom of the error; 0: error known exactly, normal distribution */
};

/* Computes outputs[0..output_count) from the inputs. */
typedef void propagate_function(const double *inputs, double *outputs, const void *context);

/* The outputs at the inputs' values, and their 95 % intervals. At most PROPAGATE_MOST of each; the same
 * inputs give the same intervals. */
void propagate(const struct propagate_input *inputs, size_t input_count, propagate_function *function,
               const void *context, struct interval *outputs, size_t output_count);

#endif
