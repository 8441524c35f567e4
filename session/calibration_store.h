/* What is known of the machine beyond its description: the calibration file beside it, --tune, and whether it
 * is in fact this host. */
#ifndef SESSION_CALIBRATION_STORE_H
#define SESSION_CALIBRATION_STORE_H

#include "base/error.h"
#include "base/file.h"
#include "generator/machine/machine.h"
#include "generator/plan/calibration.h"
#include "generator/plan/tuning.h"
#include "session/target_request.h"

#include <jansson.h>
#include <stdbool.h>

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

/* The tuning for a program of the kernel (JSON): {"tuning", "source", "kind"}; NULL: none. New reference. */
json_t *calibration_store_find(const struct calibration_store *calibration_store, const json_t *kernel);

/* Writes the kernel's entry to the file and to this store; measured: on this host. */
enum status calibration_store_add(struct calibration_store *calibration_store, const struct machine *machine,
                                  bool measured, const json_t *kernel, const json_t *entry,
                                  struct error *error);

/* The reference machine: the host as detected, if the machine describes it otherwise; else NULL. */
const struct machine *calibration_store_reference_machine(const struct calibration_store *calibration_store);

void calibration_store_close(struct calibration_store *calibration_store);

#endif
