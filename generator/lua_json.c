#include "generator/lua_json.h"

#include "base/json.h"

#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDERED "lua_json.ordered"
#define LIST "lua_json.list"

enum { DEEPEST = 32, MOST_VALUES = 200000, MOST_TEXT = 4 << 20, PATH_BYTES = 200 };

/* Where the conversion stands, for its errors: each table links to the one it lies in. */
struct place {
    const struct place *outer; /* NULL for the whole */
    const char *key;           /* NULL in a list */
    lua_Integer index;
};

struct conversion {
    lua_State *lua;
    const char *what;
    int depth;
    size_t values;
    size_t text; /* bytes of strings and keys */
};

static json_t *convert(struct conversion *conversion, const struct place *place);

static void mark(lua_State *lua, const char *marker)
{
    luaL_newmetatable(lua, marker);
    lua_setmetatable(lua, -2);
}

int lua_json_object(lua_State *lua)
{
    int count = lua_gettop(lua);
    lua_createtable(lua, count, 1);
    lua_insert(lua, 1);
    for (int i = count; i > 0; i--)
        lua_rawseti(lua, 1, i);
    lua_pushinteger(lua, count);
    lua_setfield(lua, 1, "n");
    mark(lua, ORDERED);
    return 1;
}

int lua_json_list(lua_State *lua)
{
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    mark(lua, LIST);
    return 1;
}

static size_t write_path(const struct conversion *conversion, const struct place *place, char *path)
{
    if (place == NULL)
        return (size_t)snprintf(path, PATH_BYTES, "%.60s", conversion->what);
    size_t used = write_path(conversion, place->outer, path);
    if (used >= PATH_BYTES - 64)
        return used;
    if (place->key != NULL)
        return used + (size_t)snprintf(path + used, PATH_BYTES - used, ".%.40s", place->key);
    return used + (size_t)snprintf(path + used, PATH_BYTES - used, "[%lld]", (long long)place->index);
}

static int refuse(const struct conversion *conversion, const struct place *place, const char *problem)
{
    char path[PATH_BYTES];
    write_path(conversion, place, path);
    return luaL_error(conversion->lua, "%s %s", path, problem);
}

static bool is_marked(lua_State *lua, const char *marker)
{
    if (!lua_getmetatable(lua, -1))
        return false;
    luaL_getmetatable(lua, marker);
    bool same = lua_rawequal(lua, -1, -2);
    lua_pop(lua, 2);
    return same;
}

static const char *checked_text(struct conversion *conversion, const struct place *place, size_t *size)
{
    const char *text = lua_tolstring(conversion->lua, -1, size);
    conversion->text += *size;
    if (conversion->text > MOST_TEXT)
        refuse(conversion, place, "holds too much text: at most 4 MiB");
    if (memchr(text, '\0', *size) != NULL)
        refuse(conversion, place, "has a zero byte in it: expected plain text");
    return text;
}

static json_t *convert_text(struct conversion *conversion, const struct place *place)
{
    size_t size;
    const char *text = checked_text(conversion, place, &size);
    json_t *value = json_stringn(text, size);
    if (value == NULL)
        refuse(conversion, place, "is text that is not UTF-8");
    return value;
}

static json_t *convert_number(struct conversion *conversion, const struct place *place)
{
    if (lua_isinteger(conversion->lua, -1))
        return json_integer(lua_tointeger(conversion->lua, -1));
    double value = lua_tonumber(conversion->lua, -1);
    if (!isfinite(value))
        refuse(conversion, place, "is not a finite number");
    return json_from_number(value);
}

/* An empty unmarked table: nothing was said. */
static bool is_silent(lua_State *lua)
{
    if (!lua_istable(lua, -1))
        return false;
    lua_pushnil(lua);
    if (lua_next(lua, -2)) {
        lua_pop(lua, 2);
        return false;
    }
    return !is_marked(lua, ORDERED) && !is_marked(lua, LIST);
}

static void add_member(struct conversion *conversion, const struct place *place, json_t *object)
{
    if (!lua_isnil(conversion->lua, -1) && !is_silent(conversion->lua) &&
        json_object_set_new(object, place->key, convert(conversion, place)) != 0)
        refuse(conversion, place, "has a name that is not UTF-8");
}

static json_t *convert_ordered(struct conversion *conversion, const struct place *outer)
{
    lua_State *lua = conversion->lua;
    json_t *object = json_object();
    lua_getfield(lua, -1, "n");
    lua_Integer count = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    for (lua_Integer i = 1; i < count; i += 2) {
        size_t size;
        lua_rawgeti(lua, -1, i);
        struct place place = {.outer = outer, .key = checked_text(conversion, outer, &size)};
        lua_rawgeti(lua, -2, i + 1);
        add_member(conversion, &place, object);
        lua_pop(lua, 2);
    }
    return object;
}

static json_t *convert_list(struct conversion *conversion, const struct place *outer, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 1; i <= count; i++) {
        struct place place = {.outer = outer, .index = (lua_Integer)i};
        lua_rawgeti(conversion->lua, -1, (lua_Integer)i);
        json_array_append_new(array, convert(conversion, &place));
        lua_pop(conversion->lua, 1);
    }
    return array;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The table's keys, sorted; they point into Lua strings that the table keeps alive. */
static const char **sorted_keys(struct conversion *conversion, const struct place *place, size_t count)
{
    lua_State *lua = conversion->lua;
    const char **keys = lua_newuserdatauv(lua, (count + 1) * sizeof *keys, 0);
    size_t used = 0;
    lua_pushnil(lua);
    while (lua_next(lua, -3)) {
        size_t size;
        lua_pop(lua, 1);
        if (lua_type(lua, -1) != LUA_TSTRING)
            refuse(conversion, place, "mixes entries with and without a name");
        keys[used++] = checked_text(conversion, place, &size);
    }
    qsort(keys, used, sizeof *keys, by_text);
    return keys;
}

static json_t *convert_names(struct conversion *conversion, const struct place *outer, size_t count)
{
    lua_State *lua = conversion->lua;
    json_t *object = json_object();
    const char **keys = sorted_keys(conversion, outer, count);
    for (size_t i = 0; i < count; i++) {
        struct place place = {.outer = outer, .key = keys[i]};
        lua_pushstring(lua, keys[i]);
        lua_rawget(lua, -3);
        add_member(conversion, &place, object);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return object;
}

static size_t count_entries(lua_State *lua)
{
    size_t count = 0;
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pop(lua, 1);
        count++;
    }
    return count;
}

static json_t *convert_table(struct conversion *conversion, const struct place *place)
{
    lua_State *lua = conversion->lua;
    if (++conversion->depth > DEEPEST || !lua_checkstack(lua, 8))
        refuse(conversion, place,
               "is too deep: tables may lie in each other 32 levels deep, and not in themselves");
    size_t length = lua_rawlen(lua, -1);
    json_t *result;
    if (is_marked(lua, ORDERED)) {
        result = convert_ordered(conversion, place);
    } else if (is_marked(lua, LIST)) {
        result = convert_list(conversion, place, length);
    } else {
        size_t count = count_entries(lua);
        if (count > MOST_VALUES)
            refuse(conversion, place, "is too large: at most 200,000 values");
        result = count == length ? convert_list(conversion, place, length)
                                 : convert_names(conversion, place, count);
    }
    conversion->depth--;
    return result;
}

/* Converts the value on top of the stack and leaves it there. */
static json_t *convert(struct conversion *conversion, const struct place *place)
{
    lua_State *lua = conversion->lua;
    if (++conversion->values > MOST_VALUES)
        refuse(conversion, place, "is too large: at most 200,000 values");
    switch (lua_type(lua, -1)) {
    case LUA_TBOOLEAN:
        return json_boolean(lua_toboolean(lua, -1));
    case LUA_TNUMBER:
        return convert_number(conversion, place);
    case LUA_TSTRING:
        return convert_text(conversion, place);
    case LUA_TTABLE:
        return convert_table(conversion, place);
    default:
        lua_pushfstring(lua, "is a %s: expected a number, a string, true, false or a table of these",
                        luaL_typename(lua, -1));
        refuse(conversion, place, lua_tostring(lua, -1));
        return NULL;
    }
}

json_t *lua_json_from(lua_State *lua, int index, const char *what)
{
    struct conversion conversion = {.lua = lua, .what = what};
    lua_pushvalue(lua, index);
    json_t *result = convert(&conversion, NULL);
    lua_pop(lua, 1);
    return result;
}

static void push_object(lua_State *lua, const json_t *object)
{
    const char *key;
    json_t *value;
    lua_newtable(lua);
    json_object_foreach((json_t *)object, key, value)
    {
        lua_json_push(lua, value);
        lua_setfield(lua, -2, key);
    }
}

static void push_array(lua_State *lua, const json_t *array)
{
    lua_newtable(lua);
    for (size_t i = 0; i < json_array_size(array); i++) {
        lua_json_push(lua, json_array_get(array, i));
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
}

void lua_json_push(lua_State *lua, const json_t *document)
{
    luaL_checkstack(lua, 4, "the document is too deep");
    switch (document == NULL ? JSON_NULL : json_typeof(document)) {
    case JSON_OBJECT:
        push_object(lua, document);
        break;
    case JSON_ARRAY:
        push_array(lua, document);
        break;
    case JSON_STRING:
        lua_pushlstring(lua, json_string_value(document), json_string_length(document));
        break;
    case JSON_INTEGER:
        lua_pushinteger(lua, json_integer_value(document));
        break;
    case JSON_REAL:
        lua_pushnumber(lua, json_real_value(document));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        lua_pushboolean(lua, json_is_true(document));
        break;
    case JSON_NULL:
        lua_pushnil(lua);
        break;
    }
}
