#include "runner/sources/gpu/grid_row.h"

#include <ctype.h>
#include <string.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Letters or digits, whichever come first. */
static size_t part_length(const char *at)
{
    size_t length = 0;
    bool digits = isdigit((unsigned char)at[0]);
    while (isalnum((unsigned char)at[length]) && (isdigit((unsigned char)at[length]) != 0) == digits)
        length++;
    return length;
}

/* A register, or registers in braces; 0: neither. */
static size_t operand_length(const char *at)
{
    size_t length = 0;
    if (*at == '{') {
        length = strcspn(at, "};");
        return at[length] == '}' ? length + 1 : 0;
    }
    while (in_word(at[length]))
        length++;
    return at[0] == '%' ? length : 0;
}

/* Assigns the text to the name. False if the name stands for another text, or another name for this text. */
static bool bind(struct grid_roles *roles, const char *name, size_t name_length, const char *text,
                 size_t length)
{
    for (size_t i = 0; i < roles->count; i++) {
        bool named = roles->items[i].name_length == name_length &&
                     strncmp(roles->items[i].name, name, name_length) == 0;
        bool same = roles->items[i].length == length && strncmp(roles->items[i].text, text, length) == 0;
        if (named || same)
            return named && same;
    }
    if (roles->count == GRID_ROLES)
        return false;
    roles->items[roles->count].name = name;
    roles->items[roles->count].name_length = name_length;
    roles->items[roles->count].text = text;
    roles->items[roles->count++].length = length;
    return true;
}

bool grid_row_is(const char *row, size_t length, const char *statement, struct grid_roles *roles)
{
    const char *end = row + length, *at = statement;
    const struct grid_roles before = *roles;
    bool good = true, word = false; /* word: the last character belongs to one */
    while (good && row < end) {
        if (isspace((unsigned char)*row)) {
            row++;
            word = false;
            continue;
        }
        while ((!word || *row == ',') && isspace((unsigned char)*at))
            at++;
        if (*row != '{') {
            good = *row == *at && *at != ';';
            word = in_word(*row) || *row == '.';
            row++;
            at++;
            continue;
        }
        size_t name = strcspn(row, "}") - 1;
        bool open = is(row + 1, name, "open"), close = is(row + 1, name, "close");
        size_t taken = is(row + 1, name, "sign") ? strspn(at, "-1")
                       : open || close           ? *at == (open ? '{' : '}')
                       : word                    ? part_length(at)
                                                 : operand_length(at);
        good = taken > 0 && (open || close || bind(roles, row + 1, name, at, taken));
        row += name + 2;
        at += taken;
        word = !open && !close && in_word(at[-1]);
    }
    while (good && isspace((unsigned char)*at))
        at++;
    if (good && *at == ';')
        return true;
    *roles = before;
    return false;
}

const char *grid_row_next(const char **at, size_t *length)
{
    while (**at != '\0') {
        *at += strspn(*at, " \t\n;");
        const char *from = *at;
        size_t line = strcspn(from, ";\n");
        *at += line;
        if (line == 0 || *from == '.' || *from == '/' || from[line - 1] == ':')
            continue;
        *length = line;
        return from;
    }
    return NULL;
}

bool grid_row_names(const char *row, size_t length, const char *name)
{
    size_t own = strlen(name);
    for (size_t i = 0; i + own + 2 <= length; i++)
        if (row[i] == '{' && strncmp(row + i + 1, name, own) == 0 && row[i + 1 + own] == '}')
            return true;
    return false;
}
