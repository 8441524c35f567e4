/* Content hashes: BLAKE3 from LLVM's C API, as lower-case hexadecimal. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_TEXT_BYTES = 65 };

/* Writes the bytes' 256-bit hash to text as 64 digits and a NUL. */
void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES]);

/* The same for bytes in parts. */
struct hash {
    uint64_t state[256]; /* LLVM's state; avoids including its header here */
};

void hash_begin(struct hash *hash);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_end(struct hash *hash, char text[HASH_TEXT_BYTES]);

#endif
