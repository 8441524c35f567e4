#include "generator/recipe/lua_json.h"

#include "base/text/cursor.h"

#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDERED "lua_json.ordered"
#define LIST "lua_json.list"

enum { DEEPEST = 32, MOST_VALUES = 200000, MOST_TEXT = 4 << 20, PATH_BYTES = 200 };

/* Whole numbers below it are integers, as with json_from_number. */
static const double MOST_WHOLE = 9e15;

/* The position of the conversion, for its errors: each table links to the one that contains it. */
struct value_place {
    const struct value_place *outer; /* NULL for the whole */
    const char *key;                 /* NULL in a list */
    lua_Integer index;
};

struct conversion {
    lua_State *lua;
    const char *what;
    struct buffer *output;
    const void *ordered, *list; /* the markers' metatables */
    int depth;
    size_t values;
    size_t text; /* bytes of strings and keys */
};

static void convert(struct conversion *conversion, const struct value_place *place);

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

static size_t write_path(const struct conversion *conversion, const struct value_place *place, char *path)
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

static int refuse(const struct conversion *conversion, const struct value_place *place, const char *problem)
{
    char path[PATH_BYTES];
    write_path(conversion, place, path);
    return luaL_error(conversion->lua, "%s %s", path, problem);
}

static bool is_marked(lua_State *lua, const void *marker)
{
    if (!lua_getmetatable(lua, -1))
        return false;
    bool same = lua_topointer(lua, -1) == marker;
    lua_pop(lua, 1);
    return same;
}

static const char *checked_text(struct conversion *conversion, const struct value_place *place, size_t *size)
{
    const char *text = lua_tolstring(conversion->lua, -1, size);
    conversion->text += *size;
    if (conversion->text > MOST_TEXT)
        refuse(conversion, place, "holds too much text: at most 4 MiB");
    if (memchr(text, '\0', *size) != NULL)
        refuse(conversion, place, "has a zero byte in it: expected plain text");
    return text;
}

/* True if the text needs no escapes. */
static bool is_plain(const char *text, size_t size)
{
    unsigned special = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        special |= byte < ' ' || byte > '~' || byte == '"' || byte == '\\';
    }
    return special == 0;
}

static int append_dumped(const char *text, size_t size, void *output)
{
    buffer_append(output, text, size);
    return 0;
}

/* False when it is not UTF-8. */
static bool write_text(struct buffer *output, const char *text, size_t size)
{
    if (is_plain(text, size)) {
        struct cursor cursor = cursor_begin(output, size + 2);
        CURSOR_TEXT(&cursor, "\"");
        cursor_bytes(&cursor, text, size);
        CURSOR_TEXT(&cursor, "\"");
        cursor_end(cursor, output);
        return true;
    }
    json_t *value = json_stringn(text, size);
    bool good = value != NULL && json_dump_callback(value, append_dumped, output, JSON_ENCODE_ANY) == 0;
    json_decref(value);
    return good;
}

static void convert_text(struct conversion *conversion, const struct value_place *place)
{
    size_t size;
    const char *text = checked_text(conversion, place, &size);
    if (!write_text(conversion->output, text, size))
        refuse(conversion, place, "is text that is not UTF-8");
}

static void write_integer(struct buffer *output, long long value)
{
    if (value < 0)
        buffer_append(output, "-", 1);
    buffer_number(output, value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value);
}

/* Writes as many digits as read back to the same number, and a point or an exponent. */
static void write_real(struct buffer *output, double value)
{
    char text[40];
    if (buffer_decimal(output, value))
        return;
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    buffer_text(output, text);
    if (strpbrk(text, ".e") == NULL)
        buffer_text(output, ".0");
}

static void convert_number(struct conversion *conversion, const struct value_place *place)
{
    if (lua_isinteger(conversion->lua, -1)) {
        write_integer(conversion->output, lua_tointeger(conversion->lua, -1));
        return;
    }
    double value = lua_tonumber(conversion->lua, -1);
    if (!isfinite(value))
        refuse(conversion, place, "is not a finite number");
    if (value == floor(value) && fabs(value) < MOST_WHOLE)
        write_integer(conversion->output, (long long)value);
    else
        write_real(conversion->output, value);
}

/* An empty unmarked table: nothing was stated. */
static bool is_silent(const struct conversion *conversion)
{
    lua_State *lua = conversion->lua;
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) > 0)
        return false;
    lua_pushnil(lua);
    if (lua_next(lua, -2)) {
        lua_pop(lua, 2);
        return false;
    }
    return !is_marked(lua, conversion->ordered) && !is_marked(lua, conversion->list);
}

/* Writes a comma, except after an opening bracket. */
static void separate(struct buffer *output, char mark)
{
    if (output->data[output->size - 1] != mark)
        buffer_append(output, ",", 1);
}

static void add_member(struct conversion *conversion, const struct value_place *place)
{
    if (lua_isnil(conversion->lua, -1) || is_silent(conversion))
        return;
    separate(conversion->output, '{');
    if (!write_text(conversion->output, place->key, strlen(place->key)))
        refuse(conversion, place, "has a name that is not UTF-8");
    buffer_append(conversion->output, ":", 1);
    convert(conversion, place);
}

static void convert_ordered(struct conversion *conversion, const struct value_place *outer)
{
    lua_State *lua = conversion->lua;
    lua_getfield(lua, -1, "n");
    lua_Integer count = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    buffer_append(conversion->output, "{", 1);
    for (lua_Integer i = 1; i < count; i += 2) {
        size_t size;
        lua_rawgeti(lua, -1, i);
        struct value_place place = {.outer = outer, .key = checked_text(conversion, outer, &size)};
        lua_rawgeti(lua, -2, i + 1);
        add_member(conversion, &place);
        lua_pop(lua, 2);
    }
    buffer_append(conversion->output, "}", 1);
}

static void convert_list(struct conversion *conversion, const struct value_place *outer, size_t count)
{
    buffer_append(conversion->output, "[", 1);
    for (size_t i = 1; i <= count; i++) {
        struct value_place place = {.outer = outer, .index = (lua_Integer)i};
        lua_rawgeti(conversion->lua, -1, (lua_Integer)i);
        if (i > 1)
            buffer_append(conversion->output, ",", 1);
        convert(conversion, &place);
        lua_pop(conversion->lua, 1);
    }
    buffer_append(conversion->output, "]", 1);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The table's keys, sorted; they point into Lua strings that the table keeps alive. */
static const char **sorted_keys(struct conversion *conversion, const struct value_place *place, size_t count)
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

static void convert_names(struct conversion *conversion, const struct value_place *outer, size_t count)
{
    lua_State *lua = conversion->lua;
    const char **keys = sorted_keys(conversion, outer, count);
    buffer_append(conversion->output, "{", 1);
    for (size_t i = 0; i < count; i++) {
        struct value_place place = {.outer = outer, .key = keys[i]};
        lua_pushstring(lua, keys[i]);
        lua_rawget(lua, -3);
        add_member(conversion, &place);
        lua_pop(lua, 1);
    }
    buffer_append(conversion->output, "}", 1);
    lua_pop(lua, 1);
}

/* Entries of the table; *is_list if their keys are 1 to their number. */
static size_t count_entries(lua_State *lua, bool *is_list)
{
    size_t count = 0;
    lua_Integer greatest = 0;
    *is_list = true;
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        lua_pop(lua, 1);
        count++;
        lua_Integer key = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) : 0;
        *is_list = *is_list && key > 0;
        greatest = key > greatest ? key : greatest;
    }
    *is_list = *is_list && (size_t)greatest == count;
    return count;
}

static void convert_table(struct conversion *conversion, const struct value_place *place)
{
    lua_State *lua = conversion->lua;
    if (++conversion->depth > DEEPEST || !lua_checkstack(lua, 8))
        refuse(conversion, place, "is too deep: tables may nest up to 32 levels, and not in themselves");
    if (is_marked(lua, conversion->ordered)) {
        convert_ordered(conversion, place);
    } else if (is_marked(lua, conversion->list)) {
        convert_list(conversion, place, lua_rawlen(lua, -1));
    } else {
        bool is_list;
        size_t count = count_entries(lua, &is_list);
        if (count > MOST_VALUES)
            refuse(conversion, place, "is too large: at most 200,000 values");
        if (is_list)
            convert_list(conversion, place, count);
        else
            convert_names(conversion, place, count);
    }
    conversion->depth--;
}

/* Writes the value on top of the stack and leaves it there. */
static void convert(struct conversion *conversion, const struct value_place *place)
{
    lua_State *lua = conversion->lua;
    if (++conversion->values > MOST_VALUES)
        refuse(conversion, place, "is too large: at most 200,000 values");
    switch (lua_type(lua, -1)) {
    case LUA_TBOOLEAN:
        buffer_text(conversion->output, lua_toboolean(lua, -1) ? "true" : "false");
        break;
    case LUA_TNUMBER:
        convert_number(conversion, place);
        break;
    case LUA_TSTRING:
        convert_text(conversion, place);
        break;
    case LUA_TTABLE:
        convert_table(conversion, place);
        break;
    default:
        lua_pushfstring(lua, "is a %s: expected a number, a string, true, false or a table of these",
                        luaL_typename(lua, -1));
        refuse(conversion, place, lua_tostring(lua, -1));
    }
}

/* The marker's identity for is_marked. */
static const void *marker_of(lua_State *lua, const char *marker)
{
    luaL_newmetatable(lua, marker);
    const void *metatable = lua_topointer(lua, -1);
    lua_pop(lua, 1);
    return metatable;
}

void lua_json_write(lua_State *lua, int index, const char *what, struct buffer *output)
{
    struct conversion conversion = {.lua = lua,
                                    .what = what,
                                    .output = output,
                                    .ordered = marker_of(lua, ORDERED),
                                    .list = marker_of(lua, LIST)};
    lua_pushvalue(lua, index);
    convert(&conversion, NULL);
    lua_pop(lua, 1);
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
