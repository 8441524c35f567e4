#include "runner/process/time_limit.h"

#include "base/clock.h"
#include "base/file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

static const double LONGEST = 20; /* times the limit */

/* The second number of schedstat, of each thread. */
double time_limit_waited_s(pid_t pid)
{
    char path[FILE_PATH_BYTES];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        unsigned long long ran;
        unsigned long long waited = 0;
        snprintf(path, sizeof path, "/proc/%ld/task/%.20s/schedstat", (long)pid, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
        if (file != NULL && fscanf(file, "%20llu %20llu", &ran, &waited) == 2)
            sum += (double)waited * 1e-9;
        if (file != NULL)
            fclose(file);
    }
    closedir(folder);
    return sum;
}

struct time_limit time_limit_begin(pid_t pid, double limit_s)
{
    return (struct time_limit){pid, limit_s, clock_now_s(), time_limit_waited_s(pid)};
}

double time_limit_left(const struct time_limit *time_limit)
{
    double gone = clock_now_s() - time_limit->begin_s;
    if (gone < time_limit->limit_s || gone >= LONGEST * time_limit->limit_s)
        return time_limit->limit_s - gone;
    double waited = fmax(0, time_limit_waited_s(time_limit->pid) - time_limit->waited_s);
    return fmin(time_limit->limit_s + waited, LONGEST * time_limit->limit_s) - gone;
}
