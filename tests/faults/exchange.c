/* Exchanges names in a shared folder for links, as fast as it can, until it is ended: exchange SHARED PRIVATE
 *
 * It is run by a user who may write to SHARED and not to PRIVATE, while another one writes a suite to
 * SHARED/suite. A name goes back and forth, so that a walk finds the folder at one step and the link at the
 * next. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *shared, *private;

/* What is exchanged, below SHARED, and what it leads to below PRIVATE. */
static const struct {
    const char *name, *target;
} pairs[] = {{"suite", ""},
             {"suite/small", "small"},
             {"suite/small/hit=0.5", "small/hit=0.5"},
             {"suite/small/hit=0.75", "small/hit=0.5"},
             {"deep", ""}};
enum { PAIRS = sizeof pairs / sizeof pairs[0], MOST_DRAFTS = 100 };

/* Exchanges it for a link to the target, which is made at the first time. */
static void exchange(const char *name, const char *target, unsigned number)
{
    char path[PATH_MAX], link[PATH_MAX], to[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", shared, name);
    snprintf(link, sizeof link, "%s/link-%u", shared, number);
    snprintf(to, sizeof to, "%s%s%s", private, target[0] == '\0' ? "" : "/", target);
    if (renameat2(AT_FDCWD, path, AT_FDCWD, link, RENAME_EXCHANGE) != 0 && access(path, F_OK) == 0)
        (void)!symlink(to, link);
}

static int is_draft(const char *name)
{
    size_t length = strlen(name);
    return strncmp(name, ".trauma-", 8) == 0 || (length > 4 && strcmp(name + length - 4, ".new") == 0) ||
           (length > 4 && strcmp(name + length - 4, ".old") == 0);
}

int main(int argc, char **argv)
{
    if (argc != 3 || argv[1][0] == '\0')
        return 2;
    shared = argv[1];
    private = argv[2];
    for (unsigned turn = 0;; turn++) {
        for (unsigned i = 0; i < PAIRS; i++)
            exchange(pairs[i].name, pairs[i].target, i);
        DIR *folder = opendir(shared);
        const struct dirent *entry;
        unsigned drafts = 0;
        while (folder != NULL && drafts < MOST_DRAFTS && (entry = readdir(folder)) != NULL) {
            char below[PATH_MAX];
            if (!is_draft(entry->d_name))
                continue;
            snprintf(below, sizeof below, "%s/small", entry->d_name);
            exchange(below, "small", PAIRS + MOST_DRAFTS + drafts);
            if (turn % 2 == 0) /* at the other turns it stays what it is */
                exchange(entry->d_name, "", PAIRS + drafts);
            drafts++;
        }
        if (folder != NULL)
            closedir(folder);
    }
}
