/* What the entries of the import formats share. */
#ifndef TESTS_FUZZ_IMPORT_H
#define TESTS_FUZZ_IMPORT_H

#include "runner/sources/import/import_file.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

/* The values are finite and named, or the text is refused. Whoever reads it, as damage may make it another's.
 */
static inline void import_try(const uint8_t *data, size_t size)
{
    struct import import;
    struct observations list = {0};
    struct error error = {0};
    enum status status = import_parse((const char *)data, size, "counts.csv", false, &import, &error);
    if (fuzz_accepted(status, &error)) {
        for (size_t i = 0; i < import.count; i++)
            FUZZ_REQUIRE(isfinite(import.values[i].counted) && import.values[i].name != NULL);
        fuzz_accepted(import_observe(&import, NULL, IMPORT_POINT, &list, &error), &error);
        for (size_t i = 0; i < list.count; i++)
            FUZZ_REQUIRE(isfinite(list.items[i].value));
    }
    observations_free(&list);
    import_free(&import);
}

#endif
