/* Reads a description by tables: each field is a row with its name, who reads it, where its value goes and
 * what a user is told to write. A new field of a machine file is one row (machine.c). The copy that reading
 * returns has its keys in the order of the rows, whatever order a Lua table had. */
#ifndef GENERATOR_MACHINE_MACHINE_FIELD_H
#define GENERATOR_MACHINE_MACHINE_FIELD_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { FIELD_PATH_BYTES = 160 };

struct field_reader {
    struct error *error;
    char path[FIELD_PATH_BYTES]; /* what is being read: "machine.caches.L1D.ways" */
};

struct field;

/* Checks value and stores it at target. A new reference to the value as the description keeps it, or NULL
 * with the reader's error filled (STATUS_RECIPE). */
typedef json_t *field_read(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target);

struct field {
    const char *name; /* NULL ends an array of rows */
    field_read *read;
    bool required;
    size_t offset;            /* from the target of the table that the row belongs to */
    double low, high;         /* bounds of a number, inclusive; high of a text: its longest length */
    const char *expected;     /* "a whole number from 1 to 1024" */
    const struct field *rows; /* of a table: its fields; of a map: how each value is read */
};

/* The readers, by what they accept and store. */
field_read field_whole;   /* a whole number, also as Lua's 4.0, within the bounds: unsigned */
field_read field_line;    /* such a number that is a power of two: unsigned */
field_read field_number;  /* a number above 0 and within the bounds: double */
field_read field_size;    /* "8KiB" or a number of bytes, within the bounds: uint64_t */
field_read field_boolean; /* true or false: bool */
field_read field_text;    /* a text that is not empty: char[high + 1] */
field_read field_words;   /* a list of such texts of any length: kept in the copy only */
/* A list of numbers as field_number reads them, one at least: kept in the copy only. */
field_read field_numbers;
/* A list of such tables as field_table takes: each is read into target, one after the other, and kept. */
field_read field_list;
field_read field_map;   /* a table with any keys, each value read as rows[0] is: kept in the copy only */
field_read field_table; /* a table with the fields of rows and no other */

/* Refuses whatever is there: what is expected tells where it belongs. Its name is offered to nobody. */
field_read field_elsewhere;

/* Says that the field is not as expected. Returns NULL, to be returned. */
json_t *field_refuse(struct field_reader *reader, const struct field *field, const json_t *value);

#endif
