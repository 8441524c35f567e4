/* Gathers evidence about one program: runs the sources and judges their observations. */
#ifndef RUNNER_EVIDENCE_EVIDENCE_H
#define RUNNER_EVIDENCE_EVIDENCE_H

#include "base/error.h"
#include "runner/evidence/evidence_memory.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "runner/results/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { EVIDENCE_REASONS = 1024, EVIDENCE_SOURCES = 16, EVIDENCE_ROUNDS = 3 };

struct evidence {
    struct observations observations;
    char unseen[EVIDENCE_REASONS]; /* "perf: ...; timing: ...": why sources observed nothing, or a part */
    struct unseen reasons;         /* the same by source, for verdict_judge */
};

/* The results of each source, in the order of their table. All zeros: no source has run. */
struct evidence_parts {
    struct evidence_part of[EVIDENCE_SOURCES];
};

/* The results of one source of time in several rounds, some time apart. Each round starts the program anew,
 * as its pages and the machine's other load differ from start to start. All zeros: no round yet. */
struct evidence_rounds {
    struct evidence_part *parts;
    size_t count;
};

/* The results of all sources of time. Rounds of other programs may lie between their rounds. All zeros: no
 * source has run. */
struct evidence_timed {
    struct evidence_rounds of[EVIDENCE_SOURCES];
};

/* True when every name in the list (separated by commas) is a source; else false with *error filled
 * (STATUS_USAGE, with the nearest name). NULL: all sources. */
bool evidence_check_names(const char *counters, struct error *error);

/* Runs every source named in counters (NULL: all). A source that cannot work here, or whose own tool fails,
 * adds its reason to unseen, and the others continue. STATUS_FAILED: the program itself failed by an illegal
 * instruction, a fault or a hang. Free *evidence with evidence_free in every case. */
enum status evidence_gather(const struct test_program *test_program, const char *counters,
                            struct evidence *evidence, struct error *error);

/* True when counters (NULL: all) names a source that must be alone on the machine. */
bool evidence_wants_alone(const char *counters);

/* Runs every named source of time for one round. Free with evidence_free_timed. */
void evidence_time(const struct test_program *test_program, const char *counters,
                   struct evidence_timed *timed);

/* The width of the core that the rounds have shown (evidence_width.h); 0: none has. */
double evidence_timed_width(const struct evidence_timed *timed);

/* Combines all rounds into the parts, so that those sources are not run again. width: the largest of
 * evidence_timed_width on this core. */
void evidence_join_timed(const struct test_program *test_program, struct evidence_timed *timed, double width,
                         struct evidence_parts *parts);

/* The disagreement of the rounds so far about the time of a pass (stats_fastest): half the interval's width
 * as a share of the value. INFINITY: no interval follows from them; NAN: no source observes the time. */
double evidence_disagreement(const struct evidence_timed *timed);

void evidence_free_timed(struct evidence_timed *timed);

/* Runs those of the named sources that must be alone on the machine (alone), or the others; parts that are
 * present stay. Two processes may run the two kinds at the same time. Sources of time run for EVIDENCE_ROUNDS
 * rounds in a row. memory holds earlier results; it may be NULL. Free *parts with evidence_free_parts. */
void evidence_ask(const struct test_program *test_program, const char *counters, bool alone,
                  struct evidence_memory *memory, struct evidence_parts *parts);

/* Lets the sources that need not be alone prepare several programs together, before evidence_ask. list[i],
 * NULL for none, has the turn memory->turn + i * step. */
void evidence_prepare(struct test_program *const *list, size_t count, const char *counters, size_t step,
                      struct evidence_memory *memory);

/* Joins the parts into the result of evidence_gather. Moves the observations out of the parts. */
enum status evidence_join(struct evidence_parts *parts, struct evidence *evidence, struct error *error);

/* Transfers the parts to another process of this program. False when writing fails, or when the data is
 * missing or incomplete. Received parts are added to *parts. */
bool evidence_send(const struct evidence_parts *parts, FILE *to);
bool evidence_receive(struct evidence_parts *parts, FILE *from);

void evidence_free_parts(struct evidence_parts *parts);

/* Adds derived observations (speed_derive), and judges the test program's rates (verdict_judge). Free *rates
 * with result_rates_free. */
void evidence_judge(const struct test_program *test_program, struct evidence *evidence,
                    struct result_rates *rates);

/* Moves all observations to the point, and adds the sources' warnings to its own. */
void evidence_record(struct evidence *evidence, struct result_point *point);

void evidence_free(struct evidence *evidence);

/* Runs the source for one more round. */
void evidence_rounds_ask(struct evidence_rounds *rounds, const struct counter_source *source,
                         const struct test_program *test_program);

/* The width of the core that the rounds have shown (evidence_width.h); 0: none has. */
double evidence_rounds_width(const struct evidence_rounds *rounds);

/* Moves the results of all rounds into one. The values of each metric are:
 * - for times and rates of time: stats_fastest of the undisturbed rounds if there are two, else of all;
 * - for shares: the median, with an interval that covers stats_repeated and that of the most precise round.
 * A round also counts as disturbed if another thread used the core's units while the kernel executed more
 * than one instruction per cycle. width: the width of the core as other programs' rounds have shown it; 0:
 * unknown. A value without agreement is marked (observation.doubt) and has no interval. The status is that of
 * most rounds, or STATUS_FAILED if one has it. */
void evidence_rounds_join(struct evidence_rounds *rounds, double width, struct evidence_part *part);

/* The disagreement of the rounds so far about a time (stats_fastest), as evidence_disagreement. */
double evidence_rounds_disagreement(const struct evidence_rounds *rounds, const char *metric);

void evidence_rounds_free(struct evidence_rounds *rounds);

#endif
