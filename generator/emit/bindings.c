#include "generator/emit/bindings.h"

#include "base/text/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The name's index, new or existing; BINDINGS_MOST if there is no room, after which expansion fails. */
static size_t find(struct bindings *bindings, const char *name)
{
    size_t i = 0;
    while (i < bindings->count && bindings->items[i].name != name &&
           (bindings->items[i].name[0] != name[0] || strcmp(bindings->items[i].name, name) != 0))
        i++;
    if (i == BINDINGS_MOST)
        bindings->lacks_room = name;
    else if (i == bindings->count)
        bindings->count++;
    return i;
}

/* The room for the name's value; NULL if there is none. */
static char *room_for(struct bindings *bindings, const char *name)
{
    size_t i = find(bindings, name);
    if (i == BINDINGS_MOST)
        return NULL;
    bindings->items[i] = (struct binding){name, bindings->values[i]};
    return bindings->values[i];
}

void bindings_set(struct bindings *bindings, const char *name, const char *format, ...)
{
    char *value = room_for(bindings, name);
    if (value == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(value, BINDINGS_VALUE, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= BINDINGS_VALUE)
        bindings->lacks_room = name;
}

void bindings_number(struct bindings *bindings, const char *name, uint64_t number)
{
    struct cursor cursor = {room_for(bindings, name)};
    if (cursor.at == NULL)
        return;
    cursor_number(&cursor, number);
    *cursor.at = '\0';
}

void bindings_register(struct bindings *bindings, const char *name, const char *register_name)
{
    const char *prefix = bindings->templates->isa->register_prefix;
    const char *rest = register_name == NULL ? "" : register_name;
    size_t length = strlen(prefix);
    size_t more = strlen(rest);
    char *value = room_for(bindings, name);
    if (value == NULL)
        return;
    if (length + more >= BINDINGS_VALUE) {
        bindings->lacks_room = name;
        return;
    }
    memcpy(value, prefix, length);
    memcpy(value + length, rest, more + 1);
}

void bindings_text(struct bindings *bindings, const char *name, const char *text)
{
    size_t i = find(bindings, name);
    if (i < BINDINGS_MOST)
        bindings->items[i] = (struct binding){name, text == NULL ? "" : text};
}

const char *bindings_value(const struct bindings *bindings, const char *name)
{
    for (size_t i = 0; i < bindings->count; i++)
        if (strcmp(bindings->items[i].name, name) == 0)
            return bindings->items[i].value;
    return NULL;
}

static enum status refuse_room(const struct bindings *bindings)
{
    return error_set(
        bindings->error, STATUS_FAILED,
        "templates/%s: there is no room to bind {%s}; expected at most %d names, the rows bind.* "
        "among them, and values of less than %d bytes",
        bindings->templates->isa->name, bindings->lacks_room, BINDINGS_MOST, BINDINGS_VALUE);
}

enum status bindings_expand_part(const struct bindings *bindings, const char *text, size_t size,
                                 struct buffer *output)
{
    if (bindings->lacks_room != NULL)
        return refuse_room(bindings);
    return template_expand_part(bindings->templates, text, size, bindings->items, bindings->count, output,
                                bindings->error);
}

enum status bindings_expand(const struct bindings *bindings, const char *text, struct buffer *output)
{
    if (text == NULL)
        return error_set(bindings->error, STATUS_FAILED, "the templates of %s lack a section or a row",
                         bindings->templates->isa->name);
    return bindings_expand_part(bindings, text, strlen(text), output);
}

enum status bindings_section(const struct bindings *bindings, const char *name, struct buffer *output)
{
    const char *text = template_section(bindings->templates, name);
    if (text == NULL)
        return error_set(bindings->error, STATUS_FAILED, "templates/%s/%s has no section %s",
                         bindings->templates->isa->name, bindings->templates->isa->skeleton, name);
    return bindings_expand(bindings, text, output);
}

enum status bindings_section_if(const struct bindings *bindings, const char *name, struct buffer *output)
{
    bool there = template_section(bindings->templates, name) != NULL;
    return there ? bindings_section(bindings, name, output) : STATUS_OK;
}

enum status bindings_row(const struct bindings *bindings, const struct form *form, size_t *last,
                         struct buffer *output)
{
    const char *end = bindings->templates->isa->line_end;
    const char *at = form == NULL ? NULL : form->text;
    enum status status = at == NULL ? bindings_expand(bindings, at, output) : STATUS_OK;
    while (status == STATUS_OK && at != NULL) {
        const char *more = strstr(at, "; ");
        if (last != NULL)
            *last = output->size;
        buffer_text(output, "    ");
        status = bindings_expand_part(bindings, at, more == NULL ? strlen(at) : (size_t)(more - at), output);
        buffer_text(output, end == NULL ? "" : end);
        buffer_text(output, more == NULL ? "" : "\n");
        at = more == NULL ? NULL : more + 2;
    }
    return status;
}
