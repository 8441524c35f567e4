/* Results of a simulated meter, or of a simulated machine, state this in their first line: "simulated":
 * {"what": "meter" or "results", "how": what computed them}. Models that are fitted to them, and predictions
 * of these models, keep it, so that nothing that is made of them passes for a measurement. */
#ifndef RUNNER_RESULTS_SIMULATED_H
#define RUNNER_RESULTS_SIMULATED_H

#include <jansson.h>

/* "simulated meter" or "simulated results", for results' first line, a model or a prediction; NULL when
 * nothing is simulated. Files that trauma merge joined are simulated if one of them is. */
const char *simulated_label(const json_t *object);

/* What computed them, a sentence without its full stop; "" when nothing is simulated. Points into the object.
 */
const char *simulated_how(const json_t *object);

/* Marks to as from is; unchanged when from is not simulated, or to is already. */
void simulated_take(json_t *to, const json_t *from);

#endif
