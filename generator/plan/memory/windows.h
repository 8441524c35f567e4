/* What a program can reach on an ISA whose displacements are short: stretches of the data around an address in a
 * register, called windows, and how many registers are left for them. Layouts choose places within so many
 * windows; anchors.h then gives each its register. */
#ifndef GENERATOR_PLAN_MEMORY_WINDOWS_H
#define GENERATOR_PLAN_MEMORY_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa;
struct plan;
struct template;

struct windows {
    uint64_t bytes;   /* that an anchor reaches; 0: displacements reach all data, and nothing below matters */
    uint64_t before;  /* bytes that an address reaches in front of it */
    uint64_t reached; /* bytes that a base itself reaches, from it on */
    unsigned most;    /* windows for which there are registers */
};

/* Fills plan->memory.windows, with `most` for a loop without bases and without places that change. */
void windows_begin(struct plan *plan, const struct template *templates);

/* The same with the plan's sizing and so many bases. */
struct windows windows_left(const struct plan *plan, unsigned bases);

/* True if some access that may miss takes its address from a base. A chase takes it from what it reads, if its lines
 * stay (chase_windows.h) or its words hold offsets (chase_words.h). */
bool windows_needed(const struct plan *plan);

/* The windows that the places need from one base; sorts them. */
unsigned windows_count(const struct windows *windows, uint64_t *offsets, size_t count);

#endif
