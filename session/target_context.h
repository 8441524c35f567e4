/* The context in which recipes are evaluated: a machine, its calibration store, and the templates of its ISA.
 * Without -m the machine is the present one, or for a GPU recipe one of its GPUs. */
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

/* What is known of a machine beyond its description: its calibration file, --tune, and whether it is this
 * host. */
struct calibration_store {
    struct calibration calibration; /* empty under --no-calibration */
    char path[FILE_PATH_BYTES]; /* of the calibration file, which may not exist; "": there is no folder for
                                   one */
    struct plan_tuning by_hand; /* --tune */
    struct machine host;        /* as detected */
    bool here;                  /* the description is of this host but differs from what is detected */
};

/* Finds and reads the calibration of the machine of -m, or of the present one. Marks the machine as present
 * if
 * --here or the calibration identifies it as this host. Ignores, with a warning, a calibration for another
 * description. Close with calibration_store_close even after an error. */
enum status calibration_store_open(const struct target_request *request, struct machine *machine,
                                   struct calibration_store *store, struct error *error);

/* True when it has a calibration or --tune. */
bool calibration_store_tunes(const struct calibration_store *store);

/* The tuning of the point's program; `given` is false when there is none. The store owns it. */
struct plan_calibration calibration_store_find(const struct calibration_store *store,
                                               const struct manifest *point);

/* Writes the outcome for the point's kernel to the file and to this store. measured: it was measured on this
 * host. STATUS_UNAVAILABLE when there is no folder for the file. */
enum status calibration_store_add(struct calibration_store *store, const struct machine *machine,
                                  bool measured, const struct manifest *point,
                                  const struct calibration_outcome *outcome, struct error *error);

/* The host as detected, if the machine's description of it differs; else NULL. */
const struct machine *calibration_store_reference_machine(const struct calibration_store *store);

void calibration_store_close(struct calibration_store *store);

struct target_context {
    struct machine machine;
    struct calibration_store calibration_store;
    struct code_generator code_generator;
    bool open;
};

/* Opens the context of -m, or of the present machine. Close it even after an error. */
enum status target_context_open(const struct target_request *request, struct target_context *target_context,
                                struct error *error);

/* Without -m, opens the context of a target that the present processor does not run: that of a GPU here. If
 * there is none, uses a shipped description with a warning if stand_in is set, else returns
 * STATUS_UNAVAILABLE. */
enum status target_context_open_for(const struct target_request *request, const char *target, bool stand_in,
                                    struct target_context *target_context, struct error *error);

void target_context_close(struct target_context *target_context);

#endif
