#include "runner/state/put_back.h"

#include "base/memory.h"
#include "base/text/text_set.h"
#include "runner/state/gpu_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_BYTES = 8 * KNOB_VALUE_BYTES };

enum put_back_outcome { RESTORED, UNCHANGED, LEFT_ALONE, GONE, PENDING };

/* ---- messages: one sentence for all processors with the same outcome ---- */

/* Sentences in order of first occurrence, and the number of times that each occurred. */
struct counted {
    struct text_set sentences;
    size_t *times;
};

static void count(struct counted *counted, const char *sentence)
{
    size_t before = counted->sentences.count, at = text_set_add(&counted->sentences, sentence);
    if (at == before)
        counted->times = memory_next(counted->times, before, sizeof *counted->times);
    counted->times[at] = at == before ? 1 : counted->times[at] + 1;
}

/* Adds the sentences to notes, and frees them. */
static void add_counted(struct counted *counted, struct warnings *notes)
{
    for (size_t i = 0; notes != NULL && i < counted->sentences.count; i++)
        if (counted->times[i] == 1)
            warning_add(notes, NULL, "%s", counted->sentences.texts[i]);
        else
            warning_add(notes, NULL, "%s (in %zu places)", counted->sentences.texts[i], counted->times[i]);
    text_set_free(&counted->sentences);
    free(counted->times);
}

/* A text in quotation marks, or a register as a number. */
static void word_of(const struct knob_change *value, char word[2 * KNOB_VALUE_BYTES])
{
    uint64_t number = 0;
    size_t length = value->size;
    if (value->offset != KNOB_TEXT) {
        memcpy(&number, value->value, length < sizeof number ? length : sizeof number);
        snprintf(word, 2 * KNOB_VALUE_BYTES, "0x%" PRIx64, number);
        return;
    }
    while (length > 0 && (value->value[length - 1] == '\n' || value->value[length - 1] == '\0'))
        length--;
    snprintf(word, 2 * KNOB_VALUE_BYTES, "\"%.*s\"", (int)length, value->value);
    for (char *end = strchr(word, '\n'); end != NULL; end = strchr(end, '\n'))
        *end = ';'; /* a text of several lines */
}

/* The file's path within the processor's own folder: "cpufreq/scaling_governor". */
static const char *place_of(const char *path)
{
    const char *last = strrchr(path, '/');
    const char *at = last;
    while (at != NULL && at > path && at[-1] != '/')
        at--;
    return at == NULL ? path : at;
}

static void describe(const struct journal_entry *entry, const struct knob_change *now,
                     enum put_back_outcome outcome, const char *why, struct counted *counted)
{
    char text[WORDS_BYTES];
    char old[2 * KNOB_VALUE_BYTES];
    char wrote[2 * KNOB_VALUE_BYTES];
    char is[2 * KNOB_VALUE_BYTES];
    word_of(&entry->old, old);
    word_of(&entry->reads, wrote);
    word_of(now, is);
    const char *place = entry->old.offset == KNOB_TEXT ? place_of(entry->old.path) : "a register";
    if (outcome == RESTORED)
        snprintf(text, sizeof text, "state.%s: %s is restored from %s to %s", entry->knob, place, wrote, old);
    else if (outcome == LEFT_ALONE)
        snprintf(text, sizeof text,
                 "state.%s: %s is %s instead of %s: it was changed since it was set, so it is left "
                 "unchanged; originally it was %s",
                 entry->knob, place, is, wrote, old);
    else if (outcome == GONE)
        snprintf(text, sizeof text, "state.%s: %s, which was set from %s to %s, no longer exists",
                 entry->knob, place, old, wrote);
    else
        snprintf(text, sizeof text, "state.%s: %s waits to be restored from %s to %s%s%s", entry->knob, place,
                 wrote, old, why[0] == '\0' ? "" : ": ", why);
    if (outcome != UNCHANGED)
        count(counted, text);
}

static void describe_gpu(const struct journal_entry *entry, bool waits, const char *why,
                         struct counted *counted)
{
    char text[WORDS_BYTES];
    if (waits)
        snprintf(text, sizeof text, "state.gpu_clock: the clock of GPU %s waits to be unlocked%s%s",
                 entry->gpu, why[0] == '\0' ? "" : ": ", why);
    else
        snprintf(text, sizeof text, "state.gpu_clock: the clock of GPU %s is unlocked", entry->gpu);
    count(counted, text);
}

/* ---- restoring ---- */

static enum put_back_outcome put_one(const char *root, const struct journal_entry *entry,
                                     enum put_back_way way, struct knob_change *now)
{
    *now = entry->old;
    bool known = knob_read(now);
    if (!known && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
        return way == PUT_BACK_LATE ? GONE : PENDING;
    if (known && knob_change_same(now, &entry->old))
        return UNCHANGED;
    if (way == PUT_BACK_LATE && known && !knob_change_same(now, &entry->wrote) &&
        !knob_change_same(now, &entry->reads))
        return LEFT_ALONE;
    return knob_write(root, &entry->old) ? RESTORED : PENDING;
}

static bool put_gpu(const struct journal *journal, const struct journal_entry *entry, enum put_back_way way,
                    struct counted *counted)
{
    struct error error = {0};
    bool waits = way == PUT_BACK_OWN || gpu_clock_release(entry->gpu, &error) != STATUS_OK;
    if (!waits)
        waits = journal_add_unlocked(journal, entry->gpu, &error) != STATUS_OK;
    describe_gpu(entry, waits, error.message, counted);
    return waits;
}

size_t put_back(const struct journal *journal, enum put_back_way way, struct warnings *notes)
{
    struct journal_content content;
    struct error error;
    size_t pending = 0;
    struct counted counted = {0};
    if (journal_read(journal, &content, &error) != STATUS_OK) {
        count(&counted, error.message);
        pending++;
    }
    for (size_t i = content.count; i > 0; i--) {
        const struct journal_entry *entry = &content.entries[i - 1];
        struct knob_change now;
        if (entry->gpu[0] != '\0') {
            pending += put_gpu(journal, entry, way, &counted);
            continue;
        }
        enum put_back_outcome outcome = put_one(journal->root, entry, way, &now);
        const char *why = outcome == PENDING ? strerror(errno) : "";
        if (outcome == PENDING || way != PUT_BACK_OWN) /* success is not reported */
            describe(entry, &now, outcome, why, &counted);
        pending += outcome == PENDING;
    }
    add_counted(&counted, notes);
    journal_content_free(&content);
    return pending;
}

/* Adds a note for each change in the journal, none of which is restored. */
static void note_changes(const struct journal_content *content, struct warnings *notes)
{
    struct counted counted = {0};
    for (size_t i = content->count; i > 0; i--) {
        const struct journal_entry *entry = &content->entries[i - 1];
        if (entry->gpu[0] != '\0')
            describe_gpu(entry, true, "", &counted);
        else
            describe(entry, &entry->reads, PENDING, "", &counted);
    }
    add_counted(&counted, notes);
}

char *put_back_command(const char *root, char command[FILE_PATH_BYTES + 64])
{
    if (root[0] == '\0')
        strcpy(command, "sudo trauma sensors");
    else
        snprintf(command, FILE_PATH_BYTES + 64, "trauma sensors --allow-state --sysfs-root %s", root);
    return command;
}

/* Adds notes of the pending changes, and why they are not restored. Returns 1 if there are any. */
static size_t note_pending(const char *root, const char *why, struct warnings *notes)
{
    struct journal_content content;
    struct error error;
    char command[FILE_PATH_BYTES + 64];
    bool held;
    enum status status = journal_look(root, &content, &held, &error);
    bool waits = !held && (status != STATUS_OK || (content.count > 0 && !journal_is_void(&content.owner)));
    (void)put_back_command(root, command);
    if (waits && status == STATUS_OK) {
        warning_add(notes, NULL,
                    "process %ld was killed before it could restore the "
                    "machine's state, and %s; `%s` does",
                    (long)content.owner.pid, why, command);
        note_changes(&content, notes);
    } else if (waits) {
        warning_add(notes, NULL, "%s%s%s", error.message, error.hint[0] == '\0' ? "" : "; ", error.hint);
    }
    journal_content_free(&content);
    return waits;
}

size_t put_back_taken(const struct journal *journal, struct warnings *notes)
{
    struct journal_content content;
    struct error error = {0};
    size_t pending = 0;
    if (journal_read(journal, &content, &error) != STATUS_OK) {
        warning_add(notes, NULL, "%s:%d: %s; %s", error.file, error.line, error.message, error.hint);
        pending++;
    } else if (content.count > 0 && journal_is_void(&content.owner)) {
        warning_add(notes, NULL,
                    "process %ld left the machine's state changed before the "
                    "last boot, which reset it: nothing is restored",
                    (long)content.owner.pid);
    } else if (content.count > 0) {
        warning_add(notes, NULL, "process %ld was killed before it could restore the machine's state",
                    (long)content.owner.pid);
        pending = put_back(journal, PUT_BACK_LATE, notes);
    }
    journal_content_free(&content);
    return pending;
}

size_t put_back_left(const char *root, bool allowed, struct warnings *notes)
{
    struct journal journal;
    struct error error = {0};
    char why[sizeof error.message + 32];
    if (!journal_stands(root))
        return 0;
    if (!allowed)
        return note_pending(root, "nothing there is written without --allow-state", notes);
    if (journal_take(root, &journal, &error) != STATUS_OK) {
        snprintf(why, sizeof why, "this user may not: %s", error.message);
        return note_pending(root, why, notes);
    }
    if (journal.fd < 0)
        return 0;
    size_t pending = put_back_taken(&journal, notes);
    if (pending == 0)
        journal_remove(&journal);
    journal_close(&journal);
    return pending;
}
