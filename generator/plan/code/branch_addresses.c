#include "generator/plan/code/branch_addresses.h"

#include "isa/loop_ranges.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <string.h>

enum { MNEMONIC_BYTES = 16, REMEMBERED = 16 };

/* A mnemonic, and whether the rows use it for a branch: a cache, because finding out requires a search of all
 * rows. */
struct classified {
    char mnemonic[MNEMONIC_BYTES];
    bool branch;
};

struct branch_search {
    const struct template *templates;
    struct classified classified[REMEMBERED]; /* [classified_count] */
    size_t classified_count;
    uint64_t *items;
    size_t count;
    size_t room;
    uint64_t start;
};

static bool is_branch(struct branch_search *search, const char *mnemonic)
{
    for (size_t i = 0; i < search->classified_count; i++)
        if (strcmp(search->classified[i].mnemonic, mnemonic) == 0)
            return search->classified[i].branch;
    struct classified classified = {.branch = template_counts(search->templates, mnemonic, "branch")};
    strcpy(classified.mnemonic, mnemonic);
    if (search->classified_count < REMEMBERED)
        search->classified[search->classified_count++] = classified;
    return classified.branch;
}

static void visit(uint64_t offset, size_t length, const char *text, void *context)
{
    struct branch_search *search = context;
    (void)length;
    char mnemonic[MNEMONIC_BYTES];
    size_t word = strcspn(text, " \t");
    if (word >= sizeof mnemonic)
        return;
    memcpy(mnemonic, text, word);
    mnemonic[word] = '\0';
    if (!is_branch(search, mnemonic))
        return;
    if (search->count < search->room)
        search->items[search->count] = search->start + offset;
    search->count++;
}

enum status branch_addresses(struct plan *plan, const struct template *templates, const struct buffer *object,
                             uint64_t **addresses, struct error *error)
{
    struct branch_search search = {.templates = templates, .room = plan->branches.total};
    search.items = arena_alloc(&plan->arena, search.room + 1, sizeof *search.items);
    struct object_part text;
    struct loop_ranges ranges = {0};
    enum status status = object_section(object->data, object->size, ".text", &text, error);
    if (status == STATUS_OK)
        status = loop_ranges_read(object->data, object->size, &ranges, error);
    for (size_t i = 0; status == STATUS_OK && i < ranges.count; i++) {
        search.start = ranges.items[i].start;
        status = mc_disassemble(templates->isa, text.bytes + search.start, ranges.items[i].bytes, visit,
                                &search, error);
    }
    loop_ranges_free(&ranges);
    if (status == STATUS_OK && search.count != search.room)
        status = error_set(error, STATUS_FAILED, "the loop has %zu branches where the plan has %u",
                           search.count, plan->branches.total);
    *addresses = search.items;
    return status;
}
