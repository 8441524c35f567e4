/* trauma COMMAND [ARGS]: finds the command, reads its options, and turns its result into an exit code. */
#include "base/limits.h"
#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/commands.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "report/wrap.h"
#include "session/execute/requested_state.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- running out of memory: a sentence, and exit code 1 ---- */

/* All code, that of C++ libraries too, calls abort if an allocation fails, as no caller could continue. */

enum { STACK_BYTES = 1 << 20, PAGE_BYTES = 4096, FIRST_OF_ALL = 101 };

static void print_error(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* a failure here cannot be handled */
}

static _Noreturn void end_without_memory(void)
{
    char text[LIMITS_BYTES];
    print_error("trauma: ");
    print_error(limits_describe_memory(text));
    print_error("\n");
    _exit(EXIT_FAILURE);
}

/* The handler of SIGABRT. On return, abort continues. */
static void handle_abort(int number)
{
    (void)number;
    if (errno == ENOMEM)
        end_without_memory();
}

/* Grows the stack by touching it. */
__attribute__((noinline)) static void touch_stack(void)
{
    volatile char room[STACK_BYTES];
    for (size_t i = sizeof room; i >= PAGE_BYTES; i -= PAGE_BYTES)
        room[i - PAGE_BYTES] = 0;
}

/* A stack that cannot grow later would end the process by a signal, without a reason. So this grows it now,
 * after checking that the memory is available. */
static void grow_stack(void)
{
    void *room = mmap(NULL, 2 * STACK_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        end_without_memory();
    munmap(room, 2 * STACK_BYTES);
    touch_stack();
}

static void *allocate(size_t size)
{
    void *bytes = malloc(size);
    if (bytes == NULL && size > 0)
        abort();
    return bytes;
}

/* Runs before main, and before C++ constructors. */
__attribute__((constructor(FIRST_OF_ALL))) static void watch_abort(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle_abort;
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, NULL);
}

/* jansson would otherwise silently omit objects that it cannot allocate. Forked processes inherit both. */
static void prepare_memory(void)
{
    grow_stack();
    json_set_alloc_funcs(allocate, free);
}

/* ---- commands ---- */

enum { COMMANDS_MOST = 32 };

static void print_overview(FILE *where)
{
    struct buffer page = {0};
    buffer_text(
        &page,
        "trauma COMMAND [ARGS]: generates microbenchmarks that behave as a recipe states, and proves it\n\n");
    commands_add_list(commands_all, &page);
    buffer_text(&page, "\ntrauma COMMAND --help describes a command; trauma --version prints the version\n");
    wrap_print(page.data, where);
    buffer_free(&page);
}

static void print_help(const struct command *command)
{
    struct buffer page = {0};
    commands_describe(command, &page);
    wrap_print(page.data, stdout);
    buffer_free(&page);
}

/* Common names of commands that have another name here. */
static const struct {
    const char *called, *command;
} other_names[] = {
    {"compare", "diff"},
    {"generate", "gen"},
    {"build", "gen"},
    {"verify", "check"},
    {"test", "check"},
    {"bench", "run"},
    {"stat", "record"},
    {"execute", "run"},
    {"csv", "export"},
    {"show", "explain"},
    {"metrics", "list --metrics"},
    {"recipes", "list"},
    {"machines", "machine list"},
    {"detect", "machine detect"},
    {"probe", "machine probe"},
    {"scorecard", "validate"},
    {"latency", "measure latency"},
    {"bandwidth", "measure bandwidth"},
    {"instruction", "measure instruction"},
    {"cores", "measure cores"},
    {"stress", "measure stress"},
    {"power", "sensors"},
    {"counters", "sensors"},
    {"calibrate", "run --calibrate"},
    {"figure", "plot"},
    {"version", "--version"},
};

static const char *command_called(const char *name)
{
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (strcmp(other_names[i].called, name) == 0)
            return other_names[i].command;
    return NULL;
}

/* parent: the command that has no such subcommand; NULL: there is no such command. */
static int fail_unknown(const struct command *parent, const char *name)
{
    const struct command *const *list = parent == NULL ? commands_all : parent->parts;
    const char *names[COMMANDS_MOST];
    char help[64];
    size_t count = 0;
    for (; count < COMMANDS_MOST && list[count] != NULL; count++)
        names[count] = commands_last_word(list[count]);
    struct error error;
    if (parent == NULL)
        error_set(&error, STATUS_USAGE, "there is no command '%s'", name);
    else
        error_set(&error, STATUS_USAGE, "trauma %s has no '%s'", parent->name, name);
    snprintf(help, sizeof help, "trauma %s%s--help lists %s", parent == NULL ? "" : parent->name,
             parent == NULL ? "" : " ", parent == NULL ? "the commands" : "what it has");
    const char *called = parent == NULL ? command_called(name) : NULL;
    if (called != NULL)
        error_hint(&error, "did you mean 'trauma %s'?", called);
    else
        suggest_hint(&error, name, names, count, help);
    return command_fail(&error);
}

/* Output that could not be written is an error, even if the command succeeded. */
static int finish(int code)
{
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    int closed = dup(STDOUT_FILENO); /* NFS reports a failed write when a descriptor is closed */
    if (closed >= 0 && close(closed) != 0)
        good = false;
    if (good)
        return code;
    struct error error;
    error_set(&error, STATUS_FAILED, "the output could not be written");
    return command_fail(&error);
}

/* The command needs a subcommand. */
static int fail_bare(const struct command *command)
{
    struct error error;
    struct buffer names = {0};
    for (size_t i = 0; command->parts[i] != NULL; i++)
        buffer_printf(&names, "%s%s", i == 0 ? "" : ", ", commands_last_word(command->parts[i]));
    error_set(&error, STATUS_USAGE, "trauma %s needs one of: %s", command->name, names.data);
    error_hint(&error, "expected trauma %s %s", command->name, command->arguments);
    buffer_free(&names);
    return command_fail(&error);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct error error;
    int own = argc; /* the number of words before "--" and another command */
    for (int i = argc - 1; command->takes_command && i > 0; i--)
        own = strcmp(argv[i], "--") == 0 ? i : own;
    if (options_parse(own, argv, command->name, command->options, &options, &error) != STATUS_OK)
        return command_fail(&error);
    options.command = own + 1 < argc ? argv + own + 1 : NULL;
    if (options.help) {
        print_help(command);
        return STATUS_OK;
    }
    if (command->run == NULL)
        return fail_bare(command);
    if (output_standard_check(command->name, &options, &error) != STATUS_OK)
        return command_fail(&error);
    struct shown_events shown;
    shown_events_start(&options, &shown);
    requested_state_restore(requests_root(&options), options.allow_state, &shown.events);
    for (size_t i = 0; command->options[i] != NULL; i++)
        if (strcmp(command->options[i], "output") == 0)
            leftovers_warn(&options);
    return command->run(&options);
}

static void continue_after_signal(int number)
{
    (void)number;
}

/* With a handler, growing a file past the limit (ulimit -f) is a failed write, which can be reported. Started
 * programs would inherit an ignored signal, but inherit no handler. */
static void handle_large_files(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction before;
    if (sigaction(SIGXFSZ, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return;
    action.sa_handler = continue_after_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
    prepare_memory();
    handle_large_files();
    if (argc < 2) {
        print_overview(stderr);
        return STATUS_USAGE;
    }
    bool help = strcmp(argv[1], "help") == 0 && argc > 2;
    if (!help &&
        (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)) {
        print_overview(stdout);
        return finish(STATUS_OK);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("trauma %s\n", TRAUMA_VERSION);
        return finish(STATUS_OK);
    }
    int at = help ? 2 : 1;
    const struct command *command = commands_find(commands_all, argv[at]);
    if (command == NULL)
        return finish(fail_unknown(NULL, argv[at]));
    if (command->parts != NULL && at + 1 < argc && argv[at + 1][0] != '-') {
        const struct command *part = commands_find(command->parts, argv[++at]);
        if (part == NULL)
            return finish(fail_unknown(command, argv[at]));
        command = part;
    }
    if (help)
        print_help(command);
    return finish(help ? STATUS_OK : run_command(command, argc - at, argv + at));
}
