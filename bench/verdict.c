/* The verdict part: how long a check of everything that ships takes. */
#include "bench/bench.h"
#include "runner/child.h"

/* What the project promises, on two cores. */
static const double WISHED_S = 60;
static const double TIMEOUT_S = 1800;

enum status bench_verdict(struct bench *bench, struct error *error)
{
    static const char name[] = "check of all recipes";
    if (!bench_wants(bench, name))
        return STATUS_OK;
    char name_shown[] = "trauma";
    char command[] = "check";
    char quiet[] = "--quiet";
    char *const arguments[] = {name_shown, command, quiet, NULL};
    struct child_request request = {
        .path = bench->trauma, .arguments = arguments, .cpu = -1, .timeout_s = TIMEOUT_S};
    struct child_result result;
    enum status status = child_run(&request, &result, error);
    /* Verdicts that are not a pass are told by the exit code, and are nothing to this. */
    bool told =
        result.signal == 0 && (result.exit_code == STATUS_MISSED || result.exit_code == STATUS_UNAVAILABLE);
    if (status == STATUS_OK || told) {
        bench_value(bench, "verdict", name, result.wall_s, "s", WISHED_S, false);
        status = STATUS_OK;
    }
    child_result_free(&result);
    return status;
}
