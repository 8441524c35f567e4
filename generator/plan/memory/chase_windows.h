/* A chase on an ISA whose displacements are short: every word that it reads holds an address in the reach of
 * which the next access lies, so that it needs no bases, however far apart its lines are. A line that is read
 * several times has a word for each window that such an access leads to. */
#ifndef GENERATOR_PLAN_MEMORY_CHASE_WINDOWS_H
#define GENERATOR_PLAN_MEMORY_CHASE_WINDOWS_H

#include "generator/plan/plan.h"

/* Gives each access of the chase its word, and the address that the access before leaves (place.from). Does
 * nothing where displacements reach all data, or the chase's lines move. STATUS_RECIPE if lines have too few
 * words. */
enum status chase_windows_place(struct plan *plan, struct error *error);

/* Calls for each word of the chase: its offset, and the offset that it leads to. */
void chase_windows_visit(const struct plan *plan, void (*visit)(void *context, uint64_t word, uint64_t leads),
                         void *context);

/* Where the first access of a pass expects the one before to have led: bytes from the data's start. */
uint64_t chase_windows_start(const struct plan *plan);

#endif
