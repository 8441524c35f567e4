/* trauma completion: completes commands in a shell. The scripts run `trauma completion words`, so that they
 * offer exactly the options, recipes and machines of the program that they complete. */
#include "base/arena.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/options/output_kind.h"
#include "generator/metric/metric.h"
#include "isa/isa.h"
#include "model/model.h"
#include "runner/power/sensor.h"
#include "runner/sources/source.h"
#include "session/find_machine.h"
#include "session/find_recipes.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RECIPES = 1024 };

static const char *const accepted[] = {"output", NULL};

/* ---- the scripts ---- */

static const char bash_script[] =
    "# Completion of trauma for bash.\n"
    "_trauma()\n"
    "{\n"
    "    local line files= program=${COMP_WORDS[0]/#\\~/$HOME} word=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [ \"$line\" = :files ]; then files=yes; else COMPREPLY+=(\"${line%%$'\\t'*}\"); fi\n"
    "    done < <(\"$program\" completion words -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    if [ -n \"$files\" ]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- \"${word#=}\")\n"
    "    fi\n"
    "}\n"
    "complete -F _trauma trauma\n";

static const char zsh_script[] =
    "#compdef trauma\n"
    "# Completion of trauma for zsh.\n"
    "_trauma()\n"
    "{\n"
    "    local line files\n"
    "    local -a found\n"
    "    for line in \"${(@f)$(\"${(e)words[1]}\" completion words -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            files=yes\n"
    "        elif [[ -n $line ]]; then\n"
    "            found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        fi\n"
    "    done\n"
    "    (( $#found )) && _describe -t words 'trauma' found\n"
    "    [[ -n $files ]] && _files\n"
    "    return 0\n"
    "}\n"
    "if [[ ${funcstack[1]} == _trauma ]]; then _trauma \"$@\"; else compdef _trauma trauma; fi\n";

static const char fish_script[] =
    "# Completion of trauma for fish.\n"
    "function __trauma_words\n"
    "    set -l words (commandline -opc)\n"
    "    set -l word (commandline -ct)\n"
    "    for line in ($words[1] completion words -- $words[2..-1] \"$word\" 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path \"$word\"\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c trauma -f -a '(__trauma_words)'\n";

static const struct shell {
    const char *name;
    const char *script;
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
enum { SHELL_COUNT = sizeof shells / sizeof shells[0] };

/* ---- the words ---- */

/* The unfinished word. */
struct offer {
    const char *before; /* its text so far */
    size_t taken;       /* bytes of it that are a list's finished part: "plan," */
};

/* Prints the word, with the prefix before it, if it begins with the unfinished text. */
static void offer_word(const struct offer *offer, const char *prefix, const char *word, const char *about)
{
    const char *rest = offer->before + offer->taken;
    char whole[FILE_PATH_BYTES];
    snprintf(whole, sizeof whole, "%s%s", prefix, word);
    if (strncmp(whole, rest, strlen(rest)) == 0)
        command_print("%.*s%s\t%s\n", (int)offer->taken, offer->before, whole, about);
}

static void offer_list(const struct offer *offer, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        offer_word(offer, "", words[i], "");
}

static void offer_commands(const struct offer *offer, const struct command *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++)
        offer_word(offer, "", commands_last_word(list[i]), list[i]->summary);
}

static void offer_recipes(const struct offer *offer)
{
    const char *names[MOST_RECIPES];
    struct arena arena = {0};
    struct error error;
    size_t count = recipe_names(&arena, names, MOST_RECIPES, &error);
    for (size_t i = 0; i < count; i++)
        offer_word(offer, "", names[i], strchr(names[i], '/') == NULL ? "all recipes in it" : "recipe");
    arena_free(&arena);
}

static void offer_machines(const struct offer *offer)
{
    struct error error;
    char **names = machine_names(&error);
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        offer_word(offer, "", names[i], "machine");
    file_free_names(names);
}

static void offer_metrics(const struct offer *offer)
{
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++)
        if (metric->star == STAR_NONE)
            offer_word(offer, "", metric->name, metric->meaning);
    static const char *const levels[] = {"L1", "L2", "L3", "MEM"};
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++) {
        const char *star = strchr(metric->name, '*');
        for (size_t i = 0; metric->star == STAR_LEVEL && star != NULL && i < 4; i++) {
            char name[FILE_PATH_BYTES];
            snprintf(name, sizeof name, "%.*s%s%s", (int)(star - metric->name), metric->name, levels[i],
                     star + 1);
            offer_word(offer, "", name, metric->meaning);
        }
    }
}

static void offer_targets(const struct offer *offer)
{
    for (size_t i = 0; isa_table[i] != NULL; i++)
        offer_word(offer, "", isa_table[i]->name, "target");
}

static void offer_sources(const struct offer *offer)
{
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        offer_word(offer, "", counter_sources[i]->name, evidence_kinds[counter_sources[i]->kind].name);
}

static void offer_sensors(const struct offer *offer)
{
    for (size_t i = 0; power_sensors[i] != NULL; i++)
        offer_word(offer, "", power_sensors[i]->name, "power sensor");
}

static void offer_models(const struct offer *offer)
{
    for (size_t i = 0; models[i] != NULL; i++)
        offer_word(offer, "", models[i]->name, "energy model");
}

static void offer_shells(const struct offer *offer)
{
    for (size_t i = 0; i < SHELL_COUNT; i++)
        offer_word(offer, "", shells[i].name, "shell");
}

static void offer_all_commands(const struct offer *offer)
{
    offer_commands(offer, commands_all);
}

static void offer_machine_parts(const struct offer *offer)
{
    static const char *const parts[] = {"list", "show", "detect", "probe", NULL};
    offer_list(offer, parts);
    offer_machines(offer);
}

/* The arguments of an option, or of a command. An option without a row is completed with files if its
 * argument is a FILE, a DIR or a PATH. */
struct values {
    const char *name;
    void (*add)(const struct offer *offer); /* offers words of a table; NULL: none */
    const char *words;                      /* further words, separated by blanks; NULL: none */
    bool lists;                             /* words may be joined by commas */
    bool files;                             /* files, too */
};

static const struct values of_options[] = {
    {"machine", offer_machines, NULL, false, true},
    {"target", offer_targets, NULL, false, false},
    {"counters", offer_sources, NULL, true, false},
    {"power", offer_sensors, NULL, true, false},
    {"x", offer_metrics, NULL, true, false},
    {"y", offer_metrics, NULL, true, false},
    {"channel", NULL, "dram core package uncore psys gpu", false, false},
    {"order", NULL, "given random", false, false},
    {"index", NULL, "virtual unknown", false, false},
    {"map", NULL, "none pages hashed", false, false},
    {"markers", NULL, "gem5 gem5-address cpuid", false, false},
    {"as", NULL, "champsim gem5 cachegrind drcachesim", false, false},
    {"simulator", NULL, "champsim gem5 cachegrind drcachesim csv", false, false},
    {"trace", NULL, "champsim drmemtrace dinero", false, false},
    {"field", NULL, "cu,sh,se cu sh se", false, false},
    {"occurrence", NULL, "all", false, false},
    {NULL, NULL, NULL, false, false},
};

static const struct values of_commands[] = {
    {"list", offer_recipes, NULL, false, true},
    {"gen", offer_recipes, NULL, false, true},
    {"run", offer_recipes, NULL, false, true},
    {"check", offer_recipes, NULL, false, true},
    {"explain", offer_recipes, NULL, false, true},
    {"fit", offer_models, NULL, false, true},
    {"machine", offer_machine_parts, NULL, false, true},
    {"completion", offer_shells, NULL, false, false},
    {"man", offer_all_commands, NULL, false, false},
    {"help", offer_all_commands, NULL, false, false},
    {NULL, NULL, NULL, false, true},
};

static const struct values *find_values(const struct values *rows, const char *name)
{
    size_t i = 0;
    while (rows[i].name != NULL && strcmp(rows[i].name, name) != 0)
        i++;
    return &rows[i];
}

static void offer_values(const struct values *row, struct offer offer)
{
    const char *comma = row->lists ? strrchr(offer.before, ',') : NULL;
    offer.taken = comma == NULL ? 0 : (size_t)(comma + 1 - offer.before);
    if (row->add != NULL)
        row->add(&offer);
    for (const char *at = row->words; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        char word[64];
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        offer_word(&offer, "", word, "");
        at += length;
    }
    if (row->files)
        command_print(":files\n");
}

static bool takes_files(const char *argument)
{
    return strstr(argument, "FILE") != NULL || strstr(argument, "DIR") != NULL ||
           strstr(argument, "PATH") != NULL || strstr(argument, ".json") != NULL;
}

/* Finds the option of a word such as "--order" or "-m"; false if the word is no option with an argument. */
static bool takes_argument(const struct command *command, const char *word, struct option_words *found)
{
    for (size_t i = 0; options_words(command->name, command->options, i, found); i++) {
        bool same = word[0] == '-' && word[1] == '-'
                        ? strcmp(found->name, word + 2) == 0
                        : word[0] == '-' && found->letter != 0 && word[1] == found->letter && word[2] == '\0';
        if (same)
            return found->argument != NULL;
    }
    return false;
}

static void offer_argument(const struct option_words *option, const char *word)
{
    const struct values *row = find_values(of_options, option->name);
    const struct values files = {.files = takes_files(option->argument)};
    offer_values(row->name == NULL ? &files : row, (struct offer){.before = word});
}

static void offer_options(const struct command *command, const char *word)
{
    struct offer offer = {.before = word};
    struct option_words option;
    for (size_t i = 0; options_words(command->name, command->options, i, &option); i++)
        offer_word(&offer, "--", option.name, option.help);
}

/* The words after "trauma", the last of which is unfinished. bash makes three words of --order=given. */
static void complete(const char *const *words, size_t count)
{
    const char *word = count == 0 ? "" : words[count - 1];
    const struct command *command = count > 1 ? commands_find(commands_all, words[0]) : NULL;
    struct option_words option;
    if (count < 2) {
        struct offer offer = {.before = word};
        offer_commands(&offer, commands_all);
        offer_word(&offer, "", "help", "describes a command");
        offer_word(&offer, "--", "help", "lists the commands");
        offer_word(&offer, "--", "version", "prints the version");
        return;
    }
    if (strcmp(words[0], "help") == 0 && count == 2)
        offer_all_commands(&(struct offer){.before = word});
    if (command == NULL)
        return;
    if (command->parts != NULL && count == 2 && word[0] != '-') {
        offer_commands(&(struct offer){.before = word}, command->parts);
        return;
    }
    if (command->parts != NULL && count > 2 && commands_find(command->parts, words[1]) != NULL)
        command = commands_find(command->parts, words[1]);
    bool equals = strcmp(word, "=") == 0;
    bool after_equals = !equals && count > 2 && strcmp(words[count - 2], "=") == 0;
    size_t before = count - (after_equals ? 2 : 1);
    if (before > 0 && takes_argument(command, words[before - 1], &option))
        offer_argument(&option, equals ? "" : word);
    else if (word[0] == '-')
        offer_options(command, word);
    else
        offer_values(find_values(of_commands, command->name), (struct offer){.before = word});
}

/* ---- the command ---- */

static int run(const struct options *options)
{
    struct error error;
    if (options->input_count > 0 && strcmp(options->inputs[0], "words") == 0) {
        complete(options->inputs + 1, options->input_count - 1);
        return STATUS_OK;
    }
    for (size_t i = 0; options->input_count == 1 && i < SHELL_COUNT; i++) {
        if (strcmp(options->inputs[0], shells[i].name) != 0)
            continue;
        enum status status =
            output_write(options->output, shells[i].script, strlen(shells[i].script), &error);
        return status == STATUS_OK ? STATUS_OK : command_fail(&error);
    }
    error_set(&error, STATUS_USAGE, "trauma completion: expected a shell, found %s%s%s",
              options->input_count == 1 ? "'" : "",
              options->input_count == 1 ? options->inputs[0] : "none or several",
              options->input_count == 1 ? "'" : "");
    error_hint(&error, "expected bash, zsh or fish");
    return command_fail(&error);
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "bash | zsh | fish [-o FILE]",
    .summary = "prints what a shell needs to complete commands, options, recipes, machines and metrics",
    .details =

        "Installed packages include the completion. Without a package:\n"
        "\n"
        "  bash  source <(trauma completion bash), in ~/.bashrc\n"
        "  zsh   source <(trauma completion zsh), in ~/.zshrc after compinit\n"
        "  fish  trauma completion fish >~/.config/fish/completions/trauma.fish\n"
        "\n"
        "The scripts run `trauma completion words -- WORD...`, where the last WORD is unfinished. It "
        "prints each word that can stand in its place on a line, followed by a tab and a description; the "
        "line :files stands for the names of files.\n",
    .options = accepted,
    .run = run,
};
