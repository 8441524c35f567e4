#include "base/files/file_place.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MOST = 40 }; /* as the kernel */

struct file_place_made {
    int parent;
    char name[NAME_MAX + 1];
};

/* A path that is being walked; the rest grows when a link is followed. */
struct place_walk {
    struct file_place *place;
    char rest[2 * PATH_MAX];
    int links;
    bool make;
};

static int open_folder(int folder, const char *name)
{
    return TEMP_FAILURE_RETRY(openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static bool is_proc(int folder)
{
    struct statfs system;
    return fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* The folder becomes the place's. False, with errno, if it could not be opened. */
static bool enter(struct file_place *place, int folder)
{
    if (folder < 0)
        return false;
    close(place->folder);
    place->folder = folder;
    return true;
}

/* Moves the next name of the rest to *name. *last: only slashes and dots follow. */
static bool cut_name(struct place_walk *walk, char name[NAME_MAX + 1], bool *last)
{
    char *from = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(from, "/");
    errno = ENAMETOOLONG;
    if (length > NAME_MAX)
        return false;
    memcpy(name, length == 0 ? "." : from, length == 0 ? 1 : length);
    name[length == 0 ? 1 : length] = '\0';
    from += length;
    while (from[0] == '/' &&
           (from[1] == '/' || from[1] == '\0' || (from[1] == '.' && strchr("/", from[2]) != NULL)))
        from += from[1] == '.' ? 2 : 1;
    *last = from[0] == '\0';
    memmove(walk->rest, from, strlen(from) + 1);
    return true;
}

/* Returns 1 if the name is a link, whose text it puts before the rest; 0 if it is not; -1 with errno. A link
 * is examined by its own descriptor, so that it cannot be exchanged meanwhile. */
static int follow(struct place_walk *walk, const char *name, bool last)
{
    struct file_place *place = walk->place;
    struct stat info;
    char text[PATH_MAX];
    char rest[sizeof walk->rest];
    int link = TEMP_FAILURE_RETRY(openat(place->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (link < 0)
        return -1;
    ssize_t size = 0;
    bool seen = fstat(link, &info) == 0;
    bool trusted = seen && (info.st_uid == geteuid() || info.st_uid == 0);
    if (seen && S_ISLNK(info.st_mode) && trusted && !is_proc(place->folder))
        size = readlinkat(link, "", text, sizeof text);
    int failure = errno;
    close(link);
    errno = failure;
    if (!seen || !S_ISLNK(info.st_mode))
        return seen ? 0 : -1;
    errno = trusted ? ELOOP : EXDEV;
    if (!trusted || ++walk->links > LINKS_MOST)
        return -1;
    if (size == 0 && last) {
        place->in_proc = true;
        return 0;
    }
    if (size == 0)
        return enter(place, TEMP_FAILURE_RETRY(openat(place->folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC)))
                   ? 1
                   : -1;
    errno = ENAMETOOLONG;
    if (size < 0 ||
        (size_t)snprintf(rest, sizeof rest, "%.*s/%s", (int)size, text, walk->rest) >= sizeof rest)
        return -1;
    if (walk->rest[0] == '\0') /* no slash behind a file's name */
        rest[size] = '\0';
    memcpy(walk->rest, rest, sizeof rest);
    return text[0] != '/' || enter(place, open_folder(AT_FDCWD, "/")) ? 1 : -1;
}

static bool make_folder(struct place_walk *walk, const char *name)
{
    struct file_place *place = walk->place;
    if (TEMP_FAILURE_RETRY(mkdirat(place->folder, name, 0777)) != 0)
        return errno == EEXIST;
    place->made = memory_resized(place->made, place->made_count + 1, sizeof *place->made);
    struct file_place_made *made = &place->made[place->made_count++];
    made->parent = TEMP_FAILURE_RETRY(fcntl(place->folder, F_DUPFD_CLOEXEC, 0));
    memcpy(made->name, name, sizeof made->name);
    return true;
}

/* False, with errno, at an obstacle; ESTALE: a link that leads to nothing, EXDEV: a link of another user's.
 */
static bool walk_on(struct place_walk *walk)
{
    struct file_place *place = walk->place;
    char name[NAME_MAX + 1] = ""; /* copied whole */
    bool last;
    bool from_link = false; /* the path's own last name was a link */
    while (cut_name(walk, name, &last)) {
        if (!last && enter(place, open_folder(place->folder, name)))
            continue;
        int linked = follow(walk, name, last);
        bool missing = linked < 0 && errno == ENOENT;
        from_link = from_link || (linked > 0 && last);
        if (linked > 0)
            continue;
        if (last && (linked == 0 || (missing && !from_link))) {
            memcpy(place->name, name, sizeof name);
            return true;
        }
        if (missing && walk->make && !last && make_folder(walk, name) &&
            enter(place, open_folder(place->folder, name)))
            continue;
        if (linked == 0)
            errno = ENOTDIR;
        else if (missing && last)
            errno = ESTALE;
        return false;
    }
    return false;
}

enum status file_place_open(const char *path, bool make, struct file_place *place, struct error *error)
{
    *place = (struct file_place){.folder = open_folder(AT_FDCWD, path[0] == '/' ? "/" : ".")};
    struct place_walk walk = {.place = place, .make = make};
    errno = ENAMETOOLONG;
    bool fits = strlen(path) < PATH_MAX;
    if (fits)
        memcpy(walk.rest, path, strlen(path) + 1);
    if (path[0] == '\0')
        errno = ENOENT;
    if (fits && path[0] != '\0' && place->folder >= 0 && walk_on(&walk))
        return STATUS_OK;
    int failure = errno;
    file_place_close(place, true);
    error_set(error, failure == EXDEV || failure == ESTALE ? STATUS_USAGE : STATUS_FAILED,
              "cannot write %.600s: %s", path,
              failure == EXDEV    ? "a link on the way belongs to another user, and is not followed"
              : failure == ESTALE ? "it is a dangling link"
                                  : strerror(failure));
    if (failure == EXDEV)
        error_hint(error, "name the place that is meant, without the link");
    if (failure == ESTALE)
        error_hint(error, "remove the link, or name the file to write");
    return error == NULL ? STATUS_FAILED : error->code;
}

void file_place_close(struct file_place *place, bool undo)
{
    for (size_t i = place->made_count; i > 0; i--) {
        struct file_place_made *made = &place->made[i - 1];
        if (undo)
            (void)unlinkat(made->parent, made->name, AT_REMOVEDIR);
        if (made->parent >= 0)
            close(made->parent);
    }
    free(place->made);
    if (place->folder >= 0)
        close(place->folder);
    *place = (struct file_place){.folder = -1};
}
