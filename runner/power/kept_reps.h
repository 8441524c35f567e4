/* Which repetitions of a point count towards its power: those in which no counter was reset, and that the
 * majority agrees with. Pure arithmetic. */
#ifndef RUNNER_POWER_KEPT_REPS_H
#define RUNNER_POWER_KEPT_REPS_H

#include <stdbool.h>
#include <stddef.h>

enum { KEPT_REPS_TEXT = 320 };

struct kept_reps_facts {
    const double *watts;       /* of each repetition; NAN: unknown */
    const double *pass_s;      /* seconds per pass of each; NULL: unknown */
    const char *const *resets; /* the counter that was reset in it; NULL: none was */
    size_t count;
    double idle_w; /* NAN: unknown */
};

/* Fills in out[count], and the text that names those that are out, with the reason ("": none). Returns how
 * many stay. A repetition is out if a counter was reset in it; or if its power above the idle level, or its
 * time per pass, is more than a tenth, or a twentieth, from those of all that stay and four times as far as
 * these are from each other, which at least three and three fifths of all do. */
size_t kept_reps_choose(const struct kept_reps_facts *of, bool *out, char text[KEPT_REPS_TEXT]);

#endif
