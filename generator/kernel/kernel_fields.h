/* Reading the fields of a kernel's JSON form, each with its own refusal (kernel.h). */
#ifndef GENERATOR_KERNEL_KERNEL_FIELDS_H
#define GENERATOR_KERNEL_KERNEL_FIELDS_H

#include "generator/kernel/kernel.h"

/* STATUS_RECIPE: the kernel's field is wrong, and what was expected. */
enum status field_wrong(struct error *error, const char *field, const char *expected);

/* A whole number from the object within [low, high]; fallback when the key is missing. */
enum status field_count(const json_t *object, const char *key, unsigned low, unsigned high, unsigned fallback,
                        unsigned *result, struct error *error);

/* The index of the object's string in names; 0 when the key is missing. */
enum status field_name(const json_t *object, const char *key, const char *const *names, int count,
                       int *result, struct error *error);

/* A number from the object within [low, 1]; fallback when the key is missing. */
enum status field_share(const json_t *object, const char *key, double low, double fallback, double *result,
                        struct error *error);

/* Fills the data of a behaviour whose width is known; data may be NULL: none. */
enum status data_from_json(const json_t *data, struct arena *arena, struct behaviour *item,
                           struct error *error);

/* The data as it was read. New reference. */
json_t *data_to_json(const struct behaviour *item);

/* The fields of a load or a store but op and count. */
enum status access_from_json(const json_t *object, struct arena *arena, struct behaviour *item,
                             struct error *error);

/* The behaviour as it was read. New reference. */
json_t *access_to_json(const struct behaviour *item);

#endif
