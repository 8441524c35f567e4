#include "runner/sources/simulated_passes.h"

#include <string.h>

enum status simulated_check_features(const struct test_program *test_program, const char *simulator,
                                     struct error *error)
{
    static const char *const lacking[] = {"avx512", "fma4", "xop", "cssc"};
    const struct manifest_words *needed = &test_program->manifest->features;
    for (size_t i = 0; i < needed->count; i++) {
        const char *feature = needed->items[i];
        for (size_t j = 0; feature != NULL && j < sizeof lacking / sizeof lacking[0]; j++)
            if (strncmp(feature, lacking[j], strlen(lacking[j])) == 0)
                return error_set(error, STATUS_UNAVAILABLE,
                                 "%s does not support %.60s, which the program needs", simulator, feature);
    }
    return STATUS_OK;
}

enum status simulated_check_accesses(const struct test_program *test_program, unsigned passes, double reads,
                                     double writes, struct error *error)
{
    double loads = test_program->manifest->loads;
    double stores = test_program->manifest->stores;
    if ((loads == 0 || reads > 0) && (stores == 0 || writes > 0))
        return STATUS_OK;
    error_set(error, STATUS_FAILED,
              "the program read %.0f and wrote %.0f times in %u passes; its manifest has %.0f loads and %.0f "
              "stores in each",
              reads, writes, passes, loads, stores);
    error_hint(error, "generate the suite again: its files were changed");
    return STATUS_FAILED;
}
