#include "base/buffer.h"
#include "base/file.h"
#include "session/design/design_measurement.h"

#include <string.h>

static const char WRAPPER[] =
    "-- Which of a benchmark's points are measured, and for how long.\n"
    "local function choose(list, p)\n"
    "  for _, each in ipairs(list) do\n"
    "    local same = true\n"
    "    for name, value in pairs(each.point) do same = same and p[name] == value end\n"
    "    if same then return each.measure end\n"
    "  end\n"
    "end\n"
    "\n"
    "local declare = benchmark\n"
    "\n"
    "-- A benchmark{} that keeps the chosen points.\n"
    "local function limited(chosen)\n"
    "  return function(b)\n"
    "    local list, where, own = chosen[b.name], b.where, b.measure\n"
    "    if not list then return end\n"
    "    b.where = function(p, m) return choose(list, p) ~= nil and (not where or where(p, m)) end\n"
    "    b.measure = function(p, m)\n"
    "      local measure = {}\n"
    "      for name, value in pairs(type(own) == \"function\" and own(p, m) or own or {}) do measure[name] = "
    "value end\n"
    "      for name, value in pairs(choose(list, p)) do measure[name] = value end\n"
    "      return measure\n"
    "    end\n"
    "    declare(b)\n"
    "  end\n"
    "end\n";

/* Text as a Lua string; names and words of recipes have no control characters. */
static void add_string(struct buffer *text, const char *string)
{
    buffer_text(text, "\"");
    for (; *string != '\0'; string++)
        buffer_printf(text, "%s%c", *string == '"' || *string == '\\' ? "\\" : "", *string);
    buffer_text(text, "\"");
}

static void add_value(struct buffer *text, const struct value *value)
{
    if (value->kind == VALUE_WORD)
        add_string(text, value->word);
    else if (value->kind == VALUE_FLAG)
        buffer_text(text, value->on ? "true" : "false");
    else if (value->whole)
        buffer_printf(text, "%lld", value->integer);
    else
        buffer_printf(text, "%.17g", value->kind == VALUE_NUMBER ? value->number : 0);
}

static void add_line(const struct design_line *line, struct buffer *text)
{
    const struct value *parameters = &line->point->parameters;
    buffer_text(text, "    { point = {");
    for (size_t i = 0; i < parameters->count; i++) {
        buffer_printf(text, "%s [", i == 0 ? "" : ",");
        add_string(text, parameters->parts[i].name);
        buffer_text(text, "] = ");
        add_value(text, &parameters->parts[i].value);
    }
    buffer_printf(text,
                  " }, measure = { time = %.10g, reps = %.0f, idle_before = %.10g, idle_after = %.10g } },\n",
                  line->time_s, line->reps, line->idle_before_s, line->idle_after_s);
}

static bool is_before(const struct design_outcome *outcome, size_t which, bool benchmark)
{
    const struct work_item *item = outcome->lines[which].item;
    for (size_t i = 0; i < which; i++) {
        const struct work_item *other = outcome->lines[i].item;
        if (other->source == item->source && (!benchmark || strcmp(other->benchmark, item->benchmark) == 0))
            return true;
    }
    return false;
}

static void add_choice(const struct design_outcome *outcome, const struct work_source *source,
                       struct buffer *text)
{
    for (size_t i = 0; i < outcome->count; i++) {
        const struct work_item *item = outcome->lines[i].item;
        if (item->source != source || is_before(outcome, i, true))
            continue;
        buffer_text(text, "  [");
        add_string(text, item->benchmark);
        buffer_text(text, "] = {\n");
        for (size_t j = i; j < outcome->count; j++)
            if (outcome->lines[j].item->source == source &&
                strcmp(outcome->lines[j].item->benchmark, item->benchmark) == 0)
                add_line(&outcome->lines[j], text);
        buffer_text(text, "  },\n");
    }
}

/* Adds the included files as functions by name, so that the recipe does not need the files. */
static enum status add_included(const struct recipe *recipe, struct buffer *text, struct error *error)
{
    char folder[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    enum status status = STATUS_OK;
    file_folder_of(folder, recipe->file);
    if (recipe->included_count > 0)
        buffer_text(text, "local included = {}\n"
                          "local function include(name)\n"
                          "  included[name:find(\"%.lua$\") and name or name .. \".lua\"]()\n"
                          "end\n");
    for (size_t i = 0; status == STATUS_OK && i < recipe->included_count; i++) {
        buffer_printf(text, "\nincluded[\"%s\"] = function(...)\n", recipe->included[i]);
        status = file_read(file_join(path, folder, recipe->included[i]), text, error);
        buffer_text(text, "\nend\n\n");
    }
    return status;
}

static enum status add_source(const struct design_outcome *outcome, const struct work_source *source,
                              struct buffer *text, struct error *error)
{
    buffer_printf(text, "\n---- %s ----\ndo\nlocal benchmark = limited {\n", source->shown);
    add_choice(outcome, source, text);
    buffer_text(text, "}\n\n");
    enum status status = add_included(&source->recipe, text, error);
    if (status == STATUS_OK)
        status = file_read(source->path, text, error);
    buffer_text(text, "\nend\n");
    return status;
}

enum status design_recipe(const struct design_outcome *outcome, const char *how, struct buffer *text,
                          struct error *error)
{
    enum status status = STATUS_OK;
    buffer_printf(text,
                  "-- %s\n-- The recipes' own text is below, limited to the points that it chose.\n\n%s", how,
                  WRAPPER);
    for (size_t i = 0; status == STATUS_OK && i < outcome->count; i++)
        if (!is_before(outcome, i, false))
            status = add_source(outcome, outcome->lines[i].item->source, text, error);
    return status;
}
