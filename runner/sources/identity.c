#include "runner/sources/identity.h"

#include "base/buffer.h"
#include "base/json/field_json.h"

#include <string.h>

void identity_of(const struct test_program *test_program, const void *code, size_t size,
                 char identity[HASH_TEXT_BYTES])
{
    /* Targets and expected rates are kept, as sources read some of them. */
    static const char *const others[] = {"benchmark", "point",     "parameters", "hashes",  "measure",
                                         "expect",    "tolerance", "state",      "symbols", NULL};
    const struct field_choice choice = {others, true};
    struct buffer stated = {0};
    struct json_text text = {.buffer = &stated};
    struct hash hash;
    json_text_open(&text, NULL, '{');
    manifest_write_members(test_program->manifest, &choice, &text);
    json_text_close(&text, '}');
    hash_begin(&hash);
    hash_add(&hash, stated.data, stated.size);
    if (size > 0)
        hash_add(&hash, code, size);
    hash_end(&hash, identity);
    buffer_free(&stated);
}

void identity_of_executable(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    identity_of(test_program, test_program->executable, test_program->executable_size, identity);
}

void identity_of_text(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    const char *text = test_program->executable;
    size_t size = text == NULL ? 0 : test_program->executable_size;
    const char *end = size > 2 && memcmp(text, "//", 2) == 0 ? memchr(text, '\n', size) : NULL;
    size_t skipped = end == NULL ? 0 : (size_t)(end - text);
    identity_of(test_program, size == 0 ? NULL : text + skipped, size - skipped, identity);
}
