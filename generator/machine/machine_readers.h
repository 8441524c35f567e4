/* Readers of a machine file's fields that the descriptions of CPUs and of GPUs share (machine_field.h). */
#ifndef GENERATOR_MACHINE_MACHINE_READERS_H
#define GENERATOR_MACHINE_MACHINE_READERS_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/machine/machine_field.h"

field_read machine_read_name;   /* [A-Za-z0-9_-][A-Za-z0-9._-]*: char[high + 1] */
field_read machine_read_policy; /* "lru" and its like: enum cache_policy */
field_read machine_read_vf;     /* states of voltage and frequency: kept in the copy only */

/* The fields of a GPU's machine file, from a struct machine on. */
extern const struct field machine_gpu_fields[];

/* Fills in what follows from the other fields of a GPU. STATUS_RECIPE when the numbers are not one GPU's. */
enum status machine_gpu_complete(struct machine *machine, struct error *error);

#endif
