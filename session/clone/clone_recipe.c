/* The text of the recipe. */
#include "base/text/visible.h"
#include "session/clone/clone_application.h"

#include <math.h>
#include <string.h>

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void add_served(const struct clone_service *service, int kind, const char *name, const char *between,
                       struct buffer *text)
{
    if (service->of[kind] == 0)
        return;
    buffer_printf(text, "%s%s = {", between, name);
    const char *comma = "";
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (service->served[kind][level] > 0) {
            buffer_printf(text, "%s %s = %u / %u", comma, level_name(level), service->served[kind][level],
                          service->of[kind]);
            comma = ",";
        }
    buffer_text(text, " }");
}

static void add_services(const struct clone_outcome *outcome, const struct clone_phase *phase,
                         struct buffer *text)
{
    buffer_text(text, "    local served = ({\n");
    for (size_t i = 0; i < outcome->machine_count; i++) {
        const struct clone_service *service = &phase->unit.services[i];
        buffer_printf(text, "      [\"%s\"] = {", outcome->machines[i].name);
        add_served(service, APP_LOAD, "load", " ", text);
        add_served(service, APP_STORE, "store", service->of[APP_LOAD] > 0 ? ", " : " ", text);
        if (service->tlb_misses > 0)
            buffer_printf(text, ", tlb = %u / %u", service->tlb_misses, service->tlb_of);
        if (service->code_misses > 0)
            buffer_printf(text,
                          ",\n        code = { served_by = { L1I = 1 - %u / %u, L2 = %u / %u }, count = %u }",
                          service->code_misses, service->code_of, service->code_misses, service->code_of,
                          service->pieces);
        else if (service->pieces > 0)
            buffer_printf(text, ", code = { served_by = { L1I = 1 }, count = %u }", service->pieces);
        buffer_text(text, " },\n");
    }
    buffer_text(text, "    })[m.name]\n");
}

/* What follows divides a behaviour's instances among parts of the unit, so that loads that wait for loads
 * stand apart from each other. */
static const char SPREAD[] = "\n-- Behaviours in parts, one after the other, that together have the counts; "
                             "words go on from part to part.\n"
                             "local function spread(parts, unit, behaviours)\n"
                             "  for i = 1, parts do\n"
                             "    for _, entry in ipairs(behaviours) do\n"
                             "      local options, first = {}, entry[2].count * (i - 1) // parts\n"
                             "      for name, value in pairs(entry[2]) do options[name] = value end\n"
                             "      options.count, options.words = entry[2].count * i // parts - first, nil\n"
                             "      if entry[2].words then\n"
                             "        local words = {}\n"
                             "        for j = 1, #entry[2].words do words[j] = entry[2].words[(first + j - "
                             "1) % #entry[2].words + 1] end\n"
                             "        options.data = pattern.words(words)\n"
                             "      end\n"
                             "      if options.count > 0 then unit[#unit + 1] = entry[1](options) end\n"
                             "    end\n"
                             "  end\n"
                             "  return unit\n"
                             "end\n";

/* load { of a list; { load, { of what is spread. */
static void begin_behaviour(const char *name, bool spread, struct buffer *text)
{
    if (spread)
        buffer_printf(text, "      { %s, { ", name);
    else
        buffer_printf(text, "      %-5s { ", name);
}

static void end_behaviour(bool spread, struct buffer *text)
{
    buffer_text(text, spread ? " } },\n" : " },\n");
}

static void add_operation(const struct instruction_class *class, unsigned count, bool spread,
                          struct buffer *text)
{
    enum { WIDTH = 8 };
    if (count == 0)
        return;
    begin_behaviour(class->name, spread, text);
    buffer_printf(text, "count = %u", count);
    if (class->width != WIDTH)
        buffer_printf(text, ", width = %u", class->width);
    end_behaviour(spread, text);
}

/* , data = pattern.words { 0x1, 0x3 }; of accesses of 4 bytes the lower halves. */
static void add_words(const struct clone_words *words, bool small, bool spread, struct buffer *text)
{
    if (words->count == 0)
        return;
    bool one = words->count == 1;
    buffer_text(text, spread ? ", words = { "
                      : one  ? ", data = pattern.constant("
                             : ", data = pattern.words { ");
    for (unsigned i = 0; i < words->count; i++)
        buffer_printf(text, "%s0x%llx", i == 0 ? "" : ", ",
                      (unsigned long long)(small ? (uint32_t)words->words[i] : words->words[i]));
    buffer_text(text, one && !spread ? ")" : " }");
}

/* served: where; NULL: L1. words: NULL: a chase. */
static void add_accesses(const char *name, unsigned count, const char *served, bool small,
                         const struct clone_words *words, bool spread, struct buffer *text)
{
    if (count == 0)
        return;
    begin_behaviour(name, spread, text);
    buffer_printf(text, "served_by = %s, count = %u", served == NULL ? "{ L1 = 1 }" : served, count);
    if (words == NULL)
        buffer_text(text, ", address = \"chase\"");
    else if (small)
        buffer_text(text, ", width = 4");
    if (words != NULL)
        add_words(words, small, spread, text);
    end_behaviour(spread, text);
}

static void add_near_loads(const struct clone_unit *unit, bool spread, struct buffer *text)
{
    unsigned near = unit->loads > 0 ? unit->loads - unit->far - unit->chased : 0;
    unsigned small = unit->loads > 0 ? unit->small_loads : unit->small_loads - unit->far;
    add_accesses("load", unit->chased, NULL, false, NULL, spread, text);
    add_accesses("load", near, NULL, false, &unit->near_words, spread, text);
    add_accesses("load", small, NULL, true, &unit->near_words, spread, text);
}

static void add_other_accesses(const struct clone_unit *unit, struct buffer *text)
{
    bool small_stores = unit->stores == 0;
    add_accesses("load", unit->far, "served.load", unit->loads == 0,
                 unit->far_chased ? NULL : &unit->far_words, false, text);
    add_accesses("store", small_stores ? unit->small_stores : unit->stores, "served.store", small_stores,
                 &unit->stored_words, false, text);
    if (!small_stores)
        add_accesses("store", unit->small_stores, NULL, true, &unit->stored_words, false, text);
}

static void add_operations(const struct clone_outcome *outcome, const struct clone_unit *unit, bool spread,
                           struct buffer *text)
{
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        add_operation(&outcome->classes.items[i], unit->operations[i], spread, text);
    /* For what no operation stands for. */
    add_operation(&(const struct instruction_class){"nop", sizeof(uint64_t)}, unit->fill, spread, text);
}

static bool has_tlb(const struct clone_outcome *outcome, const struct clone_unit *unit)
{
    bool any = false;
    for (size_t i = 0; i < outcome->machine_count; i++)
        any = any || unit->services[i].tlb_misses > 0;
    return any;
}

/* What was counted. */
static void add_counts(const struct clone_outcome *outcome, const struct clone_phase *phase,
                       struct buffer *text)
{
    const struct app_tally *tally = &phase->counts.tally;
    double all = (double)tally->instructions;
    buffer_printf(
        text,
        "-- %.0f instructions: %.4f loads and %.4f stores per instruction, %.4f conditional branches, of "
        "which\n"
        "-- %.4f are taken and %.4f mispredicted, %.4f indirect jumps, of which %.4f are mispredicted.\n",
        all, share((double)tally->accesses[APP_LOAD], all), share((double)tally->accesses[APP_STORE], all),
        share((double)tally->branches, all), share((double)tally->taken, (double)tally->branches),
        share((double)tally->branch_misses, (double)tally->branches), share((double)tally->jumps, all),
        share((double)tally->jump_misses, (double)tally->jumps));
    for (size_t i = 0; i < outcome->machine_count; i++) {
        const struct app_caches *caches = &phase->counts.caches[i];
        double accesses = (double)(tally->accesses[APP_LOAD] + tally->accesses[APP_STORE]);
        double l1d = (double)(caches->l1d[APP_LOAD] + caches->l1d[APP_STORE]);
        double l2 = (double)(caches->l2[APP_LOAD] + caches->l2[APP_STORE]);
        buffer_printf(text, "-- %s: of the accesses %.5f miss L1D, of these %.4f L2",
                      outcome->machines[i].name, share(l1d, accesses), share(l2, l1d));
        if (outcome->machines[i].l3.size > 0)
            buffer_printf(text, ", of these %.4f L3",
                          share((double)(caches->l3[APP_LOAD] + caches->l3[APP_STORE]), l2));
        if (outcome->machines[i].data_tlb.entries > 0)
            buffer_printf(text, "; %.5f the data TLB", share((double)caches->tlb, accesses));
        buffer_printf(text, "; %.6f of instructions miss L1I.\n", share((double)caches->l1i, all));
    }
    buffer_printf(text, "-- %.4f of the loads wait for a load.\n",
                  share(phase->counts.waits.waiting, phase->counts.waits.loads));
    for (int kind = 0; kind < APP_KINDS; kind++)
        if (tally->bits[kind] > 0)
            buffer_printf(
                text, "-- Of the bits %s %.4f are ones, and %.4f differ from those of the access before.\n",
                kind == APP_LOAD ? "loaded," : "stored,",
                share((double)tally->ones[kind], (double)tally->bits[kind]),
                share((double)tally->toggles[kind], (double)tally->compared[kind]));
}

static void add_benchmark(const struct clone_outcome *outcome, size_t index, struct buffer *text)
{
    const struct clone_phase *phase = &outcome->phases[index];
    const struct clone_unit *unit = &phase->unit;
    buffer_text(text, "\n");
    if (index > 0)
        buffer_printf(text, "-- Phase %zu: %.4f of the instructions.\n", index, phase->share);
    add_counts(outcome, phase, text);
    buffer_printf(text, "benchmark {\n  name   = \"%s", outcome->name);
    if (index > 0)
        buffer_printf(text, "-phase%zu", index);
    buffer_printf(text, "\",\n  target = \"%s\",\n  kernel = function(p, m)\n", outcome->isa->name);
    add_services(outcome, phase, text);
    bool spread = unit->parts > 1;
    if (spread)
        buffer_printf(text, "    return spread(%u, {\n", unit->parts);
    else
        buffer_text(text, "    return {\n");
    if (unit->coded)
        buffer_text(text, "      code(served.code),\n");
    if (!spread)
        add_near_loads(unit, false, text);
    add_other_accesses(unit, text);
    if (has_tlb(outcome, unit))
        buffer_text(text, "      served.tlb and tlb { miss_rate = served.tlb },\n");
    if (unit->branches > 0)
        buffer_printf(
            text,
            "      branch { accuracy = 1 - %u / %u, taken = %u / %u, count = %u, test = \"shared\" },\n",
            unit->random, 2 * unit->branches, unit->taken, 2 * unit->branches, unit->branches);
    if (unit->jumps > 0)
        buffer_printf(
            text,
            "      branch { kind = \"indirect\", accuracy = 1 - %u / %u, count = %u, test = \"shared\" },\n",
            unit->random_jumps, 2 * unit->jumps, unit->jumps);
    if (spread) {
        buffer_text(text, "    }, {\n");
        add_near_loads(unit, true, text);
    }
    add_operations(outcome, unit, spread, text);
    buffer_text(text, spread ? "    })\n  end,\n}\n" : "    }\n  end,\n}\n");
}

/* What a recipe cannot say, with its share. */
static void add_unsaid(const struct clone_outcome *outcome, struct buffer *text)
{
    const struct application_counts *counts = &outcome->phases[0].counts;
    double all = (double)counts->tally.instructions;
    buffer_printf(text, "-- What the recipe cannot say:\n-- - system calls: %.3g per instruction\n",
                  share((double)counts->tally.calls, all));
    buffer_printf(text,
                  "-- - calls and returns that load or store: %.4f of the instructions, of which there are "
                  "the accesses\n",
                  share(outcome->profile.accessing_flow, all));
    buffer_printf(text, "-- - other instructions: %.4f", share(counts->classes[CLASS_OTHER], all));
    for (size_t i = 0; i < MNEMONICS_MOST && outcome->profile.others[i][0] != '\0'; i++)
        buffer_printf(text, "%s%s", i == 0 ? ", such as " : ", ", outcome->profile.others[i]);
    buffer_printf(text, "\n-- - what forked children execute: %.4f of all instructions\n",
                  share((double)outcome->profile.header.child_instructions,
                        all + (double)outcome->profile.header.child_instructions));
    if (outcome->profile.header.executions > 0)
        buffer_printf(
            text, "-- - what %.0f other programs do that its children tried to run, which was not counted\n",
            (double)outcome->profile.header.executions);
    const double accesses = (double)(counts->tally.accesses[APP_LOAD] + counts->tally.accesses[APP_STORE]);
    buffer_printf(text, "-- - instructions that load and store: %.4f, for which there is one of each\n",
                  share(fmax(0, accesses - counts->classes[CLASS_LOAD] - counts->classes[CLASS_STORE]), all));
    const char *between = "-- - misses of L1I, per instruction:";
    for (size_t i = 0; i < outcome->machine_count; i++)
        if (outcome->phases[0].unit.services[i].code_misses == 0) {
            buffer_printf(text, "%s %.6f on %s", between, share((double)counts->caches[i].l1i, all),
                          outcome->machines[i].name);
            between = ",";
        }
    buffer_text(text, between[1] == '\0' ? "\n" : "");
    const struct application_waits *waits = &counts->waits;
    buffer_printf(
        text,
        "-- - how loads wait: of those that wait for a load within the %d instructions before, %.4f wait "
        "for one that\n"
        "--   waits for none, and are %.1f instructions behind it; here all wait in one chain\n",
        WAIT_REACH, share(waits->waiting - waits->chained, waits->waiting),
        share(waits->instructions, waits->waiting));
    buffer_text(text, "-- - the order in which lines are reused, and the kernel's own instructions, which "
                      "were not counted\n");
}

void clone_recipe_write(const struct clone_outcome *outcome, size_t first, size_t count, const char *command,
                        struct buffer *text)
{
    buffer_text(text, "-- Made by trauma clone of: ");
    visible_append(text, command);
    buffer_text(text, "\n-- Rates are of user space, as qemu-user executes it, for the described caches.\n");
    add_unsaid(outcome, text);
    bool spread = false;
    for (size_t i = 0; i < count; i++)
        spread = spread || outcome->phases[first + i].unit.parts > 1;
    if (spread)
        buffer_text(text, SPREAD);
    for (size_t i = 0; i < count; i++)
        add_benchmark(outcome, first + i, text);
}
