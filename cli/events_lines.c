/* trauma events --json: a line for each event. */
#include "base/json/json_text.h"
#include "cli/command.h"
#include "session/event_trials.h"

#include <math.h>

static void write_meaning(const struct trial_set *set, const struct trial_meaning *meaning, const char *key,
                          struct json_text *json)
{
    json_text_open(json, key, '[');
    for (size_t i = 0; i < meaning->count; i++) {
        json_text_open(json, NULL, '{');
        json_text_string(json, "quantity", set->suite.names[meaning->terms[i].quantity]);
        json_text_number(json, "per", meaning->terms[i].per);
        json_text_number(json, "low", meaning->terms[i].low);
        json_text_number(json, "high", meaning->terms[i].high);
        json_text_close(json, '}');
    }
    json_text_close(json, ']');
}

static void write_number(struct json_text *json, const char *key, double value)
{
    if (isfinite(value))
        json_text_number(json, key, value);
    else
        json_text_value(json, key, json_null());
}

static void write_text(struct json_text *json, const char *key, const char *text)
{
    if (text != NULL)
        json_text_string(json, key, text);
    else
        json_text_value(json, key, json_null());
}

static void report_line(const struct trial_set *set, const struct trial_event *event, struct buffer *text)
{
    const struct trial_result *result = &event->result;
    struct json_text json = {.buffer = text, .first = true, .compact = true};
    json_text_open(&json, NULL, '{');
    json_text_string(&json, "event", event->name);
    write_text(&json, "claims", event->claim);
    json_text_string(&json, "verdict", trial_verdict_names[result->verdict]);
    write_meaning(set, &result->meaning, "counts", &json);
    write_number(&json, "error", result->error);
    json_text_integer(&json, "programs", (long long)result->programs);
    write_number(&json, "noise", result->noise);
    json_text_number(&json, "per_pass", result->per_pass);
    json_text_integer(&json, "wraps", result->wraps);
    json_text_open(&json, "alike", '[');
    for (size_t i = 0; i < result->alike_count; i++)
        write_meaning(set, &result->alike[i], NULL, &json);
    json_text_close(&json, ']');
    write_text(&json, "why", event->why);
    write_number(&json, "condition", set->condition);
    json_text_close(&json, '}');
}

void events_print_lines(const struct event_trials *trials)
{
    for (size_t i = 0; i < trials->set.count; i++) {
        struct buffer line = {0};
        report_line(&trials->set, &trials->set.items[i], &line);
        command_print("%s", line.data);
        buffer_free(&line);
    }
}
