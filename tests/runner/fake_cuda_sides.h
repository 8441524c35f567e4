/* The L2 of the made-up GPU has two sides: what the kernel that learns them sees, and whether a program that
 * stays on one does. FAKE_CUDA: "one-side" (nothing is far), "fine-sides" (they change every KiB),
 * "copies" (but for loads with cv far lines are found on the near side),
 * "lopsided" (a page of 32 is on the second), "third" (a third are). */
#ifndef TESTS_RUNNER_FAKE_CUDA_SIDES_H
#define TESTS_RUNNER_FAKE_CUDA_SIDES_H

#include <stdbool.h>
#include <stdint.h>

/* Runs the kernel that measures places, of six arguments, on one of so many multiprocessors. */
void fake_sides_measure(void **parameters, unsigned sms, unsigned blocks);

/* True when the text is of a program that stays on a side. */
bool fake_sides_walks(const char *program);

/* Goes the ways of its waves through its data. False when not all are of one kind, near or far from their
 * multiprocessor, or one leaves the data; *ticks: the mean of a load on these ways. */
bool fake_sides_walk(const char *program, uint64_t data, uint64_t end, unsigned sms, double *ticks);

#endif
