#include "runner/state/journal.h"

#include "base/clock.h"
#include "base/files/paths.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SCHEMA = 1, MOST_BYTES = 1 << 26, LONG_BYTES = 1 << 24 };

/* The time limit for another process that restores what a killed command left. */
static const double PUT_BACK_S = 10;

/* The journal's path; "" without a home folder. The journal of a folder for --sysfs-root, which is never this
 * program's own, is among the user's settings, under a hash of the folder's name. */
static char *journal_path(char path[FILE_PATH_BYTES], const char *root)
{
    char own[FILE_PATH_BYTES];
    char real[PATH_MAX];
    char hash[HASH_TEXT_BYTES];
    char name[64];
    if (root[0] == '\0')
        return strcpy(path, "/run/traumagen/state.journal");
    path[0] = '\0';
    if (paths_own(own)[0] == '\0')
        return path;
    const char *shown = realpath(root, real) == NULL ? root : real;
    hash_bytes(shown, strlen(shown), hash);
    snprintf(name, sizeof name, "state/%.16s.journal", hash);
    return file_join(path, own, name);
}

bool journal_stands(const char *root)
{
    char path[FILE_PATH_BYTES];
    struct stat info;
    return lstat(journal_path(path, root), &info) == 0;
}

/* ---- the owner ---- */

/* The start of the process as in struct journal_owner; 0 when there is no such process. */
static unsigned long long start_of(pid_t pid)
{
    char path[64];
    struct buffer text = {0};
    unsigned long long started = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (file_read(path, &text, NULL) == STATUS_OK && text.data != NULL) {
        const char *at = strrchr(text.data, ')'); /* the name before it may contain anything */
        bool zombie = at != NULL && strncmp(at, ") Z", 3) == 0;
        for (int field = 2; at != NULL && field < 22; field++) {
            at = strchr(at, ' ');
            at = at == NULL ? NULL : at + 1;
        }
        started = at == NULL || zombie ? 0 : strtoull(at, NULL, 10);
    }
    buffer_free(&text);
    return started;
}

/* True when the process named in the journal still exists. */
static bool journal_owner_lives(const struct journal_owner *owner)
{
    return owner->pid > 0 && owner->started != 0 && start_of(owner->pid) == owner->started;
}

static void find_boot(char boot[JOURNAL_WORD_BYTES])
{
    struct buffer text = {0};
    boot[0] = '\0';
    if (file_read("/proc/sys/kernel/random/boot_id", &text, NULL) == STATUS_OK && text.data != NULL)
        snprintf(boot, JOURNAL_WORD_BYTES, "%.*s", (int)strcspn(text.data, "\n"), text.data);
    buffer_free(&text);
}

bool journal_is_void(const struct journal_owner *owner)
{
    char boot[JOURNAL_WORD_BYTES];
    find_boot(boot);
    return boot[0] != '\0' && owner->boot[0] != '\0' && strcmp(boot, owner->boot) != 0;
}

static void owner_here(struct journal_owner *owner)
{
    *owner = (struct journal_owner){.pid = getpid(), .started = start_of(getpid())};
    find_boot(owner->boot);
}

/* ---- entries as text ---- */

/* A file's text, unchanged; a register's bytes in hexadecimal, the most significant first. */
static json_t *value_to_json(const struct knob_change *value)
{
    char hex[2 * KNOB_VALUE_BYTES + 1] = "";
    if (value->offset == KNOB_TEXT)
        return json_stringn(value->value, value->size);
    for (size_t i = 0; i < value->size; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)value->value[value->size - 1 - i]);
    return json_string(hex);
}

/* from may be NULL. */
static bool value_from_text(const char *from, struct knob_change *value)
{
    size_t length = from == NULL ? 0 : strlen(from);
    if (from == NULL)
        return false;
    if (value->offset == KNOB_TEXT) {
        value->size = length;
        if (length <= sizeof value->value)
            memcpy(value->value, from, length);
        return length <= sizeof value->value;
    }
    value->size = length / 2;
    if (length % 2 != 0 || value->size > sizeof value->value || strspn(from, "0123456789abcdef") != length)
        return false;
    for (size_t i = 0; i < value->size; i++) {
        const char digits[3] = {from[2 * i], from[2 * i + 1], '\0'};
        value->value[value->size - 1 - i] = (char)strtoul(digits, NULL, 16);
    }
    return true;
}

/* Only paths that a knob can have are ever written: the journal file could contain anything. */
static bool is_knobs(const char *path)
{
    static const char *const folders[] = {"/sys/devices/system/cpu/", "/dev/cpu/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 && strstr(path, "/..") == NULL)
            return true;
    return knob_amdgpu_owns(path) && strstr(path, "/..") == NULL;
}

/* The members of a line; NULL or 0: missing. */
struct journal_line {
    double schema, pid, started, offset;
    const char *kind, *boot, *knob, *gpu, *path, *old, *wrote, *reads, *unlocked;
};

static struct journal_line read_line(const json_t *document)
{
    static const struct field_row rows[] = {FIELD_ROW(journal_line, "schema", FIELD_NUMBER, schema),
                                            FIELD_ROW(journal_line, "kind", FIELD_TEXT, kind),
                                            FIELD_ROW(journal_line, "pid", FIELD_NUMBER, pid),
                                            FIELD_ROW(journal_line, "started", FIELD_NUMBER, started),
                                            FIELD_ROW(journal_line, "boot", FIELD_TEXT, boot),
                                            FIELD_ROW(journal_line, "knob", FIELD_TEXT, knob),
                                            FIELD_ROW(journal_line, "gpu", FIELD_TEXT, gpu),
                                            FIELD_ROW(journal_line, "path", FIELD_TEXT, path),
                                            FIELD_ROW(journal_line, "offset", FIELD_NUMBER, offset),
                                            FIELD_ROW(journal_line, "old", FIELD_TEXT, old),
                                            FIELD_ROW(journal_line, "wrote", FIELD_TEXT, wrote),
                                            FIELD_ROW(journal_line, "reads", FIELD_TEXT, reads),
                                            FIELD_ROW(journal_line, "unlocked", FIELD_TEXT, unlocked),
                                            {NULL}};
    struct fields_reader reader = {.what = "", .kind = ""}; /* a member of a wrong type counts as missing */
    struct journal_line line = {
        .kind = "", .boot = "", .knob = "", .gpu = "", .path = "", .offset = KNOB_TEXT};
    fields_read(&reader, document, NULL, rows, &line);
    return line;
}

static bool take_entry(const struct journal_line *line, const char *root, struct journal_entry *entry)
{
    *entry = (struct journal_entry){.knob = ""};
    snprintf(entry->knob, sizeof entry->knob, "%s", line->knob);
    snprintf(entry->gpu, sizeof entry->gpu, "%s", line->gpu);
    if (entry->gpu[0] != '\0')
        return true;
    entry->old.offset = (long long)line->offset;
    int length = snprintf(entry->old.path, sizeof entry->old.path, "%s%s", root, line->path);
    entry->wrote = entry->old;
    bool good = is_knobs(line->path) && length < (int)sizeof entry->old.path &&
                value_from_text(line->old, &entry->old) && value_from_text(line->wrote, &entry->wrote);
    entry->reads = entry->wrote;
    return good;
}

/* Records that the GPU's clock is no longer locked. */
static void forget_gpu(struct journal_content *content, const char *gpu)
{
    size_t kept = 0;
    for (size_t i = 0; i < content->count; i++)
        if (strcmp(content->entries[i].gpu, gpu) != 0)
            content->entries[kept++] = content->entries[i];
    content->count = kept;
}

/* The index of the entry of the same file or register; the count if there is none. */
static size_t find_earlier(const struct journal_content *content, const struct journal_entry *entry)
{
    size_t at = 0;
    while (at < content->count &&
           (entry->gpu[0] != '\0' || content->entries[at].old.offset != entry->old.offset ||
            strcmp(content->entries[at].old.path, entry->old.path) != 0))
        at++;
    return at;
}

static bool take_line(const struct journal_line *line, const char *root, struct journal_content *content)
{
    if (line->unlocked != NULL) {
        forget_gpu(content, line->unlocked);
        return true;
    }
    if (line->reads != NULL)
        return content->last < content->count &&
               value_from_text(line->reads, &content->entries[content->last].reads);
    content->entries = memory_resized(content->entries, content->count + 1, sizeof *content->entries);
    struct journal_entry *entry = &content->entries[content->count];
    if (!take_entry(line, root, entry))
        return false;
    content->last = find_earlier(content, entry);
    if (content->last == content->count) {
        content->count++;
    } else {
        content->entries[content->last].wrote = entry->wrote;
        content->entries[content->last].reads = entry->reads;
    }
    return true;
}

static bool take_header(const struct journal_line *line, struct journal_owner *owner)
{
    if (line->schema != SCHEMA || strcmp(line->kind, "state") != 0)
        return false;
    owner->pid = (pid_t)line->pid;
    owner->started = (unsigned long long)line->started;
    snprintf(owner->boot, sizeof owner->boot, "%s", line->boot);
    return true;
}

/* Ignores an incomplete last line, whose change was not made. */
static enum status parse(const struct buffer *text, const char *root, const char *path,
                         struct journal_content *content, struct error *error)
{
    size_t at = 0;
    unsigned number = 0;
    const char *newline;
    while (at < text->size && (newline = memchr(text->data + at, '\n', text->size - at)) != NULL) {
        size_t length = (size_t)(newline - text->data) - at;
        json_t *document = json_loadb(text->data + at, length, 0, NULL);
        const struct journal_line line = read_line(document);
        bool good = document != NULL &&
                    (number == 0 ? take_header(&line, &content->owner) : take_line(&line, root, content));
        json_decref(document);
        at += length + 1;
        number++;
        if (good)
            continue;
        error_set(error, STATUS_FAILED, "this is not a line of a machine-state journal of schema %d: %.*s",
                  SCHEMA, (int)(length < 200 ? length : 200), newline - length);
        error_at(error, path, (int)number);
        error_hint(error, "read it, restore the state that it lists, and remove it: sudo rm %s", path);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static enum status read_open(int fd, const char *root, struct journal_content *content, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    struct stat info;
    *content = (struct journal_content){.count = 0};
    journal_path(path, root);
    bool good = fstat(fd, &info) == 0 && info.st_size <= MOST_BYTES;
    size_t size = good ? (size_t)info.st_size : 0;
    if (size > 0)
        buffer_fill(&text, ' ', size);
    ssize_t got = size > 0 ? pread(fd, text.data, size, 0) : 0;
    enum status status = STATUS_OK;
    if (!good || got < 0)
        status = error_set(error, STATUS_UNAVAILABLE, "%s cannot be read: %s", path, strerror(errno));
    else if (size > 0) {
        text.size = (size_t)got;
        status = parse(&text, root, path, content, error);
    }
    buffer_free(&text);
    return status;
}

enum status journal_read(const struct journal *journal, struct journal_content *content, struct error *error)
{
    return read_open(journal->fd, journal->root, content, error);
}

void journal_content_free(struct journal_content *content)
{
    free(content->entries);
    *content = (struct journal_content){.count = 0};
}

/* ---- the lock ---- */

enum attempt { ATTEMPT_TAKEN, ATTEMPT_NONE, ATTEMPT_HELD, ATTEMPT_MOVED, ATTEMPT_REFUSED };

static bool is_held(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static enum attempt lock(int fd, const char *path, struct error *error)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return ATTEMPT_TAKEN;
    if (errno == EAGAIN || errno == EACCES)
        return ATTEMPT_HELD;
    error_set(error, STATUS_UNAVAILABLE, "%s cannot be locked: %s", path, strerror(errno));
    return ATTEMPT_REFUSED;
}

/* True if the open file is still the one at its path: the previous holder may have removed it. */
static bool stands_there(int fd, const char *path)
{
    struct stat open_one;
    struct stat there;
    return fstat(fd, &open_one) == 0 && lstat(path, &there) == 0 && open_one.st_ino == there.st_ino &&
           open_one.st_dev == there.st_dev;
}

/* Opens it without waiting, whatever it is. */
static int open_journal(const char *path, int flags)
{
    return open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0644);
}

/* STATUS_UNAVAILABLE unless the journal is this user's: restoring writes the journal's values to files. One
 * that is only shown may be root's too. To be called before anything is read. */
static enum status check_trust(int fd, const char *path, bool only_shown, struct error *error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set(error, STATUS_UNAVAILABLE, "%s cannot be examined: %s", path, strerror(errno));
    bool own = info.st_uid == geteuid() || (only_shown && info.st_uid == 0);
    if (S_ISREG(info.st_mode) && own && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE,
              "%s is ignored: it is not a regular file that user %ld owns and nobody else may write", path,
              (long)geteuid());
    if (S_ISREG(info.st_mode) && !own)
        error_hint(error, "as user %ld, `trauma sensors` restores the state that it lists",
                   (long)info.st_uid);
    else
        error_hint(error, "look into it, restore by hand what it lists, and remove it: sudo rm %s", path);
    return STATUS_UNAVAILABLE;
}

enum status journal_look(const char *root, struct journal_content *content, bool *held, struct error *error)
{
    char path[FILE_PATH_BYTES];
    *content = (struct journal_content){.count = 0};
    *held = false;
    int fd = open_journal(journal_path(path, root), O_RDONLY);
    if (fd < 0)
        return error_set(error, STATUS_UNAVAILABLE, "%s cannot be read: %s", path, strerror(errno));
    *held = is_held(fd);
    enum status status = check_trust(fd, path, true, error);
    if (status == STATUS_OK)
        status = read_open(fd, root, content, error);
    close(fd);
    return status;
}

static enum attempt try_take(const char *path, bool make, struct journal *journal,
                             struct journal_owner *owner, struct error *error)
{
    struct journal_content content;
    int fd = open_journal(path, O_RDWR | O_APPEND | (make ? O_CREAT : 0));
    if (fd < 0 && errno == ENOENT && !make)
        return ATTEMPT_NONE;
    if (fd < 0) {
        error_set(error, STATUS_UNAVAILABLE, "%s cannot be written: %s", path, strerror(errno));
        error_hint(error, "setting the machine's state takes root");
        return ATTEMPT_REFUSED;
    }
    enum attempt attempt =
        check_trust(fd, path, false, error) == STATUS_OK ? lock(fd, path, error) : ATTEMPT_REFUSED;
    if (attempt == ATTEMPT_TAKEN && !stands_there(fd, path))
        attempt = ATTEMPT_MOVED;
    if (attempt == ATTEMPT_TAKEN) {
        journal->fd = fd;
        return attempt;
    }
    if (attempt == ATTEMPT_HELD && read_open(fd, journal->root, &content, NULL) == STATUS_OK) {
        *owner = content.owner;
        journal_content_free(&content);
    }
    close(fd);
    return attempt;
}

/* Takes the lock. If its owner has ended, its guard holds the lock for a short time, and is waited for. */
static enum attempt take(const char *root, bool make, struct journal *journal, struct journal_owner *owner,
                         struct error *error)
{
    char path[FILE_PATH_BYTES];
    const struct timespec pause = {0, 20000000};
    double deadline = clock_now_s() + PUT_BACK_S;
    enum attempt attempt;
    *journal = (struct journal){.fd = -1};
    snprintf(journal->root, sizeof journal->root, "%s", root);
    journal_path(path, root);
    for (;;) {
        *owner = (struct journal_owner){.pid = 0};
        attempt = try_take(path, make, journal, owner, error);
        bool passes = attempt == ATTEMPT_MOVED || (attempt == ATTEMPT_HELD && !journal_owner_lives(owner));
        if (!passes || clock_now_s() > deadline)
            return attempt;
        nanosleep(&pause, NULL);
    }
}

enum status journal_take(const char *root, struct journal *journal, struct error *error)
{
    struct journal_owner owner;
    return take(root, false, journal, &owner, error) == ATTEMPT_REFUSED ? STATUS_UNAVAILABLE : STATUS_OK;
}

enum status journal_make(const char *root, struct journal *journal, bool *busy, struct error *error)
{
    char path[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    struct journal_owner owner;
    *busy = false;
    *journal = (struct journal){.fd = -1};
    if (journal_path(path, root)[0] == '\0')
        return error_set(error, STATUS_UNAVAILABLE,
                         "there is no home folder for the journal of the state of %s", root);
    file_folder_of(folder, path);
    if (!file_is_folder(folder) && file_make_folders(folder, error) != STATUS_OK) {
        if (error != NULL)
            error->code = STATUS_UNAVAILABLE;
        error_hint(error, "setting the machine's state takes root");
        return STATUS_UNAVAILABLE;
    }
    switch (take(root, true, journal, &owner, error)) {
    case ATTEMPT_TAKEN:
        return STATUS_OK;
    case ATTEMPT_REFUSED:
        return STATUS_UNAVAILABLE;
    default:
        *busy = true;
        error_set(error, STATUS_UNAVAILABLE,
                  "process %ld is already setting the machine's state (%s): its changes would be taken for "
                  "the original state",
                  (long)owner.pid, path);
        error_hint(error, "wait until it has ended, or run without --allow-state");
        return STATUS_UNAVAILABLE;
    }
}

/* ---- writing ---- */

/* Appends the line whole, or not at all. Takes the reference. */
static enum status append(const struct journal *journal, json_t *line, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    off_t before = lseek(journal->fd, 0, SEEK_END);
    bool good = line != NULL;
    errno = EILSEQ; /* content that is not text cannot be recorded */
    if (good) {
        json_write(&text, line, 0);
        good = write(journal->fd, text.data, text.size) == (ssize_t)text.size && file_flush(journal->fd);
    }
    buffer_free(&text);
    json_decref(line);
    if (good)
        return STATUS_OK;
    int number = errno;
    (void)ftruncate(journal->fd, before); /* the next line must not continue half a line */
    errno = number;
    return error_set(error, STATUS_UNAVAILABLE, "it could not first be recorded in %s: %s",
                     journal_path(path, journal->root), strerror(errno));
}

enum status journal_begin(struct journal *journal, struct error *error)
{
    struct journal_owner owner;
    struct stat info;
    owner_here(&owner);
    if (ftruncate(journal->fd, 0) != 0)
        return error_set(error, STATUS_UNAVAILABLE, "cannot create the journal of the machine's state: %s",
                         strerror(errno));
    enum status status =
        append(journal,
               json_pack("{s:i, s:s, s:I, s:I, s:s}", "schema", SCHEMA, "kind", "state", "pid",
                         (json_int_t)owner.pid, "started", (json_int_t)owner.started, "boot", owner.boot),
               error);
    journal->header = fstat(journal->fd, &info) == 0 ? info.st_size : 0;
    return status;
}

enum status journal_add(const struct journal *journal, const struct journal_entry *entry, struct error *error)
{
    json_t *line = json_pack("{s:s}", "knob", entry->knob);
    if (entry->gpu[0] != '\0') {
        json_object_set_new(line, "gpu", json_string(entry->gpu));
        return append(journal, line, error);
    }
    json_object_set_new(line, "path", json_string(entry->old.path + strlen(journal->root)));
    if (entry->old.offset != KNOB_TEXT)
        json_object_set_new(line, "offset", json_integer(entry->old.offset));
    bool good = json_object_set_new(line, "old", value_to_json(&entry->old)) == 0 &&
                json_object_set_new(line, "wrote", value_to_json(&entry->wrote)) == 0;
    if (!good)
        json_decref(line);
    return append(journal, good ? line : NULL, error);
}

enum status journal_add_reads(const struct journal *journal, const struct knob_change *reads,
                              struct error *error)
{
    return append(journal, json_pack("{s:o}", "reads", value_to_json(reads)), error);
}

enum status journal_add_unlocked(const struct journal *journal, const char *gpu, struct error *error)
{
    return append(journal, json_pack("{s:s}", "unlocked", gpu), error);
}

bool journal_is_long(const struct journal *journal)
{
    struct stat info;
    return fstat(journal->fd, &info) == 0 && info.st_size > LONG_BYTES;
}

void journal_clear(const struct journal *journal)
{
    if (ftruncate(journal->fd, journal->header) == 0)
        (void)file_flush(journal->fd); /* if that fails, entries are restored again, without effect */
}

void journal_remove(const struct journal *journal)
{
    char path[FILE_PATH_BYTES];
    if (stands_there(journal->fd, journal_path(path, journal->root)))
        (void)unlink(path); /* if that fails, the remaining file lists nothing */
}

void journal_close(struct journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    *journal = (struct journal){.fd = -1};
}
