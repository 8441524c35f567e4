/* A made-up chip that cools, loaded before a program (LD_PRELOAD): T = 35 + 55 exp(-t / 20 s) degrees
 * Celsius, P = 0.5 W/K * T + 10 W, t from the program's first look at it. Whoever opens a file "temp1_input"
 * reads the temperature of that moment (hwmon's unit, 1/1000 degree), and of a file "energy_uj" the energy
 * until then (powercap's unit, microjoule).
 *
 * It answers as it is asked, since a program of its own that writes files stands still where a machine is
 * busy, and what it wrote last is then no longer true.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const double FLOOR_C = 35, RISE_C = 55, TAU_S = 20, WATTS_PER_K = 0.5, LEAST_W = 10;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static double start_s;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin(void)
{
    start_s = now_s();
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path);
    return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

/* A file of one line. */
static int file_of(double value)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%.0f\n", value);
    int fd = memfd_create("chip", MFD_CLOEXEC);
    if (fd >= 0 && pwrite(fd, line, (size_t)length, 0) != length) {
        close(fd);
        return -1;
    }
    return fd;
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    bool temperature = ends_with(path, "/temp1_input");
    if (!temperature && !ends_with(path, "/energy_uj")) {
        int (*real)(const char *, int, ...);
        void *found = dlsym(RTLD_NEXT, "open");
        memcpy(&real, &found, sizeof real);
        return real(path, flags, mode);
    }
    pthread_once(&once, begin);
    double t = now_s() - start_s;
    double risen = RISE_C * exp(-t / TAU_S);
    double joules = (WATTS_PER_K * FLOOR_C + LEAST_W) * t + WATTS_PER_K * TAU_S * (RISE_C - risen);
    return file_of(temperature ? 1e3 * (FLOOR_C + risen) : 1e6 + 1e6 * joules);
}
