/* A suite on disk (DESIGN.md section 3): written completely beside its target and then moved there; read
 * program by program. */
#ifndef GENERATOR_SUITE_SUITE_H
#define GENERATOR_SUITE_SUITE_H

#include "base/error.h"
#include "base/file.h"
#include "base/json/json_text.h"
#include "generator/machine/machine.h"
#include "generator/suite/program.h"
#include "generator/suite/suite_index.h"
#include "generator/suite/suite_place.h"

#include <stdbool.h>

enum { SUITE_TRACES = 2 };

/* A suite being written, in a separate folder until it is finished. */
struct suite_writer {
    struct suite_place place;
    const char *markers;                  /* the programs' region markers; NULL: none */
    const char *traces[SUITE_TRACES + 1]; /* names of each program's trace files; NULL ends them */
    bool events;                          /* it has a script that counts events */
    int index;                            /* descriptor of suite.json; below 0: none */
    struct json_text text;                /* of the index */
    struct buffer unwritten;              /* index text not yet in the file */
};

/* Makes the folder. target may be missing, an empty folder, a suite that holds only files listed in its
 * index, or this user's link to such a folder. Anything else, or of another user, is refused (STATUS_USAGE)
 * and left unchanged. With force, any folder of this user is accepted, and its files are kept unless the new
 * suite has a file of that name. */
enum status suite_begin(const char *target, bool force, struct suite_writer *writer, struct error *error);

/* A benchmark, and its recipe's name in listings. */
struct suite_benchmark {
    const char *recipe;
    const struct benchmark *own;
};

/* Starts suite.json. */
void suite_begin_index(struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                       const struct suite_benchmark *benchmarks, size_t count);

/* Writes the files of one program, made from the recipe's point by program_write, and fills `entry` with its
 * index entry. May be called from several processes for different programs. */
enum status suite_add(const struct suite_writer *writer, const char *recipe, const struct manifest *point,
                      const struct program *program, struct buffer *entry, struct error *error);

/* Fills `entry` with the index entry of a point that has no program, for the reason. */
enum status suite_add_refused(const char *recipe, const struct manifest *point, const char *reason,
                              struct buffer *entry, struct error *error);

/* Appends a program's entry to the index. Call in the recipes' order, whichever worker made the entry. */
enum status suite_add_entry(struct suite_writer *writer, const char *entry, size_t size, struct error *error);

/* Completes suite.json, writes trauma.h and, if a benchmark is tagged "events", events.sh, checks that all
 * files still exist, and moves the suite to target. After an error target has the old suite, unless the
 * message states that it has the new one. */
enum status suite_finish(struct suite_writer *writer, struct error *error);

/* Removes files that were written and not moved to target; if it cannot, adds a hint to *error (NULL: none).
 */
void suite_abandon(struct suite_writer *writer, struct error *error);

/* True if the folder contains a suite.json. */
bool suite_is_one(const char *folder);

/* Reads the index, and fills *machine from it. STATUS_USAGE if it is not a suite of a known schema, or an
 * entry lacks a name or leads out of the folder. Free both (suite_index_free, machine_free) even after an
 * error. */
enum status suite_read(const char *folder, struct suite_index *index, struct machine *machine,
                       struct error *error);

/* Reads one program by its index entry. Free with program_free even after an error. *changed: a file differs
 * from the generated one. STATUS_FAILED if a file is missing or is not a manifest or program, STATUS_RECIPE
 * if the point was refused; the suite's other programs may still be usable. */
enum status suite_load(const char *folder, const struct suite_entry *entry, struct program *program,
                       bool *changed, struct error *error);

#endif
