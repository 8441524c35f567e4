/* A program's output about its failure, joined into a part of a sentence. */
#ifndef BASE_TEXT_COMPLAINT_H
#define BASE_TEXT_COMPLAINT_H

#include <stddef.h>

/* Leaves room in a struct error's message for the program's name. */
enum { COMPLAINT_BYTES = 800 };

/* Joins the output's lines that begin with the mark ("": all that are not empty), without the mark, by "; ",
 * or by a blank after a colon. Control characters become blanks. If the text exceeds size bytes, its end is
 * kept behind "... ", because reasons come last. output need not end with a NUL; NULL is empty. */
void complaint_join(char *text, size_t size, const char *output, size_t length, const char *mark);

#endif
