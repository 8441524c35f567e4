/* Content hashes: BLAKE3 by LLVM's C API, as lower-case hexadecimal. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_TEXT_BYTES = 65 };

/* The 256-bit hash of the bytes as 64 digits and a NUL in text. */
void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES]);

/* The same of bytes that come in parts. */
struct hash {
    uint64_t state[256]; /* LLVM's, whose header stays out of this one */
};

void hash_begin(struct hash *hash);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_end(struct hash *hash, char text[HASH_TEXT_BYTES]);

#endif
