#include "runner/devices/made_binary.h"

#include "base/hash.h"

void made_binary_report(const struct buffer *binary, json_t *module, json_t *facts)
{
    enum { MOST_BYTES = 1 << 26 }; /* twice as many digits are sent to the parent */
    static const char digits[] = "0123456789abcdef";
    char hash[HASH_TEXT_BYTES];
    struct buffer text = {0};
    if (binary->size > MOST_BYTES) {
        json_object_set_new(module, "no_binary", json_string("the runtime's binary is larger than 64 MiB"));
        return;
    }
    for (size_t i = 0; i < binary->size; i++) {
        unsigned char byte = (unsigned char)binary->data[i];
        buffer_append(&text, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
    hash_bytes(binary->data, binary->size, hash);
    json_object_set_new(module, "made",
                        json_pack("{s:s, s:I}", "hash", hash, "bytes", (json_int_t)binary->size));
    json_object_set_new(facts, "binary", json_stringn(text.data, text.size));
    buffer_free(&text);
}
