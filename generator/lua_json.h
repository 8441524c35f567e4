/* Between Lua tables and JSON documents. Lua's own order of keys never shows: names are sorted, or in the order
 * that an ordered table gives them. */
#ifndef GENERATOR_LUA_JSON_H
#define GENERATOR_LUA_JSON_H

#include <jansson.h>
#include <lua.h>

/* Pushes a table {ordered =, list =}: metatables for {n=, key, value, key, value, ...}, an object whose keys stay in
 * this order (a nil value leaves its key out), and for a list that may be empty. */
void lua_json_push_markers(lua_State *lua);

/* The value at index as JSON, new reference. Raises a Lua error, with the path to the culprit, for what JSON cannot
 * hold or what is too deep or too large; the partly built document is then lost, so this is for processes that end
 * after an error. An unmarked table with no entries says nothing and is left out of the table it stands in. */
json_t *lua_json_from(lua_State *lua, int index, const char *what);

/* Pushes the document as tables, strings, numbers and booleans; null is nil. */
void lua_json_push(lua_State *lua, const json_t *document);

#endif
