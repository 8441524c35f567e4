/* What recipes are evaluated against: a machine, its calibration store, and the templates of its ISA. Without
 * -m it is the present machine, or for a GPU recipe a GPU of this machine. */
#ifndef SESSION_TARGET_CONTEXT_H
#define SESSION_TARGET_CONTEXT_H

#include "base/error.h"
#include "base/file.h"
#include "generator/machine/machine.h"
#include "generator/plan/tuning.h"
#include "generator/suite/calibration.h"
#include "generator/suite/program.h"
#include "session/target_request.h"

#include <jansson.h>
#include <stdbool.h>

/* What is known of the machine beyond its description: the calibration file beside it, --tune, and whether it
 * is in fact this host. */

struct calibration_store {
    struct calibration calibration; /* empty under --no-calibration */
    char path[FILE_PATH_BYTES];     /* of its file, which may not exist; "": no place to keep one */
    struct plan_tuning by_hand;     /* --tune */
    struct machine host;            /* as detected */
    bool here;                      /* the description is of this host but differs from what is detected */
};

/* Finds and reads the calibration of the machine that -m named. Marks the machine as present if it is this
 * host, by --here or as calibration identifies it. Warns about a file for another description and ignores it.
 * Close with calibration_store_close even after an error. */
enum status calibration_store_open(const struct target_request *request, struct machine *machine,
                                   struct calibration_store *calibration_store, struct error *error);

/* True when it has tuning for at least one program. */
bool calibration_store_tunes(const struct calibration_store *calibration_store);

/* The tuning for a program of the point, which the store owns; not given: there is none. */
struct plan_calibration calibration_store_find(const struct calibration_store *calibration_store,
                                               const struct manifest *point);

/* Writes the outcome for the point's kernel to the file and to this store; measured: on this host. */
enum status calibration_store_add(struct calibration_store *calibration_store, const struct machine *machine,
                                  bool measured, const struct manifest *point,
                                  const struct calibration_outcome *outcome, struct error *error);

/* The reference machine: the host as detected, if the machine describes it otherwise; else NULL. */
const struct machine *calibration_store_reference_machine(const struct calibration_store *calibration_store);

void calibration_store_close(struct calibration_store *calibration_store);

struct target_context {
    struct machine machine;
    struct calibration_store calibration_store;
    struct code_generator code_generator;
    bool open;
};

/* Opens the context of -m, or of the present machine. Close it even after an error. */
enum status target_context_open(const struct target_request *request, struct target_context *target_context,
                                struct error *error);

/* Opens the context of a target that the machine does not run, when -m was not given. If there is no such
 * machine or GPU here, stand_in selects a described one, with a warning; without stand_in:
 * STATUS_UNAVAILABLE. */
enum status target_context_open_for(const struct target_request *request, const char *target, bool stand_in,
                                    struct target_context *target_context, struct error *error);

void target_context_close(struct target_context *target_context);

#endif
