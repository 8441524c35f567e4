/* Executes what is launched on the made-up GPU by the executor of PTX, with the launch's own shape and
 * parameters, on the memory that was allocated for it. */
#ifndef TESTS_RUNNER_FAKE_CUDA_EXECUTED_H
#define TESTS_RUNNER_FAKE_CUDA_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_launch {
    const char *text;
    unsigned blocks, threads, shared; /* shared: bytes besides the text's own */
    uint64_t parameters[4];           /* iterations, warm-up, data, record */
};

/* Memory that was allocated: parts of it that programs reach without knowing of it fault. */
struct fake_memory {
    uint64_t address;
    size_t bytes;
};

/* True if the text is that of a program whose loop is marked, as all that are generated have it. */
bool fake_executes(const char *text);

/* Makes a few passes of it. False, with the reason on stderr, if the program faults, its blocks leave their
 * record as it was, or the launch is not the one that the text is for. */
bool fake_execute(const struct fake_launch *launch, const struct fake_memory *memory, size_t count,
                  unsigned sms);

#endif
