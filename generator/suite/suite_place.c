#include "generator/suite/suite_place.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/text/text_set.h"
#include "generator/suite/program_parts.h"
#include "isa/isa.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 16, SHOWN = 3 };

/* In the own folder: the suite being written and, after the exchange, the old target. */
static const char SUITE[] = "suite";

/* ---- the files of a folder, by its index ---- */

/* Paths below a suite's folder: of its files and their folders, or only the files' sum. */
struct folder_listing {
    struct text_set files, folders;
    struct path_sum *sum; /* NULL: they are listed */
};

static void add_path(struct path_sum *sum, const char *path)
{
    sum->count++;
    sum->hashes += hash_name(path, strlen(path));
}

static void list_file(struct folder_listing *listing, const char *folder, const char *name)
{
    char path[FILE_PATH_BYTES];
    file_join(path, folder, name);
    if (listing->sum != NULL) {
        add_path(listing->sum, path);
        return;
    }
    text_set_add(&listing->files, path);
    for (char *slash = strrchr(path, '/'); slash != NULL; slash = strrchr(path, '/')) {
        *slash = '\0';
        text_set_add(&listing->folders, path);
    }
}

static void list_program(struct folder_listing *listing, const struct suite_entry *entry,
                         const char *const *traces, size_t trace_count)
{
    if (entry->path == NULL) /* the point was refused */
        return;
    list_file(listing, entry->path, SUITE_MANIFEST);
    for (const struct program_part *part = program_parts; part->target != NULL; part++)
        if (isa_is_listed(part->target, entry->target == NULL ? "" : entry->target) &&
            program_part_is_in(part, entry->from != NULL))
            list_file(listing, entry->path, part->name);
    for (size_t i = 0; i < trace_count; i++) { /* whose names differ from all others (suite.h) */
        const char *name = traces[i];
        if (name != NULL && strncmp(name, "program.", 8) == 0 && strchr(name, '/') == NULL)
            list_file(listing, entry->path, name);
    }
}

/* Lists the files of the suite in an open folder; path is for messages. */
static enum status list(int folder, const char *path, struct folder_listing *listing, struct error *error)
{
    struct suite_index index;
    bool events = false;
    *listing = (struct folder_listing){0};
    enum status status = suite_index_read(folder, path, &index, error);
    if (status == STATUS_OK) {
        list_file(listing, "", SUITE_INDEX);
        list_file(listing, "", SUITE_HEADER);
    }
    for (size_t i = 0; i < index.benchmarks.count; i++)
        events = events || suite_counts_events(&index.benchmarks.items[i]);
    if (status == STATUS_OK && events)
        list_file(listing, "", SUITE_EVENTS);
    for (size_t i = 0; status == STATUS_OK && i < index.count; i++)
        list_program(listing, &index.entries[i], index.traces, index.trace_count);
    suite_index_free(&index);
    return status;
}

static void listing_free(struct folder_listing *listing)
{
    text_set_free(&listing->files);
    text_set_free(&listing->folders);
}

void suite_place_expect(struct suite_place *place, const char *name)
{
    add_path(&place->expected, name);
}

void suite_place_expect_program(struct suite_place *place, const struct suite_entry *entry,
                                const char *const *traces, size_t trace_count)
{
    struct folder_listing listing = {.sum = &place->expected};
    list_program(&listing, entry, traces, trace_count);
}

/* ---- walking over a suite's folder ---- */

enum deed {
    SUM,   /* sums up the files' paths; ends at an entry that is not an own file or folder, and at an empty
              folder */
    LOOK,  /* counts listed entries, and shows others */
    KEEP,  /* links entries that are not listed into the new suite */
    REMOVE /* removes entries that LOOK does not show */
};

struct suite_walk {
    enum deed deed;
    struct folder_listing listing;    /* of the suite in the folder; all NULL: there is none */
    int new;                          /* with --force: the new suite's folder; else below 0 */
    const struct folder_listing *its; /* the listing of the new suite */
    dev_t device;
    struct path_sum sum;
    size_t listed; /* files found that the index lists */
    size_t others; /* entries found that it does not list */
    struct buffer shown;
    const char *obstacle; /* why the walk ended at path; NULL: errno has the reason */
    char path[FILE_PATH_BYTES];
};

static bool walk_folder(struct suite_walk *walk, int folder);

static bool has(const struct text_set *paths, const char *path)
{
    return text_set_find(paths, path) < paths->count;
}

static bool show(struct suite_walk *walk, const struct stat *info)
{
    if (walk->others++ >= SHOWN)
        return true;
    buffer_text(&walk->shown, walk->shown.size == 0 ? "" : ", ");
    for (const char *at = walk->path; *at != '\0' && at < walk->path + 100;
         at++) /* it may have terminal controls */
        buffer_append(&walk->shown, (unsigned char)*at < ' ' || *at == 127 ? "?" : at, 1);
    if (info->st_uid != geteuid())
        buffer_printf(&walk->shown, " of user %ld", (long)info->st_uid);
    return true;
}

static bool stop(struct suite_walk *walk, const char *obstacle)
{
    walk->obstacle = obstacle;
    return false;
}

/* Links the entry into the new suite, whose folder nobody else enters yet, unless the suite already has it.
 */
static bool keep(struct suite_walk *walk, int folder, const char *name, const struct stat *info)
{
    struct stat there;
    if (fstatat(walk->new, walk->path, &there, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISDIR(info->st_mode) == S_ISDIR(there.st_mode) ||
               stop(walk, S_ISDIR(info->st_mode) ? "the suite has a file with that name"
                                                 : "the suite has a folder with that name");
    if (!S_ISDIR(info->st_mode))
        return TEMP_FAILURE_RETRY(linkat(folder, name, walk->new, walk->path, 0)) == 0;
    return TEMP_FAILURE_RETRY(mkdirat(walk->new, walk->path, 0700)) == 0 &&
           TEMP_FAILURE_RETRY(fchmodat(walk->new, walk->path, info->st_mode & 07777, 0)) == 0;
}

/* True if the new suite has the file, or another of that name, with which --force replaces it. */
static bool is_kept(const struct suite_walk *walk, const struct stat *info)
{
    struct stat there;
    return walk->new >= 0 && (has(&walk->its->files, walk->path) ||
                              (fstatat(walk->new, walk->path, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
                               there.st_ino == info->st_ino && there.st_dev == info->st_dev));
}

static bool walk_into(struct suite_walk *walk, int folder, const char *name, bool listed)
{
    size_t length = strlen(walk->path);
    int inner = draft_enter(folder, name, &walk->device);
    bool good = inner >= 0 && walk_folder(walk, inner);
    if (inner >= 0)
        close(inner);
    if (!good)
        return false;
    walk->path[length] = '\0';
    if (walk->deed == KEEP && listed) /* only if it is empty and the new suite lacks it */
        (void)unlinkat(walk->new, walk->path, AT_REMOVEDIR);
    return walk->deed != REMOVE || TEMP_FAILURE_RETRY(unlinkat(folder, name, AT_REMOVEDIR)) == 0;
}

static bool walk_entry(struct suite_walk *walk, int folder, const char *name)
{
    struct stat info;
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    bool is_folder = S_ISDIR(info.st_mode);
    bool own = info.st_uid == geteuid() && info.st_dev == walk->device;
    if (walk->deed == SUM) {
        size_t before = walk->sum.count;
        if (own && S_ISREG(info.st_mode))
            add_path(&walk->sum, walk->path);
        else if (!own || !is_folder || !walk_into(walk, folder, name, false))
            return false;
        return walk->sum.count > before;
    }
    bool listed = own && (is_folder ? has(&walk->listing.folders, walk->path)
                                    : S_ISREG(info.st_mode) && has(&walk->listing.files, walk->path));
    bool passes =
        listed || (walk->new >= 0 && (is_folder ? own : walk->deed == KEEP || is_kept(walk, &info)));
    if (!passes)
        return walk->deed == LOOK ? show(walk, &info)
                                  : stop(walk, own ? "it is not the suite's" : "it belongs to another user");
    walk->listed += listed && !is_folder;
    if (walk->deed == KEEP && (is_folder || !listed) && !keep(walk, folder, name, &info))
        return false;
    if (is_folder)
        return walk_into(walk, folder, name, listed);
    return walk->deed != REMOVE || TEMP_FAILURE_RETRY(unlinkat(folder, name, 0)) == 0;
}

/* Visits the entries of an open folder, whose path is in walk->path. After an error walk->path is the entry
 * at which the walk ended. */
static bool walk_folder(struct suite_walk *walk, int folder)
{
    size_t length = strlen(walk->path);
    char **names = draft_list(folder);
    bool good = names != NULL;
    for (size_t i = 0; good && names[i] != NULL; i++) {
        errno = ENAMETOOLONG;
        good = length + strlen(names[i]) + 2 <= sizeof walk->path;
        if (good)
            sprintf(walk->path + length, "%s%s", length == 0 ? "" : "/", names[i]);
        good = good && walk_entry(walk, folder, names[i]);
    }
    int failure = errno;
    draft_free_list(names);
    errno = failure;
    return good;
}

/* what: the deed, for the message: "read". */
static enum status walk_over(struct suite_walk *walk, enum deed deed, int folder, const char *what,
                             const char *shown, struct error *error)
{
    struct stat info;
    walk->deed = deed;
    walk->path[0] = '\0';
    walk->listed = walk->others = walk->shown.size = 0;
    if (fstat(folder, &info) == 0) {
        walk->device = info.st_dev;
        if (walk_folder(walk, folder))
            return STATUS_OK;
    }
    return error_set(error, STATUS_FAILED, "%s cannot be %s in %s: %s", walk->path, what, shown,
                     walk->obstacle != NULL ? walk->obstacle : strerror(errno));
}

static void walk_free(struct suite_walk *walk)
{
    listing_free(&walk->listing);
    buffer_free(&walk->shown);
}

/* ---- checking the target ---- */

/* Compares an open folder with its index. */
static enum status compare(int folder, const char *path, struct suite_walk *walk, struct error *error)
{
    char **names = draft_list(folder);
    bool empty = names != NULL && names[0] == NULL;
    draft_free_list(names);
    enum status status = empty ? STATUS_OK : list(folder, path, &walk->listing, error);
    if (status == STATUS_USAGE && walk->new < 0) {
        error_prefix(error, "%s exists and is not a suite: it is left as it is", path);
        error_hint(error, "give another folder with -o; --force writes the suite beside its contents");
    }
    if (status == STATUS_OK || (status == STATUS_USAGE && walk->new >= 0))
        status = walk_over(walk, LOOK, folder, "read", path, error);
    if (status != STATUS_OK || walk->others == 0)
        return status;
    char more[48] = "";
    if (walk->others > SHOWN)
        snprintf(more, sizeof more, " and %zu more", walk->others - SHOWN);
    error_set(error, STATUS_USAGE, "%s contains files that are not the suite's: %s%s; it is left as it is",
              path, walk->shown.data, more);
    error_hint(error,
               "move that away, give another folder with -o, or keep it in the new suite with --force");
    return STATUS_USAGE;
}

/* True if the suite's folder holds exactly the expected files. */
static bool is_as_expected(const struct suite_place *place)
{
    struct suite_walk walk = {.new = -1};
    bool good = walk_over(&walk, SUM, place->folder, "read", place->own_name, NULL) == STATUS_OK &&
                walk.sum.count == place->expected.count && walk.sum.hashes == place->expected.hashes;
    walk_free(&walk);
    return good;
}

/* Opens the folder of that name if it is this user's; -1 with *error filled. */
static int enter(const struct suite_place *place, int parent, const char *name, struct error *error)
{
    int folder = draft_enter(parent, name, NULL);
    if (folder >= 0)
        return folder;
    error_set(error, STATUS_USAGE, "%s %s: it is left as it is", place->path,
              errno == EPERM                       ? "belongs to another user"
              : errno == ENOTDIR || errno == ELOOP ? "exists and is not a folder"
                                                   : strerror(errno));
    error_hint(error, "give another folder with -o");
    return -1;
}

static bool is_there(const struct suite_place *place)
{
    struct stat info;
    return fstatat(place->target.folder, place->target.name, &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           errno != ENOENT;
}

static enum status check(const struct suite_place *place, bool force, struct error *error)
{
    struct stat here;
    struct stat target;
    struct suite_walk walk = {.new = -1};
    if (!is_there(place))
        return STATUS_OK;
    int folder = enter(place, place->target.folder, place->target.name, error);
    if (folder < 0)
        return STATUS_USAGE;
    enum status status = STATUS_OK;
    if (place->target.name[0] == '.' && strchr("./", place->target.name[1]) != NULL) /* it must be renamed */
        status = STATUS_USAGE;
    else if (stat(".", &here) == 0 && fstat(folder, &target) == 0 && here.st_ino == target.st_ino &&
             here.st_dev == target.st_dev)
        status = STATUS_USAGE;
    if (status != STATUS_OK) {
        error_set(error, STATUS_USAGE,
                  "%s cannot be replaced by a suite: it is the current folder, one above or /", place->path);
        error_hint(error, "give a folder inside it with -o");
    } else if (!force) {
        status = compare(folder, place->path, &walk, error);
    }
    close(folder);
    walk_free(&walk);
    return status;
}

enum status suite_place_open(const char *path, bool force, struct suite_place *place, struct error *error)
{
    *place = (struct suite_place){.own = -1, .folder = -1, .inside = SUITE, .force = force};
    snprintf(place->path, sizeof place->path, "%s", path);
    enum status status = file_place_open(path, true, &place->target, error);
    if (status != STATUS_OK)
        return status;
    status = check(place, force, error);
    if (status == STATUS_OK) {
        place->own = draft_folder(place->target.folder, place->own_name);
        if (place->own >= 0 && TEMP_FAILURE_RETRY(mkdirat(place->own, SUITE, 0777)) == 0)
            place->folder = draft_enter(place->own, SUITE, NULL);
        if (place->folder < 0)
            status = error_set(error, STATUS_FAILED, "cannot make a folder of this user alone beside %s: %s",
                               path, strerror(errno));
    }
    if (status != STATUS_OK)
        suite_place_close(place, error);
    return status;
}

/* ---- the exchange ---- */

static bool renamed(int from, const char *name, int to, const char *other, unsigned flags)
{
    return TEMP_FAILURE_RETRY(renameat2(from, name, to, other, flags)) == 0;
}

/* Exchanges the target with the folder at `inside` in the own folder, which nobody else can change, or moves
 * that to a missing target. On file systems without such renaming (NFS) it takes two steps, and a kill
 * between them leaves the target in the own folder. False, with errno. */
static bool exchange(struct suite_place *place, bool there)
{
    int parent = place->target.folder;
    const char *name = place->target.name;
    const char *other = place->inside == SUITE ? SUITE_PLACE_BEFORE : SUITE;
    if (renamed(place->own, place->inside, parent, name, there ? RENAME_EXCHANGE : RENAME_NOREPLACE))
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
        return false;
    if (there && !renamed(parent, name, place->own, other, 0))
        return false;
    bool good = renamed(place->own, place->inside, parent, name,
                        0); /* an empty folder is the most that it replaces */
    int failure = errno;
    if (good && there)
        place->inside = other;
    else if (there)
        (void)renamed(place->own, other, parent, name, 0);
    errno = failure;
    return good;
}

/* Prepares the exchange: the new folder gets the target's permissions and, with --force, its other files, so
 * that a kill at any moment loses none. */
static enum status prepare(const struct suite_place *place, struct suite_walk *old, struct error *error)
{
    struct stat info;
    struct error why = {.code = STATUS_OK};
    int folder = enter(place, place->target.folder, place->target.name, error);
    if (folder < 0)
        return STATUS_USAGE;
    enum status status = STATUS_OK;
    if (place->force) {
        (void)list(folder, place->path, &old->listing, &why); /* if it is no suite, all is kept */
        status = walk_over(old, KEEP, folder, "kept", place->path, error);
        if (status != STATUS_OK)
            error_hint(error, "move it away, or give another folder with -o; nothing was changed");
        if (status != STATUS_OK && old->obstacle != NULL)
            status = error->code = STATUS_USAGE;
    }
    if (status == STATUS_OK && fstat(folder, &info) == 0) {
        (void)!fchown(place->folder, (uid_t)-1, info.st_gid);
        if (TEMP_FAILURE_RETRY(fchmod(place->folder, info.st_mode & 07777)) != 0 && errno != EPERM &&
            errno != EOPNOTSUPP)
            status = error_set(error, STATUS_FAILED, "cannot give the suite the permissions of %s: %s",
                               place->path, strerror(errno));
    }
    close(folder);
    walk_free(old);
    old->listing = (struct folder_listing){0};
    return status;
}

/* True if the own folder holds the suite that was written. */
static bool holds_written(const struct suite_place *place)
{
    struct stat written;
    struct stat there;
    return place->folder >= 0 && fstat(place->folder, &written) == 0 &&
           fstatat(place->own, place->inside, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           written.st_ino == there.st_ino && written.st_dev == there.st_dev;
}

/* Checks the folder that the exchange brought, which may differ from the one checked before, and removes it;
 * or reverts the exchange. */
static enum status clear_old(struct suite_place *place, struct suite_walk *old, struct error *error)
{
    int folder = enter(place, place->own, place->inside, error);
    enum status status = folder < 0 ? STATUS_USAGE : compare(folder, place->path, old, error);
    if (status == STATUS_OK) {
        status = walk_over(old, REMOVE, folder, "removed", place->own_name, error);
    } else {
        place->is_put = !exchange(place, true);
        if (place->is_put || !holds_written(place)) { /* must not be removed: the name is not a draft's */
            (void)renamed(place->target.folder, place->own_name, place->target.folder, place->own_name + 1,
                          RENAME_NOREPLACE);
            error_prefix(error, "another process changed %s meanwhile, and what was there is in %s beside it",
                         place->path, place->own_name + 1);
        }
    }
    if (folder >= 0)
        close(folder);
    return status;
}

/* Removes the own folder, which then holds only empty folders. */
static enum status remove_own(struct suite_place *place, struct error *error)
{
    (void)TEMP_FAILURE_RETRY(unlinkat(place->own, place->inside, AT_REMOVEDIR));
    if (TEMP_FAILURE_RETRY(unlinkat(place->target.folder, place->own_name, AT_REMOVEDIR)) == 0 ||
        errno == ENOENT)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "%s cannot be removed: %s", place->own_name, strerror(errno));
}

enum status suite_place_put(struct suite_place *place, struct error *error)
{
    struct suite_walk new = {.new = -1};
    struct suite_walk old = {.new = place->force ? place->folder : -1, .its = &new.listing};
    enum status status = STATUS_OK;
    if (place->force || !is_as_expected(place)) /* then the lists are needed */
        status = compare(place->folder, place->own_name, &new, error);
    if (status == STATUS_OK && new.listed < new.listing.files.count)
        status =
            error_set(error, STATUS_FAILED,
                      "files of the suite are gone from %s: another process removed them", place->own_name);
    bool there = false;
    for (int i = 0; status == STATUS_OK && !place->is_put; i++) {
        there = is_there(place);
        status = there ? prepare(place, &old, error) : STATUS_OK;
        place->is_put = status == STATUS_OK && exchange(place, there);
        bool again =
            errno == EEXIST || errno == ENOTEMPTY || errno == ENOENT; /* another process changed the target */
        if (status == STATUS_OK && !place->is_put && (!again || i == TRIES))
            status = error_set(error, STATUS_FAILED, "cannot replace %s with the suite: %s", place->path,
                               strerror(errno));
    }
    if (status == STATUS_OK && there)
        status = clear_old(place, &old, error);
    if (status == STATUS_OK)
        status = remove_own(place, error);
    if (status == STATUS_FAILED && place->is_put)
        error_prefix(error, "%s has the new suite, but what was there remains beside it in %s", place->path,
                     place->own_name);
    walk_free(&new);
    walk_free(&old);
    return status;
}

void suite_place_close(struct suite_place *place, struct error *error)
{
    if (place->own >= 0) {
        bool cleared = !holds_written(place) || draft_clear(place->own, place->inside);
        if (cleared) /* a folder with something in it stays */
            (void)TEMP_FAILURE_RETRY(unlinkat(place->target.folder, place->own_name, AT_REMOVEDIR));
        else
            error_hint(error, "%s beside it could not be removed: %s", place->own_name, strerror(errno));
        close(place->own);
    }
    if (place->folder >= 0)
        close(place->folder);
    place->own = place->folder = -1;
    file_place_close(&place->target, !place->is_put);
}
