/* A folder of made-up files below /tmp, for tests of what reads /sys. */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char root[64];
};

/* cmocka's set-up and tear-down: *state is the tree. */
static inline int tree_make(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return -1;
    *state = tree;
    strcpy(tree->root, "/tmp/trauma-tree-XXXXXX");
    /* Readable by all, for tests that are someone else for a moment. */
    return mkdtemp(tree->root) != NULL ? chmod(tree->root, 0755) : -1;
}

static inline int tree_remove(void **state)
{
    struct tree *tree = *state;
    enum status status = file_remove_tree(tree->root, NULL);
    free(tree);
    return status == STATUS_OK ? 0 : -1;
}

static inline char *tree_path(const struct tree *tree, const char *below, char path[FILE_PATH_BYTES])
{
    return file_join(path, tree->root, below);
}

/* Writes the file folder/file, with the folders above. */
static inline void tree_put(const struct tree *tree, const char *folder, const char *file, const char *text)
{
    char place[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    tree_path(tree, folder, place);
    file_join(path, place, file);
    if (file_make_folders(place, NULL) != STATUS_OK ||
        file_write(path, text, strlen(text), false, NULL) != STATUS_OK)
        abort();
}

static inline void tree_link(const struct tree *tree, const char *target, const char *below)
{
    char path[FILE_PATH_BYTES];
    if (symlink(target, tree_path(tree, below, path)) != 0)
        abort();
}

static inline void tree_delete(const struct tree *tree, const char *below)
{
    char path[FILE_PATH_BYTES];
    if (unlink(tree_path(tree, below, path)) != 0)
        abort();
}

#endif
