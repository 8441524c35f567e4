/* Lists as recipes have them: their length and their order follow from what they hold alone. Lua's own may
 * give any of several lengths to a list with holes, as its hash seed falls, and its sort takes pivots from
 * the clock and leaves equal entries in any order. */
#ifndef GENERATOR_RECIPE_SANDBOX_LIST_H
#define GENERATOR_RECIPE_SANDBOX_LIST_H

#include <lua.h>

/* Pushes a table of functions that stand in for Lua's: sort, insert, remove, concat, unpack and rawlen. */
void sandbox_push_lists(lua_State *lua);

/* Pushes a value L for which L ^ value is the length of the value. */
void sandbox_push_length(lua_State *lua);

/* The length of the table at index, without metamethods: a number n with n entries before the first hole
 * that a search in steps of powers of two finds. */
lua_Integer sandbox_length(lua_State *lua, int index);

#endif
