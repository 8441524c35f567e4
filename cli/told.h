/* Names with numbers that several files tell of one thing: each is told once, or the same by all. */
#ifndef CLI_TOLD_H
#define CLI_TOLD_H

#include "base/error.h"

#include <jansson.h>

/* Keeps in told ({scope: {name: {"value", "file"}}}) that the file tells the name. scope: what it is told of,
 * an application's name or "" for all. STATUS_USAGE, with both numbers and files, when another number is
 * there. */
enum status told_add(json_t *told, const char *scope, const char *name, double value, const char *file,
                     struct error *error);

#endif
