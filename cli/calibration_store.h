/* What is known of the machine beyond its description: what calibration learnt and wrote beside it, what
 * --tune says, and whether it is this host after all. */
#ifndef CLI_CALIBRATION_STORE_H
#define CLI_CALIBRATION_STORE_H

#include "base/error.h"
#include "base/file.h"
#include "cli/options.h"
#include "generator/machine/machine.h"
#include "generator/plan/calibration.h"
#include "generator/plan/tuning.h"

#include <jansson.h>
#include <stdbool.h>

struct calibration_store {
    struct calibration calibration; /* empty under --no-calibration */
    char path[FILE_PATH_BYTES];     /* of its file, there or not; "": nowhere to keep one */
    struct plan_tuning by_hand;     /* --tune */
    struct machine host;            /* as detected */
    bool here;                      /* the description is of this host and differs from what is detected */
};

/* Finds and reads what belongs to the machine that -m named. Marks the machine as present where it is this
 * host: by --here, or as calibration took it for that. A file of another description is warned of and not
 * used. Close with calibration_store_close also after an error. */
enum status calibration_store_open(const struct options *options, struct machine *machine,
                                   struct calibration_store *calibration_store, struct error *error);

/* True when it has something to say of any program. */
bool calibration_store_tunes(const struct calibration_store *calibration_store);

/* What a program of the kernel (JSON) is to be made with: {"tuning", "source", "kind"}; NULL: nothing. New
 * reference. */
json_t *calibration_store_find(const struct calibration_store *calibration_store, const json_t *kernel);

/* Writes the entry for the kernel into the file, and knows it from now on; measured: on this host. */
enum status calibration_store_add(struct calibration_store *calibration_store, const struct machine *machine,
                                  bool measured, const json_t *kernel, const json_t *entry,
                                  struct error *error);

/* What to compare with: the host as detected, where the machine describes it otherwise; else NULL. */
const struct machine *calibration_store_reference_machine(const struct calibration_store *calibration_store);

void calibration_store_close(struct calibration_store *calibration_store);

#endif
