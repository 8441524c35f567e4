/* The data of an emitted object as its loads and operations use it: the part of the source "bytes" that
 * counts bits. The manifest only says where to look: the offsets and their order, and the operand
 * registers. */
#ifndef RUNNER_SOURCES_BYTES_BYTES_DATA_H
#define RUNNER_SOURCES_BYTES_BYTES_DATA_H

#include "base/error.h"
#include "isa/template.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdint.h>

/* Bits of streams of words: all, those that are one, and those that change from one word to the next,
 * including from the last word to the first. */
struct bit_count {
    double bits, ones, toggles;
    double words;
};

/* A stream of words being counted. */
struct bit_stream {
    unsigned bits;  /* per word, at most 64 */
    unsigned lanes; /* how often the word is repeated in an access */
    uint64_t words, ones, toggles;
    uint64_t first, before;
};

/* Adds the next word. */
void bit_stream_add(struct bit_stream *stream, uint64_t word);

/* Closes the stream and adds it to the count, as often as it occurs. */
void bit_stream_close(struct bit_stream *stream, double times, struct bit_count *count);

/* Adds data.ones_rate and data.toggle_rate over all streams: that of the loads of one period, and that of
 * each operation with data from the recipe; without the loads' data if only operations have such. Adds
 * nothing if words are addresses, whose bits are unknown before the program is loaded. STATUS_FAILED when the
 * object cannot be read. */
enum status bytes_observe_data(const struct test_program *test_program, const struct template *templates,
                               struct observations *list, struct error *error);

/* Adds the words that operations read from their operand registers, as set by the code before the loop.
 * STATUS_FAILED when that code or the loop cannot be followed. */
enum status bytes_count_operands(const struct test_program *test_program, const struct template *templates,
                                 struct bit_count *count, struct error *error);

#endif
