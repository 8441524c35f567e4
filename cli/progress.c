#include "cli/progress.h"

#include "base/units.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 24 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct progress progress_start(const struct options *options, const char *what, size_t total)
{
    return (struct progress){.what = what,
                             .total = total,
                             .start_s = now_s(),
                             .allowed = !options->quiet && isatty(STDERR_FILENO)};
}

void progress_step(struct progress *progress, size_t done)
{
    double passed = now_s() - progress->start_s;
    if (!progress->allowed || passed < 1 || done == 0 || progress->total == 0)
        return;
    size_t filled = done * WIDTH / progress->total;
    char bar[WIDTH + 1], time[40];
    for (size_t i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    double left = passed / (double)done * (double)(progress->total - done);
    fprintf(stderr, "\r[%s] %zu of %zu %s, %s left\033[K", bar, done, progress->total, progress->what,
            units_format_duration(left, time, sizeof time));
    fflush(stderr);
    progress->shown = true;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
