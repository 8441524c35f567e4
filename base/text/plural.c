#include "base/text/plural.h"

const char *plural_s(size_t count)
{
    return count == 1 ? "" : "s";
}
