/* A made-up chip that draws power for work, loaded before a program (LD_PRELOAD): 10 W, and 40 W more for
 * each second of processor time of the processes that the program forked and that run no other program.
 * Whoever opens a file "energy_uj" reads the energy until then (powercap's unit, microjoule). As it goes by
 * processor time, the energy of a piece of work is the same on a busy machine. A file whose path contains
 * BURNING_CHIP_NOT is left as it is. */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static const double IDLE_W = 10, WORK_W = 40;
enum { CHILDREN = 1024 };

/* Shared with the children, which write themselves down. */
static struct {
    atomic_int count;
    pid_t pids[CHILDREN];
} * children;

static double seconds(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

static void note_child(void)
{
    int number = atomic_fetch_add(&children->count, 1);
    if (number < CHILDREN)
        children->pids[number] = getpid();
}

__attribute__((constructor)) static void begin(void)
{
    children = mmap(NULL, sizeof *children, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_atfork(NULL, NULL, note_child);
}

static int answer(void)
{
    static double worked_s[CHILDREN]; /* what is over remains */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    double work_s = 0;
    char text[64];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < children->count && i < CHILDREN; i++) {
        clockid_t clock;
        if (clock_getcpuclockid(children->pids[i], &clock) == 0)
            worked_s[i] = fmax(worked_s[i], seconds(clock));
        work_s += worked_s[i];
    }
    pthread_mutex_unlock(&lock);
    double joules = IDLE_W * seconds(CLOCK_MONOTONIC) + WORK_W * work_s;
    int length = snprintf(text, sizeof text, "%.0f\n", 1e6 * joules);
    int fd = memfd_create("energy", MFD_CLOEXEC);
    if (fd >= 0 && (write(fd, text, (size_t)length) != length || lseek(fd, 0, SEEK_SET) != 0))
        return -1;
    return fd;
}

static int is_energy(const char *path)
{
    static const char end[] = "/energy_uj";
    const char *not = getenv("BURNING_CHIP_NOT");
    size_t length = strlen(path);
    return (not == NULL || strstr(path, not ) == NULL) && length >= sizeof end - 1 &&
           strcmp(path + length - (sizeof end - 1), end) == 0;
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list list;
    va_start(list, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(list, int) : 0;
    va_end(list);
    if (is_energy(path))
        return answer();
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "open");
    return real(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);
    if (is_energy(path)) {
        int fd = answer();
        return fd < 0 ? NULL : fdopen(fd, mode);
    }
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return real(path, mode);
}
