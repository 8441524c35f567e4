#include "base/hash.h"

#include <llvm-c/blake3.h>
#include <stdint.h>
#include <stdio.h>

void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES])
{
    llvm_blake3_hasher hasher;
    uint8_t digest[LLVM_BLAKE3_OUT_LEN];
    llvm_blake3_hasher_init(&hasher);
    llvm_blake3_hasher_update(&hasher, bytes, size);
    llvm_blake3_hasher_finalize(&hasher, digest, sizeof digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
