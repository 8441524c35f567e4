/* Content hashes: BLAKE3 from LLVM's C API, as lower-case hexadecimal. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_TEXT_BYTES = 65 };

/* Writes the bytes' 256-bit hash to text as 64 digits and a NUL. */
void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES]);

/* A short hash for tables: FNV-1a. */
static inline uint64_t hash_name(const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* hash_bytes for bytes in parts. */
struct hash {
    uint64_t state[256]; /* LLVM's state; avoids including its header here */
};

void hash_begin(struct hash *hash);
void hash_add(struct hash *hash, const void *bytes, size_t size);
void hash_end(struct hash *hash, char text[HASH_TEXT_BYTES]);

#endif
