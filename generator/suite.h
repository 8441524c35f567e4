/* A suite on disk (DESIGN.md section 3): written whole beside its place and then put there, read program by
 * program. */
#ifndef GENERATOR_SUITE_H
#define GENERATOR_SUITE_H

#include "base/error.h"
#include "base/file.h"
#include "generator/machine.h"
#include "generator/program.h"

#include <jansson.h>
#include <stdbool.h>

/* A suite being written, in a folder of its own until it is finished. */
struct suite_writer {
    char target[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    const char *markers; /* which region markers the programs have; NULL: none */
    json_t *calibration; /* what the index says of calibrated programs; NULL: there are none */
};

/* Makes the folder, and removes those that killed writers of the same target left. target may be missing,
 * empty, a suite, or a link to such a folder; anything else is refused (STATUS_USAGE) and left as it is. */
enum status suite_begin(const char *target, struct suite_writer *writer, struct error *error);

/* Writes the files of one program and returns its entry for the index in *entry (new reference). May be
 * called from several processes for different programs. */
enum status suite_add(const struct suite_writer *writer, const char *recipe, const struct program *program,
                      json_t **entry, struct error *error);

/* The index's entry for a program that suite_add wrote, perhaps in another process (new reference). */
enum status suite_entry(const struct suite_writer *writer, const char *benchmark, const char *point,
                        const char *recipe, json_t **entry, struct error *error);

/* Writes suite.json with the entries and the benchmarks, and trauma.h, and puts the suite in target's place.
 */
enum status suite_finish(const struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                         const json_t *benchmarks, const json_t *entries, struct error *error);

/* Removes what was written so far. target stays as it was. */
void suite_abandon(const struct suite_writer *writer);

/* True when the folder holds a suite.json. */
bool suite_is_one(const char *folder);

/* Reads the index; the caller owns the result. Fills *machine from it (free with machine_free). NULL with
 * *error filled when it is no suite of a known schema, or an entry lacks a name or leads out of the folder.
 */
json_t *suite_read(const char *folder, struct machine *machine, struct error *error);

/* Reads one program by its entry of the index. Free with program_free also after an error. *changed says that
 * a file is not the one that was generated. STATUS_FAILED when a file is missing or is no manifest or no
 * program: the suite's other programs may serve all the same. */
enum status suite_load(const char *folder, const json_t *entry, struct program *program, bool *changed,
                       struct error *error);

#endif
