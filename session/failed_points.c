#include "session/failed_points.h"

#include "base/file.h"
#include "base/text/plural.h"
#include "report/verdict_report.h"
#include "runner/results/results.h"

static bool has_passed(const struct check_finding *finding)
{
    if (finding->failure != NULL)
        return false;
    for (size_t i = 0; i < finding->rates.count; i++)
        if (verdict_rank(finding->rates.items[i].verdict) != RANK_PASSED)
            return false;
    return true;
}

static enum status judge(struct results_reader *results, size_t index, json_t *names, struct error *error)
{
    json_t *point = results_point(results, index, NULL, error);
    if (point == NULL)
        return STATUS_USAGE;
    char name[FILE_PATH_BYTES];
    struct check_finding *finding = check_finding_recorded(results->context, point);
    file_join(name, finding->benchmark, finding->point);
    if (has_passed(finding))
        json_object_del(names, name);
    else
        json_object_set_new(names, name, json_true());
    check_finding_free(finding);
    json_decref(point);
    return STATUS_OK;
}

json_t *failed_points(const char *path, struct error *error)
{
    struct results_reader results = {.fd = -1};
    json_t *names = json_object();
    enum status status = results_open(path, &results, error);
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++)
        status = judge(&results, i, names, error);
    if (status == STATUS_OK && json_object_size(names) == 0)
        status = error_set(error, STATUS_USAGE, "--failed-in %s: all of its %zu point%s passed", path,
                           results.count, plural_s(results.count));
    results_reader_close(&results);
    if (status == STATUS_OK)
        return names;
    json_decref(names);
    return NULL;
}
