/* A test that cannot run on this machine: it says why, and counts as skipped. */
#ifndef TESTS_SKIP_H
#define TESTS_SKIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define skip_because(...)                                                                                    \
    do {                                                                                                     \
        print_message("skipped: " __VA_ARGS__);                                                              \
        print_message("\n");                                                                                 \
        skip();                                                                                              \
    } while (0)

#endif
