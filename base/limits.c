#include "base/limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { KIB = 1024, MOST_DIGITS = 20 };

static char *append(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

static char *append_number(char *at, unsigned long long number)
{
    char digits[MOST_DIGITS + 1];
    char *first = digits + MOST_DIGITS;
    *first = '\0';
    do
        *--first = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return append(at, first);
}

const char *limits_describe_memory(char text[LIMITS_BYTES])
{
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) {
        append(text, "there is no more memory on this machine");
        return text;
    }
    char *at = append(text, "there is no more memory: `ulimit -v` allows ");
    at = append_number(at, (unsigned long long)space.rlim_cur / KIB);
    append(at, " KiB of address space");
    return text;
}

const char *limits_describe_files(char text[LIMITS_BYTES])
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        snprintf(text, LIMITS_BYTES, "`ulimit -n` allows %llu", (unsigned long long)files.rlim_cur);
    else
        snprintf(text, LIMITS_BYTES, "see `ulimit -n`");
    return text;
}

const char *limits_describe(int failure, char text[LIMITS_BYTES])
{
    char limit[LIMITS_BYTES];
    if (failure == EMFILE)
        snprintf(text, LIMITS_BYTES, "%.90s: %.90s", strerror(failure), limits_describe_files(limit));
    else
        snprintf(text, LIMITS_BYTES, "%s", strerror(failure));
    return text;
}

bool limits_are_unnamed(const char *text)
{
    return strstr(text, strerror(EMFILE)) != NULL && strstr(text, "ulimit -n") == NULL;
}
