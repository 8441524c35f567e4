/* What the data of an emitted object holds, as loads and operations take it: the part of the source "bytes"
 * that counts bits. The manifest says only where to look: which offsets are read in which order, which
 * registers are operands. */
#ifndef RUNNER_SOURCES_BYTES_DATA_H
#define RUNNER_SOURCES_BYTES_DATA_H

#include "base/error.h"
#include "isa/template.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdint.h>

/* Bits of streams of words: all, those that are one, and those that change from one word to the next, round
 * the stream's end too. */
struct bit_count {
    double bits, ones, toggles;
    double words;
};

/* A stream of words that is being counted. */
struct bit_stream {
    unsigned bits;  /* of a word, at most 64 */
    unsigned lanes; /* how often the word stands in what is taken */
    uint64_t words, ones, toggles;
    uint64_t first, before;
};

/* Adds the next word. */
void bit_stream_add(struct bit_stream *stream, uint64_t word);

/* Closes the stream and adds it to the count, as often as it comes by. */
void bit_stream_close(struct bit_stream *stream, double times, struct bit_count *count);

/* Adds data.ones_rate and data.toggle_rate over all streams: that of the loads of one period, and that of
 * each operation with data of the recipe's; without loads' data where only operations have such. Nothing
 * where words are addresses, which have no bits before the program is loaded. STATUS_FAILED when the object
 * cannot be read. */
enum status bytes_observe_data(const struct test_program *test_program, const struct template *templates,
                               struct observations *list, struct error *error);

/* Adds the words that operations take from their operand registers, as the code before the loop sets them.
 * STATUS_FAILED when that code or the loop cannot be followed. */
enum status bytes_count_operands(const struct test_program *test_program, const struct template *templates,
                                 struct bit_count *count, struct error *error);

#endif
