LuaT--@ 0 compiled Lua
