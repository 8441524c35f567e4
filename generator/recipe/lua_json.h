/* Between Lua tables and JSON documents. Lua's own order of keys never shows: names are sorted, or in the
 * order that an ordered table gives them. */
#ifndef GENERATOR_RECIPE_LUA_JSON_H
#define GENERATOR_RECIPE_LUA_JSON_H

#include "base/buffer.h"

#include <jansson.h>
#include <lua.h>

/* A lua_CFunction: object(key, value, key, value, ...) gives a table that becomes an object with its keys in
 * this order; a nil value leaves its key out. */
int lua_json_object(lua_State *lua);

/* A lua_CFunction: list(table) marks the table as a list, which it stays when it is empty; gives it back. */
int lua_json_list(lua_State *lua);

/* Appends the value at index as JSON text, without blanks. Raises a Lua error, with the path to the culprit,
 * for what JSON cannot hold or what is too deep or too large; the output then ends anywhere. An unmarked
 * table with no entries says nothing and is left out of the table it stands in. Numbers are written as short
 * as they can be read back. */
void lua_json_write(lua_State *lua, int index, const char *what, struct buffer *output);

/* Pushes the document as tables, strings, numbers and booleans; null is nil. */
void lua_json_push(lua_State *lua, const json_t *document);

#endif
