/* The words of a stream's data that toggle at a stated rate: a long sequence (word_sequence.h), so that every
 * channel, queue and interleaving of waves sees the rate too, settled for the steps that the stream's waves
 * make. */
#ifndef GENERATOR_PLAN_GPU_GPU_WORDS_H
#define GENERATOR_PLAN_GPU_GPU_WORDS_H

#include "base/random.h"
#include "generator/plan/gpu/gpu_plan.h"

/* Sets the words of the stream's rule, which the plan's arena owns, for an item whose data has a rate. The
 * rows of all streams must be laid out. Streams of the same rate and bus get parts of one sequence, so that
 * the rate holds where their accesses follow each other, too, if all are made from equal random states; above
 * a half, all get the same words. */
void gpu_words_make(struct gpu_plan *plan, struct gpu_stream *stream, struct random *random);

#endif
