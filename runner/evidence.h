/* Gathering evidence: asks the sources about one program and judges what they saw. */
#ifndef RUNNER_EVIDENCE_H
#define RUNNER_EVIDENCE_H

#include "base/error.h"
#include "runner/observation.h"
#include "runner/subject.h"

#include <jansson.h>

enum { EVIDENCE_REASONS = 1024 };

struct evidence {
    struct observations observations;
    char unseen[EVIDENCE_REASONS]; /* "perf: ...; timing: ...": why sources saw nothing, or not all */
};

/* True when every name in the list (separated by commas) is a source; else false with *error filled
 * (STATUS_USAGE, with the nearest name). NULL is all sources. */
bool evidence_check_names(const char *counters, struct error *error);

/* Asks every source named in counters (NULL: all). A source that cannot work here, or whose own tool fails,
 * adds its reason to unseen, and the others go on. STATUS_FAILED when the program itself failed: an illegal
 * instruction, a fault, a hang. Free *evidence with
 * evidence_free in every case. */
enum status evidence_gather(const struct subject *subject, const char *counters, struct evidence *evidence,
                            struct error *error);

/* The judged rates of the subject (verdict_judge). New reference. */
json_t *evidence_judge(const struct subject *subject, const struct evidence *evidence);

/* Sets point["counters"] to the raw counts and ["imported"] to those of another tool, where there are any,
 * and adds what the sources warn of to point["warnings"]. */
void evidence_record(const struct evidence *evidence, json_t *point);

void evidence_free(struct evidence *evidence);

#endif
