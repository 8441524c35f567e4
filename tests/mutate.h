/* Damage for tests that feed it to whatever reads files: seeded, so that a case comes again, and bounded in
 * time. TRAUMA_SEED varies the cases, TRAUMA_FUZZ_S the seconds; TRAUMA_FUZZ_KEEP names a file that always
 * holds the last case, for one that ends the process. */
#ifndef TESTS_MUTATE_H
#define TESTS_MUTATE_H

#include "base/buffer.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double mutate_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline double mutate_seconds(void)
{
    const char *text = getenv("TRAUMA_FUZZ_S");
    return text == NULL ? 2 : atof(text);
}

static inline void mutate_keep(const struct buffer *input)
{
    const char *path = getenv("TRAUMA_FUZZ_KEEP");
    FILE *file = path == NULL ? NULL : fopen(path, "wb");
    if (file == NULL)
        return;
    fwrite(input->data, 1, input->size, file);
    fclose(file);
}

/* How long one kind of input is tried: for some time, and so often at least, as a busy machine gets through
 * fewer. */
struct mutate_span {
    double end;
    unsigned tries;
};

enum { MUTATE_LEAST_TRIES = 100 };

static inline struct mutate_span mutate_begin(double seconds)
{
    return (struct mutate_span){mutate_now() + seconds, 0};
}

static inline bool mutate_more(struct mutate_span *span)
{
    return span->tries++ < MUTATE_LEAST_TRIES || mutate_now() < span->end;
}

static inline struct random mutate_start(const char *label)
{
    const char *text = getenv("TRAUMA_SEED");
    return random_start(text == NULL ? 1 : strtoull(text, NULL, 10), label);
}

/* What breaks readers more often than chance would find it. */
static inline const char *mutate_word(struct random *random)
{
    static const char *const words[] = {"-1",
                                        "0",
                                        "1e308",
                                        "-1e-308",
                                        "18446744073709551616",
                                        "nan",
                                        "null",
                                        "true",
                                        "{}",
                                        "[]",
                                        "\"\"",
                                        "\n",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "\"",
                                        ",",
                                        "\\u0000",
                                        "\\ud800",
                                        "\xff",
                                        "%s%n",
                                        "../..",
                                        "9999999999",
                                        "0x7fffffffffffffff",
                                        "2147483648",
                                        "@section ",
                                        "registers ",
                                        "; ",
                                        "{base}",
                                        "1e-9",
                                        "0.5",
                                        "nil",
                                        "function() end",
                                        "..",
                                        "\x1b"
                                        "Lua"};
    return words[random_below(random, sizeof words / sizeof words[0])];
}

static inline void mutate_replace(struct buffer *text, size_t at, size_t length, const char *bytes,
                                  size_t size)
{
    struct buffer result = {0};
    buffer_append(&result, text->data, at);
    buffer_append(&result, bytes, size);
    buffer_append(&result, text->data + at + length, text->size - at - length);
    buffer_append(&result, "", 0);
    buffer_free(text);
    *text = result;
}

/* One damage: a word put in or in the place of a number, bytes changed, cut out or doubled. */
static inline void mutate_once(struct random *random, struct buffer *text)
{
    if (text->size < 2)
        return;
    size_t at = random_below(random, (uint32_t)text->size);
    size_t length = 1 + random_below(random, 40);
    length = length > text->size - at ? text->size - at : length;
    const char *word = mutate_word(random);
    size_t digits = at;
    switch (random_below(random, 7)) {
    case 0:
        text->data[at] = (char)random_below(random, 256);
        break;
    case 1:
        mutate_replace(text, at, length, "", 0);
        break;
    case 2:
        mutate_replace(text, at, 0, word, strlen(word));
        break;
    case 3:
        mutate_replace(text, at, length, word, strlen(word));
        break;
    case 4: {
        struct buffer copy = {0};
        buffer_append(&copy, text->data + at, length);
        mutate_replace(text, at, 0, copy.data, copy.size);
        buffer_free(&copy);
        break;
    }
    case 5: /* the next number */
        digits += strcspn(text->data + at, "0123456789");
        length = digits >= text->size ? 0 : strspn(text->data + digits, "0123456789.e+-");
        if (length > 0)
            mutate_replace(text, digits, length, word, strlen(word));
        break;
    default:
        mutate_replace(text, at, text->size - at, "", 0);
    }
}

/* A copy of the text with one to four damages. Free it. */
static inline struct buffer mutate(struct random *random, const struct buffer *text)
{
    struct buffer damaged = {0};
    buffer_append(&damaged, text->data, text->size);
    for (unsigned i = 1 + random_below(random, 4); i > 0; i--)
        mutate_once(random, &damaged);
    return damaged;
}

#endif
