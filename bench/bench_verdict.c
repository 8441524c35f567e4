/* The verdict part: how long a check of all shipped recipes takes. */
#include "base/file.h"
#include "base/files/paths.h"
#include "bench/bench.h"
#include "runner/process/child.h"

#include <stdlib.h>
#include <string.h>

/* The project's promise, on two cores. */
static const double WISHED_S = 60;
static const double TIMEOUT_S = 1800;

/* "trauma check --quiet", then every shipped recipe. */
enum { FIRST_RECIPE = 3, MOST_WORDS = 256 };
struct command {
    char *words[MOST_WORDS + 1];
    int count;
};

static void add_word(struct command *command, const char *word)
{
    if (command->count < MOST_WORDS)
        command->words[command->count++] = strdup(word);
}

static void add_folder(struct command *command, const char *recipes, const char *name)
{
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    char **files = file_list(file_join(folder, recipes, name), ".lua");
    /* Those are descriptions, not recipes. */
    bool machines = strcmp(name, "machines") == 0;
    for (size_t i = 0; !machines && files != NULL && files[i] != NULL; i++)
        add_word(command, file_join(path, folder, files[i]));
    file_free_names(files);
}

static enum status make_command(struct command *command, struct error *error)
{
    char home[FILE_PATH_BYTES];
    char recipes[FILE_PATH_BYTES];
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    add_word(command, "trauma");
    add_word(command, "check");
    add_word(command, "--quiet");
    char **folders = file_list(file_join(recipes, home, "recipes"), "");
    for (size_t i = 0; folders != NULL && folders[i] != NULL; i++)
        add_folder(command, recipes, folders[i]);
    file_free_names(folders);
    if (command->count <= FIRST_RECIPE)
        return error_set(error, STATUS_FAILED, "%s holds no recipes", recipes);
    return STATUS_OK;
}

static void free_command(struct command *command)
{
    for (int i = 0; i < command->count; i++)
        free(command->words[i]);
}

/* The exit code reports verdicts that are not a pass; they do not matter here. */
static enum status check(struct bench *bench, const char *name, const struct command *command,
                         struct error *error)
{
    const struct child_request request = {
        .path = bench->trauma, .arguments = command->words, .cpu = -1, .timeout_s = TIMEOUT_S};
    struct child_result result;
    enum status status = child_run(&request, &result, error);
    bool told =
        result.signal == 0 && (result.exit_code == STATUS_MISSED || result.exit_code == STATUS_UNAVAILABLE);
    if (status == STATUS_OK || told) {
        bench_value(bench,
                    &(struct bench_number){
                        .part = "verdict",
                        .name = name,
                        .value = result.wall_s,
                        .unit = "s",
                        .limit = WISHED_S,
                        .advice =
                            "slower than promised on two cores: repeat it while nothing else runs, and see "
                            "which recipe takes long with `trauma check -v RECIPE`"});
        status = STATUS_OK;
    }
    child_result_free(&result);
    return status;
}

enum status bench_verdict(struct bench *bench, struct error *error)
{
    static const char name[] = "check of all recipes";
    struct command command = {0};
    if (!bench_wants(bench, name))
        return STATUS_OK;
    enum status status = make_command(&command, error);
    if (status == STATUS_OK)
        status = check(bench, name, &command, error);
    free_command(&command);
    return status;
}
