#include "cli/company.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        abort(); /* out of memory */
    return memory;
}

static enum status add(const struct work_item *item, const char *point, struct company *company,
                       struct error *error)
{
    struct work_item other;
    struct program *program = &company->programs[company->count];
    struct companion *companion = &company->companions[company->count];
    bool changed;
    if (!work_find(item->source, item->benchmark, point, &other))
        return error_set(error, STATUS_FAILED, "it runs together with %s, which is not in %s", point,
                         item->source->path);
    enum status status = work_program(&other, program, &changed, error);
    /* The names stay where the source has them. */
    companion->subject = work_subject(&other, program, -1);
    if (status == STATUS_OK)
        subject_find_place(&companion->subject, &company->places[company->count]);
    company->count++;
    return status == STATUS_OK ? subject_check_runs(&companion->subject, error) : status;
}

enum status company_open(const struct work_item *item, const json_t *manifest, struct company *company,
                         struct error *error)
{
    const json_t *together = json_object_get(manifest, "together");
    size_t most = json_array_size(together);
    *company = (struct company){.companions = allocate(most, sizeof(struct companion)),
                                .programs = allocate(most, sizeof(struct program)),
                                .places = allocate(most, sizeof(struct placement))};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < most; i++) {
        const char *point = json_string_value(json_array_get(together, i));
        if (point != NULL && strcmp(point, item->point) != 0)
            status = add(item, point, company, error);
    }
    return status;
}

void company_close(struct company *company)
{
    for (size_t i = 0; i < company->count; i++)
        program_free(&company->programs[i]);
    free(company->companions);
    free(company->programs);
    free(company->places);
    memset(company, 0, sizeof *company);
}
