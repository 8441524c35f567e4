/* Determines which multiprocessors and memory chunks are on the same side of a two-part L2, from access
 * times: accesses to the other side take longer, equally for all multiprocessors of one side. Pure functions
 * of numbers. */
#ifndef RUNNER_DEVICES_L2_SIDES_H
#define RUNNER_DEVICES_L2_SIDES_H

#include "base/error.h"

#include <stddef.h>

enum { SIDES_JUDGES = 3 };

/* The result for an array of ticks. */
struct sides_found {
    double near_ticks, far_ticks; /* medians */
    double agreement; /* share of all pairs that are slow or fast as their sides predict, 0.5 to 1 */
    size_t judges[2][SIDES_JUDGES]; /* multiprocessors of each side with the clearest separation */
    size_t judge_count[2];
};

/* Splits both by ticks[sm * chunks + chunk]: sm_side[sms] and chunk_side[chunks] get 0 or 1, the first
 * multiprocessor 0. STATUS_UNAVAILABLE, with the numbers, when no two sides are visible. */
enum status sides_split(const double *ticks, size_t sms, size_t chunks, unsigned char *sm_side,
                        unsigned char *chunk_side, struct sides_found *found, struct error *error);

/* Medians of near and far pairs in other ticks of the same multiprocessors and chunks. */
void sides_medians(const double *ticks, size_t sms, size_t chunks, const unsigned char *sm_side,
                   const unsigned char *chunk_side, double *near_ticks, double *far_ticks);

/* The side of a chunk by its mean ticks from each side's judges, or `unknown` if these differ by less than
 * half the difference between near and far. */
unsigned char sides_classify(const struct sides_found *found, const double mean[2], unsigned char unknown);

#endif
