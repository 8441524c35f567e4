#include "report/page/page_parts.h"

#include "report/page/html.h"
#include "report/table.h"
#include "report/verdict_report.h"
#include "runner/results/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verdict_row {
    const char *point;
    const char *metric; /* NULL: the point did not run */
    const char *word;   /* the verdict, or why there is none */
    const char *wanted, *observed, *reason;
    size_t look;  /* index in verdict_looks */
    size_t place; /* in the file */
};

static int compare_rows(const void *left, const void *right)
{
    const struct verdict_row *a = left, *b = right;
    if (a->look != b->look)
        return a->look < b->look ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

struct unobserved_metric {
    const char *metric, *reason;
    size_t points;
};

static void add_unobserved(struct page *page, const char *metric, const char *reason)
{
    struct buffer key = {0};
    buffer_printf(&key, "unseen\n%s\n%s", metric, reason);
    size_t index = page_index(page, key.data);
    struct unobserved_metric *list = page->unobserved.items;
    if (index == SIZE_MAX) {
        page_set_index(page, key.data, page->unobserved.count);
        struct unobserved_metric *row = page_add_row(&page->unobserved, sizeof *row);
        *row = (struct unobserved_metric){page_text(page, metric), page_text(page, reason), 1};
    } else {
        list[index].points++;
    }
    buffer_free(&key);
}

static void add_failure(struct page *page, const struct check_finding *finding, const char *name)
{
    struct verdict_row *row = page_add_row(&page->verdicts, sizeof *row);
    tally_failure(finding->code, &page->tally);
    *row = (struct verdict_row){.point = name,
                                .word = failure_word(finding->code),
                                .wanted = "",
                                .observed = page_text(page, finding->failure),
                                .reason = "",
                                .look = verdict_urgency(failure_verdict(finding->code))};
    row->place = page->verdicts.count;
}

void page_add_verdicts(struct page *page, const struct check_finding *finding, const char *name)
{
    const struct result_rates *rates = &finding->rates;
    page->points.ranged = true;
    point_table_add(&page->points, finding);
    page->tally.skipped += finding->cost.skipped;
    if (finding->failure != NULL) {
        add_failure(page, finding, name);
        return;
    }
    tally_rates(rates, &page->tally);
    for (size_t i = 0; i < rates->count; i++) {
        const struct result_rate *rate = &rates->items[i];
        size_t look = verdict_urgency(rate->verdict);
        char wanted[64], observed[1024];
        if (rate->verdict == VERDICT_UNOBSERVED)
            add_unobserved(page, rate->metric, rate->reason);
        if (look == VERDICT_LOOKS) /* observed, without a requirement */
            continue;
        struct verdict_row *row = page_add_row(&page->verdicts, sizeof *row);
        verdict_requirement(rate, wanted, sizeof wanted);
        verdict_observations(rate, observed, sizeof observed);
        verdict_marks(rate, name, &page->rate_marks);
        *row = (struct verdict_row){.point = name,
                                    .metric = page_text(page, rate->metric),
                                    .word = verdict_name(rate->verdict),
                                    .wanted = page_text(page, wanted),
                                    .observed = arena_strdup(&page->arena, observed),
                                    .reason = page_text(page, rate->reason),
                                    .look = look,
                                    .place = page->verdicts.count};
    }
}

/* Writes a row. A long reason, which many rows may share, becomes a note below the table; the cell has its
 * number. */
static void write_row(struct page *page, const struct verdict_row *row, struct table *notes)
{
    char evidence[1024];
    buffer_printf(&page->text, "<tr class=\"%s\">", verdict_looks[row->look].class);
    buffer_printf(&page->text, "<td class=\"verdict\"><span aria-hidden=\"true\">%s</span> ",
                  verdict_looks[row->look].sign);
    html_text(&page->text, row->word);
    buffer_text(&page->text, "</td>");
    html_name(&page->text, "th scope=\"row\"", row->point);
    html_element(&page->text, "td", row->metric == NULL ? "" : row->metric);
    size_t used = (size_t)snprintf(evidence, sizeof evidence, "%s", row->observed);
    verdict_explanation(verdict_looks[row->look].verdict, row->reason, notes, used, evidence,
                        sizeof evidence);
    html_element(&page->text, "td class=\"number\"", row->wanted);
    html_element(&page->text, "td", evidence);
    buffer_text(&page->text, "</tr>\n");
    page_pass_on(page);
}

/* Writes a choice for all rows, and one per verdict that occurs. CSS hides the other rows, without a script.
 */
static void write_filter(struct page *page, const struct verdict_row *rows, size_t count)
{
    size_t counts[VERDICT_LOOKS] = {0};
    for (size_t i = 0; i < count; i++)
        counts[rows[i].look]++;
    buffer_printf(&page->text,
                  "<input type=\"radio\" name=\"show\" id=\"show-all\" checked=\"checked\"/><label "
                  "for=\"show-all\">all (%zu)</label>\n",
                  count);
    for (size_t i = 0; i < VERDICT_LOOKS; i++)
        if (counts[i] > 0)
            buffer_printf(
                &page->text,
                "<input type=\"radio\" name=\"show\" id=\"show-%s\"/><label for=\"show-%s\" class=\"%s\">"
                "<span aria-hidden=\"true\">%s</span> %s (%zu)</label>\n",
                verdict_looks[i].class, verdict_looks[i].class, verdict_looks[i].class, verdict_looks[i].sign,
                verdict_name(verdict_looks[i].verdict), counts[i]);
}

static void write_notes(struct page *page, const struct table *notes)
{
    for (size_t i = 0; i < notes->notes.count; i++)
        html_element_of(&page->text, "p class=\"note\"", "[%zu] %s", i + 1, notes->notes.texts[i]);
    for (size_t i = 0; i < notes->reasons.count; i++) {
        struct buffer text = {0};
        table_write_mark(notes, i, &text);
        html_element(&page->text, "p class=\"note\"", text.data);
        buffer_free(&text);
    }
}

static void write_rows(struct page *page, const char *caption, const struct verdict_row *rows, size_t count)
{
    static const char *const heads[] = {"Verdict", "Point", "Metric", "#Wanted", "Evidence", NULL};
    struct table notes = {0};
    html_table_begin(&page->text, caption, heads);
    for (size_t i = 0; i < count; i++)
        write_row(page, &rows[i], &notes);
    html_table_end(&page->text);
    write_notes(page, &notes);
    table_free(&notes);
}

/* Failures are unfolded, all other verdicts folded. */
void page_verdicts(struct page *page)
{
    struct verdict_row *rows = page->verdicts.items;
    size_t count = page->verdicts.count, failed = 0;
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_rows);
    while (failed < count && rows[failed].look == 0)
        failed++;
    buffer_text(&page->text, "<section id=\"verdicts\">\n<h2>Rates</h2>\n");
    if (count == 0)
        buffer_text(&page->text, "<p>These points have no requirements.</p>\n");
    if (failed > 0) {
        buffer_printf(&page->text, "<details id=\"failures\" open=\"open\"><summary>%zu failed</summary>\n",
                      failed);
        write_rows(page, "What failed, and what each source observed", rows, failed);
        buffer_text(&page->text, "</details>\n");
    }
    if (count > failed) {
        buffer_printf(&page->text, "<details><summary>%zu %s</summary>\n<fieldset><legend>Show</legend>\n",
                      count - failed, failed > 0 ? "others" : "rates, none of which failed");
        write_filter(page, rows + failed, count - failed);
        write_rows(page, "Requirements, and what each source observed", rows + failed, count - failed);
        buffer_text(&page->text, "</fieldset></details>\n");
    }
    write_notes(page, &page->rate_marks);
    buffer_text(&page->text, "</section>\n");
}

/* ---- the line and the table that lead the page ---- */

/* Writes the first line of the tally's summary; the sentence about "pass (code)" becomes its tooltip. */
void page_counts(struct page *page)
{
    struct buffer counts = {0};
    unsigned bad = page->tally.failed + page->tally.broken + page->tally.refused + page->tally.unreached;
    unsigned open = page->tally.inconclusive + page->tally.unobserved + page->tally.disputed +
                    page->tally.absent + page->tally.skipped;
    tally_summary(&page->tally, page->point_count, &counts);
    size_t line = strcspn(counts.data, "\n");
    buffer_printf(&page->text, "<p id=\"counts\" class=\"%s\" title=\"",
                  bad > 0                                                         ? "fail"
                  : open > 0 || page->tally.passed + page->tally.passed_code == 0 ? "unobserved"
                                                                                  : "pass");
    html_text(&page->text, counts.data + line + (counts.data[line] == '\n'));
    buffer_printf(&page->text, "\"><a class=\"verdict %s\" href=\"#verdicts\">",
                  bad > 0    ? "fail"
                  : open > 0 ? "unobserved"
                             : "pass");
    counts.data[line] = '\0';
    html_text(&page->text, counts.data);
    buffer_text(&page->text, "</a></p>\n");
    buffer_free(&counts);
}

void page_points(struct page *page)
{
    struct point_column columns[POINT_COLUMNS];
    char heads[POINT_COLUMNS][sizeof columns[0].title + 2];
    const char *named[POINT_COLUMNS + 1] = {NULL};
    size_t count = point_table_columns(&page->points, columns);
    buffer_text(&page->text, "<section id=\"points\">\n<h2>Points</h2>\n");
    for (size_t i = 0; i < count; i++) {
        snprintf(heads[i], sizeof heads[i], "#%.*s", (int)sizeof columns[i].title, columns[i].title);
        named[i] = heads[i] + !columns[i].is_number;
    }
    html_table_begin(
        &page->text,
        "Each point: its least disturbed times, the range of its repetitions, and its worst verdict", named);
    for (size_t row = 0; row < page->points.count; row++) {
        size_t look = verdict_urgency(point_table_verdict(&page->points, row));
        buffer_printf(&page->text, "<tr class=\"%s\">",
                      look == VERDICT_LOOKS ? "none" : verdict_looks[look].class);
        for (size_t i = 0; i < count; i++) {
            char text[600];
            point_table_cell(&page->points, &columns[i], row, text, sizeof text);
            if (i == 0)
                html_name(&page->text, "th scope=\"row\"", text);
            else if (i + 1 < count)
                html_element(&page->text, "td class=\"number\"", text);
            else
                html_element_of(&page->text, "td class=\"verdict\"", "%s%s%s",
                                look == VERDICT_LOOKS ? "" : verdict_looks[look].sign,
                                look == VERDICT_LOOKS ? "" : " ", text);
        }
        buffer_text(&page->text, "</tr>\n");
        page_pass_on(page);
    }
    html_table_end(&page->text);
    struct table notes = {0};
    point_table_marks(&page->points, &notes);
    write_notes(page, &notes);
    table_free(&notes);
    buffer_text(&page->text, "</section>\n");
}

/* ---- rates that no source observed ---- */

void page_unobserved(struct page *page)
{
    static const char *const heads[] = {"Metric", "#Points", "Reason and remedy", NULL};
    const struct unobserved_metric *list = page->unobserved.items;
    size_t count = page->unobserved.count;
    buffer_text(&page->text, "<section id=\"unseen\">\n<h2>Not observed</h2>\n");
    if (page->context->sensor_count == 0)
        buffer_text(&page->text, "<p>No power sensor was read. <code>trauma sensors</code>, run on that "
                                 "machine, reports the reason and the remedy for each.</p>\n");
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
