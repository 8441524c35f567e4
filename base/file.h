/* Files and folders: read whole, written whole or not at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FILE_PATH_BYTES = 4096 };

/* How many bytes are read of a file, by what it is: a larger one is refused before anything of it is read. */
enum {
    FILE_MOST_TEXT = 16 << 20,      /* what people write, and the system tells */
    FILE_MOST_DOCUMENT = 256 << 20, /* JSON: models, indices of suites, what was learnt */
    FILE_MOST_DATA = 1 << 30,       /* programs, manifests, binaries, counters, traces */
};

/* Opens a regular file for reading, without waiting, and leaves its size in *size. A FIFO, a device or a
 * socket is refused, but for a pipe that the shell gave us (/dev/stdin, /dev/fd/N), whose *size is 0. -1 with
 * STATUS_USAGE in *error otherwise; the caller closes it. */
int file_open(const char *path, off_t *size, struct error *error);

/* Appends the whole file to *contents. STATUS_USAGE when file_open refuses it, it has more than `most` bytes
 * or it cannot be read. */
enum status file_read_most(const char *path, size_t most, struct buffer *contents, struct error *error);

/* The same of a text of FILE_MOST_TEXT at most. */
enum status file_read(const char *path, struct buffer *contents, struct error *error);

/* True for a regular file that begins with the text. */
bool file_begins_with(const char *path, const char *text);

/* Writes a file whole or not at all: as a file without a name, or with a random one that nobody else has, in
 * the target's folder, that gets path as its name in the end; so a reader never sees half a file, and a
 * failure leaves the old one. What replaces an older file keeps its permissions, and is on the disk before
 * the older one goes. A link is followed, one that leads nowhere refused. A device, a FIFO and this process's
 * own descriptors (/dev/stdout, also where it is a file) are written to as they are. */
enum status file_write(const char *path, const void *bytes, size_t size, bool executable,
                       struct error *error);

/* The same with the permissions of the file model. */
enum status file_write_like(const char *model, const char *path, const void *bytes, size_t size,
                            struct error *error);

/* The same where nothing has that name yet; else STATUS_USAGE. */
enum status file_write_first(const char *path, const void *bytes, size_t size, struct error *error);

/* True for a path whose file these make anew; false for what they write to as it is. */
bool file_is_put_in_place(const char *path);

/* Writes all of it to the descriptor. False, with errno, when that fails, and then perhaps a part of it. */
bool file_write_all(int fd, const void *bytes, size_t size);

/* A file that is written in parts, for what is too large to be held: file_write puts it in its place once it
 * is whole. */
struct file_writer {
    int fd;      /* a file of no name: the parts so far */
    bool first;  /* as file_write_first has it */
    int failure; /* errno of the first part that could not be written */
    char path[FILE_PATH_BYTES];
    struct buffer waiting;
};

/* On success the caller ends with file_writer_end. */
enum status file_writer_begin(const char *path, bool first, struct file_writer *writer, struct error *error);

void file_writer_put(struct file_writer *writer, const void *bytes, size_t size);

/* Puts the file in its place, or, where it is not to be kept or a part could not be written, leaves what
 * there was. STATUS_FAILED when it could not be written. */
enum status file_writer_end(struct file_writer *writer, bool keep, struct error *error);

/* Has what was written to the descriptor on the disk when it returns; a file system that has no flush is
 * well. False, with errno, when that fails. */
bool file_flush(int fd);

/* Closes the descriptor. False, with errno, when what was written to it is lost. */
bool file_close(int fd);

bool file_is_folder(const char *path);
bool file_is_regular(const char *path);
bool file_folder_is_empty(const char *path);

/* Makes the folder and those above it. */
enum status file_make_folders(const char *path, struct error *error);

/* Removes a file, or a folder with all in it; what is not there is no error. */
enum status file_remove_tree(const char *path, struct error *error);

/* "folder/name" in path; returns path. A result that does not fit is cut. */
char *file_join(char path[FILE_PATH_BYTES], const char *folder, const char *name);

/* True when the path's last characters are the suffix (".jsonl"). */
bool file_ends_with(const char *path, const char *suffix);

/* The folder that the path lies in, "." without a slash, in folder; returns folder. */
char *file_folder_of(char folder[FILE_PATH_BYTES], const char *path);

/* True for a relative path that names nothing above its folder, whatever lies there: neither "/etc/x" nor
 * "../x". A results file may be somebody else's, and so may the names in it. */
bool file_stays_inside(const char *relative);

/* True when the file is there and lies in the folder or below, with all links followed. */
bool file_lies_within(const char *folder, const char *path);

/* The part after the last slash. Points into path. */
const char *file_base_name(const char *path);

/* The names in the folder that end in suffix and do not begin with a dot, sorted, NULL-terminated, to be
 * freed with file_free_names; NULL when the folder cannot be read. */
char **file_list(const char *folder, const char *suffix);

/* All names in the folder but "." and "..", likewise; NULL, with errno, when it cannot be read. */
char **file_list_all(const char *folder);
void file_free_names(char **names);

#endif
