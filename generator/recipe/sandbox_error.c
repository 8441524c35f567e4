#include "generator/recipe/sandbox_child.h"

#include "base/file.h"
#include "base/json.h"
#include "base/json/json_text.h"
#include "base/limits.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Most frames searched for a location: a runaway recursion has hundreds of thousands, and each look-up counts
 * from the top. */
enum { MOST_FRAMES = 64, MESSAGE_BYTES = 900 };

bool sandbox_find_user(lua_State *lua, lua_Debug *frame)
{
    for (int level = 0; level < MOST_FRAMES && lua_getstack(lua, level, frame); level++) {
        lua_getinfo(lua, "Sl", frame);
        if (frame->source[0] == '@' && frame->currentline > 0)
            return true;
    }
    return false;
}

int sandbox_user_line(lua_State *lua)
{
    lua_Debug frame;
    return sandbox_find_user(lua, &frame) ? frame.currentline : 0;
}

const char *sandbox_path_of(const struct sandbox_host *host, const lua_Debug *frame,
                            char path[SANDBOX_PATH_BYTES])
{
    const char *main = host->request->path;
    int folder = (int)(file_base_name(main) - main);
    snprintf(path, SANDBOX_PATH_BYTES, "%.*s%s", folder, main, frame->source + 1);
    return path;
}

/* Pushes the error table; message stays the caller's. */
static void push_error(lua_State *lua, const lua_Debug *frame, const char *message)
{
    lua_createtable(lua, 0, 5);
    lua_pushstring(lua, message);
    lua_setfield(lua, -2, "message");
    if (frame != NULL) {
        char path[SANDBOX_PATH_BYTES];
        lua_pushstring(lua, sandbox_path_of(sandbox_host_of(lua), frame, path));
        lua_setfield(lua, -2, "file");
        lua_pushinteger(lua, frame->currentline);
        lua_setfield(lua, -2, "line");
    }
    luaL_setmetatable(lua, SANDBOX_ERROR);
}

int sandbox_raise(lua_State *lua, enum status code, const char *message, const char *hint)
{
    lua_Debug frame;
    bool found = sandbox_find_user(lua, &frame);
    luaL_checkstack(lua, 4, NULL);
    push_error(lua, found ? &frame : NULL, message);
    lua_pushstring(lua, hint);
    lua_setfield(lua, -2, "hint");
    lua_pushinteger(lua, code);
    lua_setfield(lua, -2, "code");
    return lua_error(lua);
}

static bool is_error_table(lua_State *lua, int index)
{
    index = lua_absindex(lua, index);
    if (!lua_istable(lua, index) || !lua_getmetatable(lua, index))
        return false;
    luaL_getmetatable(lua, SANDBOX_ERROR);
    bool same = lua_rawequal(lua, -1, -2);
    lua_pop(lua, 2);
    return same;
}

/* Removes the "file:line: " that Lua puts before a message. *frame: the function that raised the error if it
 * is the user's, else the user's nearest one. */
static const char *take_place(lua_State *lua, const char *message, lua_Debug *frame, bool *found)
{
    lua_Debug candidate;
    *found = sandbox_find_user(lua, frame);
    for (int level = 0; level < MOST_FRAMES && lua_getstack(lua, level, &candidate); level++) {
        char prefix[LUA_IDSIZE + 16];
        lua_getinfo(lua, "Sl", &candidate);
        int length = snprintf(prefix, sizeof prefix, "%s:%d: ", candidate.short_src, candidate.currentline);
        if (candidate.currentline < 1 || strncmp(message, prefix, (size_t)length) != 0)
            continue;
        if (candidate.source[0] == '@')
            *frame = candidate;
        return message + length;
    }
    return message;
}

int sandbox_explain(lua_State *lua)
{
    lua_Debug frame;
    bool found;
    if (is_error_table(lua, 1))
        return 1;
    if (lua_type(lua, 1) == LUA_TSTRING) {
        const char *message = take_place(lua, lua_tostring(lua, 1), &frame, &found);
        push_error(lua, found ? &frame : NULL, message);
        return 1;
    }
    /* Does not call the user's __tostring, which could run arbitrary code after the recipe has ended. */
    found = sandbox_find_user(lua, &frame);
    const char *message =
        lua_pushfstring(lua, "the file raised an error value that is a %s: expected error() with a message",
                        luaL_typename(lua, 1));
    push_error(lua, found ? &frame : NULL, message);
    return 1;
}

/* Copies text for a terminal and for JSON: one line of plain characters, without cursor movements. Bytes
 * above 127 are dropped if the whole is not UTF-8. */
static void copy_plain(char *to, const char *text)
{
    bool good = json_is_text(text);
    size_t used = 0;
    for (; *text != '\0' && used < MESSAGE_BYTES - 1; text++) {
        unsigned char c = (unsigned char)*text;
        to[used++] = c == '\n' || c == '\t' ? ' ' : c < ' ' || c == 127 || (c > 127 && !good) ? '?' : *text;
    }
    while (used > 0 && *text != '\0' && ((unsigned char)to[used - 1] & 0x80) != 0)
        used--; /* do not cut within a character */
    to[used] = '\0';
}

/* The string field of the table on top of the stack, as plain text; "" when there is none. */
static void copy_field(lua_State *lua, const char *name, char text[MESSAGE_BYTES])
{
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    copy_plain(text, lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "");
    lua_pop(lua, 1);
}

static lua_Integer integer_field(lua_State *lua, const char *name, lua_Integer fallback)
{
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    lua_Integer value = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) : fallback;
    lua_pop(lua, 1);
    return value;
}

struct error_report {
    char message[MESSAGE_BYTES], hint[MESSAGE_BYTES], file[MESSAGE_BYTES];
    lua_Integer line, code;
};

/* Writes the report, with its benchmark and point before the message. */
static void write_report(lua_State *lua, const struct error_report *report)
{
    char benchmark[MESSAGE_BYTES] = "", point[MESSAGE_BYTES] = "", whole[3 * MESSAGE_BYTES + 8];
    if (lua_getfield(lua, LUA_REGISTRYINDEX, SANDBOX_CONTEXT) == LUA_TTABLE) {
        copy_field(lua, "benchmark", benchmark);
        copy_field(lua, "point", point);
    }
    lua_pop(lua, 1);
    snprintf(whole, sizeof whole, "%s%s%s%s%s", benchmark, point[0] != '\0' ? "/" : "", point,
             benchmark[0] != '\0' ? ": " : "", report->message);
    struct sandbox_host *host = sandbox_host_of(lua);
    struct json_text text = {.buffer = &host->record, .compact = true};
    host->record.size = 0;
    json_text_open(&text, NULL, '{');
    json_text_open(&text, "error", '{');
    json_text_integer(&text, "code", report->code);
    json_text_string(&text, "file", report->file);
    json_text_integer(&text, "line", report->line);
    json_text_string(&text, "message", whole);
    json_text_string(&text, "hint", report->hint);
    json_text_close(&text, '}');
    json_text_close(&text, '}');
    sandbox_write_text(host, &host->record);
}

void sandbox_report(lua_State *lua, int lua_status)
{
    struct error_report report = {.code = STATUS_RECIPE};
    copy_plain(report.file, sandbox_host_of(lua)->request->path);
    if (lua_status == LUA_ERRMEM && sandbox_host_of(lua)->starved) {
        char text[LIMITS_BYTES];
        report.code = STATUS_FAILED;
        copy_plain(report.message, limits_describe_memory(text));
    } else if (lua_status == LUA_ERRMEM) {
        const struct sandbox_host *host = sandbox_host_of(lua);
        copy_plain(report.message, "the file needs more than 256 MiB of memory");
        report.line = host->refused.line;
        if (report.line > 0)
            copy_plain(report.file, host->refused.file);
    } else if (is_error_table(lua, -1)) {
        copy_field(lua, "message", report.message);
        copy_field(lua, "hint", report.hint);
        report.code = integer_field(lua, "code", STATUS_RECIPE);
        report.line = integer_field(lua, "line", 0);
        if (report.line > 0)
            copy_field(lua, "file", report.file);
    } else {
        copy_plain(report.message,
                   lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : "the file failed");
    }
    write_report(lua, &report);
}

int sandbox_attempt(lua_State *lua)
{
    static const char *const texts[] = {"message", "file", "hint"};
    struct sandbox_host *host = sandbox_host_of(lua);
    lua_pushcfunction(lua, sandbox_explain);
    lua_insert(lua, 1);
    int status = lua_pcall(lua, lua_gettop(lua) - 2, 0, 1);
    if (status == LUA_OK)
        return 0;
    bool explained = status == LUA_ERRRUN && is_error_table(lua, -1);
    if (explained && (host->foreign || integer_field(lua, "code", STATUS_RECIPE) != STATUS_RECIPE))
        return lua_error(lua);
    if (!explained) {
        host->ending = true;
        sandbox_report(lua, status);
        sandbox_flush(host);
        sandbox_leave(0);
    }
    int failure = lua_gettop(lua);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[MESSAGE_BYTES];
        lua_pushvalue(lua, failure);
        copy_field(lua, texts[i], text);
        lua_pop(lua, 1);
        lua_pushstring(lua, text);
    }
    lua_pushvalue(lua, failure);
    lua_pushinteger(lua, integer_field(lua, "line", 0));
    lua_remove(lua, -2);
    return 4;
}

_Noreturn void sandbox_end(lua_State *lua, const char *message)
{
    struct error_report report = {.code = STATUS_RECIPE};
    lua_Debug frame;
    sandbox_host_of(lua)->ending = true;
    bool found = sandbox_find_user(lua, &frame);
    copy_plain(report.message, message);
    char path[SANDBOX_PATH_BYTES];
    const struct sandbox_host *host = sandbox_host_of(lua);
    copy_plain(report.file, found ? sandbox_path_of(host, &frame, path) : host->request->path);
    report.line = found ? frame.currentline : 0;
    write_report(lua, &report);
    sandbox_flush(sandbox_host_of(lua));
    sandbox_leave(0);
}
