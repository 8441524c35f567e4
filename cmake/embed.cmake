# Writes IN as a C array NAME into OUT: cmake -DIN=... -DOUT=... -DNAME=... -P embed.cmake
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "const unsigned char ${NAME}[] = {\n${bytes}0x00};\nconst unsigned long ${NAME}_size = sizeof ${NAME} - 1;\n")
