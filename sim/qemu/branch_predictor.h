/* A branch predictor of stated form (McFarling, "Combining Branch Predictors", 1993): two-bit counters by the
 * branch's address, two-bit counters by its address and the last outcomes (gshare), and for each branch a
 * counter that chooses between the two. Targets of indirect jumps: the last one by the jump's address, and
 * one by address and the last targets, chosen likewise. */
#ifndef SIM_QEMU_BRANCH_PREDICTOR_H
#define SIM_QEMU_BRANCH_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICTOR_LOG2 = 14, PREDICTOR_HISTORY = 14 };

struct branch_predictor {
    uint8_t by_address[1 << PREDICTOR_LOG2], by_history[1 << PREDICTOR_LOG2], choice[1 << PREDICTOR_LOG2];
    uint64_t last_target[1 << PREDICTOR_LOG2], target_by_path[1 << PREDICTOR_LOG2];
    uint8_t target_choice[1 << PREDICTOR_LOG2];
    uint64_t history; /* outcomes, the last one lowest */
    uint64_t path;    /* of targets, hashed */
};

/* Predicts a conditional branch and learns its outcome: true when it predicted it. */
bool branch_predictor_taken(struct branch_predictor *predictor, uint64_t address, bool taken);

/* The same for the target of an indirect jump. */
bool branch_predictor_target(struct branch_predictor *predictor, uint64_t address, uint64_t target);

#endif
