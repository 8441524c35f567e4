/* Readers for machine file fields shared by CPU and GPU descriptions (machine_field.h). */
#ifndef GENERATOR_MACHINE_MACHINE_READERS_H
#define GENERATOR_MACHINE_MACHINE_READERS_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/machine/machine_field.h"

field_read machine_read_name;   /* [A-Za-z0-9_-][A-Za-z0-9._-]*: char[high + 1] */
field_read machine_read_policy; /* "lru" and so on: enum cache_policy */
field_read machine_read_vf;     /* voltage and frequency states: copy only */

/* The fields of a GPU's machine file, with offsets from a struct machine. */
extern const struct field machine_gpu_fields[];

/* Derives the remaining fields of a GPU. STATUS_RECIPE if the numbers are inconsistent. */
enum status machine_gpu_complete(struct machine *machine, struct error *error);

#endif
