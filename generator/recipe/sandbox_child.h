/* The child's side of the sandbox: the Lua state, its limits, and the functions that the prelude gets as
 * "host". Nothing here is called in the parent but sandbox_child, right after the fork. */
#ifndef GENERATOR_RECIPE_SANDBOX_CHILD_H
#define GENERATOR_RECIPE_SANDBOX_CHILD_H

#include "base/buffer.h"
#include "generator/recipe/sandbox.h"

#include <lua.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Registry keys. */
#define SANDBOX_CONTEXT "sandbox.context" /* {benchmark=, point=}: what the error is about */
#define SANDBOX_ERROR "sandbox.error"     /* metatable of errors that know their place */

enum { SANDBOX_PATH_BYTES = 1024 };

/* A place in the user's text; line 0: none is known. */
struct sandbox_place {
    int line;
    char file[SANDBOX_PATH_BYTES];
};

/* Why the child ended where it could not say so itself: in memory that the parent sees too. */
enum sandbox_why { SANDBOX_UNKNOWN, SANDBOX_TIME, SANDBOX_SIGNAL, SANDBOX_CALL };
struct sandbox_last {
    enum sandbox_why why;
    int number; /* of the signal or the system call */
    struct sandbox_place place;
};

/* What the child knows of itself; every Lua state points to it from its extra space. */
struct sandbox_host {
    const struct sandbox_request *request;
    lua_State *lua; /* NULL until it is made */
    int fd;         /* the pipe to the parent */
    struct sandbox_last *last;
    struct buffer output;
    struct buffer record;             /* that is being made */
    uint64_t emitted;                 /* bytes, also those not yet written */
    uint64_t points;                  /* emitted */
    size_t memory;                    /* bytes that Lua holds */
    bool memory_alarm;                /* more than it may keep; the hook looks into it */
    volatile sig_atomic_t time_alarm; /* its time is over: the next instruction ends it */
    bool starved;          /* the last that was not given was the system's to give, and within the limit */
    bool ending;           /* only the last record is still to be written: no limit stands in its way */
    uint64_t instructions; /* run so far */
    timer_t timer;         /* of CPU time */
    struct sandbox_place refused; /* what ran when Lua last got no memory */
};

/* Runs the request and writes its records to fd; last is shared with the parent. Never returns. */
_Noreturn void sandbox_child(const struct sandbox_request *request, int fd, struct sandbox_last *last);

struct sandbox_host *sandbox_host_of(lua_State *lua);

/* Pushes the table "host" for the prelude. */
void sandbox_push_host(lua_State *lua);

/* Adds one record to the output. False when that would be more than a recipe may emit. */
bool sandbox_write_record(struct sandbox_host *host, const json_t *record);

/* The same of a record's text, with the newline at its end. */
bool sandbox_write_text(struct sandbox_host *host, const struct buffer *text);
void sandbox_flush(struct sandbox_host *host);

/* Raises an error at the place of the user's code nearest to the top of the stack. hint may be NULL. */
int sandbox_raise(lua_State *lua, enum status code, const char *message, const char *hint);

/* The line of the user's code that runs; 0 when there is none. */
int sandbox_user_line(lua_State *lua);

/* Finds the user's code nearest to the top of the stack: its source is "@FILE". False when there is none. */
bool sandbox_find_user(lua_State *lua, lua_Debug *frame);

/* The path of the frame's file: chunks are named by their files alone. */
const char *sandbox_path_of(const struct sandbox_host *host, const lua_Debug *frame,
                            char path[SANDBOX_PATH_BYTES]);

/* Writes down where the user's code is. May be called by a signal's handler while a C function runs. */
void sandbox_note(struct sandbox_host *host, struct sandbox_place *place);

/* The message handler: any error value becomes a table {message, hint, file, line, code}, for sandbox_report.
 */
int sandbox_explain(lua_State *lua);

/* Writes the error value on top of the stack, explained or not, as the last record. */
void sandbox_report(lua_State *lua, int lua_status);

/* Writes the sentence as the last record, at the place of the user's code that runs, and ends the process. */
_Noreturn void sandbox_end(lua_State *lua, const char *message);

#endif
