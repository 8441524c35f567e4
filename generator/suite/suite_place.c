#include "generator/suite/suite_place.h"

#include "base/buffer.h"
#include "base/files/hold.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/suite/program_parts.h"
#include "generator/suite/suite.h"
#include "isa/isa.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 16, SHOWN = 3 };
static const char NEW[] =
    ".new"; /* TARGET.TAG.new: a suite that is being written, or one that was replaced */
static const char OLD[] = ".old"; /* where the file system cannot exchange two folders: the replaced one */

/* ---- what lies in a folder, by its index ---- */

/* Paths below a suite's folder: of its files, and of the folders above these. */
struct folder_listing {
    json_t *files, *folders; /* objects whose keys are the paths */
};

static void list_file(struct folder_listing *listing, const char *folder, const char *name)
{
    char path[FILE_PATH_BYTES];
    file_join(path, folder, name);
    json_object_set_new(listing->files, path, json_true());
    for (char *slash = strrchr(path, '/'); slash != NULL; slash = strrchr(path, '/')) {
        *slash = '\0';
        json_object_set_new(listing->folders, path, json_true());
    }
}

static void list_program(struct folder_listing *listing, const json_t *entry)
{
    const char *folder = json_string_or(entry, "path", NULL);
    const char *target = json_string_or(entry, "target", "");
    if (folder == NULL) /* the point was refused */
        return;
    list_file(listing, folder, SUITE_MANIFEST);
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (isa_is_listed(part->target, target) && program_part_is_in(part, json_object_get(entry, "from")))
            list_file(listing, folder, part->name);
}

static enum status list(const char *folder, struct folder_listing *listing, struct error *error)
{
    *listing = (struct folder_listing){NULL, NULL};
    json_t *index = suite_read_index(folder, error);
    if (index == NULL)
        return error == NULL ? STATUS_USAGE : error->code;
    *listing = (struct folder_listing){json_object(), json_object()};
    list_file(listing, "", SUITE_INDEX);
    list_file(listing, "", SUITE_HEADER);
    size_t i;
    const json_t *entry;
    json_array_foreach(json_object_get(index, "programs"), i, entry) list_program(listing, entry);
    json_decref(index);
    return STATUS_OK;
}

static void listing_free(struct folder_listing *listing)
{
    json_decref(listing->files);
    json_decref(listing->folders);
}

/* True for the name of a suite's file, or of a temporary one of its writer. */
static bool is_own_name(const char *name)
{
    static const char *const names[] = {SUITE_INDEX, SUITE_HEADER, SUITE_MANIFEST};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (strcmp(name, part->name) == 0)
            return true;
    return strncmp(name, SUITE_ENTRIES, sizeof SUITE_ENTRIES - 1) == 0;
}

/* ---- walking over a folder ---- */

/* Calls visit for each entry, and leave for each folder after its content; false, with errno, ends the walk.
 * Both find the entry's path in path, and the part below the folder from `below` on. */
struct folder_walk {
    char path[FILE_PATH_BYTES];
    size_t below;
    bool kinds; /* visit needs only the kind of an entry in its st_mode, which the folder tells without a look
                   at it */
    bool skips; /* set by visit: this folder's content is not visited */
    bool (*visit)(struct folder_walk *walk, const struct stat *info);
    bool (*leave)(struct folder_walk *walk);
    void *context;
};

static bool walk_on(struct folder_walk *walk);

/* An entry of a folder, with its kind as in struct dirent. */
struct entry {
    char *name;
    unsigned char kind;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All entries in order of their names. False, with errno, if they cannot be read. */
static bool list_entries(const char *folder, struct entry **entries, size_t *count)
{
    DIR *open = opendir(folder);
    *entries = NULL;
    *count = 0;
    if (open == NULL)
        return false;
    const struct dirent *found;
    for (errno = 0; (found = readdir(open)) != NULL; errno = 0) {
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
            continue;
        *entries = memory_resized(*entries, *count + 1, sizeof **entries);
        (*entries)[(*count)++] = (struct entry){memory_text(found->d_name), found->d_type};
    }
    int failure = errno;
    closedir(open);
    if (*count > 1)
        qsort(*entries, *count, sizeof **entries, by_name);
    errno = failure;
    return failure == 0;
}

static void free_entries(struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].name);
    free(entries);
}

static bool walk_entry(struct folder_walk *walk, unsigned char kind)
{
    struct stat info = {.st_mode = DTTOIF(kind)};
    if ((!walk->kinds || kind == DT_UNKNOWN) && lstat(walk->path, &info) != 0)
        return errno == ENOENT; /* another process removes it too */
    walk->skips = false;
    if (!walk->visit(walk, &info))
        return false;
    if (!S_ISDIR(info.st_mode) || walk->skips)
        return true;
    return walk_on(walk) && (walk->leave == NULL || walk->leave(walk));
}

static bool walk_on(struct folder_walk *walk)
{
    size_t length = strlen(walk->path);
    struct entry *entries;
    size_t count;
    bool good = list_entries(walk->path, &entries, &count) || errno == ENOENT;
    for (size_t i = 0; good && i < count; i++) {
        if (length + strlen(entries[i].name) + 2 > sizeof walk->path) {
            errno = ENAMETOOLONG;
            good = false;
            break;
        }
        snprintf(walk->path + length, sizeof walk->path - length, "/%s", entries[i].name);
        good = walk_entry(walk, entries[i].kind);
        if (good)
            walk->path[length] = '\0';
    }
    int failure = errno;
    free_entries(entries, count);
    errno = failure;
    return good;
}

static const char *below(const struct folder_walk *walk)
{
    return walk->path + walk->below;
}

static void walk_begin(struct folder_walk *walk, const char *folder)
{
    snprintf(walk->path, sizeof walk->path, "%s", folder);
    walk->below = strlen(walk->path) + 1;
}

/* ---- what is not the suite's ---- */

struct leftover_search {
    struct folder_listing listing;
    size_t listed;       /* files found that the index lists */
    size_t others;       /* and entries that it does not */
    struct buffer shown; /* some of these */
};

static void show(struct leftover_search *search, const char *path)
{
    if (search->others++ >= SHOWN)
        return;
    buffer_text(&search->shown, search->shown.size == 0 ? "" : ", ");
    for (size_t i = 0; i < 100 && path[i] != '\0'; i++) /* a name could contain terminal controls */
        buffer_append(&search->shown, (unsigned char)path[i] < ' ' || path[i] == 127 ? "?" : path + i, 1);
}

static bool look_for_others(struct folder_walk *walk, const struct stat *info)
{
    struct leftover_search *search = walk->context;
    const char *path = below(walk);
    if (S_ISREG(info->st_mode) && json_object_get(search->listing.files, path) != NULL) {
        search->listed++;
    } else if (!S_ISDIR(info->st_mode) || json_object_get(search->listing.folders, path) == NULL) {
        show(search, path);
        walk->skips = true;
    }
    return true;
}

/* Compares a suite's folder with its index. The caller frees *search with search_free in every case. */
static enum status compare(const char *folder, struct leftover_search *search, struct error *error)
{
    struct folder_walk walk = {.visit = look_for_others, .kinds = true, .context = search};
    memset(search, 0, sizeof *search);
    enum status status = list(folder, &search->listing, error);
    if (status != STATUS_OK)
        return status;
    walk_begin(&walk, folder);
    if (!walk_on(&walk))
        return error_set(error, STATUS_FAILED, "cannot read %s: %s", walk.path, strerror(errno));
    return STATUS_OK;
}

static void search_free(struct leftover_search *search)
{
    listing_free(&search->listing);
    buffer_free(&search->shown);
}

static enum status refuse_others(const char *target, const struct leftover_search *search,
                                 struct error *error)
{
    char more[48] = "";
    if (search->others > SHOWN)
        snprintf(more, sizeof more, " and %zu more", search->others - SHOWN);
    error_set(error, STATUS_USAGE, "%s contains files that are not the suite's: %s%s; it is left as it is",
              target, search->shown.data, more);
    error_hint(error,
               "move that away, give another folder with -o, or keep it in the new suite with --force");
    return STATUS_USAGE;
}

enum status suite_place_check(const char *target, bool force, struct error *error)
{
    struct stat info;
    struct leftover_search search;
    struct error why = {.code = STATUS_OK};
    if (lstat(target, &info) != 0)
        return errno == ENOENT
                   ? STATUS_OK
                   : error_set(error, STATUS_USAGE, "cannot examine %s: %s", target, strerror(errno));
    if (!S_ISDIR(info.st_mode)) {
        error_set(error, STATUS_USAGE, "%s exists and is not a folder: it is left as it is", target);
        error_hint(error, "give a folder with -o");
        return STATUS_USAGE;
    }
    if (force || file_folder_is_empty(target))
        return STATUS_OK;
    enum status status = compare(target, &search, &why);
    if (status == STATUS_USAGE) {
        error_set(error, STATUS_USAGE, "%s exists and is not a suite: it is left as it is (%.300s)", target,
                  why.message);
        error_hint(error, "give another folder with -o; --force writes the suite beside its contents");
    } else if (status != STATUS_OK) {
        error_set(error, status, "%s", why.message);
    } else if (search.others > 0) {
        status = refuse_others(target, &search, error);
    }
    search_free(&search);
    return status;
}

/* ---- folders beside the target ---- */

enum status suite_place_begin(const char *target, char folder[FILE_PATH_BYTES], int *index,
                              struct error *error)
{
    char tag[HOLD_TAG_BYTES];
    char path[FILE_PATH_BYTES];
    struct stat info;
    errno = 0;
    for (int i = 0; i < TRIES && hold_tag(tag); i++) {
        snprintf(folder, FILE_PATH_BYTES, "%.*s.%s%s", FILE_PATH_BYTES - SUITE_SPARE_BYTES, target, tag, NEW);
        if (mkdir(folder, 0777) != 0) {
            if (errno == EEXIST || errno == EINTR)
                continue;
            break;
        }
        *index = TEMP_FAILURE_RETRY(open(file_join(path, folder, SUITE_INDEX),
                                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        /* Before it was locked, another writer may have mistaken it for a dead one's. */
        if (*index >= 0 && hold_take(*index) && fstat(*index, &info) == 0 && info.st_nlink > 0)
            return STATUS_OK;
        int failure = errno;
        if (*index >= 0) {
            unlink(path);
            close(*index);
        }
        *index = -1;
        rmdir(folder);
        errno = failure;
        if (failure != ENOENT && failure != EWOULDBLOCK)
            break;
    }
    return error_set(error, STATUS_FAILED, "cannot make a folder beside %s: %s", target, strerror(errno));
}

/* The tag in "BASE.TAG.new" or with .old; NULL for another name. */
static const char *tag_of(const char *name, const char *base, const char *ending)
{
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '.' || !file_ends_with(name, ending))
        return NULL;
    const char *tag = name + length + 1;
    size_t rest = strlen(tag);
    return rest > strlen(ending) && hold_is_tag(tag, rest - strlen(ending)) ? tag : NULL;
}

/* Removes the folder if no writer holds it. One without an index is new, or partly removed: it is removed
 * only if empty. */
static void remove_dead(const char *folder, const char *tag, const char *target)
{
    char path[FILE_PATH_BYTES];
    int index = TEMP_FAILURE_RETRY(
        open(file_join(path, folder, SUITE_INDEX), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (index < 0 && errno == ENOENT)
        (void)rmdir(folder);
    if (index < 0)
        return;
    if (hold_is_dead(index, tag))
        (void)suite_place_remove(folder, target, NULL);
    close(index);
}

void suite_place_clean(const char *target)
{
    char parent[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    const char *base = file_base_name(target);
    char **names = file_list_all(file_folder_of(parent, target));
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        const char *tag = tag_of(names[i], base, OLD);
        file_join(path, parent, names[i]);
        if (tag != NULL && renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) != 0) {
            bool missing = access(target, F_OK) != 0 && errno == ENOENT;
            if (!missing || rename(path, target) != 0)
                remove_dead(path, tag, target);
        }
        tag = tag_of(names[i], base, NEW);
        if (tag != NULL)
            remove_dead(path, tag, target);
    }
    file_free_names(names);
}

/* ---- removing ---- */

/* Moves a file that appeared during the exchange of the folders to its place in the target. */
static bool rescue(const struct folder_walk *walk)
{
    const char *target = walk->context;
    char to[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    struct stat info;
    file_join(to, target, below(walk));
    if (file_make_folders(file_folder_of(folder, to), NULL) != STATUS_OK)
        return false;
    if (renameat2(AT_FDCWD, walk->path, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    return lstat(to, &info) != 0 && errno == ENOENT && rename(walk->path, to) == 0;
}

static bool remove_entry(struct folder_walk *walk, const struct stat *info)
{
    if (S_ISDIR(info->st_mode) || strcmp(below(walk), SUITE_INDEX) == 0)
        return true;
    if (!is_own_name(file_base_name(walk->path)) && info->st_nlink == 1)
        return rescue(walk);
    return TEMP_FAILURE_RETRY(unlink(walk->path)) == 0 || errno == ENOENT;
}

static bool remove_folder(struct folder_walk *walk)
{
    return TEMP_FAILURE_RETRY(rmdir(walk->path)) == 0 || errno == ENOENT;
}

/* Removes the index last: until then it tells a later writer what the folder is. */
enum status suite_place_remove(const char *folder, const char *target, struct error *error)
{
    char place[FILE_PATH_BYTES];
    snprintf(place, sizeof place, "%s", target);
    struct folder_walk walk = {.visit = remove_entry, .leave = remove_folder, .context = place};
    walk_begin(&walk, folder);
    bool good = walk_on(&walk);
    if (good) {
        file_join(walk.path, folder, SUITE_INDEX);
        good = (TEMP_FAILURE_RETRY(unlink(walk.path)) == 0 || errno == ENOENT);
    }
    if (good) {
        snprintf(walk.path, sizeof walk.path, "%s", folder);
        good = remove_folder(&walk);
    }
    return good ? STATUS_OK
                : error_set(error, STATUS_FAILED, "cannot remove %s: %s", walk.path, strerror(errno));
}

/* ---- the change ---- */

/* The final check: everything that the index lists exists, the index is this writer's, and there is nothing
 * else. */
static enum status look(const char *folder, int index, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct stat own;
    struct stat there;
    struct leftover_search search;
    struct error why = {.code = STATUS_OK};
    if (fstat(index, &own) != 0 || lstat(file_join(path, folder, SUITE_INDEX), &there) != 0 ||
        own.st_ino != there.st_ino || own.st_dev != there.st_dev)
        return error_set(error, STATUS_FAILED,
                         "another process removed or replaced %s while the suite was written", path);
    enum status status = compare(folder, &search, &why);
    size_t wanted = json_object_size(search.listing.files);
    if (status != STATUS_OK)
        status =
            error_set(error, STATUS_FAILED, "the written suite cannot be read back: %.500s", why.message);
    else if (search.listed != wanted)
        status = error_set(error, STATUS_FAILED,
                           "%zu of the suite's %zu files are gone from %s: another process removed them",
                           wanted - search.listed, wanted, folder);
    else if (search.others > 0)
        status =
            error_set(error, STATUS_FAILED, "another process wrote into %s: %s", folder, search.shown.data);
    search_free(&search);
    return status;
}

/* The files that --force keeps: linked under the same names in the new folder, so that a kill at any moment
 * loses none. */
struct keeping {
    const struct folder_listing *old;
    const char *folder;
    bool clash;
};

static bool keep_entry(struct folder_walk *walk, const struct stat *info)
{
    struct keeping *keeping = walk->context;
    char to[FILE_PATH_BYTES];
    struct stat there;
    const char *path = below(walk);
    bool listed = S_ISREG(info->st_mode) && json_object_get(keeping->old->files, path) != NULL;
    if (listed || (S_ISDIR(info->st_mode) && json_object_get(keeping->old->folders, path) != NULL))
        return true;
    file_join(to, keeping->folder, path);
    bool taken = lstat(to, &there) == 0;
    if (taken && S_ISDIR(info->st_mode) == S_ISDIR(there.st_mode))
        return true; /* a folder of both; or a file with a name of the suite's, which --force replaces */
    if (taken) {
        keeping->clash = true;
        return false;
    }
    char folder[FILE_PATH_BYTES]; /* one of the old suite's own that the new one lacks */
    if (file_make_folders(file_folder_of(folder, to), NULL) != STATUS_OK)
        return false;
    if (!S_ISDIR(info->st_mode))
        return linkat(AT_FDCWD, walk->path, AT_FDCWD, to, 0) == 0;
    if (mkdir(to, 0700) != 0)
        return false;
    (void)!chown(to, info->st_uid, info->st_gid);
    return chmod(to, info->st_mode & 07777) == 0;
}

static enum status keep_others(const char *target, const char *folder, struct error *error)
{
    struct folder_listing old;
    if (list(target, &old, NULL) != STATUS_OK) /* not a suite: nothing in it belongs to one */
        old = (struct folder_listing){json_object(), json_object()};
    struct keeping keeping = {.old = &old, .folder = folder};
    struct folder_walk walk = {.visit = keep_entry, .context = &keeping};
    walk_begin(&walk, target);
    bool good = walk_on(&walk);
    int failure = errno;
    listing_free(&old);
    if (good)
        return STATUS_OK;
    if (keeping.clash) {
        error_set(error, STATUS_USAGE, "%s cannot be kept: the suite has a %s with that name", walk.path,
                  file_is_folder(walk.path) ? "file" : "folder");
        error_hint(error, "move it away, or give another folder with -o");
        return STATUS_USAGE;
    }
    error_set(error, STATUS_FAILED, "cannot keep %s in the new suite: %s", walk.path, strerror(failure));
    error_hint(error, "move it away, or give another folder with -o; nothing was changed");
    return STATUS_FAILED;
}

/* Copies the permissions and, if allowed, the owner of the replaced folder. */
static enum status be_like(const char *folder, const struct stat *old, struct error *error)
{
    struct stat own;
    if (stat(folder, &own) == 0 && (own.st_uid != old->st_uid || own.st_gid != old->st_gid))
        (void)!chown(folder, old->st_uid, old->st_gid);
    if (chmod(folder, old->st_mode & 07777) == 0 || errno == EPERM || errno == EOPNOTSUPP)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "cannot give %s the permissions of the old suite: %s", folder,
                     strerror(errno));
}

static bool lacks_flags(int failure)
{
    return failure == EINVAL || failure == ENOSYS || failure == EOPNOTSUPP;
}

/* Two renames, if the file system cannot exchange folders: a kill between them leaves the old suite complete
 * under its other name, and the next writer restores it. */
static bool change_in_two(const char *folder, const char *target, char old[FILE_PATH_BYTES + 8])
{
    snprintf(old, FILE_PATH_BYTES + 8, "%.*s%s", (int)(strlen(folder) - strlen(NEW)), folder, OLD);
    if (rename(target, old) != 0)
        return false;
    if (rename(folder, target) == 0)
        return true;
    int failure = errno;
    (void)rename(old, target);
    errno = failure;
    return false;
}

/* False, with errno: EEXIST, ENOTEMPTY and ENOENT mean that another writer was faster. */
static bool change(const char *folder, const char *target, bool there, char old[FILE_PATH_BYTES + 8])
{
    old[0] = '\0';
    if (!there) {
        if (renameat2(AT_FDCWD, folder, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
            return true;
        return lacks_flags(errno) && rename(folder, target) == 0;
    }
    if (renameat2(AT_FDCWD, folder, AT_FDCWD, target, RENAME_EXCHANGE) == 0) {
        snprintf(old, FILE_PATH_BYTES + 8, "%s", folder);
        return true;
    }
    return lacks_flags(errno) && change_in_two(folder, target, old);
}

static enum status change_once(const char *folder, const char *target, bool force,
                               char old[FILE_PATH_BYTES + 8], bool *again, struct error *error)
{
    struct stat info;
    bool there = lstat(target, &info) == 0;
    *again = false;
    enum status status = suite_place_check(target, force, error); /* since the first look */
    if (status == STATUS_OK && there && force)
        status = keep_others(target, folder, error);
    if (status == STATUS_OK && there)
        status = be_like(folder, &info, error);
    if (status != STATUS_OK || change(folder, target, there, old))
        return status;
    *again = errno == EEXIST || errno == ENOTEMPTY || errno == ENOENT || errno == EINTR;
    return error_set(error, STATUS_FAILED, "cannot replace %s with the suite: %s", target, strerror(errno));
}

enum status suite_place_put(const char *folder, int index, const char *target, bool force,
                            char old[FILE_PATH_BYTES + 8], struct error *error)
{
    bool again = true;
    old[0] = '\0';
    enum status status = look(folder, index, error);
    for (int i = 0; status == STATUS_OK && again && i < TRIES; i++) {
        status = change_once(folder, target, force, old, &again, error);
        if (again && i + 1 < TRIES)
            status = STATUS_OK;
    }
    return status;
}
