/* Converts between Lua tables and JSON documents. Names are sorted, or in the order of an ordered table,
 * never in Lua's own order. */
#ifndef GENERATOR_RECIPE_LUA_JSON_H
#define GENERATOR_RECIPE_LUA_JSON_H

#include "base/buffer.h"

#include <jansson.h>
#include <lua.h>

/* A lua_CFunction: object(key, value, key, value, ...) returns a table that becomes an object with its keys
 * in this order; a nil value omits its key. */
int lua_json_object(lua_State *lua);

/* A lua_CFunction: list(table) marks the table as a list, even when empty, and returns it. */
int lua_json_list(lua_State *lua);

/* Appends the value at index as JSON text, without blanks. Raises a Lua error, with the path to the offending
 * value, for values that JSON cannot hold or that are too deep or too large; the output is then incomplete.
 * An unmarked empty table is omitted from the table that contains it. Numbers are written in the shortest
 * form that reads back exactly. */
void lua_json_write(lua_State *lua, int index, const char *what, struct buffer *output);

/* Pushes the document as tables, strings, numbers and booleans; null is nil. */
void lua_json_push(lua_State *lua, const json_t *document);

#endif
