/* The binary that a device's runtime made of a program, whatever it was loaded from: evidence judges that
 * one. */
#ifndef RUNNER_DEVICES_MADE_BINARY_H
#define RUNNER_DEVICES_MADE_BINARY_H

#include "base/buffer.h"

#include <jansson.h>

/* Adds to module "made": {"hash", "bytes"}, and to facts "binary", in hexadecimal digits for the launcher; or
 * to module "no_binary", a sentence. */
void made_binary_report(const struct buffer *binary, json_t *module, json_t *facts);

#endif
