/* The quantities whose number per pass a manifest can state (`counts`, DESIGN.md section 15), a row each. A
 * quantity that is not stated is unknown; 0 is a known zero. */
#ifndef GENERATOR_METRIC_QUANTITY_H
#define GENERATOR_METRIC_QUANTITY_H

struct quantity {
    const char *name;    /* "l1d.misses" */
    const char *sum;     /* by definition the sum of these others, "loads,stores"; NULL: it is no sum */
    const char *meaning; /* what it counts */
};

/* The table, ending with a row without a name. */
extern const struct quantity quantity_table[];

/* The row of the quantity, or NULL. */
const struct quantity *quantity_find(const char *name);

#endif
