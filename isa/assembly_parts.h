/* The internals of an assembly, for the files that implement it. */
#ifndef ISA_ASSEMBLY_PARTS_H
#define ISA_ASSEMBLY_PARTS_H

#include "base/arena.h"
#include "isa/assembly.h"

enum { MOST_SECTIONS = 8, DIGITS = 10, NO_LABEL = -1, READ_TEXTS = 256, READ_BYTES = 60 };

/* Cached result of parsing an instruction's text; length 0: empty. */
struct read_text {
    struct shape *shape; /* NULL: not an instruction */
    int64_t number;
    enum number_kind kind;
    unsigned char length, hole_start, hole_end;
    char text[READ_BYTES];
};

/* A position in a section: after this many of its fixed bytes and events. */
struct position {
    unsigned section;
    size_t at;
    size_t events;
};

struct label {
    const char *name; /* "" for a numeric label */
    struct label *next;
    uint64_t hash;
    struct position place;
    struct position end; /* .size: where its extent ends */
    bool defined, sized, global;
    unsigned char type; /* STT_... */
    size_t instructions;
};

/* Items whose length depends on the layout. */
enum event_kind {
    EVENT_ALIGN,      /* to a multiple of 2^amount */
    EVENT_ORG,        /* to the label's position plus amount bytes */
    EVENT_TARGET,     /* an instruction that holds the distance to a label, plus amount */
    EVENT_DIFFERENCE, /* `bytes` bytes: the distance from the label `from` to the label */
};

struct event {
    enum event_kind kind;
    unsigned char fill, bytes;
    size_t at; /* fixed bytes of the section before it */
    int label; /* index */
    int from;
    int64_t amount;
    struct shape *shape;
    size_t class;                    /* the narrowest class that fits the target's number */
    const struct encoding *encoding; /* for that class */
    uint64_t size;                   /* resulting size */
};

struct section_code {
    char name[32];
    unsigned char *bytes; /* the fixed ones */
    size_t size, room;
    struct event *events;
    size_t event_count, event_room;
    uint64_t *grown; /* [event_count + 1]: total bytes of the events before each */
    size_t grown_room;
    unsigned align;
    uint64_t flags; /* SHF_... */
    struct buffer output;
};

struct assembly {
    struct stencils *stencils;
    struct section_code sections[MOST_SECTIONS];
    unsigned section_count, current;
    struct label *labels; /* [label_count], in order of first mention */
    size_t label_count, label_room;
    int *buckets; /* [bucket_count]: first label's index, or NO_LABEL */
    int *chain;   /* [label_room]: the next label's index in the bucket */
    size_t bucket_count;
    int last[DIGITS], coming[DIGITS]; /* of numeric labels */
    size_t instructions;
    unsigned line;
    bool incomplete;
    struct arena arena;                /* names */
    struct read_text read[READ_TEXTS]; /* kept between programs, like the shapes */
};

/* Finds or adds the label and returns its index; it need not be defined yet. */
int assembly_find_label(struct assembly *assembly, const char *name, size_t length);

/* Defines a label here. STATUS_FAILED if it is already defined. */
enum status assembly_label(struct assembly *assembly, const char *name, size_t length, struct error *error);

struct position assembly_here(const struct assembly *assembly);

/* Appends fixed bytes. */
void assembly_bytes_append(struct assembly *assembly, const void *bytes, size_t size);
void assembly_fill(struct assembly *assembly, unsigned char byte, size_t count);

/* Appends an event, zeroed except its kind and position; valid until the next one. */
struct event *assembly_event(struct assembly *assembly, enum event_kind kind);

/* Continues in the section of that name. False if there are too many. */
bool assembly_enter(struct assembly *assembly, const char *name, size_t length, uint64_t flags);

/* A position's offset in its section, after layout. */
uint64_t assembly_offset(const struct assembly *assembly, const struct position *place);

#endif
