/* Variances that rest on few degrees of freedom each, of things that are much alike: each is drawn towards
 * what all say, as far as their own scatter allows (Smyth 2004, section 6). */
#ifndef MODEL_SQUEEZE_H
#define MODEL_SQUEEZE_H

#include <stddef.h>

struct squeeze_variance {
    double variance;
    double freedom; /* degrees that it rests on; 0: it says nothing and is left alone */
};

/* Replaces each variance and its degrees. A variance of 0 is of what shows no noise: then none is changed. */
void squeeze(struct squeeze_variance *variances, size_t count);

#endif
