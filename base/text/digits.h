/* Writes unsigned numbers in decimal, two digits at a time. */
#ifndef BASE_TEXT_DIGITS_H
#define BASE_TEXT_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Up to six digits are written in place, longer numbers backwards into bytes that are then all copied:
 * digits_put needs room for DIGITS_ROOM characters. */
enum { DIGITS_ROOM = 24, DIGITS_COPIED = 20, DIGITS_TWO = 100, DIGITS_FOUR = 10000, DIGITS_SIX = 1000000 };

static const char digits_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* A number below 100, with a leading zero if needed; returns the end. */
static inline char *digits_pair(char *at, unsigned number)
{
    memcpy(at, digits_pairs + 2 * (size_t)number, 2);
    return at + 2;
}

/* A number below 100, without a leading zero; returns the end. */
static inline char *digits_first(char *at, unsigned number)
{
    if (number >= 10)
        return digits_pair(at, number);
    *at = (char)('0' + number);
    return at + 1;
}

static inline char *digits_long(char *at, uint64_t number)
{
    char digits[2 * DIGITS_ROOM];
    size_t first = DIGITS_ROOM;
    for (; number >= DIGITS_TWO; number /= DIGITS_TWO)
        memcpy(digits + (first -= 2), digits_pairs + 2 * (number % DIGITS_TWO), 2);
    memcpy(digits + (first -= 2), digits_pairs + 2 * number, 2);
    first += number < 10;
    memcpy(at, digits + first, DIGITS_COPIED);
    return at + (DIGITS_ROOM - first);
}

/* Writes the number without a NUL; returns the end of its digits. */
static inline char *digits_put(char *at, uint64_t number)
{
    if (number >= DIGITS_SIX)
        return digits_long(at, number);
    unsigned left = (unsigned)number;
    if (left < DIGITS_TWO)
        return digits_first(at, left);
    if (left < DIGITS_FOUR) {
        at = digits_first(at, left / DIGITS_TWO);
    } else {
        at = digits_first(at, left / DIGITS_FOUR);
        at = digits_pair(at, left / DIGITS_TWO % DIGITS_TWO);
    }
    return digits_pair(at, left % DIGITS_TWO);
}

#endif
