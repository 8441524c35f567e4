/* trauma patch --list: what can be patched in a binary. */
#ifndef CLI_PATCH_LIST_H
#define CLI_PATCH_LIST_H

#include "base/buffer.h"
#include "cli/options.h"

/* Prints functions, instructions and offsets of the file, as text or as JSON. Prints nothing on an error. */
enum status patch_list(const struct options *options, const struct buffer *file, struct error *error);

/* The words of the bytes as written, most significant digits first; returns text. */
const char *patch_words(const unsigned char *bytes, size_t size, char text[160]);

#endif
