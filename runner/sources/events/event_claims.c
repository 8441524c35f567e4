#include "runner/sources/events/event_claims.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/text/suggest.h"
#include "generator/metric/quantity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 48, OWN_NAMES = 3 };

/* Names whose quantity has another name; others are the quantity's with "_" for ".". In lower case. */
static const struct {
    const char *name, *quantity;
} synonyms[] = {
    {"branch_misses", "branches.missed"},
    {"l2_requests", "l2.accesses"},
    {"jumps_indirect", "branches.indirect"}, /* so far the names in templates/events/ */
    {"branch_instructions", "branches"},
    {"l1d_reads", "loads"},
    {"l1d_loads", "loads"},
    {"l1_dcache_loads", "loads"},
    {"l1d_writes", "stores"},
    {"l1_dcache_stores", "stores"},
    {"l1d_read_misses", "l1d.load_misses"},
    {"l1_dcache_load_misses", "l1d.load_misses"},
    {"l1d_write_misses", "l1d.store_misses"},
    {"l1_icache_load_misses", "l1i.misses"},
    {"l2_read_misses", "l2.load_misses"},
    {"llc_misses", "l3.misses"},
    {"cache_misses", "l3.misses"},
    {"llc_load_misses", "l3.load_misses"},
};

/* In lower case, with "_" for other signs. */
static const char *plain(const char *name, char *text)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < NAME_BYTES; i++)
        text[i] = isalnum((unsigned char)name[i]) ? (char)tolower((unsigned char)name[i]) : '_';
    text[i] = '\0';
    return text;
}

const char *event_claim_name(const char *quantity, char *text)
{
    for (size_t i = 0; i < OWN_NAMES; i++)
        if (strcmp(synonyms[i].quantity, quantity) == 0)
            return strcpy(text, synonyms[i].name);
    return plain(quantity, text);
}

static const char *by_name(const char *event)
{
    char name[NAME_BYTES], own[NAME_BYTES];
    (void)plain(event, name);
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(synonyms[i].name, name) == 0)
            return synonyms[i].quantity;
    for (const struct quantity *row = quantity_table; row->name != NULL; row++)
        if (strcmp(plain(row->name, own), name) == 0)
            return row->name;
    return NULL;
}

/* ---- the file ---- */

static enum status read_line(char *line, const char *const *names, size_t count, struct arena *arena,
                             struct event_claims *claims, struct error *error)
{
    char event[96] = "", quantity[NAME_BYTES] = "", sign[2] = "", more[2] = "";
    line[strcspn(line, "#\r")] = '\0';
    int found = sscanf(line, " %95[^ \t=] %1[=] %47s %1s", event, sign, quantity, more);
    if (found <= 0)
        return STATUS_OK;
    if (found != 3) {
        error_set(error, STATUS_USAGE, "the line is not a claim");
        error_hint(error, "expected EVENT = QUANTITY, as in: r0143 = l1d.misses");
        return STATUS_USAGE;
    }
    size_t at = 0;
    while (at < count && strcmp(names[at], quantity) != 0)
        at++;
    if (at == count) {
        error_set(error, STATUS_USAGE, "the suite has no quantity \"%s\"", quantity);
        suggest_hint(error, quantity, names, count, "docs/howto/events.md says what there is");
        return STATUS_USAGE;
    }
    claims->items[claims->count++] = (struct event_claim){arena_strdup(arena, event), names[at]};
    return STATUS_OK;
}

enum status event_claims_read(const char *path, const char *const *names, size_t count, struct arena *arena,
                              struct event_claims *claims, struct error *error)
{
    struct buffer text = {0};
    enum status status = file_read(path, &text, error);
    size_t lines = 1;
    buffer_text(&text, "");
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    claims->items = arena_alloc(arena, lines, sizeof *claims->items);
    claims->count = 0;
    char *next = text.data;
    for (int line = 1; status == STATUS_OK && next != NULL && *next != '\0'; line++) {
        char *at = next;
        next = strchr(at, '\n');
        if (next != NULL)
            *next++ = '\0';
        status = read_line(at, names, count, arena, claims, error);
        if (status != STATUS_OK)
            error_at(error, path, line);
    }
    buffer_free(&text);
    return status;
}

const char *event_claim_of(const struct event_claims *claims, const struct event_table *table,
                           const char *event)
{
    for (size_t i = 0; claims != NULL && i < claims->count; i++)
        if (strcmp(claims->items[i].event, event) == 0)
            return claims->items[i].quantity;
    if (claims != NULL)
        return NULL;
    for (size_t i = 0; table != NULL && i < table->event_count; i++)
        if (strcmp(table->events[i].code, event) == 0 && by_name(table->events[i].name) != NULL)
            return by_name(table->events[i].name);
    return by_name(event);
}
