#include "runner/devices/cuda/cuda_module.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "runner/devices/compiler_message.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 16384 };

/* CUjit_option. */
enum { INFO_LOG = 3, INFO_LOG_BYTES = 4, ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };
enum { LOG_VERBOSE = 12, LINE_INFO = 13 };

/* CUjitInputType. */
enum { PTX = 1 };

static const char file_name[] = "program.ptx";

/* CUfunction_attribute. */
static const struct {
    size_t offset; /* of a double in the module */
    int number;
} attributes[] = {
    {offsetof(struct device_module, registers), 4},    {offsetof(struct device_module, local_bytes), 3},
    {offsetof(struct device_module, shared_bytes), 1}, {offsetof(struct device_module, threads_per_block), 0},
    {offsetof(struct device_module, ptx), 5},          {offsetof(struct device_module, binary), 6}};

static void describe(const struct cuda_library *library, cuda_function function, const struct buffer *binary,
                     const char *log, struct device_module *module)
{
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        int value;
        if (library->function_attribute(&value, attributes[i].number, function) == CUDA_OK)
            *(double *)(void *)((char *)module + attributes[i].offset) = value;
    }
    buffer_text(&module->log, log);
    device_module_set_made(module, binary->data, binary->size);
    if (binary->size == 0)
        snprintf(module->no_binary, sizeof module->no_binary, "this driver does not give what it compiled");
}

/* ---- compiling ---- */

/* The compiler's options, and the buffers for its messages. */
struct jit_options {
    int names[6];
    void *values[6];
    char *info, *complaints;
};

static struct jit_options start_options(char *info, char *complaints)
{
    return (struct jit_options){
        {INFO_LOG, INFO_LOG_BYTES, ERROR_LOG, ERROR_LOG_BYTES, LOG_VERBOSE, LINE_INFO},
        {info, (void *)(uintptr_t)LOG_BYTES, complaints, (void *)(uintptr_t)LOG_BYTES, (void *)(uintptr_t)1,
         (void *)(uintptr_t)1},
        info,
        complaints};
}

/* Compiles the text, which ends in a NUL, as the driver would when loading it, and keeps the binary, so that
 * what runs is known. */
static int compile(const struct cuda_library *library, const struct buffer *text, struct jit_options *options,
                   struct buffer *binary)
{
    cuda_link link;
    void *made = NULL;
    size_t size = 0;
    if (library->link_create == NULL || library->link_add == NULL || library->link_complete == NULL ||
        library->link_destroy == NULL)
        return CUDA_NOT_SUPPORTED;
    int result = library->link_create(sizeof options->names / sizeof options->names[0], options->names,
                                      options->values, &link);
    if (result != CUDA_OK)
        return result;
    result = library->link_add(link, PTX, text->data, text->size + 1, file_name, 0, NULL, NULL);
    if (result == CUDA_OK)
        result = library->link_complete(link, &made, &size);
    if (result == CUDA_OK)
        buffer_append(binary, made, size);
    (void)library->link_destroy(link);
    return result;
}

static int load(const struct cuda_library *library, const struct buffer *text, struct jit_options *options,
                struct buffer *binary, cuda_module *module)
{
    int result = compile(library, text, options, binary);
    if (result == CUDA_NOT_SUPPORTED) /* with the options except LINE_INFO, which loading does not support */
        result =
            library->module_load(module, text->data, sizeof options->names / sizeof options->names[0] - 1,
                                 options->names, options->values);
    else if (result == CUDA_OK)
        result = library->module_load(module, binary->data, 0, NULL, NULL);
    options->info[LOG_BYTES - 1] = options->complaints[LOG_BYTES - 1] = '\0';
    return result;
}

enum status cuda_module_load(const struct cuda_library *library, const void *ptx, size_t size,
                             const char *entry, cuda_function *function, struct device_module *module,
                             struct error *error)
{
    char *info = memory_zeroed(2, LOG_BYTES);
    struct jit_options options = start_options(info, info + LOG_BYTES);
    struct buffer text = {0}, binary = {0};
    cuda_module loaded;
    enum status status = STATUS_OK;
    buffer_append(&text, ptx, size);
    int result = load(library, &text, &options, &binary, &loaded);
    if (result == CUDA_INVALID_PTX || (result != CUDA_OK && compiler_message_line(options.complaints) > 0)) {
        compiler_message_to_error(options.complaints, file_name, error);
        error_hint(error, "`ptxas` of NVIDIA's toolkit reports the same without a GPU");
        status = STATUS_FAILED;
    } else {
        status = cuda_refusal(library, result, "compiling program.ptx", error);
    }
    if (status == STATUS_OK)
        status = cuda_refusal(library, library->module_function(function, loaded, entry), entry, error);
    if (status == STATUS_OK && module != NULL)
        describe(library, *function, &binary, info, module);
    buffer_free(&text);
    buffer_free(&binary);
    free(info);
    return status;
}
