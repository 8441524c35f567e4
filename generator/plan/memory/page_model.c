#include "generator/plan/memory/page_model.h"

#include "base/memory.h"
#include "generator/plan/memory/cache_model.h"

#include <stdlib.h>

struct page_model {
    struct cache_model *small, *huge; /* huge: NULL: huge pages take entries of `small` */
    uint64_t huge_from;
    uint64_t page;   /* bytes */
    uint64_t beyond; /* the number of the first huge page in the data TLB: above those of all small ones */
    uint64_t last;   /* the previous address: another access to its page changes nothing */
};

static struct cache_model *new_entries(const struct tlb *tlb, uint64_t page)
{
    const struct cache geometry = {.size = tlb->entries * page,
                                   .ways = tlb->ways == 0 ? tlb->entries : tlb->ways,
                                   .line = (unsigned)page,
                                   .policy = tlb->policy};
    return tlb->entries == 0 ? NULL : cache_model_new(&geometry);
}

struct page_model *page_model_new(const struct machine *machine, uint64_t huge_from)
{
    const struct tlb *tlb = &machine->data_tlb;
    if (tlb->entries == 0)
        return NULL;
    struct page_model *model = memory_zeroed(1, sizeof *model);
    unsigned sets = tlb->ways == 0 ? 1 : tlb->entries / tlb->ways;
    *model = (struct page_model){.small = new_entries(tlb, tlb->page),
                                 .huge = new_entries(&machine->huge_tlb, PAGE_MODEL_HUGE_BYTES),
                                 .huge_from = tlb->page == PAGE_MODEL_SMALL_BYTES ? huge_from : UINT64_MAX,
                                 .page = tlb->page,
                                 .last = UINT64_MAX,
                                 .beyond = (uint64_t)sets << 32};
    return model;
}

bool page_model_access(struct page_model *model, uint64_t address)
{
    uint64_t last = model->last, differs = address ^ last;
    model->last = address;
    if ((address < model->huge_from) == (last < model->huge_from) &&
        differs < (address < model->huge_from ? model->page : PAGE_MODEL_HUGE_BYTES))
        return true;
    if (address < model->huge_from)
        return cache_model_access(model->small, address);
    if (model->huge != NULL)
        return cache_model_access(model->huge, address);
    return cache_model_access(model->small, (model->beyond + address / PAGE_MODEL_HUGE_BYTES) * model->page);
}

void page_model_free(struct page_model *model)
{
    if (model == NULL)
        return;
    cache_model_free(model->small);
    cache_model_free(model->huge);
    free(model);
}
