#include "cli/exhausted.h"

#include "base/limits.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20, PAGE_BYTES = 4096, FIRST_OF_ALL = 101 };

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* nothing is left to be done about it */
}

static _Noreturn void say_and_end(void)
{
    char text[LIMITS_BYTES];
    say("trauma: ");
    say(limits_say_memory(text));
    say("\n");
    _exit(EXIT_FAILURE);
}

/* Called by abort; returning goes on with it. */
static void end(int number)
{
    (void)number;
    if (errno == ENOMEM)
        say_and_end();
}

/* Takes from the system what the stack will grow to. */
__attribute__((noinline)) static void touch_stack(void)
{
    volatile char room[STACK_BYTES];
    for (size_t i = sizeof room; i >= PAGE_BYTES; i -= PAGE_BYTES)
        room[i - PAGE_BYTES] = 0;
}

/* A stack that cannot grow ends a process by a signal that tells no reason: so it grows first, where that
 * much memory is seen to be there. */
static void grow_stack(void)
{
    void *room = mmap(NULL, 2 * STACK_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        say_and_end();
    munmap(room, 2 * STACK_BYTES);
    touch_stack();
}

static void *allocate(size_t size)
{
    void *bytes = malloc(size);
    if (bytes == NULL && size > 0)
        abort();
    return bytes;
}

/* Also of what runs before main, as constructors of C++ do. */
__attribute__((constructor(FIRST_OF_ALL))) static void watch_abort(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, NULL);
}

void exhausted_watch(void)
{
    grow_stack();
    json_set_alloc_funcs(allocate, free);
}
