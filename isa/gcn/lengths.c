#include "isa/gcn/lengths.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FALLS_MOST = 64, SECONDS_MOST = 120 };

/* What parent and child share: the place that the child is at, and what it found so far. */
struct shared {
    size_t at;
    unsigned char lengths[];
};

static void walk_on(struct gcn_walker *walker, const unsigned char *bytes, size_t size, struct shared *shared)
{
    char text[GCN_TEXT_BYTES];
    while (shared->at + 4 <= size) {
        size_t length = gcn_walker_step(walker, bytes + shared->at, size - shared->at, text);
        shared->lengths[shared->at / 4] = (unsigned char)length;
        shared->at += length == 0 ? 4 : length;
    }
}

/* A child ends by its signals as if nobody had asked to be told of them, and what LLVM has to say of that is
 * not this program's to print. */
static void end_quietly(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    const struct rlimit none = {0, 0};
    const struct rlimit time = {SECONDS_MOST, SECONDS_MOST};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
}

/* True in *whole when the child came to the end. */
static enum status walk_in_child(struct gcn_walker *walker, const unsigned char *bytes, size_t size,
                                 struct shared *shared, bool *whole, struct error *error)
{
    int how = 0;
    pid_t child = fork();
    if (child < 0)
        return error_set(error, STATUS_FAILED, "no process can be had to read the code in: %s",
                         strerror(errno));
    if (child == 0) {
        end_quietly();
        walk_on(walker, bytes, size, shared);
        _exit(0);
    }
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            return error_set(error, STATUS_FAILED, "the process that reads the code: %s", strerror(errno));
    *whole = WIFEXITED(how) && WEXITSTATUS(how) == 0;
    return STATUS_OK;
}

enum status gcn_lengths(struct gcn_walker *walker, const unsigned char *bytes, size_t size,
                        unsigned char *lengths, struct error *error)
{
    size_t room = sizeof(struct shared) + size / 4;
    struct shared *shared = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum status status = STATUS_OK;
    if (shared == MAP_FAILED)
        return error_set(error, STATUS_FAILED, "no memory for the places of %zu instructions: %s", size / 4,
                         strerror(errno));
    if (!gcn_walker_may_fall(walker))
        walk_on(walker, bytes, size, shared);
    for (unsigned falls = 0; status == STATUS_OK && shared->at + 4 <= size && falls < FALLS_MOST; falls++) {
        bool whole = false;
        status = walk_in_child(walker, bytes, size, shared, &whole, error);
        if (status == STATUS_OK && !whole)
            shared->at += 4; /* of the word that it fell over the length stays 0 */
    }
    memcpy(lengths, shared->lengths, size / 4);
    munmap(shared, room);
    return status;
}
