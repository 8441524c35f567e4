/* Table-driven reading of descriptions: each field is a row with its name, reader, destination and the text
 * that tells users what to write. A new machine file field is one row (machine.c). The returned copy has its
 * keys in row order, whatever the Lua table's order. */
#ifndef GENERATOR_MACHINE_MACHINE_FIELD_H
#define GENERATOR_MACHINE_MACHINE_FIELD_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { FIELD_PATH_BYTES = 160 };

struct field_reader {
    struct error *error;
    char path[FIELD_PATH_BYTES]; /* the field being read: "machine.caches.L1D.ways" */
};

struct field;

/* Checks value and stores it at target. Returns a new reference to the value as the description keeps it, or
 * NULL with the reader's error set (STATUS_RECIPE). */
typedef json_t *field_read(struct field_reader *reader, const struct field *field, const json_t *value,
                           void *target);

struct field {
    const char *name; /* NULL ends an array of rows */
    field_read *read;
    bool required;
    size_t offset;            /* within the target of the row's table */
    double low, high;         /* inclusive bounds of a number; for a text, high is the maximum length */
    const char *expected;     /* "a whole number from 1 to 1024" */
    const struct field *rows; /* a table's fields; for a map, how each value is read */
};

/* The readers, with what they accept and store. */
field_read field_whole;   /* a whole number (also Lua's 4.0) within the bounds: unsigned */
field_read field_line;    /* such a number that is a power of two: unsigned */
field_read field_number;  /* a number above 0 and within the bounds: double */
field_read field_size;    /* "8KiB" or a number of bytes, within the bounds: uint64_t */
field_read field_boolean; /* true or false: bool */
field_read field_text;    /* a non-empty text: char[high + 1] */
field_read field_words;   /* a list of such texts of any length: copy only */
/* A non-empty list of numbers as for field_number: copy only. */
field_read field_numbers;
/* A list of tables as for field_table: each is read into target in turn, and kept in the copy. */
field_read field_list;
field_read field_map;   /* a table with any keys, each value read like rows[0]: copy only */
field_read field_table; /* a table with only the fields in rows */

/* Refuses any value; `expected` says where the field belongs. Its name is never suggested. */
field_read field_elsewhere;

/* Reports that the field is not as expected. Returns NULL, for the caller to return. */
json_t *field_refuse(struct field_reader *reader, const struct field *field, const json_t *value);

#endif
