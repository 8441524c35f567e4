/* Validates a machine: checks recipes' behaviours on it and fills a scorecard (DESIGN.md section 14). */
#ifndef SESSION_MACHINE_VALIDATION_H
#define SESSION_MACHINE_VALIDATION_H

#include "report/scorecard/scorecard.h"
#include "session/execute/evidence_request.h"
#include "session/target_request.h"
#include "session/work.h"

struct validation_request {
    struct evidence_request evidence;
    size_t jobs;
    double most_s;    /* points that are not reached in this time are left out */
    bool allow_state; /* set the state that a point requests */
};

/* Checks the selected points and fills the card, which the caller frees even after an error, and the tally.
 * Points that the machine's description does not allow are gaps of the card and do not count in the tally. */
enum status validate_machine(const struct validation_request *request, const struct selection *selection,
                             const struct target_request *target, struct scorecard *card, struct tally *tally,
                             struct error *error);

#endif
