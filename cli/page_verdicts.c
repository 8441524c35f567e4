#include "base/json.h"
#include "cli/html.h"
#include "cli/judged.h"
#include "cli/page.h"
#include "cli/table.h"
#include "runner/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the table: what asks for somebody's attention comes first. */
struct verdict_look {
    enum verdict verdict;
    const char *class;
    const char *sign; /* for those who see no colours */
};

static const struct verdict_look looks[] = {
    {VERDICT_FAIL, "fail", "\xe2\x9c\x97"},
    {VERDICT_INCONCLUSIVE, "inconclusive", "~"},
    {VERDICT_DISPUTED, "disputed", "!"},
    {VERDICT_UNOBSERVED, "unobserved", "?"},
    {VERDICT_PASS_CODE, "pass-code", "\xe2\x9c\x93"},
    {VERDICT_PASS, "pass", "\xe2\x9c\x93"},
    {VERDICT_NOT_APPLICABLE, "not-applicable", "\xe2\x80\x93"},
};
enum { LOOKS = sizeof looks / sizeof *looks };

struct row {
    const json_t *point;
    const char *metric;  /* NULL: the point did not run */
    const json_t *entry; /* judged; NULL too */
    size_t look;         /* index */
    size_t place;        /* in the file */
};

static size_t look_of(enum verdict verdict)
{
    size_t i = 0;
    while (i < LOOKS && looks[i].verdict != verdict)
        i++;
    return i;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->look != b->look)
        return a->look < b->look ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Judged again, as `trauma check` does; rows points into *judged, which has an object for each point. */
static size_t gather(struct page *page, json_t *judged, struct row *rows)
{
    size_t index, count = 0;
    const json_t *point;
    json_array_foreach(page->points, index, point)
    {
        const char *metric;
        json_t *entry;
        json_t *rates = judged_again(page->context, point);
        bool failed = json_is_string(json_object_get(point, "error"));
        json_array_append_new(judged, rates);
        if (failed) {
            judged_count_failure(point, &page->tally);
            bool absent = json_number_or(point, "code", 0) == STATUS_UNAVAILABLE;
            rows[count] =
                (struct row){.point = point, .look = look_of(absent ? VERDICT_UNOBSERVED : VERDICT_FAIL)};
            rows[count].place = count;
            count++;
            continue;
        }
        judged_count(rates, &page->tally);
        json_object_foreach(rates, metric, entry)
        {
            size_t look = look_of(verdict_from_name(json_string_or(entry, "verdict", "")));
            if (look == LOOKS) /* seen, and nothing was asked of it */
                continue;
            rows[count] = (struct row){point, metric, entry, look, count};
            count++;
        }
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    return count;
}

static size_t most_rows(const struct page *page)
{
    size_t index, most = 0;
    const json_t *point;
    json_array_foreach(page->points, index, point)
    {
        most += json_object_size(json_object_get(point, "rates")) + 1;
    }
    return most;
}

static const char *word_of(const struct row *row)
{
    if (row->entry != NULL)
        return json_string_or(row->entry, "verdict", "");
    return looks[row->look].verdict == VERDICT_FAIL ? "did not run" : "cannot run here";
}

/* A long reason, which many rows may have, is a note below the table: its cell has the number. */
static void write_row(struct page *page, const struct row *row, struct table *notes)
{
    char name[512], wanted[64] = "", evidence[1024];
    buffer_printf(&page->text, "<tr class=\"%s\">", looks[row->look].class);
    buffer_printf(&page->text, "<td class=\"verdict\"><span aria-hidden=\"true\">%s</span> ",
                  looks[row->look].sign);
    html_text(&page->text, word_of(row));
    buffer_text(&page->text, "</td>");
    html_name(&page->text, "th scope=\"row\"", page_point_name(row->point, name, sizeof name));
    html_element(&page->text, "td", row->metric == NULL ? "" : row->metric);
    if (row->entry != NULL) {
        judged_wanted(row->entry, wanted, sizeof wanted);
        judged_evidence(row->entry, notes, evidence, sizeof evidence);
    } else {
        snprintf(evidence, sizeof evidence, "%s", json_string_or(row->point, "error", ""));
    }
    html_element(&page->text, "td class=\"number\"", wanted);
    html_element(&page->text, "td", evidence);
    buffer_text(&page->text, "</tr>\n");
}

/* One choice for all, and one for each verdict that is there. The style hides the other rows: no script is
 * needed. */
static void write_filter(struct page *page, const struct row *rows, size_t count)
{
    size_t counts[LOOKS] = {0};
    for (size_t i = 0; i < count; i++)
        counts[rows[i].look]++;
    buffer_printf(&page->text,
                  "<input type=\"radio\" name=\"show\" id=\"show-all\" checked=\"checked\"/><label "
                  "for=\"show-all\">all (%zu)</label>\n",
                  count);
    for (size_t i = 0; i < LOOKS; i++)
        if (counts[i] > 0)
            buffer_printf(
                &page->text,
                "<input type=\"radio\" name=\"show\" id=\"show-%s\"/><label for=\"show-%s\" class=\"%s\">"
                "<span aria-hidden=\"true\">%s</span> %s (%zu)</label>\n",
                looks[i].class, looks[i].class, looks[i].class, looks[i].sign, verdict_name(looks[i].verdict),
                counts[i]);
}

void page_verdicts(struct page *page)
{
    static const char *const heads[] = {"Verdict", "Point", "Metric", "#Wanted", "Evidence", NULL};
    struct arena arena = {0};
    struct table notes = {0};
    json_t *judged = json_array();
    struct row *rows = arena_alloc(&arena, most_rows(page) + 1, sizeof *rows);
    size_t count = gather(page, judged, rows);
    buffer_text(&page->text, "<section id=\"verdicts\">\n<h2>Verdicts</h2>\n");
    if (count == 0) {
        buffer_text(&page->text, "<p>Nothing was asked of these points.</p>\n</section>\n");
    } else {
        buffer_text(&page->text, "<fieldset><legend>Show</legend>\n");
        write_filter(page, rows, count);
        html_table_begin(&page->text, "What was asked, and what each source saw; failures first", heads);
        for (size_t i = 0; i < count; i++)
            write_row(page, &rows[i], &notes);
        html_table_end(&page->text);
        for (size_t i = 0; i < notes.note_count; i++)
            html_element_of(&page->text, "p class=\"note\"", "[%zu] %s", i + 1, notes.notes[i]);
        table_free(&notes);
        buffer_text(&page->text, "</fieldset>\n</section>\n");
    }
    json_decref(judged);
    arena_free(&arena);
}

/* ---- what no source saw ---- */

struct unseen {
    const char *metric, *reason;
    size_t points;
};

static void add_unseen(struct unseen *list, size_t *count, const char *metric, const json_t *entry)
{
    const char *reason = json_string_or(entry, "reason", "");
    size_t i = 0;
    while (i < *count && (strcmp(list[i].metric, metric) != 0 || strcmp(list[i].reason, reason) != 0))
        i++;
    if (i == *count)
        list[(*count)++] = (struct unseen){metric, reason, 0};
    list[i].points++;
}

static size_t gather_unseen(const struct page *page, struct unseen *list)
{
    size_t index, count = 0;
    const json_t *point;
    json_array_foreach(page->points, index, point)
    {
        const char *metric;
        json_t *entry;
        json_object_foreach(json_object_get(point, "rates"), metric, entry)
        {
            if (verdict_from_name(json_string_or(entry, "verdict", "")) == VERDICT_UNOBSERVED)
                add_unseen(list, &count, metric, entry);
        }
    }
    return count;
}

void page_unseen(struct page *page)
{
    static const char *const heads[] = {"Metric", "#Points", "Why, and what mends it", NULL};
    struct arena arena = {0};
    struct unseen *list = arena_alloc(&arena, most_rows(page) + 1, sizeof *list);
    size_t count = gather_unseen(page, list);
    buffer_text(&page->text, "<section id=\"unseen\">\n<h2>Not observed</h2>\n");
    if (json_array_size(json_object_get(page->context, "sensors")) == 0)
        buffer_text(&page->text,
                    "<p>No power sensor was read. On that machine <code>trauma sensors</code> says why "
                    "each is absent, and the command that mends it.</p>\n");
    if (count == 0)
        buffer_text(&page->text, "<p>Every rate that was asked for was seen by some source.</p>\n");
    else
        html_table_begin(&page->text, "Rates that no source saw: neither passed nor failed", heads);
    for (size_t i = 0; i < count; i++) {
        buffer_text(&page->text, "<tr>");
        html_element(&page->text, "th scope=\"row\"", list[i].metric);
        html_element_of(&page->text, "td class=\"number\"", "%zu", list[i].points);
        html_element(&page->text, "td", list[i].reason);
        buffer_text(&page->text, "</tr>\n");
    }
    if (count > 0)
        html_table_end(&page->text);
    buffer_text(&page->text, "</section>\n");
    arena_free(&arena);
}
