# The object in a user's own harness: C, trauma.h and program.o.
. "$SOURCE/tests/e2e/lib.sh"
need_program cc

write_recipe small.lua
expect_exit 0 "$TRAUMA" gen small.lua -m pentium-pro -o suite

cat >harness.c <<'SOURCE'
#include "trauma.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    void *data = aligned_alloc(trauma_layout.align, trauma_size());
    if (data == NULL)
        return 1;
    trauma_setup(data);
    trauma_kernel(trauma_layout.warmup, data);
    trauma_kernel(0, data);
    trauma_kernel(1000, data);
    printf("%llu %d\n", (unsigned long long)trauma_layout.period, (int)(trauma_layout.warmup % trauma_layout.period));
    free(data);
    return 0;
}
SOURCE
for point in hit=0.5 hit=0.75; do
    expect_exit 0 cc -std=c11 -Wall -Wextra -Werror -Isuite harness.c "suite/small/$point/program.o" -o harness
    expect_exit 0 ./harness
    expect_same "$(cat "$WORK/out")" "$(json_document "suite/small/$point/manifest.json" period) 0" \
        "period, and what warm-up leaves of one"
done

# The header is C++ too, where there is a compiler for it.
if command -v c++ >/dev/null 2>&1; then
    cp harness.c harness.cpp
    expect_exit 0 c++ -Wall -Wextra -Werror -Isuite harness.cpp suite/small/hit=0.5/program.o -o harness
    expect_exit 0 ./harness
fi
