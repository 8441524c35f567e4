/* Content hashes: BLAKE3 by LLVM's C API, as lower-case hexadecimal. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>

enum { HASH_TEXT_BYTES = 65 };

/* The 256-bit hash of the bytes as 64 digits and a NUL in text. */
void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES]);

#endif
