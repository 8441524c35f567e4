# cppcheck finds nothing to warn of.
. "$SOURCE/tests/e2e/lib.sh"
need_version cppcheck 2.10

cd "$SOURCE"
# System headers are not read: what two of jansson's macros come to must be told.
cppcheck -q -j2 --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    '-Djson_object_foreach(object,key,value)=while (next(object, &key, &value))' \
    '-Djson_array_foreach(array,index,value)=while (next(array, &index, &value))' \
    -i tests/golden -I . base isa generator sim runner model report session cli bench tests >"$WORK/err" 2>&1 || fail "cppcheck complains"
