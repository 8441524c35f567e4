/* A model of the data TLB, which predicts the accesses of a plan that miss it. Data in huge pages takes one
 * entry for every 2 MiB, in the machine's TLB for huge pages or, if its file states none, in the data TLB. */
#ifndef GENERATOR_PLAN_MEMORY_PAGE_MODEL_H
#define GENERATOR_PLAN_MEMORY_PAGE_MODEL_H

#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

struct page_model;

/* Sizes of huge and small pages. A machine whose pages have other sizes counts as having no huge pages. */
enum { PAGE_MODEL_HUGE_BYTES = 2 << 20, PAGE_MODEL_SMALL_BYTES = 4096 };

/* An empty model. Addresses from huge_from on are in huge pages. NULL if the machine file states no TLB. */
struct page_model *page_model_new(const struct machine *machine, uint64_t huge_from);

/* True on a hit. A miss fills an entry. The address selects the set of a TLB with several sets. */
bool page_model_access(struct page_model *model, uint64_t address);

void page_model_free(struct page_model *model);

#endif
