/* The tables that stencils.c keeps and stencils_learn.c fills in. */
#ifndef ISA_STENCILS_TABLE_H
#define ISA_STENCILS_TABLE_H

#include "base/arena.h"
#include "isa/stencils.h"

enum { MOST_CLASSES = 12 };

enum class_state {
    CLASS_UNKNOWN,
    CLASS_ASKED,
    CLASS_OWN,   /* the shape has the field */
    CLASS_LACKS, /* it uses a wider one */
};

/* A number with its own encoding in the shape, for example a shift by one. */
struct exact {
    struct exact *next;
    int64_t number;
    bool asked, known;
    struct encoding encoding;
};

struct shape_row {
    struct shape shape; /* first, so that a shape's address is its row's */
    const char *text;
    size_t length;
    uint64_t hash;
    enum number_kind kind;
    struct shape_row *next; /* in its bucket */
    unsigned char states[MOST_CLASSES];
    struct encoding encodings[MOST_CLASSES];
    struct exact *exacts;
};

/* A request to learn about a shape: whether it has a class's field, or how it encodes one number. */
struct request {
    struct shape_row *shape;
    size_t class;
    struct exact *exact; /* NULL: the request is for the class */
};

struct stencils {
    const struct isa *isa;
    struct arena arena;
    struct shape_row **buckets;
    size_t bucket_count; /* a power of two */
    size_t shape_count;
    struct request *requests;
    size_t request_count, request_room;
};

/* Fills in the shape's quick encodings once all its classes are known. */
void stencils_settle(const struct stencils *stencils, struct shape_row *row);

#endif
