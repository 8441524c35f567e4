/* When two programs are the same to a simulator: their bytes are equal, and so are their manifests, except
 * for the point's name and the way it is run. */
#ifndef RUNNER_SOURCES_IDENTITY_H
#define RUNNER_SOURCES_IDENTITY_H

#include "base/hash.h"
#include "runner/launch/test_program.h"

#include <stddef.h>

/* The hash of the code and of the test program's manifest without names, hashes of texts, and members that
 * only measurements and verdicts use. */
void identity_of(const struct test_program *test_program, const void *code, size_t size,
                 char identity[HASH_TEXT_BYTES]);

/* The same for the program's text without its first comment, which names the point. */
void identity_of_text(const struct test_program *test_program, char identity[HASH_TEXT_BYTES]);

/* counter_source.identify of the sources that run the standalone executable. */
void identity_of_executable(const struct test_program *test_program, char identity[HASH_TEXT_BYTES]);

#endif
