#include "cli/commands.h"

#include "cli/options/options.h"

#include <string.h>

const struct command *const commands_all[] = {
    &command_list,     &command_gen,        &command_run,     &command_check,
    &command_explain,  &command_plot,       &command_report,  &command_export,
    &command_diff,     &command_merge,      &command_machine, &command_sensors,
    &command_design,   &command_fit,        &command_predict, &command_patch,
    &command_measure,  &command_events,     &command_record,  &command_clone,
    &command_validate, &command_completion, &command_man,     NULL,
};

const char *commands_last_word(const struct command *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank == NULL ? command->name : blank + 1;
}

void commands_add_list(const struct command *const *list, struct buffer *page)
{
    size_t widest = 0;
    for (size_t i = 0; list[i] != NULL; i++)
        widest = strlen(commands_last_word(list[i])) > widest ? strlen(commands_last_word(list[i])) : widest;
    for (size_t i = 0; list[i] != NULL; i++)
        buffer_printf(page, "  %-*s  %s\n", (int)widest, commands_last_word(list[i]), list[i]->summary);
}

const struct command *commands_find(const struct command *const *list, const char *name)
{
    for (size_t i = 0; list[i] != NULL; i++)
        if (strcmp(commands_last_word(list[i]), name) == 0)
            return list[i];
    return NULL;
}

void commands_describe(const struct command *command, struct buffer *page)
{
    buffer_printf(page, "usage: trauma %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    commands_add_details(command, page);
    if (command->examples != NULL)
        buffer_printf(page, "\nexamples:\n%s", command->examples);
    buffer_text(page, "\noptions:\n");
    options_add_help(command->name, command->options, page);
}

void commands_add_details(const struct command *command, struct buffer *page)
{
    if (command->details != NULL)
        buffer_printf(page, "\n%s", command->details);
    if (command->add_more != NULL)
        command->add_more(page);
    if (command->parts == NULL)
        return;
    buffer_text(page, "\n");
    commands_add_list(command->parts, page);
    buffer_printf(page, "\ntrauma %s NAME --help describes one\n", command->name);
}
