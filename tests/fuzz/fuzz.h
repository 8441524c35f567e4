/* What the fuzz entries share. Each fuzz_NAME.c defines LLVMFuzzerTestOneInput for one parser: driver.c calls
 * it with damaged files of a corpus, or clang's libFuzzer with its own. An input that does harm ends the
 * process. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/error.h"
#include "base/file.h"
#include "base/files/memory_file.h"
#include "base/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_PATH_BYTES = 64 };

/* Also where asserts are compiled out. */
#define FUZZ_REQUIRE(condition)                                                                              \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                    \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* A refusal has one of the exit codes and a sentence. True when there is none. */
static inline bool fuzz_accepted(enum status status, const struct error *error)
{
    if (status == STATUS_OK)
        return true;
    FUZZ_REQUIRE(status >= STATUS_FAILED && status <= STATUS_UNAVAILABLE && error->message[0] != '\0');
    return false;
}

/* The input as a file: a descriptor to close, and its path. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_BYTES])
{
    int fd;
    struct error error;
    if (memory_file_open(data, size, false, &fd, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    snprintf(path, FUZZ_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

/* For atexit. */
static inline void fuzz_remove_folder(void)
{
    char folder[FUZZ_PATH_BYTES];
    snprintf(folder, sizeof folder, "/tmp/trauma-fuzz-%ld", (long)getpid());
    file_remove_tree(folder, NULL);
}

/* A folder of this process, which is empty at first and gone at its end; for entries that need one. Returns
 * folder. */
static inline char *fuzz_make_folder(char folder[FUZZ_PATH_BYTES])
{
    struct error error;
    fuzz_remove_folder();
    snprintf(folder, FUZZ_PATH_BYTES, "/tmp/trauma-fuzz-%ld", (long)getpid());
    FUZZ_REQUIRE(file_make_folders(folder, &error) == STATUS_OK && atexit(fuzz_remove_folder) == 0);
    return folder;
}

/* The input as a JSON document; NULL where it is none. */
static inline json_t *fuzz_json(const uint8_t *data, size_t size)
{
    return json_loadb((const char *)data, size, JSON_ALLOW_NUL, NULL);
}

/* A document that the entry itself has. */
static inline json_t *fuzz_constant(const char *text)
{
    json_t *document = json_loads(text, 0, NULL);
    FUZZ_REQUIRE(document != NULL);
    return document;
}

#endif
