#include "runner/sources/identity.h"

#include "base/buffer.h"
#include "base/json.h"

#include <stdint.h>

void identity_of(const struct test_program *test_program, const void *code, size_t size,
                 char identity[HASH_TEXT_BYTES])
{
    /* Targets and expected rates stay: sources read some of them. */
    static const char *const others[] = {"benchmark", "point",     "parameters", "hashes", "measure",
                                         "expect",    "tolerance", "state",      "symbols"};
    json_t *document = json_copy((json_t *)(uintptr_t)test_program->manifest->document);
    struct buffer stated = {0};
    struct hash hash;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        json_object_del(document, others[i]);
    json_write(&stated, document, 0);
    hash_begin(&hash);
    hash_add(&hash, stated.data, stated.size);
    if (size > 0)
        hash_add(&hash, code, size);
    hash_end(&hash, identity);
    buffer_free(&stated);
    json_decref(document);
}

void identity_of_executable(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    identity_of(test_program, test_program->executable, test_program->executable_size, identity);
}
