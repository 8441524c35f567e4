/* Deterministic lists for recipes: length and order depend only on the contents. In Lua itself the length of
 * a list with holes depends on the hash seed, and sort takes pivots from the clock and leaves equal entries
 * in any order. */
#ifndef GENERATOR_RECIPE_SANDBOX_LIST_H
#define GENERATOR_RECIPE_SANDBOX_LIST_H

#include <lua.h>

/* Pushes a table of replacements for Lua's functions: sort, insert, remove, concat, unpack and rawlen. */
void sandbox_push_lists(lua_State *lua);

/* Pushes a value L such that L ^ value is the length of value. */
void sandbox_push_length(lua_State *lua);

#endif
