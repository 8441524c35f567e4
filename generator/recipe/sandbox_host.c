#include "generator/recipe/sandbox_child.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/text/suggest.h"
#include "generator/metric/metric.h"
#include "generator/recipe/lua_json.h"

#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- a user's text as the sandbox compiles it: with every # operator replaced, because Lua's own length of
 * a list with holes depends on the hash seed and so varies between runs ---- */

enum { NAME_BYTES = 32 };

/* Bytes of a long bracket's opening, [[ or [==[; 0 if there is none. */
static size_t long_opening(const char *at, const char *end)
{
    const char *next = at;
    if (next == end || *next++ != '[')
        return 0;
    while (next < end && *next == '=')
        next++;
    return next < end && *next == '[' ? (size_t)(next - at) + 1 : 0;
}

/* The position after the long bracket whose opening has that many bytes. */
static const char *skip_long(const char *at, const char *end, size_t opening)
{
    for (at += opening; at < end; at++) {
        const char *next = at;
        if (*next++ != ']')
            continue;
        while (next < end && *next == '=')
            next++;
        if (next < end && *next == ']' && (size_t)(next - at) + 1 == opening)
            return next + 1;
    }
    return end;
}

static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote)
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

static const char *skip_comment(const char *at, const char *end)
{
    at += 2;
    size_t opening = long_opening(at, end);
    if (opening > 0)
        return skip_long(at, end, opening);
    const char *line = memchr(at, '\n', (size_t)(end - at));
    return line == NULL ? end : line;
}

/* The position after a string or a comment, which hold no operator; unchanged if there is neither. */
static const char *skip_text(const char *at, const char *end)
{
    size_t opening = long_opening(at, end);
    if (opening > 0)
        return skip_long(at, end, opening);
    if (*at == '"' || *at == '\'')
        return skip_quoted(at, end);
    return end - at > 1 && at[0] == '-' && at[1] == '-' ? skip_comment(at, end) : at;
}

static const char *find_length(const char *at, const char *end)
{
    while (at < end && *at != '#') {
        const char *next = skip_text(at, end);
        at = next == at ? at + 1 : next;
    }
    return at;
}

/* A name that the text does not have. */
static void choose_name(const struct buffer *text, char name[NAME_BYTES])
{
    unsigned number = 0;
    do
        snprintf(name, NAME_BYTES, "length_%u", number++);
    while (memmem(text->data, text->size, name, strlen(name)) != NULL);
}

static bool sandbox_source_measured(const struct buffer *text, struct buffer *output)
{
    char name[NAME_BYTES];
    if (text->size == 0)
        return false;
    const char *at = text->data;
    const char *end = text->data + text->size;
    const char *next = find_length(at, end);
    if (next == end)
        return false;
    choose_name(text, name);
    /* ^ binds its right operand as tightly as # does, and nothing binds more tightly. */
    buffer_printf(output, "local %s = ... return function(...) ", name);
    for (; next < end; next = find_length(at, end)) {
        buffer_append(output, at, (size_t)(next - at));
        buffer_printf(output, " %s^", name);
        at = next + 1;
    }
    buffer_append(output, at, (size_t)(end - at));
    buffer_text(output, "\nend");
    return true;
}

/* ---- deterministic lists: length and order depend only on the contents. In plain Lua the length of a list
 * with holes depends on the hash seed, and sort takes pivots from the clock and leaves equal entries in any
 * order ---- */

#define LENGTH "length"

static bool has_entry(lua_State *lua, int table, lua_Integer index)
{
    bool found = lua_rawgeti(lua, table, index) != LUA_TNIL;
    lua_pop(lua, 1);
    return found;
}

/* The length of the table at index, without metamethods: the number of entries before the first hole that a
 * search in power-of-two steps finds. */
static lua_Integer sandbox_length(lua_State *lua, int index)
{
    lua_Integer present = 0;
    lua_Integer absent = 1;
    index = lua_absindex(lua, index);
    while (has_entry(lua, index, absent)) {
        present = absent;
        if (absent > LUA_MAXINTEGER / 2)
            return present;
        absent *= 2;
    }
    while (absent - present > 1) {
        lua_Integer middle = present + (absent - present) / 2;
        if (has_entry(lua, index, middle))
            present = middle;
        else
            absent = middle;
    }
    return present;
}

/* The result of #value: with __len if the value has it. */
static lua_Integer length_of(lua_State *lua, int index)
{
    if (lua_type(lua, index) == LUA_TTABLE && luaL_getmetafield(lua, index, "__len") == LUA_TNIL)
        return sandbox_length(lua, index);
    if (lua_type(lua, index) == LUA_TTABLE)
        lua_pop(lua, 1);
    return luaL_len(lua, index);
}

/* L ^ value, for #value */
static int list_length(lua_State *lua)
{
    if (lua_type(lua, 2) == LUA_TTABLE && luaL_getmetafield(lua, 2, "__len") == LUA_TNIL)
        lua_pushinteger(lua, sandbox_length(lua, 2));
    else
        lua_len(lua, 2); /* __len may return any value, or raise an error */
    return 1;
}

/* The first argument as a list with a known length. */
static lua_Integer check_list(lua_State *lua)
{
    if (lua_type(lua, 1) != LUA_TTABLE)
        luaL_checktype(lua, 1, LUA_TTABLE);
    return length_of(lua, 1);
}

static int list_rawlen(lua_State *lua)
{
    int type = lua_type(lua, 1);
    luaL_argexpected(lua, type == LUA_TTABLE || type == LUA_TSTRING, 1, "table or string");
    lua_pushinteger(lua, type == LUA_TTABLE ? sandbox_length(lua, 1) : (lua_Integer)lua_rawlen(lua, 1));
    return 1;
}

static int list_insert(lua_State *lua)
{
    lua_Integer end = (lua_Integer)((lua_Unsigned)check_list(lua) + 1);
    int count = lua_gettop(lua);
    if (count != 2 && count != 3)
        return luaL_error(lua, "wrong number of arguments to 'insert'");
    lua_Integer at = count == 2 ? end : luaL_checkinteger(lua, 2);
    luaL_argcheck(lua, (lua_Unsigned)at - 1 < (lua_Unsigned)end, 2, "position out of bounds");
    for (lua_Integer i = end; i > at; i--) {
        lua_geti(lua, 1, i - 1);
        lua_seti(lua, 1, i);
    }
    lua_pushvalue(lua, count);
    lua_seti(lua, 1, at);
    return 0;
}

static int list_remove(lua_State *lua)
{
    lua_Integer size = check_list(lua);
    lua_Integer at = luaL_optinteger(lua, 2, size);
    if (lua_gettop(lua) > 1)
        luaL_argcheck(lua,
                      (lua_Unsigned)size + 1 - (lua_Unsigned)at <= (lua_Unsigned)size || at == size + 1 ||
                          at == size,
                      2, "position out of bounds");
    lua_geti(lua, 1, at);
    for (; at < size; at++) {
        lua_geti(lua, 1, at + 1);
        lua_seti(lua, 1, at);
    }
    lua_pushnil(lua);
    lua_seti(lua, 1, at);
    return 1;
}

/* Calls Lua's own function, which is the upvalue, with the last position as an explicit argument. */
static int with_last(lua_State *lua, int position)
{
    if (lua_gettop(lua) < position)
        lua_settop(lua, position);
    if (lua_isnil(lua, position)) {
        lua_pushinteger(lua, check_list(lua));
        lua_replace(lua, position);
    }
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    return lua_gettop(lua);
}

static int list_concat(lua_State *lua)
{
    return with_last(lua, 4);
}

static int list_unpack(lua_State *lua)
{
    return with_last(lua, 3);
}

/* ---- sort ---- */

/* Places on the stack of list_sort. */
enum { LIST = 1, ORDER = 2, FROM = 3, TO = 4 };

/* True when the value at a comes before that at b. */
static bool comes_before(lua_State *lua, int a, int b)
{
    if (lua_isnil(lua, ORDER))
        return lua_compare(lua, a, b, LUA_OPLT);
    lua_pushvalue(lua, ORDER);
    lua_pushvalue(lua, a < 0 ? a - 1 : a);
    lua_pushvalue(lua, b < 0 ? b - 2 : b);
    lua_call(lua, 2, 1);
    bool before = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return before;
}

static int refuse_order(lua_State *lua)
{
    return luaL_error(
        lua, "invalid order function for table.sort: it orders two entries both ways, or three in a circle; "
             "expected true only if the first comes before the second, as with < and not with <=");
}

/* True when the entry of FROM at right comes before that at left. */
static bool overtakes(lua_State *lua, lua_Integer right, lua_Integer left)
{
    lua_rawgeti(lua, FROM, right);
    lua_rawgeti(lua, FROM, left);
    bool before = comes_before(lua, -2, -1);
    if (before && comes_before(lua, -1, -2))
        refuse_order(lua);
    lua_pop(lua, 2);
    return before;
}

/* Merges the sorted ranges first to middle and middle to last into TO; of equal entries the earlier is first.
 */
static void merge(lua_State *lua, lua_Integer first, lua_Integer middle, lua_Integer last)
{
    lua_Integer left = first;
    lua_Integer right = middle;
    for (lua_Integer at = first; at < last; at++) {
        bool from_right = left == middle || (right < last && overtakes(lua, right, left));
        lua_rawgeti(lua, FROM, from_right ? right++ : left++);
        lua_rawseti(lua, TO, at);
    }
}

/* table.sort(list [, order]): stable. Sorts in separate tables, so that an order function that changes the
 * list has no effect. */
static int list_sort(lua_State *lua)
{
    lua_Integer size = check_list(lua);
    luaL_argcheck(lua, size < INT_MAX, 1, "array too big");
    if (!lua_isnoneornil(lua, ORDER))
        luaL_checktype(lua, ORDER, LUA_TFUNCTION);
    lua_settop(lua, ORDER);
    lua_createtable(lua, (int)size, 0);
    lua_createtable(lua, (int)size, 0);
    for (lua_Integer i = 1; i <= size; i++) {
        lua_geti(lua, LIST, i);
        lua_rawseti(lua, FROM, i);
    }
    for (lua_Integer run = 1; run < size; run *= 2) {
        for (lua_Integer first = 1; first <= size; first += 2 * run) {
            lua_Integer middle = first + run <= size ? first + run : size + 1;
            merge(lua, first, middle, middle + run <= size ? middle + run : size + 1);
        }
        lua_pushvalue(lua, FROM);
        lua_copy(lua, TO, FROM);
        lua_replace(lua, TO);
    }
    for (lua_Integer i = 2; i <= size; i++)
        if (overtakes(lua, i, i - 1))
            refuse_order(lua);
    for (lua_Integer i = 1; i <= size; i++) {
        lua_rawgeti(lua, FROM, i);
        lua_seti(lua, LIST, i);
    }
    return 0;
}

static void sandbox_push_lists(lua_State *lua)
{
    static const luaL_Reg plain[] = {{"sort", list_sort},
                                     {"insert", list_insert},
                                     {"remove", list_remove},
                                     {"rawlen", list_rawlen},
                                     {NULL, NULL}};
    static const luaL_Reg wrapped[] = {{"concat", list_concat}, {"unpack", list_unpack}};
    luaL_newlib(lua, plain);
    lua_getglobal(lua, LUA_TABLIBNAME);
    for (size_t i = 0; i < sizeof wrapped / sizeof wrapped[0]; i++) {
        lua_getfield(lua, -1, wrapped[i].name);
        lua_pushcclosure(lua, wrapped[i].func, 1);
        lua_setfield(lua, -3, wrapped[i].name);
    }
    lua_pop(lua, 1);
}

static void sandbox_push_length(lua_State *lua)
{
    lua_newuserdatauv(lua, 0, 0);
    if (luaL_newmetatable(lua, LENGTH)) {
        lua_pushcfunction(lua, list_length);
        lua_setfield(lua, -2, "__pow");
        lua_pushboolean(lua, false);
        lua_setfield(lua, -2, "__metatable");
    }
    lua_setmetatable(lua, -2);
}

/* ---- the host's functions ---- */

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

/* host.entry(f) -> the function that the user calls. Lua drops the caller's frame in "return f()"; an
 * intermediate C function keeps it, and with it the line for errors. */
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

/* Loads the text again, with deterministic lengths. Errors in it are already reported. */
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
    request->push_input(lua, request->context);
    lua_setfield(lua, -2, "input");
    sandbox_push_lists(lua);
    lua_setfield(lua, -2, "lists");
    lua_pushstring(lua, request->path);
    lua_setfield(lua, -2, "path");
    lua_pushlstring(lua, request->path, (size_t)(file_base_name(request->path) - request->path));
    lua_setfield(lua, -2, "folder");
}
