#include "runner/devices/cuda/cuda_module.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "runner/devices/compiler_message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 16384 };

/* CUjit_option. */
enum { INFO_LOG = 3, INFO_LOG_BYTES = 4, ERROR_LOG = 5, ERROR_LOG_BYTES = 6, LOG_VERBOSE = 12 };

static const char file_name[] = "program.ptx";

/* CUfunction_attribute. */
static const struct {
    const char *key;
    int number;
} attributes[] = {{"registers", 4},         {"local_bytes", 3}, {"shared_bytes", 1},
                  {"threads_per_block", 0}, {"ptx", 5},         {"binary", 6}};

static void describe(const struct cuda_library *library, cuda_function function, const char *log,
                     json_t *facts)
{
    json_t *module = json_object();
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        int value;
        if (library->function_attribute(&value, attributes[i].number, function) == CUDA_OK)
            json_object_set_new(module, attributes[i].key, json_integer(value));
    }
    json_t *text = json_string(log); /* NULL when it is not UTF-8 */
    if (text != NULL && log[0] != '\0')
        json_object_set(module, "log", text);
    json_decref(text);
    json_object_set_new(facts, "module", module);
}

/* The result of loading text that ends in a NUL. */
static int load(const struct cuda_library *library, const char *text, char *info, char *complaints,
                cuda_module *module)
{
    int names[] = {INFO_LOG, INFO_LOG_BYTES, ERROR_LOG, ERROR_LOG_BYTES, LOG_VERBOSE};
    void *values[] = {info, (void *)(uintptr_t)LOG_BYTES, complaints, (void *)(uintptr_t)LOG_BYTES,
                      (void *)(uintptr_t)1};
    int result = library->module_load(module, text, sizeof names / sizeof names[0], names, values);
    info[LOG_BYTES - 1] = complaints[LOG_BYTES - 1] = '\0';
    return result;
}

enum status cuda_module_load(const struct cuda_library *library, const void *ptx, size_t size,
                             const char *entry, cuda_function *function, json_t *facts, struct error *error)
{
    char *info = memory_zeroed(2, LOG_BYTES);
    struct buffer text = {0};
    cuda_module module;
    enum status status = STATUS_OK;
    char *complaints = info + LOG_BYTES;
    buffer_append(&text, ptx, size);
    int result = load(library, text.data, info, complaints, &module);
    if (result == CUDA_INVALID_PTX || (result != CUDA_OK && compiler_message_line(complaints) > 0)) {
        compiler_message_to_error(complaints, file_name, error);
        error_hint(error, "`ptxas` of NVIDIA's toolkit reports the same without a GPU");
        status = STATUS_FAILED;
    } else if (result != CUDA_OK) {
        status = cuda_refusal(library, result, "compiling program.ptx", error);
    }
    if (status == STATUS_OK) {
        result = library->module_function(function, module, entry);
        if (result != CUDA_OK)
            status = cuda_refusal(library, result, entry, error);
    }
    if (status == STATUS_OK)
        describe(library, *function, info, facts);
    buffer_free(&text);
    free(info);
    return status;
}
