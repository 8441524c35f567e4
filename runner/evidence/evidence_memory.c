#include "runner/evidence/evidence_memory.h"

#include "base/memory.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- claims ---- */

/* An entry for each result: its key, 0 while it is free, and the earliest turn that claims it, counted from
 * the end so that zero is later than any turn. If two results share a key, only time is lost: the process
 * that relies on the other's result compares the whole identity and then runs the source. */
struct evidence_claims {
    size_t places;
    struct {
        _Atomic uint64_t key, before_end;
    } of[];
};

enum { PLACES_OF_POINT = 4 };

static size_t claims_size(size_t places)
{
    return sizeof(struct evidence_claims) + places * sizeof((struct evidence_claims *)NULL)->of[0];
}

struct evidence_claims *evidence_claims_new(size_t points)
{
    size_t places = PLACES_OF_POINT * points + 1;
    struct evidence_claims *claims =
        mmap(NULL, claims_size(places), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (claims == MAP_FAILED)
        return NULL;
    claims->places = places;
    return claims;
}

void evidence_claims_free(struct evidence_claims *claims)
{
    if (claims != NULL)
        munmap(claims, claims_size(claims->places));
}

static uint64_t key_of(const struct evidence_answer *answer)
{
    uint64_t name = hash_name(answer->identity, strlen(answer->identity));
    return (name ^ (uintptr_t)answer->source ^ (uintptr_t)answer->machine << 16) | 1;
}

/* Claims the result for the turn. True if an earlier turn has claimed it. */
static bool is_claimed(struct evidence_claims *claims, const struct evidence_answer *wanted, size_t turn)
{
    uint64_t key = key_of(wanted), own = UINT64_MAX - turn;
    for (size_t i = 0; i < claims->places; i++) {
        size_t at = (key + i) % claims->places;
        uint64_t held = 0;
        if (!atomic_compare_exchange_strong(&claims->of[at].key, &held, key) && held != key)
            continue;
        uint64_t best = atomic_load(&claims->of[at].before_end);
        while (best < own && !atomic_compare_exchange_weak(&claims->of[at].before_end, &best, own))
            continue;
        return best > own;
    }
    return false;
}

/* ---- answers ---- */

static void copy(const struct evidence_part *from, struct evidence_part *part)
{
    *part = *from;
    part->seen = (struct observations){0};
    observations_extend(&part->seen, &from->seen);
}

static const struct evidence_answer *find(const struct evidence_memory *memory,
                                          const struct evidence_answer *wanted)
{
    for (size_t i = 0; i < memory->count; i++)
        if (memory->answers[i].source == wanted->source && memory->answers[i].machine == wanted->machine &&
            strcmp(memory->answers[i].identity, wanted->identity) == 0)
            return &memory->answers[i];
    return NULL;
}

static void add(struct evidence_memory *memory, struct evidence_answer *answer,
                const struct evidence_part *part)
{
    copy(part, &answer->part);
    memory->answers = memory_next(memory->answers, memory->count, sizeof *memory->answers);
    memory->answers[memory->count++] = *answer;
}

/* Whether the source can work here. It is tested once, as that may start processes, and kept under a name
 * that is no hash. */
static enum status usable(struct evidence_memory *memory, const struct counter_source *source,
                          struct error *why_not)
{
    struct evidence_answer answer = {.source = source, .identity = "usable"};
    const struct evidence_answer *known = memory == NULL ? NULL : find(memory, &answer);
    struct evidence_part part = {.present = true};
    if (known != NULL)
        part = known->part;
    else
        part.status = source_usable(source, &part.reason);
    if (memory != NULL && known == NULL)
        add(memory, &answer, &part);
    *why_not = part.reason;
    return part.status;
}

static void ask(struct evidence_memory *memory, const struct counter_source *source,
                const struct test_program *test_program, struct evidence_part *part)
{
    *part = (struct evidence_part){.present = true};
    part->status = usable(memory, source, &part->reason);
    if (part->status == STATUS_OK)
        part->status = source->observe(test_program, &part->seen, &part->reason);
}

/* False if no identity is known: the program must be observed itself. */
static bool identify(const struct evidence_memory *memory, const struct counter_source *source,
                     const struct test_program *test_program, struct evidence_answer *answer)
{
    *answer = (struct evidence_answer){.source = source, .machine = test_program->machine};
    if (memory != NULL && source->identify != NULL)
        source->identify(test_program, answer->identity);
    return answer->identity[0] != '\0';
}

void evidence_memory_ask(struct evidence_memory *memory, const struct counter_source *source,
                         const struct test_program *test_program, struct evidence_part *part)
{
    struct evidence_answer answer;
    if (!identify(memory, source, test_program, &answer)) {
        ask(memory, source, test_program, part);
        return;
    }
    const struct evidence_answer *known = find(memory, &answer);
    if (memory->claims != NULL && is_claimed(memory->claims, &answer, memory->turn)) {
        *part = (struct evidence_part){.present = false};
    } else if (known != NULL) {
        copy(&known->part, part);
    } else {
        ask(memory, source, test_program, part);
        if (memory->claims == NULL)
            add(memory, &answer, part);
    }
}

bool evidence_memory_will_ask(struct evidence_memory *memory, const struct counter_source *source,
                              const struct test_program *test_program)
{
    struct evidence_answer answer;
    return !identify(memory, source, test_program, &answer) ||
           (memory->claims != NULL ? !is_claimed(memory->claims, &answer, memory->turn)
                                   : find(memory, &answer) == NULL);
}

void evidence_memory_keep(struct evidence_memory *memory, const struct counter_source *source,
                          const struct test_program *test_program, const struct evidence_part *part)
{
    struct evidence_answer answer;
    if (identify(memory, source, test_program, &answer) && find(memory, &answer) == NULL)
        add(memory, &answer, part);
}

void evidence_memory_free(struct evidence_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        observations_free(&memory->answers[i].part.seen);
    free(memory->answers);
    *memory = (struct evidence_memory){0};
}
