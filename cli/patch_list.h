/* trauma patch --list: what a binary has to patch. */
#ifndef CLI_PATCH_LIST_H
#define CLI_PATCH_LIST_H

#include "base/buffer.h"
#include "cli/options.h"

/* Prints functions, instructions and offsets of the file, in words or as JSON. Nothing is printed on an
 * error. */
enum status patch_list(const struct options *options, const struct buffer *file, struct error *error);

/* The words of the bytes as they are written, most significant digits first; returns text. */
const char *patch_words(const unsigned char *bytes, size_t size, char text[160]);

#endif
