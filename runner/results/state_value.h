/* The machine's state as recipes request it and results record it: a switch, a number, a word, and these by
 * name or, where processors differ, in a list. Lists and words are in an arena. */
#ifndef RUNNER_RESULTS_STATE_VALUE_H
#define RUNNER_RESULTS_STATE_VALUE_H

#include "base/arena.h"
#include "runner/results/warning.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum state_kind { STATE_UNKNOWN, STATE_SWITCH, STATE_NUMBER, STATE_WORD, STATE_PARTS, STATE_LIST };

struct state_value {
    enum state_kind kind;
    bool on;       /* of a switch */
    bool whole;    /* of a number: without a point as text */
    double number; /* NAN for what is none */
    const char *word;
    struct state_part *parts; /* of a list, without names */
    size_t count;
};

struct state_part {
    const char *name;
    struct state_value value;
};

/* What was requested of the machine for a point, and what became of it. */
struct state_record {
    bool given;
    struct state_value wanted, observed;
    struct warnings unmet; /* sentences */
    struct arena arena;
};

struct state_value state_switch(bool on);
struct state_value state_number(double number);
struct state_value state_word(const char *word, struct arena *arena);

/* Adds a part, or replaces that of this name; name NULL: to a list. */
void state_set(struct state_value *value, const char *name, struct state_value part, struct arena *arena);

/* The part of that name; of kind STATE_UNKNOWN without one. */
const struct state_value *state_get(const struct state_value *value, const char *name);

bool state_same(const struct state_value *one, const struct state_value *other);

/* The same as JSON; read values are copies. state_text: with six digits. New references. */
json_t *state_to_json(const struct state_value *value);
struct state_value state_from_json(const json_t *document, struct arena *arena);
char *state_text(const struct state_value *value, struct arena *arena);

void state_record_free(struct state_record *record);

#endif
