/* The program order of a stream's transfers: which word of the bus each wave of a block sends after which,
 * once around the stream's region and back to the first. */
#ifndef GENERATOR_PLAN_GPU_GPU_ORDER_H
#define GENERATOR_PLAN_GPU_GPU_ORDER_H

#include "generator/plan/gpu/gpu_plan.h"

/* A transfer and the one after it: the places of their words in the region's data, in words of the bus. */
struct gpu_step {
    uint64_t from, to;
    uint64_t times; /* of the round; 0: of other blocks' that begin at other rows */
};

typedef void gpu_step_visitor(const struct gpu_step *step, void *context);

/* Visits the steps of all waves of the block whose region begins at the first row. Places count modulo
 * `period`: the words repeat after so many. Each transfer is the `from` of one step. A side's chunks follow
 * each other in an order that is learned where the program runs: each is visited alone, without the step to
 * the next. Returns the accesses of a wave in a round. */
uint64_t gpu_order_visit(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t period,
                         gpu_step_visitor *visit, void *context);

#endif
