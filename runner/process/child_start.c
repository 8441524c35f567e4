/* In the parent: pipes, a gate at which the child waits, and the executable's file in memory. In the child:
 * the system calls that turn it into the program. */
#include "runner/process/child_start.h"

#include "base/files/memory_file.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    return file_is_regular(path) && access(path, X_OK) == 0;
}

bool child_program_find(const char *name, char *path)
{
    if (strchr(name, '/') != NULL)
        return snprintf(path, FILE_PATH_BYTES, "%s", name) < FILE_PATH_BYTES && is_program(path);
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        size_t length = strcspn(folders, ":");
        /* An empty entry of PATH means the working folder. */
        char folder[FILE_PATH_BYTES] = ".";
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, folders, length);
            folder[length] = '\0';
        }
        file_join(path, folder, name);
        if (length < sizeof folder && is_program(path))
            return true;
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

bool child_program_exists(const char *name)
{
    char path[FILE_PATH_BYTES];
    return child_program_find(name, path);
}

void child_start_close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

void child_start_close(struct child_start *start)
{
    int *const all[] = {&start->image,     &start->gate,      &start->output[0],  &start->output[1],
                        &start->errors[0], &start->errors[1], &start->failure[0], &start->failure[1]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        child_start_close_fd(all[i]);
    if (start->mask != NULL) {
        CPU_FREE(start->mask);
        start->mask = NULL;
    }
}

static enum status make_mask(struct child_start *start, int cpu, struct error *error)
{
    start->mask = CPU_ALLOC((size_t)cpu + 1);
    if (start->mask == NULL)
        return error_set(error, STATUS_FAILED, "no memory for the mask of logical processor %d", cpu);
    start->mask_size = CPU_ALLOC_SIZE((size_t)cpu + 1);
    CPU_ZERO_S(start->mask_size, start->mask);
    CPU_SET_S((size_t)cpu, start->mask_size, start->mask);
    return STATUS_OK;
}

enum status child_start_open(struct child_start *start, const struct child_request *request,
                             struct error *error)
{
    *start = (struct child_start){.image = -1,
                                  .gate = -1,
                                  .output = {-1, -1},
                                  .errors = {-1, -1},
                                  .failure = {-1, -1},
                                  .keep = request->keep_fd,
                                  .arguments = request->arguments};
    if (request->path == NULL) {
        enum status status =
            memory_file_open(request->image, request->image_size, true, &start->image, error);
        if (status != STATUS_OK)
            return status;
    } else if (!child_program_find(request->path, start->path)) {
        enum status status =
            error_set(error, STATUS_UNAVAILABLE, "there is no executable program \"%s\"", request->path);
        error_hint(error, "install it, or add its folder to PATH");
        return status;
    }
    start->gate = eventfd(0, EFD_CLOEXEC);
    /* Only the parent's ends must be non-blocking; O_NONBLOCK on the child's ends would affect the
     * program. */
    if (start->gate < 0 || pipe2(start->output, O_CLOEXEC) || pipe2(start->errors, O_CLOEXEC) ||
        pipe2(start->failure, O_CLOEXEC) || fcntl(start->output[0], F_SETFL, O_NONBLOCK) ||
        fcntl(start->errors[0], F_SETFL, O_NONBLOCK) || fcntl(start->failure[0], F_SETFL, O_NONBLOCK)) {
        char text[LIMITS_BYTES];
        enum status status = error_set(error, STATUS_FAILED, "cannot open pipes to a child process: %s",
                                       limits_describe(errno, text));
        error_hint(error, "a run needs about twenty open files");
        return status;
    }
    return request->cpu >= 0 ? make_mask(start, request->cpu, error) : STATUS_OK;
}

enum status child_start_release(const struct child_start *start, struct error *error)
{
    const uint64_t open = 1;
    if (write(start->gate, &open, sizeof open) == sizeof open)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "cannot start %s: %s", start->arguments[0], strerror(errno));
}

/* From here on this is the child, between fork and exec. */

static _Noreturn void give_up(int failure_pipe, enum child_start_step step)
{
    struct child_start_failure failure = {(int)step, errno};
    while (write(failure_pipe, &failure, sizeof failure) < 0 && errno == EINTR)
        ;
    _exit(127);
}

/* Puts the pipes at 0, 1 and 2. They are first moved above 2: a parent that was started with a closed stdin
 * has a pipe at 0, and dup2 onto itself would leave it with close-on-exec set. */
static bool place_stdio(const struct child_start *start)
{
    int ends[3] = {open("/dev/null", O_RDONLY | O_CLOEXEC), start->output[1], start->errors[1]};
    for (int i = 0; i < 3; i++) {
        ends[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
        if (ends[i] < 0)
            return false;
    }
    for (int i = 0; i < 3; i++) {
        if (dup2(ends[i], i) < 0)
            return false;
    }
    return true;
}

void child_start_program(void *context)
{
    const struct child_start *start = context;
    setpgid(0, 0);
    int failure = fcntl(start->failure[1], F_DUPFD_CLOEXEC, 3);
    int gate = fcntl(start->gate, F_DUPFD_CLOEXEC, 3);
    int image = start->image >= 0 ? fcntl(start->image, F_DUPFD_CLOEXEC, 3) : -1;
    bool kept = start->keep == 0 || fcntl(start->keep, F_SETFD, 0) == 0;
    if (failure < 0 || gate < 0 || !kept || !place_stdio(start))
        give_up(failure >= 0 ? failure : start->failure[1], START_STDIO);
    if (start->mask != NULL && sched_setaffinity(0, start->mask_size, start->mask))
        give_up(failure, START_PIN);
    uint64_t opened;
    while (read(gate, &opened, sizeof opened) < 0 && errno == EINTR)
        ;
    if (image >= 0) {
        fexecve(image, start->arguments, environ);
    } else {
        execve(start->path, start->arguments, environ);
    }
    give_up(failure, START_EXECUTE);
}
