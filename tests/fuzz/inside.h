/* sandbox_run without its process: the Lua state and its limits are those of
 * generator/recipe/sandbox_child.c, which is part of this source, but what would end the process comes back,
 * and the limit on time is a tenth. So an input costs a millisecond, and a fuzzer sees what it covers.
 * Include it once; whatever the file holds, its memory is freed. */
#ifndef TESTS_FUZZ_INSIDE_H
#define TESTS_FUZZ_INSIDE_H

#include "base/buffer.h"
#include "generator/recipe/sandbox.h"
#include "generator/recipe/sandbox_child.h"
#include "generator/recipe/sandbox_guard.h"
#include "tests/fuzz/fuzz.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

/* What a jump out of the sandbox leaves behind is no leak: the process would have ended. */
#if defined __SANITIZE_ADDRESS__ || defined __clang__
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#endif

/* Every block that Lua holds, so that all can be freed without Lua. */
struct inside_block {
    struct inside_block *before, *after;
    size_t size;
    max_align_t bytes[];
};

static struct {
    sigjmp_buf out;
    struct sandbox_host *host;
    struct inside_block first;  /* of a ring */
    volatile sig_atomic_t busy; /* allocating */
} inside;

static void *inside_realloc(void *bytes, size_t size)
{
    struct inside_block *block = bytes == NULL ? NULL : (struct inside_block *)bytes - 1;
    struct inside_block *before = block == NULL ? &inside.first : block->before;
    struct inside_block *after = block == NULL ? inside.first.after : block->after;
    inside.busy = 1;
    struct inside_block *moved = realloc(block, sizeof *block + size);
    if (moved != NULL) {
        *moved = (struct inside_block){before, after, size};
        before->after = after->before = moved;
    }
    inside.busy = 0;
    return moved == NULL ? NULL : moved + 1;
}

static void inside_free(void *bytes)
{
    struct inside_block *block = bytes == NULL ? NULL : (struct inside_block *)bytes - 1;
    if (block == NULL)
        return;
    inside.busy = 1;
    block->before->after = block->after;
    block->after->before = block->before;
    free(block);
    inside.busy = 0;
}

static _Noreturn void inside_leave(int code)
{
    (void)code;
    buffer_free(&inside.host->output);
    buffer_free(&inside.host->record);
    siglongjmp(inside.out, 1);
}

/* What a hook never sees, a pattern match say, is ended from outside, as the process would be. Not within an
 * allocation, which another would then wait for. */
static void inside_too_late(int number)
{
    (void)number;
    if (!inside.busy)
        siglongjmp(inside.out, 2);
}

/* Ten times as fast as the clock. */
static int inside_clock(struct timespec *now)
{
    struct timespec real;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &real);
    int64_t ns = (real.tv_sec * INT64_C(1000000000) + real.tv_nsec) * 10;
    *now = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return 0;
}

/* A call that is not made. */
static int inside_none(const void *one, const void *other)
{
    (void)one;
    (void)other;
    return -1;
}

#define lua_newstate(function, context) (inside.host = (context), lua_newstate(function, context))
#define _exit(code) inside_leave(code)
#define realloc(bytes, size) inside_realloc(bytes, size)
#define free(bytes) inside_free(bytes)
#define clock_gettime(clock, now) inside_clock(now)
#define timer_create(clock, event, timer) inside_none(event, timer) /* the hook counts from the start */
#define sigaction(number, action, before) inside_none(action, before)
#define mmap(...) MAP_FAILED /* no stack for handlers of crashes: those are the fuzzer's */
#define sandbox_guard(host) ((void)(host))
#include "generator/recipe/sandbox_child.c"
#undef lua_newstate
#undef _exit
#undef realloc
#undef free
#undef clock_gettime
#undef timer_create
#undef sigaction
#undef mmap
#undef sandbox_guard

static void inside_run(const struct sandbox_request *request, int fd)
{
    const struct sigaction action = {.sa_handler = inside_too_late, .sa_flags = SA_NODEFER};
    const struct itimerval limit = {.it_interval.tv_usec = 50000, .it_value.tv_usec = 700000};
    struct itimerval none;
    struct sandbox_last last = {0};
    inside.first.before = inside.first.after = &inside.first;
    inside.busy = 0;
    memset(&none, 0, sizeof none);
    sigaction(SIGPROF, &action, NULL);
    if (sigsetjmp(inside.out, 1) == 0) {
        __lsan_disable();
        setitimer(ITIMER_PROF, &limit, NULL);
        sandbox_child(request, fd, &last);
    }
    setitimer(ITIMER_PROF, &none, NULL);
    __lsan_enable();
    while (inside.first.after != &inside.first)
        inside_free(inside.first.after + 1);
}

/* One record of the output, as sandbox.c takes it. */
static enum status inside_take(const struct sandbox_request *request, const char *line, size_t size,
                               bool *done, struct error *error)
{
    enum status status = STATUS_OK;
    json_t *record = json_parse(line, size, request->path, error);
    FUZZ_REQUIRE(record != NULL);
    void *member = json_object_iter(record);
    const char *kind = json_object_iter_key(member);
    json_t *value = json_object_iter_value(member);
    if (strcmp(kind, "error") == 0)
        status = error_set(error, STATUS_RECIPE, "%s", json_string_or(value, "message", ""));
    else if (strcmp(kind, "done") == 0)
        *done = true;
    else
        status = request->on_record(line, size, request->context, error);
    json_decref(record);
    return status;
}

/* In place of the library's. */
enum status sandbox_run(const struct sandbox_request *request, struct error *error)
{
    struct buffer output = {0};
    bool done = false;
    int fd;
    enum status status = memory_file_open("", 0, false, &fd, error);
    FUZZ_REQUIRE(status == STATUS_OK);
    inside_run(request, fd);
    FUZZ_REQUIRE(memory_file_read(fd, &output, error) == STATUS_OK);
    close(fd);
    size_t at = 0;
    const char *end;
    while (status == STATUS_OK && output.size > at &&
           (end = memchr(output.data + at, '\n', output.size - at)) != NULL) {
        size_t size = (size_t)(end - output.data) - at;
        status = inside_take(request, output.data + at, size, &done, error);
        at += size + 1;
    }
    buffer_free(&output);
    return done || status != STATUS_OK ? status
                                       : error_set(error, STATUS_RECIPE, "the file ended without a result");
}

#endif
