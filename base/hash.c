#include "base/hash.h"

#include <llvm-c/blake3.h>
#include <stdint.h>

void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES])
{
    llvm_blake3_hasher hasher;
    uint8_t digest[LLVM_BLAKE3_OUT_LEN];
    llvm_blake3_hasher_init(&hasher);
    llvm_blake3_hasher_update(&hasher, bytes, size);
    llvm_blake3_hasher_finalize(&hasher, digest, sizeof digest);
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof digest; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * sizeof digest] = '\0';
}
