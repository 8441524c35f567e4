/* What a program wrote about its failure, as a part of a sentence. */
#ifndef BASE_TEXT_COMPLAINT_H
#define BASE_TEXT_COMPLAINT_H

#include <stddef.h>

/* Leaves room in a struct error's message for what names the program. */
enum { COMPLAINT_BYTES = 800 };

/* Joins the lines that begin with the mark ("": all that are not empty), without it, by "; ", or by a blank
 * after a colon. Control characters become blanks. Of more than size bytes the end is kept, since reasons
 * come last, behind "... ". said need not end with a NUL; NULL is nothing. */
void complaint_join(char *text, size_t size, const char *said, size_t length, const char *mark);

#endif
