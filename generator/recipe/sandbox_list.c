#include "generator/recipe/sandbox_list.h"

#include <lauxlib.h>
#include <limits.h>
#include <lualib.h>
#include <stdbool.h>

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
    return luaL_error(lua, "invalid order function for table.sort: of two entries it says that each comes "
                           "before the other, or of three that they come in a circle; expected true only "
                           "where the first comes before the second, as with < and not with <=");
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

void sandbox_push_lists(lua_State *lua)
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

void sandbox_push_length(lua_State *lua)
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
