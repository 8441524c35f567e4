/* What stamps.c keeps and stamps_learn.c fills in. */
#ifndef ISA_STAMPS_TABLE_H
#define ISA_STAMPS_TABLE_H

#include "base/arena.h"
#include "isa/stamps.h"

enum { MOST_CLASSES = 12 };

enum class_state {
    CLASS_UNKNOWN,
    CLASS_ASKED,
    CLASS_OWN,   /* the shape has the field */
    CLASS_LACKS, /* it takes a wider one */
};

/* A number that the shape encodes as it encodes no other: the shift by one, say. */
struct exact {
    struct exact *next;
    int64_t number;
    bool asked, known;
    struct encoding encoding;
};

struct shape {
    const char *text;
    size_t length;
    uint64_t hash;
    enum number_kind kind;
    struct shape *next; /* in its bucket */
    unsigned char states[MOST_CLASSES];
    struct encoding encodings[MOST_CLASSES];
    struct exact *exacts;
};

/* What is to be learnt of a shape: whether it has a class's field, or how it encodes one number. */
struct request {
    struct shape *shape;
    size_t class;
    struct exact *exact; /* NULL: of the class */
};

struct stamps {
    const struct isa *isa;
    struct arena arena;
    struct shape **buckets;
    size_t bucket_count; /* a power of two */
    size_t shape_count;
    struct request *requests;
    size_t request_count, request_room;
};

#endif
