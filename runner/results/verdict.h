/* Verdicts: targets and bounds against what the sources observed (DESIGN.md section 6).
 *
 * A verdict has two sides. The code's is what the emitted program does on the described machine, as
 * inspection and simulation show; of two such sources the one that is not TraumaGen's own decides, and the
 * other may dispute it. The silicon's is what the machine does with it, measured or else inferred; what was
 * imported counts there, whichever machine it is from. */
#ifndef RUNNER_RESULTS_VERDICT_H
#define RUNNER_RESULTS_VERDICT_H

#include "runner/results/observation.h"

#include <jansson.h>
#include <stdbool.h>

enum verdict {
    VERDICT_PASS,
    VERDICT_PASS_CODE, /* the code's side passes on the machine that this is, and no source sees the silicon
                        */
    VERDICT_DISPUTED,  /* of the code's sources the one that decides passes, another fails */
    VERDICT_INCONCLUSIVE,
    VERDICT_FAIL,
    VERDICT_UNOBSERVED,     /* no source here sees it; the plan does not count */
    VERDICT_NOT_APPLICABLE, /* nothing to divide by: the plan cannot form it and no source saw it */
    VERDICT_OBSERVED,       /* seen, and nothing was asked of it */
};

/* "pass", "pass (code)", "fail", ... */
const char *verdict_name(enum verdict verdict);

/* The verdict of that name; VERDICT_UNOBSERVED for any other text. */
enum verdict verdict_from_name(const char *name);

/* Judges everything that the manifest targets ("targets", "expect", and of "expected" the mix and body.share
 * that the unit states) and lists what was observed beside. present: the manifest's machine is the one that
 * this runs on, so that a pass wants the silicon's word too; what the bytes alone settle (mix.*, body.share,
 * data.*_rate) and cache rates in a kernel that invites prefetchers do not want it. Returns {metric:
 * {"target": number or null, "expect": {"min", "max"} where given, "verdict", "code" and "silicon": the
 * verdict of each side, null where it saw nothing, "reason" where there is one, "observations": [...]}},
 * targets first. unseen says why sources saw nothing: [{"metrics": [what the source would see, "served.*" a
 * family], "reason"}], NULL where there is nothing to say; what is said of a metric becomes the reason where
 * it is unobserved or a side is missing. New reference. */
json_t *verdict_judge(const json_t *manifest, const struct observations *observations, bool present,
                      const json_t *unseen);

/* The same from a "rates" object that was recorded earlier: its observations judged anew against its own
 * targets. present: it was recorded on the machine that the programs are for. */
json_t *verdict_judge_again(const json_t *rates, const json_t *tolerance, bool present);

/* True when the interval lies wholly within the tolerance of the manifest's target, or wholly outside: more
 * samples would only say it again. Where bounds are asked for, never. */
bool verdict_settled(const json_t *manifest, const struct observation *seen);

#endif
