/* Remembers the results of sources for programs that are the same: a sweep of run times has one program under
 * many names, and one observation by one of several processes suffices. */
#ifndef RUNNER_EVIDENCE_EVIDENCE_MEMORY_H
#define RUNNER_EVIDENCE_EVIDENCE_MEMORY_H

#include "base/hash.h"
#include "runner/sources/source.h"

/* The result of one source. */
struct evidence_part {
    bool present; /* the source was run, or its result is known */
    enum status status;
    struct error reason; /* when the status is not STATUS_OK */
    struct observations seen;
};

struct evidence_answer {
    const struct counter_source *source;
    const struct machine *machine;
    char identity[HASH_TEXT_BYTES];
    struct evidence_part part;
};

struct evidence_claims;

/* All zeros is empty. The machines must live as long as the memory. */
struct evidence_memory {
    struct evidence_answer *answers;
    size_t count;
    struct evidence_claims *claims; /* of the processes that share the points; NULL: there is one process */
    size_t turn;                    /* of the point, among the points of all processes */
};

/* Runs the source unless its result for the same program on the same machine is known: then part is a copy of
 * that result. With claims, the source does not run either if a process has claimed it for a point of an
 * earlier turn: then part is not present. memory may be NULL. */
void evidence_memory_ask(struct evidence_memory *memory, const struct counter_source *source,
                         const struct test_program *test_program, struct evidence_part *part);

/* True if evidence_memory_ask would run the source. */
bool evidence_memory_will_ask(struct evidence_memory *memory, const struct counter_source *source,
                              const struct test_program *test_program);

/* Keeps a copy of another process's result. */
void evidence_memory_keep(struct evidence_memory *memory, const struct counter_source *source,
                          const struct test_program *test_program, const struct evidence_part *part);

void evidence_memory_free(struct evidence_memory *memory);

/* Makes the claims of processes that are forked later, for that many points. NULL if there is no memory for
 * them. */
struct evidence_claims *evidence_claims_new(size_t points);
void evidence_claims_free(struct evidence_claims *claims);

#endif
