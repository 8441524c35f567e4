/* The part of the source "bytes" that counts bits of data: the words of an emitted object that its loads and
 * operations use. From the manifest it takes only where to look: the offsets and their order, and the operand
 * registers. */
#ifndef RUNNER_SOURCES_BYTES_BYTES_DATA_H
#define RUNNER_SOURCES_BYTES_BYTES_DATA_H

#include "base/error.h"
#include "isa/template.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

/* The initial words of a program's data, by its table trauma_runs; points into the object. */
struct bytes_table {
    const unsigned char *bytes;
    size_t runs;
    bool relative; /* set-up adds the data's address to every word */
};

/* STATUS_FAILED if the object's table is missing or incomplete. */
enum status bytes_table_find(const struct test_program *test_program, struct bytes_table *table,
                             struct error *error);

/* The word at the offset; 0 if the table has none. */
uint64_t bytes_word_at(const struct bytes_table *table, uint64_t offset);

/* Adds data.ones_rate and data.toggle_rate over all streams: that of the loads of one period, and that of
 * each operation with data from the recipe. If only operations have such data, loads do not count. Adds
 * nothing if words are addresses, whose bits are unknown before the program is loaded. STATUS_FAILED when the
 * object cannot be read. */
enum status bytes_observe_data(const struct test_program *test_program, const struct template *templates,
                               struct observations *list, struct error *error);

#endif
