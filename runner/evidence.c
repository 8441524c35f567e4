#include "runner/evidence.h"

#include "base/names.h"
#include "base/suggest.h"
#include "runner/counters/source.h"
#include "runner/verdict.h"

#include <stdio.h>
#include <string.h>

bool evidence_check_names(const char *counters, struct error *error)
{
    const char *names[16];
    size_t count = 0;
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        names[count++] = counter_sources[i]->name;
    char word[64];
    if (!names_find_unknown(counters, names, count, word, sizeof word))
        return true;
    error_set(error, STATUS_USAGE, "there is no source of evidence '%s'", word);
    suggest_hint(error, word, names, count, "trauma sensors lists them");
    return false;
}

static void note(struct evidence *evidence, const char *source, const struct error *reason)
{
    size_t used = strlen(evidence->unseen);
    snprintf(evidence->unseen + used, sizeof evidence->unseen - used, "%s%s: %s", used == 0 ? "" : "; ",
             source, reason->message);
}

enum status evidence_gather(const struct subject *subject, const char *counters, struct evidence *evidence,
                            struct error *error)
{
    memset(evidence, 0, sizeof *evidence);
    struct subject asked = *subject;
    asked.all_counts = counters != NULL; /* who names the sources wants what they count */
    for (size_t i = 0; counter_sources[i] != NULL; i++) {
        const struct counter_source *source = counter_sources[i];
        if (!names_contain(counters, source->name))
            continue;
        struct error reason = {0};
        enum status status = source->usable(&reason);
        if (status == STATUS_OK)
            status = source->observe(&asked, &evidence->observations, &reason);
        if (status == STATUS_OK)
            continue;
        if (status == STATUS_FAILED) {
            *error = reason;
            error_prefix(error, "%s", source->name);
            return status;
        }
        note(evidence, source->name, &reason);
    }
    return STATUS_OK;
}

json_t *evidence_judge(const struct subject *subject, const struct evidence *evidence)
{
    const char *unseen = evidence->unseen[0] == '\0' ? "no source that was asked sees it" : evidence->unseen;
    return verdict_judge(subject->manifest, &evidence->observations, unseen);
}

void evidence_record(const struct evidence *evidence, json_t *point)
{
    if (evidence->observations.counters != NULL)
        json_object_set(point, "counters", evidence->observations.counters);
    if (evidence->observations.imported != NULL)
        json_object_set(point, "imported", evidence->observations.imported);
    if (evidence->observations.warnings == NULL)
        return;
    if (json_object_get(point, "warnings") == NULL)
        json_object_set_new(point, "warnings", json_array());
    json_array_extend(json_object_get(point, "warnings"), evidence->observations.warnings);
}

void evidence_free(struct evidence *evidence)
{
    observations_free(&evidence->observations);
    memset(evidence, 0, sizeof *evidence);
}
