#include "generator/machine/cpuinfo.h"

#include <stdlib.h>
#include <string.h>

static const char BLANKS[] = " \t";

/* The value of the first such line from text up to end; NULL if there is none. */
static const char *find(const char *text, const char *end, const char *key, size_t *length)
{
    size_t key_length = strlen(key);
    for (const char *line = text; line != NULL && line < end; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, key_length) != 0)
            continue;
        const char *value = line + key_length + strspn(line + key_length, BLANKS);
        if (*value != ':')
            continue;
        value += 1 + strspn(value + 1, BLANKS);
        *length = strcspn(value, "\n");
        return value;
    }
    return NULL;
}

/* The paragraph that begins there ends before an empty line. */
static const char *end_of_paragraph(const char *text)
{
    const char *end = strstr(text, "\n\n");
    return end != NULL ? end + 1 : text + strlen(text);
}

const char *cpuinfo_value(const char *text, unsigned cpu, const char *key, size_t *length)
{
    for (const char *start = text; *start != '\0';) {
        const char *end = end_of_paragraph(start);
        size_t ignored;
        const char *number = find(start, end, "processor", &ignored);
        if (number != NULL && strtoul(number, NULL, 10) == cpu) {
            const char *value = find(start, end, key, length);
            if (value != NULL)
                return value;
        }
        start = end + strspn(end, "\n");
    }
    return find(text, text + strlen(text), key, length);
}

bool cpuinfo_number(const char *text, unsigned cpu, const char *key, uint64_t *number)
{
    size_t length;
    const char *value = cpuinfo_value(text, cpu, key, &length);
    if (value == NULL || length == 0)
        return false;
    char *end;
    *number = strtoull(value, &end, 0);
    return end != value;
}

bool cpuinfo_has_word(const char *value, size_t length, const char *word)
{
    size_t word_length = strlen(word);
    for (size_t at = 0; at < length;) {
        size_t rest = length - at;
        size_t size = strcspn(value + at, " \t\n");
        size = size < rest ? size : rest;
        if (size == word_length && strncmp(value + at, word, size) == 0)
            return true;
        at += size + 1;
    }
    return false;
}
