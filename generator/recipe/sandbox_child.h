/* The child's side of the sandbox: the Lua state, its limits, and the functions that the prelude gets as
 * "host". All of it runs in the child only; sandbox_child is called right after the fork. */
#ifndef GENERATOR_RECIPE_SANDBOX_CHILD_H
#define GENERATOR_RECIPE_SANDBOX_CHILD_H

#include "base/buffer.h"
#include "generator/recipe/sandbox_request.h"

#include <lua.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Registry keys. */
#define SANDBOX_CONTEXT "sandbox.context" /* {benchmark=, point=}: what an error refers to */
#define SANDBOX_ERROR "sandbox.error"     /* metatable of errors with a location */

enum { SANDBOX_PATH_BYTES = 1024 };

/* A location in the user's text; line 0: unknown. */
struct sandbox_place {
    int line;
    char file[SANDBOX_PATH_BYTES];
};

/* The reason why the child ended, in memory shared with the parent, in case it cannot send a report. */
enum sandbox_why { SANDBOX_UNKNOWN, SANDBOX_TIME, SANDBOX_SIGNAL, SANDBOX_CALL };
struct sandbox_last {
    enum sandbox_why why;
    int number; /* of the signal or the system call */
    struct sandbox_place place;
};

/* The child's state; every Lua state points to it from its extra space. */
struct sandbox_host {
    const struct sandbox_request *request;
    lua_State *lua; /* NULL until it is made */
    int fd;         /* the pipe to the parent */
    struct sandbox_last *last;
    struct buffer output;
    struct buffer record; /* being built */
    uint64_t emitted;     /* bytes, including those not yet written */
    uint64_t points;      /* emitted */
    bool foreign;         /* the file is for another target, which is not the failure of one point */
    size_t memory;        /* bytes allocated by Lua */
    bool memory_alarm;    /* memory exceeds the limit; the hook handles it */
    volatile sig_atomic_t time_alarm; /* the CPU time is over: the next instruction ends the process */
    bool starved;          /* the last failed allocation was within the limit, so the system had no memory */
    bool ending;           /* only the last record remains to be written: limits are off */
    uint64_t instructions; /* run so far */
    timer_t timer;         /* of CPU time */
    struct sandbox_place refused; /* location when an allocation last failed */
};

/* Runs the request and writes its records to fd; last is shared with the parent. Never returns. */
_Noreturn void sandbox_child(const struct sandbox_request *request, int fd, struct sandbox_last *last);

struct sandbox_host *sandbox_host_of(lua_State *lua);

/* Pushes the table "host" for the prelude. */
void sandbox_push_host(lua_State *lua);

/* Adds a record's text, which ends with a newline, to the output. False if the recipe would exceed its output
 * limit. */
bool sandbox_write_text(struct sandbox_host *host, const struct buffer *text);
void sandbox_flush(struct sandbox_host *host);

/* Raises an error at the location of the user's code nearest to the top of the stack. hint may be NULL. */
int sandbox_raise(lua_State *lua, enum status code, const char *message, const char *hint);

/* The line of the user's code that is running; 0 if none. */
int sandbox_user_line(lua_State *lua);

/* Finds the user's code nearest to the top of the stack: its source is "@FILE". False when there is none. */
bool sandbox_find_user(lua_State *lua, lua_Debug *frame);

/* The path of the frame's file: chunk names hold only the file name. */
const char *sandbox_path_of(const struct sandbox_host *host, const lua_Debug *frame,
                            char path[SANDBOX_PATH_BYTES]);

/* The message handler: turns any error value into a table {message, hint, file, line, code}, for
 * sandbox_report. */
int sandbox_explain(lua_State *lua);

/* Writes the error value on top of the stack, explained or not, as the last record. */
void sandbox_report(lua_State *lua, int lua_status);

/* host.attempt(function, ...) -> nothing, or the message, file, hint and line of its failure. A failure of
 * the whole file (its target, a limit) passes through. */
int sandbox_attempt(lua_State *lua);

/* Ends the process at once. */
_Noreturn void sandbox_leave(int code);

/* Writes the message as the last record, with the location of the running user code, and ends the process. */
_Noreturn void sandbox_end(lua_State *lua, const char *message);

#endif
