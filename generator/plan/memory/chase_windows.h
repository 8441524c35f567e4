/* A chase on an ISA whose displacements are short. Every word that the chase reads holds an address from
 * which displacements reach the next access, so it needs no bases, however far apart its lines are. A line
 * that is read several times has a word for each window (reach.h) in which a next access lies. */
#ifndef GENERATOR_PLAN_MEMORY_CHASE_WINDOWS_H
#define GENERATOR_PLAN_MEMORY_CHASE_WINDOWS_H

#include "generator/plan/plan.h"

/* Assigns each access of the chase its word, and sets place.from, the address that the access before it
 * loads. Does nothing if displacements reach all data, or if the chase's lines move. STATUS_RECIPE if a line
 * has too few words. */
enum status chase_windows_place(struct plan *plan, struct error *error);

/* Calls visit for each word of the chase, with its offset and the offset to which it leads. */
void chase_windows_visit(const struct plan *plan, void (*visit)(void *context, uint64_t word, uint64_t leads),
                         void *context);

/* Bytes from the data's start to the address that must be loaded before the first access of a pass. */
uint64_t chase_windows_start(const struct plan *plan);

#endif
