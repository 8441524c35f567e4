--@ 2 when its CPU time was over
string.find(string.rep("a", 3000), string.rep(".-", 20) .. "b")
