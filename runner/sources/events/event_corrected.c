#include "runner/sources/events/event_corrected.h"

#include "base/text/text_set.h"

#include <string.h>

enum { WORD_BYTES = 96 };

/* True if a word of the sum is in the set. */
static bool has_word_of(const struct text_set *set, const char *sum)
{
    while (*(sum += strspn(sum, " \t")) != '\0') {
        char word[WORD_BYTES] = "";
        size_t length = strcspn(sum, " \t");
        memcpy(word, sum, length < sizeof word ? length : sizeof word - 1);
        if (text_set_find(set, word) < set->count)
            return true;
        sum += length;
    }
    return false;
}

/* The rows made of names that are counted otherwise now, in order: counts refer to counts. */
static void write_dependents(const struct event_file *file, struct text_set *changed,
                             const struct text_set *lost, struct buffer *text)
{
    for (size_t i = 0; i < file->row_count; i++) {
        const struct event_row *row = &file->rows[i];
        if ((row->kind != EVENT_COUNT && row->kind != EVENT_METRIC) ||
            text_set_find(changed, row->name) < changed->count || !has_word_of(changed, row->text) ||
            has_word_of(lost, row->text))
            continue;
        buffer_printf(text, "%s %s %s= %s\n", row->kind == EVENT_COUNT ? "count" : "metric", row->name,
                      row->loads_only ? "loads-only " : "", row->text);
        text_set_add(changed, row->name);
    }
}

/* The processors that the file is for: the host, or those of the table's first file. */
static void write_head(const struct event_table *table, const struct perf_host *host, struct buffer *text)
{
    const struct event_file *file = &table->files[0];
    const char *pmu = host != NULL ? host->pmu : file->pmu;
    buffer_text(
        text, "# What a trial of this processor's events found: the names below do not count what they say.\n"
              "family  " EVENT_TRIAL_FAMILY "\ntitle   events that were on trial\n");
    if (host != NULL)
        buffer_printf(text, "cpu     %s %u 0x%x\n", host->vendor[0] == '\0' ? "*" : host->vendor,
                      host->family, host->model);
    for (size_t i = 0; host == NULL && i < file->cpu_count; i++) {
        const struct event_cpu *cpu = &file->cpus[i];
        buffer_printf(text, "cpu     %s ", cpu->vendor == NULL ? "*" : cpu->vendor);
        if (cpu->family < 0)
            buffer_text(text, "*");
        else
            buffer_printf(text, "%ld", cpu->family);
        buffer_printf(text, " %s\n", cpu->models[0] == '\0' ? "*" : cpu->models);
    }
    if (pmu != NULL && strcmp(pmu, "cpu") != 0)
        buffer_printf(text, "pmu     %s\n", pmu);
    buffer_printf(text, "counters %u\n\n", table->counters);
}

enum status event_corrected_write(const struct event_table *table, const struct perf_host *host,
                                  const struct event_correction *corrections, size_t count,
                                  struct buffer *text, struct error *error)
{
    struct text_set changed = {0}, lost = {0};
    if (host == NULL && (table->file_count == 0 || event_file_is_general(&table->files[0]))) {
        error_set(error, STATUS_USAGE,
                  "no events file is for the suite's machine, so that there is none to correct");
        error_hint(error, "`trauma sensors --events all` names those that are");
        return STATUS_USAGE;
    }
    write_head(table, host, text);
    for (size_t i = 0; i < count; i++) {
        buffer_printf(text, "none %s: %s\n", corrections[i].name, corrections[i].why);
        text_set_add(corrections[i].code == NULL ? &lost : &changed, corrections[i].name);
        if (corrections[i].code != NULL)
            buffer_printf(text, "event %s_counted %s\ncount %s = %.6g * %s_counted\n", corrections[i].name,
                          corrections[i].code, corrections[i].name, 1 / corrections[i].per,
                          corrections[i].name);
    }
    buffer_text(text, "\n");
    for (size_t i = 0; i < table->file_count && changed.count > 0; i++)
        write_dependents(&table->files[i], &changed, &lost, text);
    text_set_free(&changed);
    text_set_free(&lost);
    return STATUS_OK;
}
