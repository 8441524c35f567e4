/* A combining branch predictor (McFarling, "Combining Branch Predictors", 1993): two-bit counters indexed by
 * the branch's address, two-bit counters indexed by address and global history (gshare), and a two-bit
 * counter per branch that chooses between both. Targets of indirect jumps: the last target by address, and
 * one by address and path, chosen in the same way. */
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

/* Predicts a conditional branch, then trains with its outcome. True if the prediction was right. */
bool branch_predictor_taken(struct branch_predictor *predictor, uint64_t address, bool taken);

/* The same for the target of an indirect jump. */
bool branch_predictor_target(struct branch_predictor *predictor, uint64_t address, uint64_t target);

#endif
