/* The page of a scorecard, its figure and its badge. */
#include "report/figure/figure.h"
#include "report/page/html.h"
#include "report/scorecard/scorecard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the figure ---- */

/* The names of the sources that observed the side, over all rows. */
static const char *sources_of(const struct scorecard *card, enum score_side side, struct arena *arena)
{
    struct buffer text = {0};
    for (size_t i = 0; i < card->source_count; i++) {
        const char *name = card->sources[i].name;
        bool used = false;
        for (size_t j = 0; j < card->row_count; j++) {
            char names[128];
            score_row_sources(&card->rows[j], side, names, sizeof names);
            used = used || strstr(names, name) != NULL;
        }
        if (used)
            buffer_printf(&text, "%s%s", text.size == 0 ? "" : ", ", name);
    }
    return text.size == 0 ? "" : arena_take(arena, &text);
}

static void add_line(const struct scorecard *card, enum score_side side, const char *label,
                     struct figure_panel *panel, struct arena *arena)
{
    struct figure_sample *samples = NULL;
    size_t count = 0;
    for (size_t i = 0; i < card->row_count; i++)
        for (size_t j = 0; j < card->rows[i].count; j++) {
            const struct score_point *point = &card->rows[i].points[j];
            const struct score_observation *observed = &point->observed[side];
            if (observed->source == NULL)
                continue;
            samples = arena_next(arena, samples, count, sizeof *samples);
            samples[count++] = (struct figure_sample){
                .x = point->stated, .y = observed->value, .low = observed->low, .high = observed->high};
        }
    if (count > 0) {
        panel->lines[panel->line_count] =
            (struct figure_line){.label = arena_print(arena, "%s (%s)", label, sources_of(card, side, arena)),
                                 .colour = panel->line_count,
                                 .samples = samples,
                                 .count = count};
        panel->line_count++;
    }
}

void scorecard_figure(const struct scorecard *card, struct figure *figure)
{
    struct arena *arena = &figure->arena;
    struct figure_line *lines = arena_alloc(arena, SCORE_SIDES + 1, sizeof *lines);
    struct figure_panel panel = {.lines = lines};
    add_line(card, SCORE_CODE, "the code", &panel, arena);
    add_line(card, SCORE_SILICON, "the silicon", &panel, arena);
    if (panel.line_count == 0)
        return;
    struct figure_sample *ends = arena_alloc(arena, 2, sizeof *ends);
    ends[0] = (struct figure_sample){.low = 0, .high = 0};
    ends[1] = (struct figure_sample){.x = 1, .y = 1, .low = 1, .high = 1};
    lines[panel.line_count] = (struct figure_line){
        .label = "as stated", .reference = true, .colour = FIGURE_GREY, .samples = ends, .count = 2};
    struct figure_panel *added = figure_add_panel(figure);
    *added = (struct figure_panel){.title = NULL,
                                   .heading = "Rates stated against rates observed",
                                   .subtitle = "each rate of each program, with intervals of 95 %",
                                   .x_label = "Rate that the recipe states",
                                   .y_label = "Rate that was observed",
                                   .kind = FIGURE_POINTS,
                                   .from_zero = true,
                                   .narrow = true,
                                   .lines = lines,
                                   .line_count = panel.line_count + 1};
}

/* ---- parts of the page ---- */

static void write_verdict(enum verdict verdict, size_t count, size_t of, struct buffer *page)
{
    const struct verdict_look *look = &verdict_looks[verdict_urgency(verdict)];
    buffer_printf(page, "<td class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> ", look->class,
                  look->sign);
    html_text(page, verdict_name(verdict));
    if (count < of)
        buffer_printf(page, ": %zu of %zu", count, of);
    buffer_text(page, "</td>");
}

static void write_error(double error, struct buffer *page)
{
    if (isfinite(error))
        html_element_of(page, "td class=\"number\"", "%.3f", error);
    else
        buffer_text(page, "<td class=\"number\">not observed</td>");
}

/* Writes one row for all rows of a behaviour. */
static void write_behaviour(const struct scorecard *card, const struct score_behaviour *behaviour,
                            struct buffer *page)
{
    struct score_point *points = NULL;
    struct arena arena = {0};
    struct score_row all = {.behaviour = behaviour->name};
    const char *why = "no point";
    for (size_t i = 0; i < card->row_count; i++)
        for (size_t j = 0; strcmp(card->rows[i].behaviour, behaviour->name) == 0 && j < card->rows[i].count;
             j++) {
            points = arena_next(&arena, points, all.count, sizeof *points);
            points[all.count++] = card->rows[i].points[j];
        }
    all.points = points;
    for (size_t i = 0; i < card->gap_count; i++)
        if (strcmp(card->gaps[i].behaviour, behaviour->name) == 0)
            why = card->gaps[i].why;
    buffer_text(page, "<tr>");
    html_element(page, "th scope=\"row\"", behaviour->title);
    if (all.count == 0) {
        html_element_of(page, "td colspan=\"3\" class=\"unseen\"", "not observed here: %s", why);
    } else {
        double error;
        size_t count;
        score_row_worst(&all, SCORE_CODE, &error);
        write_error(error, page);
        score_row_worst(&all, SCORE_SILICON, &error);
        write_error(error, page);
        enum verdict verdict = score_row_verdict(&all, &count);
        write_verdict(verdict, all.count, all.count, page);
    }
    buffer_text(page, "</tr>\n");
    arena_free(&arena);
}

static void write_behaviours(const struct scorecard *card, struct buffer *page)
{
    static const char *const heads[] = {"Behaviour", "#Code", "#Silicon", "Verdict", NULL};
    html_table_begin(page, "Largest error of each behaviour: observed less stated rate", heads);
    for (size_t i = 0; i < card->behaviour_count; i++)
        write_behaviour(card, &card->behaviours[i], page);
    html_table_end(page);
}

static void write_fact(const char *what, const char *text, struct buffer *page)
{
    html_element(page, "dt", what);
    html_element(page, "dd", text);
}

/* Writes the sources that are usable here with the kind of their evidence, or those that are not with the
 * reason. */
static void write_sources(const struct scorecard *card, bool usable, struct buffer *page)
{
    struct buffer text = {0};
    for (size_t i = 0; i < card->source_count; i++) {
        const struct score_source *source = &card->sources[i];
        if (source->usable == usable && source->kind != EVIDENCE_PREDICTED)
            buffer_printf(&text, "%s%s (%s)",
                          text.size == 0 ? ""
                          : usable       ? ", "
                                         : "; ",
                          source->name, usable ? evidence_kinds[source->kind].name : source->why);
    }
    if (text.size > 0)
        write_fact(usable ? "Observed by" : "Not here", text.data, page);
    buffer_free(&text);
}

static void write_machine(const struct scorecard *card, struct buffer *page)
{
    struct buffer text = {0};
    buffer_text(page, "<dl class=\"facts\">\n");
    buffer_printf(&text, "%s, %s, %s%s", card->machine, card->cpu, card->isa,
                  card->is_virtual ? ", virtual" : "");
    write_fact("Machine", text.data, page);
    write_fact("Caches", card->caches, page);
    buffer_free(&text);
    buffer_printf(&text, "%s, in %.0f s, by trauma %s", card->date, card->seconds, card->version);
    write_fact("Observed on", text.data, page);
    buffer_text(page, "</dl>\n");
    buffer_free(&text);
}

static void write_evidence(const struct scorecard *card, struct buffer *page)
{
    struct buffer text = {0};
    buffer_text(page, "<dl class=\"facts\">\n");
    if (!card->present)
        write_fact("Judged", "by simulation and inspection alone: the check ran on another machine", page);
    write_sources(card, true, page);
    write_sources(card, false, page);
    for (size_t i = 0; i < card->warning_count; i++)
        buffer_printf(&text, "%s%s", i == 0 ? "" : "; ", card->warnings[i]);
    if (card->warning_count > 0)
        write_fact("Disturbed", text.data, page);
    buffer_text(page, "</dl>\n");
    buffer_free(&text);
}

static void write_worst(const struct score_row *row, enum score_side side, struct buffer *page)
{
    double error;
    char sources[128];
    const struct score_point *worst = score_row_worst(row, side, &error);
    score_row_sources(row, side, sources, sizeof sources);
    if (worst == NULL) {
        buffer_text(page, "<td class=\"number\">not observed</td>");
        html_element(page, "td class=\"note\"", side == SCORE_SILICON ? row->points[0].reason : "");
    } else {
        html_element_of(page, "td class=\"number\"", "%.4g \xe2\x86\x92 %.4g", worst->stated,
                        worst->observed[side].value);
        html_element(page, "td", sources);
    }
}

static void write_rows(const struct scorecard *card, struct buffer *page)
{
    static const char *const heads[] = {"Behaviour",    "Rate",        "Stated",
                                        "#Code, worst", "Observed by", "#Silicon, worst",
                                        "Observed by",  "Verdict",     NULL};
    buffer_text(page, "<section id=\"rates\">\n<h2>Every rate</h2>\n");
    html_table_begin(
        page,
        "Each rate: the stated values, and stated \xe2\x86\x92 observed of the point that is farthest off",
        heads);
    for (size_t i = 0; i < card->row_count; i++) {
        const struct score_row *row = &card->rows[i];
        char stated[64];
        size_t count;
        enum verdict verdict = score_row_verdict(row, &count);
        score_row_stated(row, stated, sizeof stated);
        buffer_text(page, "<tr>");
        html_element(page, "th scope=\"row\"", row->behaviour);
        html_element(page, "td", row->metric);
        html_element_of(page, "td", "%s, %zu point%s", stated, row->count, row->count == 1 ? "" : "s");
        write_worst(row, SCORE_CODE, page);
        write_worst(row, SCORE_SILICON, page);
        write_verdict(verdict, count, row->count, page);
        buffer_text(page, "</tr>\n");
    }
    html_table_end(page);
    buffer_text(page, "</section>\n");
}

static void write_gaps(const struct scorecard *card, struct buffer *page)
{
    if (card->gap_count == 0)
        return;
    buffer_text(page, "<section id=\"gaps\">\n<h2>What did not run</h2>\n<ul>\n");
    for (size_t i = 0; i < card->gap_count; i++)
        html_element_of(page, "li", "%s/%s: %s", card->gaps[i].behaviour, card->gaps[i].point,
                        card->gaps[i].why);
    buffer_text(page, "</ul>\n</section>\n");
}

static void write_changes(const struct score_changes *changes, struct buffer *page)
{
    if (changes == NULL)
        return;
    buffer_text(page, "<section id=\"changes\">\n<h2>Since the earlier scorecard</h2>\n");
    if (changes->count == 0)
        buffer_text(page, "<p>Nothing changed.</p>\n");
    buffer_text(page, "<ul>\n");
    for (size_t i = 0; i < changes->count; i++)
        html_element_of(page, changes->items[i].worse ? "li class=\"fail\"" : "li", "%s%s %s: %s",
                        changes->items[i].worse ? "worse: " : "", changes->items[i].behaviour,
                        changes->items[i].metric, changes->items[i].what);
    buffer_text(page, "</ul>\n</section>\n");
}

void scorecard_page(const struct scorecard *card, const struct score_changes *changes, char *picture,
                    struct buffer *page)
{
    struct buffer title = {0}, summary = {0};
    buffer_printf(&title, "TraumaGen scorecard: %s", card->machine);
    scorecard_summary(card, &summary);
    html_begin(page, title.data);
    buffer_text(page, "<header>\n");
    html_element(page, "h1", title.data);
    html_element_of(page, "p id=\"counts\"", "%s", summary.data);
    buffer_text(page, "</header>\n<main>\n<div class=\"score\">\n<div>\n");
    buffer_text(page, "<figure>\n");
    if (!html_picture(page, picture, 1, "Rates stated against rates observed"))
        buffer_text(page, "<p>No rate was observed, or gnuplot is missing.</p>\n");
    buffer_text(page, "</figure>\n");
    write_machine(card, page);
    buffer_text(page, "</div>\n<div>\n");
    write_behaviours(card, page);
    write_evidence(card, page);
    buffer_text(page, "</div>\n</div>\n");
    write_changes(changes, page);
    write_rows(card, page);
    write_gaps(card, page);
    buffer_text(
        page,
        "</main>\n<footer><p>Code: what the generated program does on the described machine, by inspection "
        "and simulation. Silicon: what the processor does, measured by counters or inferred from time. "
        "Power is not judged here. <code>trauma validate -o card.html</code> repeats it.</p></footer>\n"
        "</body>\n</html>\n");
    buffer_free(&title);
    buffer_free(&summary);
}

/* ---- the badge ---- */

enum { BADGE_HEIGHT = 20, BADGE_LETTER = 7, BADGE_BESIDE = 12 };

static void write_half(size_t x, size_t width, const char *colour, const char *text, struct buffer *svg)
{
    buffer_printf(svg, "<rect x=\"%zu\" width=\"%zu\" height=\"%d\" fill=\"%s\"/>\n", x, width, BADGE_HEIGHT,
                  colour);
    buffer_printf(svg, "<text x=\"%zu\" y=\"14\" textLength=\"%zu\">", x + BADGE_BESIDE / 2,
                  width - BADGE_BESIDE);
    html_text(svg, text);
    buffer_text(svg, "</text>\n");
}

void scorecard_badge(const struct scorecard *card, struct buffer *svg)
{
    static const char label[] = "stated rates";
    const struct score_counts counts = scorecard_count(card);
    size_t worst = 0;
    while (worst < VERDICT_LOOKS && counts.rows[verdict_looks[worst].verdict] == 0)
        worst++;
    worst = worst < VERDICT_LOOKS ? worst : verdict_urgency(VERDICT_UNOBSERVED);
    char text[80];
    snprintf(text, sizeof text, "%zu of %zu hold%s",
             counts.rows[VERDICT_PASS] + counts.rows[VERDICT_PASS_CODE], card->row_count,
             counts.silicon == 0 ? " (code)" : "");
    size_t left = strlen(label) * BADGE_LETTER + BADGE_BESIDE,
           right = strlen(text) * BADGE_LETTER + BADGE_BESIDE;
    buffer_printf(svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%d\" role=\"img\" "
                  "aria-label=\"%s: %s\">\n<title>%s: %s</title>\n<g fill=\"#ffffff\" "
                  "font-family=\"DejaVu Sans,Verdana,sans-serif\" font-size=\"11\">\n",
                  left + right, BADGE_HEIGHT, label, text, label, text);
    write_half(0, left, "#444444", label, svg);
    write_half(left, right, verdict_looks[worst].colour, text, svg);
    buffer_text(svg, "</g>\n</svg>\n");
}
