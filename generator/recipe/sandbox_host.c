#include "generator/recipe/sandbox_child.h"

#include "base/file.h"
#include "base/text/suggest.h"
#include "generator/metric/metric.h"
#include "generator/recipe/lua_json.h"
#include "generator/recipe/sandbox_list.h"
#include "generator/recipe/sandbox_source.h"

#include <lauxlib.h>
#include <string.h>

#define SEALED "behaviour" /* the name that Lua's own messages use for such a value */

enum { MOST_WORDS = 256, MOST_SOURCE = 4 << 20 };

/* host.emit(kind, value) */
static int host_emit(lua_State *lua)
{
    const char *kind = luaL_checkstring(lua, 1);
    struct sandbox_host *host = sandbox_host_of(lua);
    struct buffer *record = &host->record;
    record->size = 0;
    buffer_text(record, "{\"");
    buffer_text(record, kind);
    buffer_text(record, "\":");
    lua_json_write(lua, 2, kind, record);
    buffer_text(record, "}\n");
    host->points += strcmp(kind, "point") == 0;
    host->foreign = host->foreign || strcmp(kind, "wants") == 0;
    if (!sandbox_write_text(host, record))
        return sandbox_raise(lua, STATUS_RECIPE, "the points need more than 128 MiB plus 1 KiB each",
                             "sweep fewer values, or split the file");
    return 0;
}

/* host.fail(message [, hint [, "usage"]]): an error at the user's line. */
static int host_fail(lua_State *lua)
{
    enum status code = lua_isnoneornil(lua, 3) ? STATUS_RECIPE : STATUS_USAGE;
    return sandbox_raise(lua, code, luaL_checkstring(lua, 1), luaL_optstring(lua, 2, NULL));
}

/* host.suggest(text, words) -> the probably intended word, or nil */
static int host_suggest(lua_State *lua)
{
    const char *words[MOST_WORDS];
    size_t count = lua_rawlen(lua, 2);
    if (count > MOST_WORDS)
        count = MOST_WORDS;
    luaL_checkstack(lua, (int)count + 2, NULL);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(lua, 2, (lua_Integer)i + 1);
        words[i] = luaL_checkstring(lua, -1);
    }
    lua_pushstring(lua, suggest(luaL_checkstring(lua, 1), words, count));
    return 1;
}

static int call_through(lua_State *lua)
{
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    return lua_gettop(lua);
}

/* host.entry(f) -> the function given to the user. Lua drops the caller's frame in "return f()"; an
 * intermediate C function keeps it, and with it the line that errors name. */
static int host_entry(lua_State *lua)
{
    lua_settop(lua, 1);
    lua_pushcclosure(lua, call_through, 1);
    return 1;
}

/* host.seal(value) -> a value that the user can keep and pass on, but neither read nor change */
static int host_seal(lua_State *lua)
{
    lua_settop(lua, 1);
    lua_newuserdatauv(lua, 0, 1);
    lua_insert(lua, 1);
    lua_setiuservalue(lua, 1, 1);
    if (luaL_newmetatable(lua, SEALED)) {
        lua_pushboolean(lua, false);
        lua_setfield(lua, -2, "__metatable");
    }
    lua_setmetatable(lua, 1);
    return 1;
}

/* host.unseal(sealed) -> value, or nil if it is not sealed */
static int host_unseal(lua_State *lua)
{
    if (luaL_testudata(lua, 1, SEALED) == NULL)
        lua_pushnil(lua);
    else
        lua_getiuservalue(lua, 1, 1);
    return 1;
}

/* Pushes an error with the location from the syntax error's text: "name:line: what". */
static int raise_syntax(lua_State *lua, const char *path)
{
    const char *text = lua_tostring(lua, -1);
    const char *colon = strchr(text, ':');
    size_t digits = 0;
    while (colon != NULL && ((digits = strspn(colon + 1, "0123456789")) == 0 || colon[digits + 1] != ':'))
        colon = strchr(colon + 1, ':');
    lua_newtable(lua);
    lua_pushstring(lua, path);
    lua_setfield(lua, -2, "file");
    if (colon != NULL) {
        lua_pushlstring(lua, colon + 1, digits);
        lua_pushinteger(lua, lua_tointeger(lua, -1));
        lua_setfield(lua, -3, "line");
        lua_pop(lua, 1);
        text = colon + digits + 2;
    }
    lua_pushstring(lua, text + strspn(text, " "));
    lua_setfield(lua, -2, "message");
    luaL_setmetatable(lua, SANDBOX_ERROR);
    return lua_error(lua);
}

/* Length of the prefix that Lua's own loader also skips: a byte order mark, and a first line that begins with
 * #. The line's end stays, so that line numbers are unchanged. */
static size_t head_length(const struct buffer *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t length = 0;
    if (text->size >= 3 && memcmp(text->data, mark, 3) == 0)
        length = 3;
    return text->size > length && text->data[length] == '#' ? length + strcspn(text->data + length, "\n")
                                                            : length;
}

/* True for the first two bytes of UTF-16 text, in either byte order. */
static bool is_utf16(const struct buffer *text)
{
    return text->size >= 2 &&
           (memcmp(text->data, "\xff\xfe", 2) == 0 || memcmp(text->data, "\xfe\xff", 2) == 0);
}

static void read_source(lua_State *lua, const char *path, struct buffer *text)
{
    struct error error;
    if (file_read_most(path, MOST_SOURCE, text, &error) != STATUS_OK) {
        buffer_free(text);
        sandbox_raise(lua, STATUS_USAGE, error.message, NULL);
    }
    if (is_utf16(text))
        sandbox_raise(lua, STATUS_RECIPE, lua_pushfstring(lua, "%s is text in UTF-16: expected UTF-8", path),
                      NULL);
    size_t head = head_length(text);
    if (text->size > head && text->data[head] == LUA_SIGNATURE[0])
        sandbox_raise(lua, STATUS_RECIPE, lua_pushfstring(lua, "%s is compiled Lua: expected Lua text", path),
                      NULL);
    if (head > 0)
        memset(text->data, ' ', head);
}

/* Pushes the text as a function, or an error with the returned status. The chunk's name has no folder, so
 * that error messages, which a recipe can catch and read, are the same wherever the file is. */
static int load_text(lua_State *lua, const struct buffer *text, const char *path)
{
    lua_pushfstring(lua, "@%s", file_base_name(path));
    int status =
        luaL_loadbufferx(lua, text->data == NULL ? "" : text->data, text->size, lua_tostring(lua, -1), "t");
    lua_remove(lua, -2);
    return status;
}

static void set_environment(lua_State *lua, int environment)
{
    lua_pushvalue(lua, environment);
    lua_setupvalue(lua, -2, 1);
}

/* Loads the text again, with lengths that are the same in every run. Its own errors are already reported. */
static int load_measured(lua_State *lua, const struct buffer *measured, const char *path)
{
    int status = load_text(lua, measured, path);
    if (status != LUA_OK)
        return status;
    set_environment(lua, 2);
    sandbox_push_length(lua);
    return lua_pcall(lua, 1, 1, 0);
}

/* host.compile(path, environment) -> the file as a function */
static int host_compile(lua_State *lua)
{
    const char *path = luaL_checkstring(lua, 1);
    struct buffer text = {0};
    struct buffer measured = {0};
    read_source(lua, path, &text);
    int status = load_text(lua, &text, path);
    if (status == LUA_OK)
        set_environment(lua, 2);
    if (status == LUA_OK && sandbox_source_measured(&text, &measured))
        status = load_measured(lua, &measured, path);
    buffer_free(&text);
    buffer_free(&measured);
    if (status == LUA_ERRSYNTAX)
        return raise_syntax(lua, path);
    return status == LUA_OK ? 1 : lua_error(lua);
}

/* host.line() -> the user's running line, 0 if there is none */
static int host_line(lua_State *lua)
{
    lua_pushinteger(lua, sandbox_user_line(lua));
    return 1;
}

/* host.place() -> the file of that line, or nil, and the line */
static int host_place(lua_State *lua)
{
    lua_Debug frame;
    char path[SANDBOX_PATH_BYTES];
    bool found = sandbox_find_user(lua, &frame);
    lua_pushstring(lua, found ? sandbox_path_of(sandbox_host_of(lua), &frame, path) : NULL);
    lua_pushinteger(lua, found ? frame.currentline : 0);
    return 2;
}

/* host.metric(name [, target]) -> true if a source can observe it in programs for the target, or for any; nil
 * if there is no such metric */
static int host_metric(lua_State *lua)
{
    const char *name = luaL_checkstring(lua, 1);
    const char *target = luaL_optstring(lua, 2, NULL);
    if (metric_find(name) == NULL)
        lua_pushnil(lua);
    else
        lua_pushboolean(lua, target == NULL || metric_is_observable(name, metric_ground_of(target)));
    return 1;
}

/* host.metric_is_share(name) */
static int host_metric_is_share(lua_State *lua)
{
    lua_pushboolean(lua, metric_is_share(luaL_checkstring(lua, 1)));
    return 1;
}

static void push_name(const char *name, void *context)
{
    lua_State *lua = context;
    lua_pushstring(lua, name);
    lua_rawseti(lua, -2, (lua_Integer)lua_rawlen(lua, -2) + 1);
}

/* host.metric_names() -> a list of the names to suggest */
static int host_metric_names(lua_State *lua)
{
    lua_newtable(lua);
    metric_each_name(push_name, lua);
    return 1;
}

void sandbox_push_host(lua_State *lua)
{
    static const luaL_Reg functions[] = {
        {"emit", host_emit},
        {"fail", host_fail},
        {"attempt", sandbox_attempt},
        {"suggest", host_suggest},
        {"entry", host_entry},
        {"seal", host_seal},
        {"unseal", host_unseal},
        {"compile", host_compile},
        {"line", host_line},
        {"place", host_place},
        {"object", lua_json_object},
        {"list", lua_json_list},
        {"metric", host_metric},
        {"metric_is_share", host_metric_is_share},
        {"metric_names", host_metric_names},
        {NULL, NULL},
    };
    const struct sandbox_request *request = sandbox_host_of(lua)->request;
    luaL_newlib(lua, functions);
    lua_newtable(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, LUA_REGISTRYINDEX, SANDBOX_CONTEXT);
    lua_setfield(lua, -2, "context");
    lua_json_push(lua, request->input);
    lua_setfield(lua, -2, "input");
    sandbox_push_lists(lua);
    lua_setfield(lua, -2, "lists");
    lua_pushstring(lua, request->path);
    lua_setfield(lua, -2, "path");
    lua_pushlstring(lua, request->path, (size_t)(file_base_name(request->path) - request->path));
    lua_setfield(lua, -2, "folder");
}
