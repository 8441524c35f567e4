/* The verdict part: how long a check of all shipped recipes takes. */
#include "base/file.h"
#include "base/files/paths.h"
#include "bench/bench.h"
#include "runner/process/child.h"

#include <stdlib.h>
#include <string.h>

/* The project's limit, on two cores. */
static const double MOST_S = 60;
static const double TIMEOUT_S = 1800;

/* "trauma check --quiet", then the recipes of a folder: benchmarks of several folders may share a name. */
enum { FIRST_RECIPE = 3, MOST_WORDS = 256 };
struct bench_command {
    char *words[MOST_WORDS + 1];
    int count;
};

static void add_word(struct bench_command *command, const char *word)
{
    if (command->count < MOST_WORDS)
        command->words[command->count++] = strdup(word);
}

static void make_command(struct bench_command *command, const char *recipes, const char *name)
{
    *command = (struct bench_command){0};
    add_word(command, "trauma");
    add_word(command, "check");
    add_word(command, "--quiet");
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    char **files = file_list(file_join(folder, recipes, name), ".lua");
    /* Those are descriptions, not recipes. */
    bool machines = strcmp(name, "machines") == 0;
    for (size_t i = 0; !machines && files != NULL && files[i] != NULL; i++)
        add_word(command, file_join(path, folder, files[i]));
    file_free_names(files);
}

static void free_command(struct bench_command *command)
{
    for (int i = 0; i < command->count; i++)
        free(command->words[i]);
}

/* Adds the time of the check. Exit codes for verdicts other than a pass are no errors here. */
static enum status check(const struct bench *bench, const struct bench_command *command, double *wall_s,
                         struct error *error)
{
    const struct child_request request = {
        .path = bench->trauma, .arguments = command->words, .cpu = -1, .timeout_s = TIMEOUT_S};
    struct child_result result;
    enum status status = child_run(&request, &result, error);
    bool finished =
        result.signal == 0 && (result.exit_code == STATUS_MISSED || result.exit_code == STATUS_UNAVAILABLE);
    *wall_s += result.wall_s;
    child_result_free(&result);
    return finished ? STATUS_OK : status;
}

enum status bench_verdict(struct bench *bench, struct error *error)
{
    static const char name[] = "check of all recipes";
    char home[FILE_PATH_BYTES], recipes[FILE_PATH_BYTES];
    double wall_s = 0;
    if (!bench_wants(bench, name))
        return STATUS_OK;
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    char **folders = file_list(file_join(recipes, home, "recipes"), "");
    for (size_t i = 0; status == STATUS_OK && folders != NULL && folders[i] != NULL; i++) {
        struct bench_command command;
        make_command(&command, recipes, folders[i]);
        if (command.count > FIRST_RECIPE)
            status = check(bench, &command, &wall_s, error);
        free_command(&command);
    }
    file_free_names(folders);
    if (status == STATUS_OK && wall_s == 0)
        status = error_set(error, STATUS_FAILED, "%s holds no recipes", recipes);
    if (status == STATUS_OK)
        bench_value(
            bench,
            &(struct bench_number){
                .part = "verdict",
                .name = name,
                .value = wall_s,
                .unit = "s",
                .limit = MOST_S,
                .advice =
                    "slower than promised on two cores: repeat it while nothing else runs, and find the "
                    "slow recipe with `trauma check -v RECIPE`"});
    return status;
}
