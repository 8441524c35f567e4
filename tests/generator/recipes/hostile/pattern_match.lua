--@ 0 still running after 3.5 s
string.find(string.rep("a", 3000), string.rep(".-", 20) .. "b")
