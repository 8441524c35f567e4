#include "runner/devices/compiler_message.h"

#include "base/text/complaint.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"error", "fatal"};

/* The position of "error" or "fatal" in the message; NULL: it is a warning or a hint. */
static const char *kind_of(const char *complaint, size_t length)
{
    const char *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *at = memmem(complaint, length, kinds[i], strlen(kinds[i]));
        first = at != NULL && (first == NULL || at < first) ? at : first;
    }
    return first;
}

/* The end of a place such as "file:12:5: ", and its line. NULL if there is none. */
static const char *place_of(const char *complaint, size_t length, int *line)
{
    for (const char *at = complaint; at < complaint + length; at++) {
        char *after;
        if (*at != ':' || !isdigit((unsigned char)at[1]))
            continue;
        long number = strtol(at + 1, &after, 10);
        if (*after != ':' || !isdigit((unsigned char)after[1]))
            continue;
        (void)strtol(after + 1, &after, 10); /* the column */
        *line = (int)number;
        if (*after == ':')
            return after + 1;
    }
    return NULL;
}

static int line_of(const char *complaint, size_t length)
{
    static const char lead[] = ", line ";
    const char *at = memmem(complaint, length, lead, sizeof lead - 1);
    int line = 0;
    if (at != NULL)
        return (int)strtol(at + sizeof lead - 1, NULL, 10);
    return kind_of(complaint, length) != NULL && place_of(complaint, length, &line) != NULL ? line : 0;
}

/* The text after "error   : " or "fatal   : " and after the place, else all of it. */
static const char *words_of(const char *complaint, size_t *length)
{
    int line;
    const char *kind = kind_of(complaint, *length);
    const char *colon = kind == NULL ? NULL : memchr(kind, ':', *length - (size_t)(kind - complaint));
    const char *place = kind == NULL ? NULL : place_of(complaint, *length, &line);
    const char *words = colon == NULL ? complaint : colon + 1;
    words = place > words ? place : words;
    while (words < complaint + *length && isspace((unsigned char)*words))
        words++;
    *length -= (size_t)(words - complaint);
    return words;
}

/* The first message with a line, which names the fault: later ones follow from it, or only report the
 * failure.
 */
static const char *first_of(const char *log, size_t *length)
{
    const char *complaint = log + strspn(log, " \n");
    *length = strcspn(complaint, "\n");
    for (const char *at = complaint; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        if (line_of(at, strcspn(at, "\n")) == 0)
            continue;
        *length = strcspn(at, "\n");
        return at;
    }
    return complaint;
}

int compiler_message_line(const char *log)
{
    size_t length;
    const char *complaint = first_of(log, &length);
    return line_of(complaint, length);
}

void compiler_message_to_error(const char *log, const char *file, struct error *error)
{
    size_t length;
    const char *complaint = first_of(log, &length);
    int line = line_of(complaint, length);
    if (length == 0) {
        error_set(error, STATUS_FAILED, "the driver's compiler rejects the program without a reason");
    } else {
        const char *words = words_of(complaint, &length);
        char message[COMPLAINT_BYTES];
        complaint_join(message, sizeof message, words, length, "");
        error_set(error, STATUS_FAILED, "the driver's compiler rejects the program: %s", message);
    }
    error_at(error, file, line);
}
