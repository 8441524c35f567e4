/* Which multiprocessors and which chunks of memory are on one side of an L2 of two parts, told from how long
 * accesses take: to a chunk of the other side longer, from each multiprocessor of one side alike. Pure
 * functions of numbers. */
#ifndef RUNNER_LAUNCH_SIDES_H
#define RUNNER_LAUNCH_SIDES_H

#include "base/error.h"

#include <stddef.h>

enum { SIDES_JUDGES = 3 };

/* What an array of ticks tells. */
struct sides_found {
    double near_ticks, far_ticks; /* medians */
    double agreement;             /* of all pairs those that are slow or fast as their sides say, 0.5 to 1 */
    size_t judges[2][SIDES_JUDGES]; /* multiprocessors of each side that tell most clearly */
    size_t judge_count[2];
};

/* Splits both by ticks[sm * chunks + chunk]: sm_side[sms] and chunk_side[chunks] get 0 or 1, the first
 * multiprocessor 0. STATUS_UNAVAILABLE, with the numbers, when there are no two sides to be seen. */
enum status sides_split(const double *ticks, size_t sms, size_t chunks, unsigned char *sm_side,
                        unsigned char *chunk_side, struct sides_found *found, struct error *error);

/* Medians of near and far pairs among other ticks of the same multiprocessors and chunks. */
void sides_medians(const double *ticks, size_t sms, size_t chunks, const unsigned char *sm_side,
                   const unsigned char *chunk_side, double *near_ticks, double *far_ticks);

/* The side of a chunk by its mean ticks from each side's judges, or `unknown` where these differ by less than
 * half of what near and far do. */
unsigned char sides_classify(const struct sides_found *found, const double mean[2], unsigned char unknown);

#endif
