/* Gathers evidence: asks the sources about one program and judges their observations. */
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

/* The sources' separate answers, in the order of their table. All zeros: none was asked. */
struct evidence_parts {
    struct evidence_part of[EVIDENCE_SOURCES];
};

/* One source of time's answers in several rounds, some time apart. A round starts the program anew: its
 * pages, and what else the machine does, differ from round to round. All zeros: none yet. */
struct evidence_rounds {
    struct evidence_part *parts;
    size_t count;
};

/* The answers of the sources of time in rounds that others' rounds lie between. All zeros: none was asked. */
struct evidence_timed {
    struct evidence_rounds of[EVIDENCE_SOURCES];
};

/* True when every name in the list (separated by commas) is a source; else false with *error filled
 * (STATUS_USAGE, with the nearest name). NULL: all sources. */
bool evidence_check_names(const char *counters, struct error *error);

/* Asks every source named in counters (NULL: all). A source that cannot work here, or whose own tool fails,
 * adds its reason to unseen, and the others continue. STATUS_FAILED when the program itself failed: an
 * illegal instruction, a fault, a hang. Free *evidence with evidence_free in every case. */
enum status evidence_gather(const struct test_program *test_program, const char *counters,
                            struct evidence *evidence, struct error *error);

/* True when counters (NULL: all) names a source that must be alone on the machine. */
bool evidence_wants_alone(const char *counters);

/* Asks every named source of time for one round. Free with evidence_free_timed. */
void evidence_time(const struct test_program *test_program, const char *counters,
                   struct evidence_timed *timed);

/* The width of the core that the rounds have shown (evidence_width.h); 0: none has. */
double evidence_timed_width(const struct evidence_timed *timed);

/* Moves what all rounds say into the parts, so that those sources are not asked again. width: the
 * largest of evidence_timed_width on this core. */
void evidence_join_timed(const struct test_program *test_program, struct evidence_timed *timed, double width,
                         struct evidence_parts *parts);

/* How well the rounds so far agree on the time of a pass (stats_fastest): half the interval's width as a
 * share of the value; INFINITY: they do not; NAN: no source observes it. */
double evidence_disagreement(const struct evidence_timed *timed);

void evidence_free_timed(struct evidence_timed *timed);

/* Asks those of the named sources that must be alone on the machine (alone), or the others, unless their part
 * exists already; two processes may ask the two kinds at the same time. Sources of time
 * are asked for EVIDENCE_ROUNDS rounds in a row. memory holds earlier answers, or is NULL. Free *parts with
 * evidence_free_parts. */
void evidence_ask(const struct test_program *test_program, const char *counters, bool alone,
                  struct evidence_memory *memory, struct evidence_parts *parts);

/* Before evidence_ask, of several programs (NULL: none) of turns memory->turn, + step, ...: lets sources that
 * need not be alone prepare together what they will need. */
void evidence_prepare(struct test_program *const *list, size_t count, const char *counters, size_t step,
                      struct evidence_memory *memory);

/* Joins the parts into the result that evidence_gather would have given. Moves the observations out of the
 * parts. */
enum status evidence_join(struct evidence_parts *parts, struct evidence *evidence, struct error *error);

/* Transfers the answers to another process of this program. False when writing fails, or when the data is
 * missing or incomplete. Received answers are added to the parts. */
bool evidence_send(const struct evidence_parts *parts, FILE *to);
bool evidence_receive(struct evidence_parts *parts, FILE *from);

void evidence_free_parts(struct evidence_parts *parts);

/* Adds to the observations what follows from them (speed_derive), and judges the test program's rates
 * (verdict_judge). Free *rates with result_rates_free. */
void evidence_judge(const struct test_program *test_program, struct evidence *evidence,
                    struct result_rates *rates);

/* Moves all observations to the point, and adds the sources' warnings to its own. */
void evidence_record(struct evidence *evidence, struct result_point *point);

void evidence_free(struct evidence *evidence);

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
