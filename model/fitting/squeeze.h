/* Variances of similar things, each with few degrees of freedom: each is shrunk towards the common value, as
 * far as their own scatter allows (Smyth 2004, section 6). */
#ifndef MODEL_FITTING_SQUEEZE_H
#define MODEL_FITTING_SQUEEZE_H

#include <stddef.h>

struct squeeze_variance {
    double variance;
    double freedom; /* degrees of freedom; 0: it carries no information and is not changed */
};

/* Replaces each variance and its degrees of freedom. If a variance is 0, there is no noise to see: none is
 * changed. */
void squeeze(struct squeeze_variance *variances, size_t count);

#endif
