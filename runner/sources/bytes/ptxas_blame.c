/* What ptxas complains of, as a sentence at a line of program.ptx. Its words as of ptxas 13.0; those that are
 * not known are passed on as they are. */
#include "runner/sources/bytes/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLAINT_BYTES = 512 };

/* Complaints that are not the program's fault: this ptxas is too old or too new for it. */
static const struct {
    const char *begins, *has, *hint;
} lacks[] = {
    {"Value '", "is not defined for option 'gpu-name'",
     "a CUDA toolkit whose ptxas knows it: 12.x for sm_50 to sm_72, 12.8 or newer for sm_100 and sm_120"},
    {"Unsupported .version", "", "a newer ptxas: a later CUDA toolkit, or `pip install nvidia-cuda-nvcc`"},
};

/* "ptxas FILE, line 13; error   : Unknown modifier '.zz'": the text behind the word and its colon, and the
 * line. NULL when the output's line is no complaint. */
static const char *read_complaint(const char *output, int *line)
{
    static const char *const words[] = {"error", "fatal"};
    size_t length = strcspn(output, "\n");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *word = strstr(output, words[i]);
        const char *number = strstr(output, ", line ");
        if (word == NULL || word > output + length || strncmp(output, "ptxas", 5) != 0)
            continue;
        const char *at = word + strlen(words[i]) + strspn(word + strlen(words[i]), " ");
        if (*at != ':')
            continue;
        *line = number != NULL && number < word ? atoi(number + strlen(", line ")) : 0;
        return at + 1 + strspn(at + 1, " ");
    }
    return NULL;
}

enum status ptxas_blame(const char *output, const char *arch, struct error *error)
{
    int line = 0;
    const char *said = NULL;
    for (const char *at = output; at != NULL && said == NULL;) {
        said = read_complaint(at, &line);
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (said == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "ptxas failed and does not say why: %.200s", output);
    char complaint[COMPLAINT_BYTES];
    snprintf(complaint, sizeof complaint, "%.*s", (int)strcspn(said, "\n"), said);
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        if (strncmp(complaint, lacks[i].begins, strlen(lacks[i].begins)) != 0 ||
            strstr(complaint, lacks[i].has) == NULL)
            continue;
        error_set(error, STATUS_UNAVAILABLE, "this ptxas does not take it: %s", complaint);
        error_hint(error, "%s", lacks[i].hint);
        return STATUS_UNAVAILABLE;
    }
    if (line > 0)
        error_set(error, STATUS_FAILED, "ptxas refuses line %d of program.ptx for %s: %s", line, arch,
                  complaint);
    else
        error_set(error, STATUS_FAILED, "ptxas refuses program.ptx for %s: %s", arch, complaint);
    return STATUS_FAILED;
}
