#include "runner/results/warning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Text from the system may be in any encoding; JSON is UTF-8. */
static json_t *text_to_json(char *text)
{
    json_t *string = json_string(text);
    for (char *at = text; string == NULL && *at != '\0'; at++)
        if ((unsigned char)*at > 127)
            *at = '?';
    return string == NULL ? json_string(text) : string;
}

void warning_add(json_t *warnings, const char *mend, const char *what, ...)
{
    char text[1024];
    char command[512];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "%s", mend == NULL ? "" : mend);
    json_t *warning = json_pack("{s:o, s:o}", "what", text_to_json(text), "mend",
                                mend == NULL ? json_null() : text_to_json(command));
    if (warning == NULL || json_array_append_new(warnings, warning) != 0)
        abort(); /* out of memory */
}
