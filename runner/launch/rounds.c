#include "runner/launch/rounds.h"

#include "base/clock.h"
#include "base/fork.h"
#include "runner/process/time_limit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_BYTES = 4096 };

enum status rounds_open(const struct test_program *test_program, const struct test_program_call *call,
                        struct rounds *rounds, struct error *error)
{
    *rounds = (struct rounds){.opened = true, .outside = -1};
    rounds->start = (struct child_start){
        .image = -1, .gate = -1, .output = {-1, -1}, .errors = {-1, -1}, .failure = {-1, -1}};
    int inside = -1;
    char name[] = "program";
    char dash[] = "-";
    char descriptor[16];
    char share[TEST_PROGRAM_SHARE_BYTES] = "";
    enum status status = test_program_check_executable(test_program, error);
    if (status == STATUS_OK)
        status = test_program_check_features(test_program, error);
    if (status == STATUS_OK)
        status = fork_line(&inside, &rounds->outside, "to control a program", error);
    if (status != STATUS_OK)
        return status;
    snprintf(descriptor, sizeof descriptor, "%d", inside);
    if (call->share_fd != 0)
        test_program_share_text(call, share);
    char *const arguments[] = {name, dash, descriptor, share[0] != '\0' ? share : NULL, NULL};
    const struct child_request request = {.image = test_program->executable,
                                          .image_size = test_program->executable_size,
                                          .arguments = arguments,
                                          .cpu = call->cpu,
                                          .keep_fd = inside};
    status = child_start_open(&rounds->start, &request, error);
    if (status == STATUS_OK)
        status = child_watch_begin(&rounds->start, &rounds->watch, error);
    if (status == STATUS_OK)
        status = child_start_release(&rounds->start, error);
    close(inside);
    return status;
}

/* Appends the program's output until its line is complete, or longer than any line can be. */
static enum status read_line(struct rounds *rounds, double timeout_s, struct error *error)
{
    const struct time_limit time_limit = time_limit_begin(rounds->watch.pid, timeout_s);
    while (rounds->output.size < LINE_BYTES &&
           (rounds->output.size == 0 || memchr(rounds->output.data, '\n', rounds->output.size) == NULL)) {
        char bytes[LINE_BYTES];
        double left = time_limit_left(&time_limit);
        struct pollfd pipe = {.fd = rounds->start.output[0], .events = POLLIN};
        if (left <= 0) {
            error_set(error, STATUS_FAILED, "program was still running after %.3g s and was killed",
                      timeout_s);
            return STATUS_FAILED;
        }
        (void)poll(&pipe, 1, (int)(left * 1e3) + 1); /* read reports whether there is data */
        ssize_t got = read(rounds->start.output[0], bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return error_set(error, STATUS_UNAVAILABLE, "the program ended without reporting its round");
        if (got > 0)
            buffer_append(&rounds->output, bytes, (size_t)got);
    }
    return STATUS_OK;
}

void rounds_request(struct rounds *rounds, const struct round_call *call)
{
    const uint64_t request[2] = {call->warmup, call->passes};
    if (rounds->pending++ == 0) {
        rounds->busy_s = clock_now_s();
        buffer_free(&rounds->output);
    }
    /* If the program has ended, read_line reports it. */
    (void)send(rounds->outside, request, sizeof request, MSG_NOSIGNAL);
}

/* The output up to the end of its first line; if no further round is pending, all of it, because the line
 * must then be the only one. */
static struct buffer take_line(struct rounds *rounds)
{
    struct buffer line = rounds->output;
    const char *newline = memchr(line.data, '\n', line.size);
    rounds->output = (struct buffer){0};
    if (rounds->pending > 1 && newline != NULL) {
        size_t size = (size_t)(newline + 1 - line.data);
        buffer_append(&rounds->output, line.data + size, line.size - size);
        line.size = size;
        line.data[size] = '\0';
    }
    return line;
}

enum status rounds_report(struct rounds *rounds, const struct round_call *call,
                          struct test_program_time *time, struct error *error)
{
    enum status status = read_line(rounds, call->timeout_s, error);
    double wall_s = clock_now_s() - rounds->busy_s;
    struct buffer line = {0};
    if (status == STATUS_OK) {
        line = take_line(rounds);
        status = test_program_parse_line(&line, call->passes, time, error);
    }
    buffer_free(&line);
    rounds->pending--;
    return status == STATUS_OK ? test_program_check_ticks(time, wall_s, error) : status;
}

bool rounds_reported(const struct rounds *rounds)
{
    struct pollfd pipe = {.fd = rounds->start.output[0], .events = POLLIN};
    return rounds->output.size > 0 || poll(&pipe, 1, 0) > 0;
}

enum status rounds_make(struct rounds *rounds, const struct round_call *call, struct test_program_time *time,
                        struct error *error)
{
    rounds_request(rounds, call);
    return rounds_report(rounds, call, time, error);
}

void rounds_close(struct rounds *rounds)
{
    if (!rounds->opened)
        return;
    (void)child_watch_end(&rounds->watch);
    if (rounds->outside >= 0)
        close(rounds->outside);
    child_start_close(&rounds->start);
    buffer_free(&rounds->output);
    *rounds = (struct rounds){0};
}
