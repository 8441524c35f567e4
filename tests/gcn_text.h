/* The decoder's text of an instruction against LLVM's, which writes some numbers otherwise. */
#ifndef TESTS_GCN_TEXT_H
#define TESTS_GCN_TEXT_H

#include "isa/gcn/decode/decode.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text with single blanks, numbers in one form, and without what is said differently. */
static inline void text_normalise(const char *text, char out[2 * GCN_PRINT_BYTES])
{
    size_t used = 0;
    text += strspn(text, " \t");
    bool word = false;
    while (*text != '\0' && *text != ';' && used < 2 * GCN_PRINT_BYTES - 40) {
        bool number = isdigit((unsigned char)*text) || (*text == '-' && isdigit((unsigned char)text[1]));
        char *end;
        if (number && !word) {
            long long value = strtoll(text, &end, 0);
            if (*end != '.') {
                used += (size_t)sprintf(out + used, "%u", (unsigned)value);
                text = end;
                word = true;
                continue;
            }
        }
        word = isalnum((unsigned char)*text) || *text == '_' || *text == '.' || (*text == '-' && number);
        if (!(isspace((unsigned char)*text) && (used == 0 || out[used - 1] == ' ')))
            out[used++] = isspace((unsigned char)*text) ? ' ' : *text;
        text++;
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}

/* True for the same text; of some operations only the mnemonic counts: LLVM has words for the bits of their
 * number. */
static inline bool text_same(const char *mine, const char *theirs)
{
    char a[2 * GCN_PRINT_BYTES];
    char b[2 * GCN_PRINT_BYTES];
    text_normalise(mine, a);
    text_normalise(theirs, b);
    static const char *const numbered[] = {"s_waitcnt ",     "s_waitcnt_depctr ", "s_wait_alu ",
                                           "s_delay_alu ",   "s_sendmsg ",        "s_round_mode ",
                                           "ds_swizzle_b32 "};
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++)
        if (strncmp(a, numbered[i], strlen(numbered[i])) == 0)
            return strncmp(b, numbered[i], strlen(numbered[i])) == 0;
    return strcmp(a, b) == 0;
}

#endif
