#include "base/files/hold.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BOOT_DIGITS = 8, RANDOM_DIGITS = 16, DAY_S = 86400 };
_Static_assert(BOOT_DIGITS + 1 + RANDOM_DIGITS + 1 == HOLD_TAG_BYTES, "a tag has another size");

/* Digits that identify this boot of this host; false if the system does not provide them. */
static bool boot_digits(char digits[BOOT_DIGITS + 1])
{
    char id[64];
    char hash[HASH_TEXT_BYTES];
    memset(digits, '0', BOOT_DIGITS);
    digits[BOOT_DIGITS] = '\0';
    int fd = TEMP_FAILURE_RETRY(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (fd < 0)
        return false;
    ssize_t got = TEMP_FAILURE_RETRY(read(fd, id, sizeof id));
    close(fd);
    if (got <= 0)
        return false;
    hash_bytes(id, (size_t)got, hash);
    memcpy(digits, hash, BOOT_DIGITS);
    return true;
}

bool hold_tag(char tag[HOLD_TAG_BYTES])
{
    uint64_t number;
    char boot[BOOT_DIGITS + 1];
    if (TEMP_FAILURE_RETRY(getrandom(&number, sizeof number, 0)) != (ssize_t)sizeof number)
        return false;
    (void)boot_digits(boot);
    snprintf(tag, HOLD_TAG_BYTES, "%s-%016llx", boot, (unsigned long long)number);
    return true;
}

bool hold_is_tag(const char *text, size_t length)
{
    if (length != HOLD_TAG_BYTES - 1 || strspn(text, "0123456789abcdef") != BOOT_DIGITS)
        return false;
    return text[BOOT_DIGITS] == '-' && strspn(text + BOOT_DIGITS + 1, "0123456789abcdef") >= RANDOM_DIGITS;
}

bool hold_take(int fd)
{
    return TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) == 0 || errno != EWOULDBLOCK;
}

bool hold_is_dead(int fd, const char *tag)
{
    char boot[BOOT_DIGITS + 1];
    struct stat info;
    if (TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) != 0)
        return false;
    if (boot_digits(boot) && strncmp(boot, tag, BOOT_DIGITS) == 0)
        return true;
    return fstat(fd, &info) == 0 && time(NULL) - info.st_mtime > DAY_S;
}

int hold_file(const char *path)
{
    struct stat own;
    struct stat there;
    for (;;) {
        int fd = TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (fd < 0 && errno != ENOENT) /* a file that cannot be written may still be replaced */
            fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
        if (fd < 0)
            return -1;
        bool locked = TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) == 0;
        if (!locked || fstat(fd, &own) != 0 ||
            (stat(path, &there) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev))
            return fd;
        close(fd); /* it was replaced while this process waited */
    }
}
