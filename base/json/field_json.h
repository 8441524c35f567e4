/* Structs and their JSON: one table of fields, {name, type, offset}, serves to read and to write a struct. A
 * field that a document does not state, or that is malformed, keeps the struct's previous value; further
 * members of documents are ignored. */
#ifndef BASE_JSON_FIELD_JSON_H
#define BASE_JSON_FIELD_JSON_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_text.h"
#include "base/stats.h"
#include "base/value.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_TEXT,     /* const char *, which the document owns; NULL is not written */
    FIELD_NOTHING,  /* the same, but NULL is null */
    FIELD_NUMBER,   /* double; written if it is finite */
    FIELD_REAL,     /* the same, always written with a point */
    FIELD_UNKNOWN,  /* the same, but null if it is not finite */
    FIELD_LOOSE,    /* as FIELD_NUMBER, but a document may have a text instead, which is ignored */
    FIELD_WHOLE,    /* uint64_t */
    FIELD_FLAG,     /* bool */
    FIELD_DOCUMENT, /* const json_t *, an object that is kept unchanged; NULL is not written */
    FIELD_ANY,      /* the same of any type */
    FIELD_VALUE,    /* struct value, an object in the arena; none is not written */
    FIELD_WORDS,    /* const char **, with a count */
    FIELD_NUMBERS,  /* double *, with a count */
    FIELD_REALS,    /* the same, as FIELD_UNKNOWN */
    FIELD_OFFSETS,  /* uint64_t *, with a count: whole numbers */
    FIELD_OBJECT,   /* the struct itself, by the rows of its own table */
    FIELD_LIST,     /* a pointer to structs, with a count, by the rows of theirs */
    FIELD_OWN,      /* read and written by the row's functions; without one it is not read, or not written */
};

struct fields_reader;

/* Reads the value to `at`; false if it is malformed. */
typedef bool field_read(struct fields_reader *reader, const json_t *value, void *at);

/* Writes the member. */
typedef void field_write(struct json_text *text, const char *name, const void *at);

/* A row; a NULL name ends a table. */
struct field_row {
    const char *name;
    enum field_type type;
    size_t offset; /* in the struct */
    size_t given;  /* 1 + offset of a bool, which is set if the document states the field, and without which
                      the field is not written; 0: none */
    size_t count;  /* of lists: offset of their size_t */
    const struct field_row *rows; /* of objects and lists */
    size_t size;                  /* of a list's structs */
    const void *none;             /* of lists: a struct's initial value; NULL: zeros */
    field_read *read;             /* of FIELD_OWN; */
    field_write *write;           /* NULL: none */
    bool former;                  /* an earlier version's name, which is not written */
};

/* Rows of a member of struct `of`: of any type; with a bool that is set if it is stated; by a function; an
 * object. */
#define FIELD_ROW(of, title, kind, member)                                                                   \
    {                                                                                                        \
        .name = (title), .type = (kind), .offset = offsetof(struct of, member)                               \
    }
#define FIELD_GIVEN(of, title, kind, member, flag)                                                           \
    {                                                                                                        \
        .name = (title), .type = (kind), .offset = offsetof(struct of, member),                              \
        .given = 1 + offsetof(struct of, flag)                                                               \
    }
#define FIELD_BY(of, title, member, function)                                                                \
    {                                                                                                        \
        .name = (title), .type = FIELD_OWN, .offset = offsetof(struct of, member), .read = (function)        \
    }
#define FIELD_PART(of, title, member, table)                                                                 \
    {                                                                                                        \
        .name = (title), .type = FIELD_OBJECT, .offset = offsetof(struct of, member), .rows = (table)        \
    }

/* Rows of an object whose fields are the struct's own; of a function that gets the whole struct; of a bool
 * that is set if the field is stated. */
#define FIELD_INNER(title, table)                                                                            \
    {                                                                                                        \
        .name = (title), .type = FIELD_OBJECT, .rows = (table)                                               \
    }
#define FIELD_SELF(title, function)                                                                          \
    {                                                                                                        \
        .name = (title), .type = FIELD_OWN, .read = (function)                                               \
    }
#define FIELD_STATED(of, title, flag)                                                                        \
    {                                                                                                        \
        .name = (title), .type = FIELD_OWN, .given = 1 + offsetof(struct of, flag)                           \
    }

/* Rows of lists of values, and of structs. */
#define FIELD_MANY(of, title, kind, member, number)                                                          \
    {                                                                                                        \
        .name = (title), .type = (kind), .offset = offsetof(struct of, member),                              \
        .count = offsetof(struct of, number)                                                                 \
    }
#define FIELD_STRUCTS(of, title, member, number, table, type_of)                                             \
    {                                                                                                        \
        .name = (title), .type = FIELD_LIST, .offset = offsetof(struct of, member),                          \
        .count = offsetof(struct of, number), .rows = (table), .size = sizeof(type_of)                       \
    }
/* Rows of a list of words, and of a list of structs with the initial value `usual`. */
#define FIELD_TEXTS(of, title, member) FIELD_MANY(of, title, FIELD_WORDS, member.items, member.count)
#define FIELD_LIKE(of, title, member, number, table, usual)                                                  \
    {                                                                                                        \
        .name = (title), .type = FIELD_LIST, .offset = offsetof(struct of, member),                          \
        .count = offsetof(struct of, number), .rows = (table), .size = sizeof(usual), .none = &(usual)       \
    }

/* The place of an object in its document: "data.bases[3]"; NULL is the document itself. */
struct field_place {
    const struct field_place *outer;
    const char *name; /* NULL: an element of a list */
    size_t index;
};

/* The state of reading a document. Reading continues after an error, and the first error is kept. */
struct fields_reader {
    struct arena *arena; /* for lists; texts and kept documents are the document's */
    const char *what;    /* the document's name in errors, "m.json" */
    const char *kind;    /* "a manifest" */
    struct error *error;
    enum status status;
};

/* Reads the object's fields (NULL: none) into the target. Null counts as not stated. */
void fields_read(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                 const struct field_row *rows, void *target);

/* "m.json is not a manifest: expected a number as "data.bytes", found "x"": STATUS_FAILED. name: the field in
 * the place; NULL: the place itself. */
void fields_refuse(struct fields_reader *reader, const struct field_place *place, const char *name,
                   const json_t *found, const char *expected);

/* The member; NULL if it is missing, null, or of another type than an object or a list, which is refused. */
json_t *fields_object(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                      const char *name);
json_t *fields_list(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                    const char *name);

/* Some fields of a table: the named ones, or all others. */
struct field_choice {
    const char *const *names; /* NULL ends it */
    bool others;
};

/* True if the choice (NULL: all) has the field. */
bool field_is_chosen(const struct field_choice *choice, const char *name);

/* The fields of a struct interval: {"value", "low", "high", "n"}; numbers that are not finite are null. */
extern const struct field_row interval_fields[];

/* Writes the chosen fields of the source as members of the innermost object, in the table's order. */
void fields_write(struct json_text *text, const struct field_row *rows, const struct field_choice *choice,
                  const void *source);

#endif
