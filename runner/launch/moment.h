/* One moment on two clocks: the sensors' (clock_now_s) and the programs' (ticks of the host's clock,
 * isa/isa.h). */
#ifndef RUNNER_LAUNCH_MOMENT_H
#define RUNNER_LAUNCH_MOMENT_H

#include <stdint.h>

struct moment {
    double s;
    uint64_t ticks; /* 0: this program cannot read this processor's clock */
};

struct moment moment_now(void);

/* Converts a tick to the sensors' clock, from two moments around or near it. NAN when the moments are
 * equal. */
double moment_at(const struct moment *before, const struct moment *after, uint64_t ticks);

/* Ticks of the programs' clock per second between two moments. */
double moment_ticks_per_s(const struct moment *before, const struct moment *after);

#endif
