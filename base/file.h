/* Files and folders: read whole, written whole or not at all. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { FILE_PATH_BYTES = 4096 };

/* Appends the whole file to *contents. STATUS_USAGE when it cannot be read. */
enum status file_read(const char *path, struct buffer *contents, struct error *error);

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

/* The part after the last slash. Points into path. */
const char *file_base_name(const char *path);

/* The names in the folder that end in suffix and do not begin with a dot, sorted, NULL-terminated, to be
 * freed with file_free_names; NULL when the folder cannot be read. */
char **file_list(const char *folder, const char *suffix);

/* All names in the folder but "." and "..", likewise; NULL, with errno, when it cannot be read. */
char **file_list_all(const char *folder);
void file_free_names(char **names);

#endif
