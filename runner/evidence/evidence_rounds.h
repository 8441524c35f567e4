/* What the sources of time observed in several rounds, some time apart, and what follows from all of them. A
 * round starts the program anew: its pages, and what else the machine does, differ from round to round. */
#ifndef RUNNER_EVIDENCE_EVIDENCE_ROUNDS_H
#define RUNNER_EVIDENCE_EVIDENCE_ROUNDS_H

#include "runner/evidence/evidence_memory.h"

#include <stddef.h>

/* One source's answers. All zeros: none yet. */
struct evidence_rounds {
    struct evidence_part *parts;
    size_t count;
};

/* Asks the source for one round more. */
void evidence_rounds_ask(struct evidence_rounds *rounds, const struct counter_source *source,
                         const struct test_program *test_program);

/* The width of the core that the rounds have shown (evidence_width.h); 0: none has. */
double evidence_rounds_width(const struct evidence_rounds *rounds);

/* Moves the answers of all rounds into one, with these values for each metric:
 * - times and what is per time: stats_fastest of the rounds that nobody disturbed (at least two), else of
 * all;
 * - shares: the median, with the narrowest interval around it or that of stats_repeated.
 * A round is disturbed, too, if another thread used the core's units while the kernel needed more than one
 * per cycle; width: of the core, as other programs' rounds have shown it; 0: they have not. What the
 * rounds cannot say is marked (observation.doubt) and has no interval. The status is that of most rounds;
 * STATUS_FAILED if one is. */
void evidence_rounds_join(struct evidence_rounds *rounds, double width, struct evidence_part *part);

/* How well the rounds so far agree on a time (stats_fastest): half the interval's width as a share of the
 * value; INFINITY: they do not; NAN: none has observed it. */
double evidence_rounds_disagreement(const struct evidence_rounds *rounds, const char *metric);

void evidence_rounds_free(struct evidence_rounds *rounds);

#endif
