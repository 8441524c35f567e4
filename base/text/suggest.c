#include "base/text/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63, SHORTEST_PART = 3 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein, optimal string alignment. */
unsigned suggest_distance(const char *a, const char *b)
{
    size_t rows = strlen(a);
    size_t columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST)
        return LONGEST;
    unsigned table[LONGEST + 1][LONGEST + 1];
    for (unsigned i = 0; i <= rows; i++)
        table[i][0] = i;
    for (unsigned j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            unsigned changed = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            unsigned best = least(changed, least(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, table[i - 2][j - 2] + 1);
            table[i][j] = best;
        }
    }
    return table[rows][columns];
}

/* The only word that contains the text, as "cortex-a72" contains "a72"; NULL: none or several. */
static const char *only_one_with(const char *text, const char *const *words, size_t count)
{
    const char *found = NULL;
    if (strlen(text) < SHORTEST_PART)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strstr(words[i], text) == NULL)
            continue;
        if (found != NULL)
            return NULL;
        found = words[i];
    }
    return found;
}

const char *suggest(const char *text, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    if (strlen(text) > LONGEST)
        return NULL;
    unsigned limit = strlen(text) <= 3 ? 1 : (unsigned)(strlen(text) / 3 + 1);
    unsigned best = 2 * limit + 2;
    for (size_t i = 0; i < count; i++) { /* among equally near words, the first that begins with the text */
        bool goes_on = strncmp(text, words[i], strlen(text)) == 0;
        unsigned found = 2 * suggest_distance(text, words[i]) + !goes_on;
        if (found < best) {
            best = found;
            nearest = words[i];
        }
    }
    return nearest != NULL ? nearest : only_one_with(text, words, count);
}

void suggest_hint(struct error *error, const char *text, const char *const *words, size_t count,
                  const char *otherwise)
{
    const char *meant = suggest(text, words, count);
    if (meant != NULL)
        error_hint(error, "did you mean '%s'?", meant);
    else
        error_hint(error, "%s", otherwise);
}
