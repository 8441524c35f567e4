/* A suite on disk (DESIGN.md section 3): written whole beside its place and then put there, read program by
 * program. */
#ifndef GENERATOR_SUITE_SUITE_H
#define GENERATOR_SUITE_SUITE_H

#include "base/error.h"
#include "base/file.h"
#include "base/json_text.h"
#include "generator/machine/machine.h"
#include "generator/suite/program.h"

#include <jansson.h>
#include <stdbool.h>

enum {
    SUITE_SCHEMA = 1,
    SUITE_SPARE_BYTES = 40 /* of a path, for what stands behind the target's name while a suite is made */
};

/* The files of a suite besides its programs' (program_parts.h), and, while it is written, what the workers
 * leave for the index. */
#define SUITE_INDEX "suite.json"
#define SUITE_HEADER "trauma.h"
#define SUITE_MANIFEST "manifest.json"
#define SUITE_ENTRIES ".entries."

/* A suite being written, in a folder of its own until it is finished. */
struct suite_writer {
    char target[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    size_t above;            /* length of the part of target's path that was there before */
    bool force;              /* what is in the target and is no suite's is kept in the new one */
    const char *markers;     /* which region markers the programs have; NULL: none */
    int index;               /* descriptor of suite.json, which tells that this writer lives; below 0: none */
    struct json_text text;   /* of the index, */
    struct buffer unwritten; /* and what of it is not in the file yet */
};

/* Makes the folder, and removes those that dead writers of the same target left. target may be missing,
 * empty, a suite of nothing but what its index lists, or a link to such a folder; anything else is refused
 * (STATUS_USAGE) and left as it is. With force any folder will do: what is in it and has no name of the new
 * suite's files is kept. */
enum status suite_begin(const char *target, bool force, struct suite_writer *writer, struct error *error);

/* Begins suite.json. */
void suite_begin_index(struct suite_writer *writer, const struct machine *machine, uint64_t seed,
                       const json_t *benchmarks);

/* Writes the files of one program, made of the recipe's point by program_write, and fills entry with its
 * entry for the index. May be called from several processes for different programs. */
enum status suite_add(const struct suite_writer *writer, const char *recipe, const json_t *point,
                      const struct program *program, struct buffer *entry, struct error *error);

/* Appends the entry of a program to the index: in the recipes' order, whoever made it. */
enum status suite_add_entry(struct suite_writer *writer, const char *entry, size_t size, struct error *error);

/* Ends suite.json, writes trauma.h, sees that all files are there still, and puts the suite in target's
 * place. After an error the target has the old suite, or the message says that it has the new one. */
enum status suite_finish(struct suite_writer *writer, struct error *error);

/* Removes what was written so far and is not in target's place. */
void suite_abandon(struct suite_writer *writer);

/* True when the folder holds a suite.json. */
bool suite_is_one(const char *folder);

/* Reads the index but for its machine; as suite_read. */
json_t *suite_read_index(const char *folder, struct error *error);

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
