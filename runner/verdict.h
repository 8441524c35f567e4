/* Verdicts: targets and bounds against what the sources observed (DESIGN.md section 6). */
#ifndef RUNNER_VERDICT_H
#define RUNNER_VERDICT_H

#include "runner/observation.h"

#include <jansson.h>
#include <stdbool.h>

enum verdict {
    VERDICT_PASS,
    VERDICT_DISPUTED, /* the best kind of source passes, another kind fails */
    VERDICT_INCONCLUSIVE,
    VERDICT_FAIL,
    VERDICT_UNOBSERVED,     /* no source here sees it; the plan does not count */
    VERDICT_NOT_APPLICABLE, /* nothing to divide by: the plan cannot form it and no source saw it */
    VERDICT_OBSERVED,       /* seen, and nothing was asked of it */
};

/* "pass", "pass, disputed", "fail", ... */
const char *verdict_name(enum verdict verdict);

/* The verdict of that name; VERDICT_UNOBSERVED for any other text. */
enum verdict verdict_from_name(const char *name);

/* Judges everything that the manifest targets ("targets", "expect", and of "expected" the mix and body.share
 * that the unit states) and lists what was observed beside. Returns {metric: {"target": number or null,
 * "expect": {"min", "max"} where given, "verdict", "reason" where there is one, "observations": [...]}},
 * targets first. unseen says why a source saw nothing; it becomes the reason of an unobserved metric. New
 * reference. */
json_t *verdict_judge(const json_t *manifest, const struct observations *observations, const char *unseen);

/* The same from a "rates" object that was recorded earlier: its observations judged anew against its own
 * targets. */
json_t *verdict_judge_again(const json_t *rates, const json_t *tolerance);

/* True when the interval lies wholly within the tolerance of the manifest's target, or wholly outside: more
 * samples would only say it again. Where bounds are asked for, never. */
bool verdict_settled(const json_t *manifest, const struct observation *seen);

#endif
