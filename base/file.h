/* Files and folders: whole-file reads and atomic writes. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FILE_PATH_BYTES = 4096 };

/* Size limits by kind of file; a larger file is refused before it is read. */
enum {
    FILE_MOST_TEXT = 16 << 20,      /* text written by people or by the system */
    FILE_MOST_DOCUMENT = 256 << 20, /* JSON: models, suite indices, calibration stores */
    FILE_MOST_DATA = 1 << 30,       /* programs, manifests, binaries, counters, traces */
};

/* Opens a regular file for reading, without waiting, and leaves its size in *size. Refuses FIFOs, devices and
 * sockets, except a pipe from the shell (/dev/stdin, /dev/fd/N), whose *size is 0. Returns the descriptor,
 * which the caller closes, or -1 with STATUS_USAGE in *error. */
int file_open(const char *path, off_t *size, struct error *error);

/* Appends the whole file to *contents. STATUS_USAGE if file_open refuses it, it has more than `most` bytes,
 * or it cannot be read. */
enum status file_read_most(const char *path, size_t most, struct buffer *contents, struct error *error);

/* The same for a name in an open folder, which must not be a link; path is for messages. */
enum status file_read_in(int folder, const char *name, const char *path, size_t most, struct buffer *contents,
                         struct error *error);

/* The same with a limit of FILE_MOST_TEXT. */
enum status file_read(const char *path, struct buffer *contents, struct error *error);

/* True for a regular file that begins with the text. */
bool file_begins_with(const char *path, const char *text);

/* Writes a file atomically: into a file without a name, or with a random unique one, in the target's folder,
 * which is then renamed to path. Readers never get a partial file, and a failure leaves the old one. A
 * replacement keeps the old file's permissions, and is on disk before the old file goes. Links of this user
 * and of root are followed (base/files/file_place.h), others and dangling ones refused. Devices, FIFOs and
 * this process's own descriptors (/dev/stdout, even if it is a file) are written in place. */
enum status file_write(const char *path, const void *bytes, size_t size, bool executable,
                       struct error *error);

/* The same with the permissions of the file `model`. */
enum status file_write_like(const char *model, const char *path, const void *bytes, size_t size,
                            struct error *error);

/* The same for a new name; STATUS_USAGE if it exists. */
enum status file_write_first(const char *path, const void *bytes, size_t size, struct error *error);

struct file_place; /* base/files/file_place.h */

/* The same for a place; path is for messages. */
enum status file_write_first_to(const struct file_place *place, const char *path, const void *bytes,
                                size_t size, struct error *error);

/* True if these functions replace the path's file, false if they write in place. */
bool file_is_put_in_place(const char *path);

/* Writes all bytes to the descriptor. False, with errno, on failure, possibly after writing a part. */
bool file_write_all(int fd, const void *bytes, size_t size);

/* A file written in parts because it is too large for memory; moved into place when complete, as by
 * file_write. */
struct file_writer {
    int fd;      /* a file without a name: the parts so far */
    bool first;  /* as in file_write_first */
    int failure; /* errno of the first failed write */
    char path[FILE_PATH_BYTES];
    struct buffer waiting;
};

/* After success the caller must call file_writer_end. */
enum status file_writer_begin(const char *path, bool first, struct file_writer *writer, struct error *error);

void file_writer_put(struct file_writer *writer, const void *bytes, size_t size);

/* Moves the file into place; without keep, or after a failed write, leaves the old file. STATUS_FAILED if it
 * could not be written. */
enum status file_writer_end(struct file_writer *writer, bool keep, struct error *error);

/* Flushes the descriptor's data to disk; succeeds if the file system has no flush. False, with errno, on
 * failure. */
bool file_flush(int fd);

/* Closes the descriptor. False, with errno, if written data is lost. */
bool file_close(int fd);

bool file_is_folder(const char *path);
bool file_is_regular(const char *path);

/* Makes the folder and its parents. */
enum status file_make_folders(const char *path, struct error *error);

/* Removes a file, or a folder with its contents, as draft_clear; a missing one is no error. */
enum status file_remove_tree(const char *path, struct error *error);

/* Writes "folder/name" to path, cut if too long; returns path. */
char *file_join(char path[FILE_PATH_BYTES], const char *folder, const char *name);

/* True if the path ends with the suffix (".jsonl"). */
bool file_ends_with(const char *path, const char *suffix);

/* Writes the path's folder ("." without a slash) to folder; returns folder. */
char *file_folder_of(char folder[FILE_PATH_BYTES], const char *path);

/* True for a relative path that stays in its folder by name: neither "/etc/x" nor "../x". Results files, and
 * the names in them, are untrusted. */
bool file_stays_inside(const char *relative);

/* True if the file exists in the folder or below, after following all links. */
bool file_lies_within(const char *folder, const char *path);

/* The part after the last slash. Points into path. */
const char *file_base_name(const char *path);

/* The names in the folder that end in suffix and do not begin with a dot, sorted and NULL-terminated; free
 * with file_free_names. NULL if the folder cannot be read. */
char **file_list(const char *folder, const char *suffix);

void file_free_names(char **names);

#endif
