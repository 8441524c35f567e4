#include "base/files/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
