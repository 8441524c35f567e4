/* Readers for the fields of a kernel's JSON form, each with its own error (kernel.h). */
#ifndef GENERATOR_KERNEL_KERNEL_FIELDS_H
#define GENERATOR_KERNEL_KERNEL_FIELDS_H

#include "base/error.h"

#include <jansson.h>

/* Returns STATUS_RECIPE: the kernel's field is wrong, with what was expected. */
enum status field_wrong(struct error *error, const char *field, const char *expected);

/* A whole number from the object within [low, high]; fallback when the key is missing. */
enum status field_count(const json_t *object, const char *key, unsigned low, unsigned high, unsigned fallback,
                        unsigned *result, struct error *error);

/* The index in names of the object's string; 0 if the key is missing. */
enum status field_name(const json_t *object, const char *key, const char *const *names, int count,
                       int *result, struct error *error);

/* A number from the object within [low, 1]; fallback when the key is missing. */
enum status field_share(const json_t *object, const char *key, double low, double fallback, double *result,
                        struct error *error);

#endif
