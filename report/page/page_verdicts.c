#include "report/page/page_verdicts.h"

#include "base/json.h"
#include "report/page/html.h"
#include "report/table.h"
#include "report/verdict_report.h"
#include "runner/results/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the table: what needs attention comes first. */
struct verdict_look {
    enum verdict verdict;
    const char *class;
    const char *sign; /* for readers who cannot see colours */
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
    const char *point;
    const char *metric; /* NULL: the point did not run */
    const char *word;   /* the verdict, or why there is none */
    const char *wanted, *seen, *reason;
    size_t look;  /* index */
    size_t place; /* in the file */
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

static void add_failure(struct page *page, const json_t *point, const char *name)
{
    bool absent = json_number_or(point, "code", 0) == STATUS_UNAVAILABLE;
    struct row *row = page_add_row(&page->verdicts, sizeof *row);
    tally_failure(absent, &page->tally);
    *row = (struct row){.point = name,
                        .word = absent ? "cannot run here" : "did not run",
                        .wanted = "",
                        .seen = page_text(page, json_string_or(point, "error", "")),
                        .reason = "",
                        .look = look_of(absent ? VERDICT_UNOBSERVED : VERDICT_FAIL)};
    row->place = page->verdicts.count;
}

/* Judged again, as `trauma check` does. */
void page_add_verdicts(struct page *page, const json_t *point, const char *name)
{
    if (json_is_string(json_object_get(point, "error"))) {
        add_failure(page, point, name);
        return;
    }
    struct result_rates rates;
    recorded_verdicts(page->context, point, &rates);
    tally_rates(&rates, &page->tally);
    for (size_t i = 0; i < rates.count; i++) {
        const struct result_rate *rate = &rates.items[i];
        size_t look = look_of(rate->verdict);
        char wanted[64], seen[1024];
        if (look == LOOKS) /* observed, without a requirement */
            continue;
        struct row *row = page_add_row(&page->verdicts, sizeof *row);
        verdict_requirement(rate, wanted, sizeof wanted);
        verdict_observations(rate, seen, sizeof seen);
        *row = (struct row){.point = name,
                            .metric = page_text(page, rate->metric),
                            .word = verdict_name(rate->verdict),
                            .wanted = page_text(page, wanted),
                            .seen = arena_strdup(&page->arena, seen),
                            .reason = page_text(page, rate->reason),
                            .look = look,
                            .place = page->verdicts.count};
    }
    result_rates_free(&rates);
}

/* A long reason, which many rows may share, becomes a note below the table; its cell has the note's number.
 */
static void write_row(struct page *page, const struct row *row, struct table *notes)
{
    char evidence[1024];
    buffer_printf(&page->text, "<tr class=\"%s\">", looks[row->look].class);
    buffer_printf(&page->text, "<td class=\"verdict\"><span aria-hidden=\"true\">%s</span> ",
                  looks[row->look].sign);
    html_text(&page->text, row->word);
    buffer_text(&page->text, "</td>");
    html_name(&page->text, "th scope=\"row\"", row->point);
    html_element(&page->text, "td", row->metric == NULL ? "" : row->metric);
    size_t used = (size_t)snprintf(evidence, sizeof evidence, "%s", row->seen);
    verdict_explanation(looks[row->look].verdict, row->reason, notes, used, evidence, sizeof evidence);
    html_element(&page->text, "td class=\"number\"", row->wanted);
    html_element(&page->text, "td", evidence);
    buffer_text(&page->text, "</tr>\n");
    page_pass_on(page);
}

/* One choice for all, and one per verdict that occurs. CSS hides the other rows, so no script is needed. */
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
    struct table notes = {0};
    struct row *rows = page->verdicts.items;
    size_t count = page->verdicts.count;
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_rows);
    buffer_text(&page->text, "<section id=\"verdicts\">\n<h2>Verdicts</h2>\n");
    if (count == 0) {
        buffer_text(&page->text, "<p>These points have no requirements.</p>\n</section>\n");
    } else {
        buffer_text(&page->text, "<fieldset><legend>Show</legend>\n");
        write_filter(page, rows, count);
        html_table_begin(&page->text, "Requirements and what each source observed; failures first", heads);
        for (size_t i = 0; i < count; i++)
            write_row(page, &rows[i], &notes);
        html_table_end(&page->text);
        for (size_t i = 0; i < notes.note_count; i++)
            html_element_of(&page->text, "p class=\"note\"", "[%zu] %s", i + 1, notes.notes[i]);
        table_free(&notes);
        buffer_text(&page->text, "</fieldset>\n</section>\n");
    }
}

/* ---- what no source saw ---- */

struct unseen_metric {
    const char *metric, *reason;
    size_t points;
};

static void add_unseen(struct page *page, const char *metric, const char *reason)
{
    struct buffer key = {0};
    buffer_printf(&key, "unseen\n%s\n%s", metric, reason);
    if (page->indices == NULL)
        page->indices = json_object();
    const json_t *index = json_object_get(page->indices, key.data);
    struct unseen_metric *list = page->unseen.items;
    if (index == NULL) {
        json_object_set_new(page->indices, key.data, json_integer((json_int_t)page->unseen.count));
        struct unseen_metric *row = page_add_row(&page->unseen, sizeof *row);
        *row = (struct unseen_metric){page_text(page, metric), page_text(page, reason), 1};
    } else {
        list[json_integer_value(index)].points++;
    }
    buffer_free(&key);
}

void page_add_unseen(struct page *page, const json_t *point)
{
    struct result_rates rates;
    result_rates_read(json_object_get(point, "rates"), &rates);
    for (size_t i = 0; i < rates.count; i++)
        if (rates.items[i].verdict == VERDICT_UNOBSERVED)
            add_unseen(page, rates.items[i].metric, rates.items[i].reason);
    result_rates_free(&rates);
}

void page_unseen(struct page *page)
{
    static const char *const heads[] = {"Metric", "#Points", "Reason and remedy", NULL};
    const struct unseen_metric *list = page->unseen.items;
    size_t count = page->unseen.count;
    buffer_text(&page->text, "<section id=\"unseen\">\n<h2>Not observed</h2>\n");
    if (json_array_size(json_object_get(page->context, "sensors")) == 0)
        buffer_text(&page->text, "<p>No power sensor was read. <code>trauma sensors</code>, run on that "
                                 "machine, gives the reason and the remedy for each.</p>\n");
    if (count == 0)
        buffer_text(&page->text, "<p>Every required rate was observed by at least one source.</p>\n");
    else
        html_table_begin(&page->text, "Rates that no source observed, which neither passed nor failed",
                         heads);
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
}
