#include "generator/emit/symbol_names.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* HASH_DIGITS: digits of the hash, if one is needed; LABEL_MOST: characters of the label that are then kept.
 */
enum { HASH_DIGITS = 8, LABEL_MOST = 160 };

const char symbol_prefix[] = "trauma";

enum status symbol_check_prefix(const char *prefix, struct error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length = strlen(prefix);
    if (length > 0 && length <= SYMBOL_PREFIX_MOST && strchr(letters, prefix[0]) != NULL &&
        strspn(prefix, others) == length)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--prefix '%.80s': names of symbols cannot begin with it", prefix);
    error_hint(error, "expected at most %d letters, digits and '_', beginning with a letter",
               SYMBOL_PREFIX_MOST);
    return STATUS_USAGE;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* True if the character is between letters or digits, so that the '_' that it becomes is single. */
static bool is_alone(const char *at, const char *start)
{
    return at > start && is_word(at[-1]) && is_word(at[1]);
}

/* "fig-8": letters and digits, joined by single hyphens. */
static bool is_plain_benchmark(const char *label)
{
    size_t length = strcspn(label, "/");
    for (size_t i = 0; i < length; i++)
        if (!is_word(label[i]) && (label[i] != '-' || i + 1 == length || !is_alone(label + i, label)))
            return false;
    return length > 0;
}

/* "default", or parameters "line_size=2.5": names of letters and digits joined by single '_', and values of
 * letters and digits with at most a decimal point. All points of a benchmark have the same parameters, so it
 * need not be distinguished whether a '_' was '=' or '.'. */
static bool is_plain_point(const char *point)
{
    bool in_value = false;
    bool has_dot = false;
    for (const char *at = point; *at != '\0'; at++) {
        bool alone = is_alone(at, point);
        if (is_word(*at))
            continue;
        if (*at == '=' && alone && !in_value)
            in_value = true;
        else if (*at == ',' && alone && in_value)
            in_value = has_dot = false;
        else if (*at == '.' && alone && in_value && !has_dot && isdigit((unsigned char)at[1]))
            has_dot = true;
        else if (*at != '_' || !alone || in_value)
            return false;
    }
    return *point != '\0';
}

void symbol_name(const char *prefix, const char *label, char name[SYMBOL_NAME_BYTES])
{
    const char *point = strchr(label, '/');
    bool plain = strlen(label) <= LABEL_MOST && point != NULL && is_plain_benchmark(label) &&
                 is_plain_point(point + 1);
    size_t size = (size_t)snprintf(name, SYMBOL_NAME_BYTES, "%.*s_", SYMBOL_PREFIX_MOST,
                                   prefix == NULL ? symbol_prefix : prefix);
    size_t end = size + LABEL_MOST;
    for (const char *at = label; *at != '\0' && size < end; at++) {
        if (*at == '/' || *at == ',')
            name[size++] = '_';
        name[size++] = is_word(*at) ? *at : '_';
    }
    name[size] = '\0';
    if (plain && size < end)
        return;
    char hash[HASH_TEXT_BYTES];
    hash_bytes(label, strlen(label), hash);
    snprintf(name + size, SYMBOL_NAME_BYTES - size, "_%.*s", HASH_DIGITS, hash);
}
