#include "base/hash.h"

#include <assert.h>
#include <llvm-c/blake3.h>

static_assert(sizeof(llvm_blake3_hasher) <= sizeof(struct hash), "the state has too little room");

static llvm_blake3_hasher *hasher_of(struct hash *hash)
{
    return (llvm_blake3_hasher *)(void *)hash->state;
}

void hash_begin(struct hash *hash)
{
    llvm_blake3_hasher_init(hasher_of(hash));
}

void hash_add(struct hash *hash, const void *bytes, size_t size)
{
    llvm_blake3_hasher_update(hasher_of(hash), bytes, size);
}

void hash_end(struct hash *hash, char text[HASH_TEXT_BYTES])
{
    uint8_t digest[LLVM_BLAKE3_OUT_LEN];
    llvm_blake3_hasher_finalize(hasher_of(hash), digest, sizeof digest);
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof digest; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * sizeof digest] = '\0';
}

void hash_bytes(const void *bytes, size_t size, char text[HASH_TEXT_BYTES])
{
    struct hash hash;
    hash_begin(&hash);
    hash_add(&hash, bytes, size);
    hash_end(&hash, text);
}
