/* Writes the text of the recipe. */
#include "base/text/visible.h"
#include "session/clone/clone_application.h"

#include <math.h>
#include <stdio.h>
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
        if (service->tlb_stated)
            buffer_printf(text, ", tlb = %u / %u", service->tlb_misses, service->tlb_of);
        if (service->pieces > 0)
            buffer_printf(text, ",\n        code = { misses = %u / %u, count = %u }", service->code_misses,
                          service->code_of, service->pieces);
        buffer_text(text, " },\n");
    }
    buffer_text(text, "    })[m.name]\n");
}

static void add_operation(const struct instruction_class *class, unsigned count, struct buffer *text)
{
    enum { WIDTH = 8 };
    if (count == 0)
        return;
    buffer_printf(text, "      %-5s { count = %u", class->name, count);
    if (class->width != WIDTH)
        buffer_printf(text, ", width = %u", class->width);
    buffer_text(text, " },\n");
}

/* Adds ", data = pattern.words { 0x1, 0x3 }"; for accesses of 4 bytes, the lower halves of the words. */
static void add_words(const struct clone_words *words, bool small, struct buffer *text)
{
    if (words->count == 0)
        return;
    bool one = words->count == 1;
    buffer_text(text, one ? ", data = pattern.constant(" : ", data = pattern.words { ");
    for (unsigned i = 0; i < words->count; i++)
        buffer_printf(text, "%s0x%llx", i == 0 ? "" : ", ",
                      (unsigned long long)(small ? (uint32_t)words->words[i] : words->words[i]));
    buffer_text(text, one ? ")" : " }");
}

/* served: the Lua value of served_by; NULL: L1. more: further members; "": none. */
static void add_accesses(const char *name, unsigned count, const char *served, const char *more, bool small,
                         const struct clone_words *words, struct buffer *text)
{
    if (count == 0)
        return;
    buffer_printf(text, "      %-5s { served_by = %s, count = %u%s", name,
                  served == NULL ? "{ L1 = 1 }" : served, count, more);
    if (small)
        buffer_text(text, ", width = 4");
    add_words(words, small, text);
    buffer_text(text, " },\n");
}

/* The words in turn from the third on, so that alternating accesses of two widths read different words. They
 * are still neighbours, which differ in fewer bits than others. */
static struct clone_words from_third(const struct clone_words *words)
{
    enum { FIRST = 2 };
    struct clone_words turned = *words;
    for (unsigned i = 0; i < words->count; i++)
        turned.words[i] = words->words[(i + FIRST) % words->count];
    return turned;
}

static void add_all_accesses(const struct clone_unit *unit, struct buffer *text)
{
    const struct clone_words zero = {.count = 1},
                             small_words = unit->loads > 0 ? from_third(&unit->near_words) : unit->near_words;
    const struct clone_words *words = &unit->stored_words;
    const char *from = unit->from_vectors ? ", from = \"vector\"" : "";
    bool small_stores = unit->stores == 0;
    char led[64];
    snprintf(led, sizeof led, ", address = \"led\", behind = %u", unit->behind);
    const char *const roles[CLONE_ROLES] = {
        [ROLE_LEADS] = unit->wide_logic ? ", leads = true, logic = 8" : ", leads = true",
        [ROLE_LED_LEADS] = unit->wide_logic ? ", address = \"led\", leads = true, logic = 8"
                                            : ", address = \"led\", leads = true",
        [ROLE_LED] = led,
        [ROLE_FREE] = ""};
    for (enum clone_role role = 0; role < CLONE_ROLES; role++) {
        struct clone_loads near = unit->near[role];
        if (unit->zeros_lead && (role == ROLE_LEADS || role == ROLE_LED_LEADS)) {
            near = role == ROLE_LEADS ? unit->with_logic : (struct clone_loads){.wide = 0};
            add_accesses("load", unit->near[role].wide - near.wide, NULL, roles[role], false, &zero, text);
            add_accesses("load", unit->near[role].small - near.small, NULL, roles[role], true, &zero, text);
        }
        add_accesses("load", near.wide, NULL, roles[role], false, &unit->near_words, text);
        add_accesses("load", near.small, NULL, roles[role], true, &small_words, text);
    }
    add_accesses("load", unit->copies, NULL, ", copies = true", false,
                 words->count > 0 ? words : &unit->near_words, text);
    add_accesses("load", unit->updates.wide, NULL, ", updates = true", false, &unit->near_words, text);
    add_accesses("load", unit->updates.small, NULL, ", updates = true", true, &small_words, text);
    add_accesses("load", unit->far, "served.load", roles[unit->far_led ? ROLE_LED : ROLE_FREE],
                 unit->loads == 0, &unit->far_words, text);
    struct clone_words first = *words, others = words->count > 2 ? from_third(words) : *words;
    if (unit->stored_apart) {
        first.count = others.count = 1;
        others.words[0] = words->words[1];
    }
    add_accesses("store", small_stores ? unit->small_stores : unit->stores, "served.store", from,
                 small_stores, &first, text);
    if (!small_stores)
        add_accesses("store", unit->small_stores, NULL, from, true, &others, text);
}

static void add_operations(const struct clone_outcome *outcome, const struct clone_unit *unit,
                           struct buffer *text)
{
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        add_operation(&outcome->classes.items[i], unit->operations[i], text);
    /* Instructions without an operation become nop{}. */
    add_operation(&(const struct instruction_class){"nop", sizeof(uint64_t)}, unit->fill, text);
}

static bool has_tlb(const struct clone_outcome *outcome, const struct clone_unit *unit)
{
    bool any = false;
    for (size_t i = 0; i < outcome->machine_count; i++)
        any = any || unit->services[i].tlb_stated;
    return any;
}

/* Adds the counts of the application as comments. */
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
    const struct application_waits *waits = &phase->counts.waits;
    buffer_printf(text,
                  "-- %.4f of the loads wait for one within the %d instructions before, %.1f instructions "
                  "behind it;\n-- of these, %.4f for one that waits itself.\n",
                  share(waits->waiting, waits->loads), WAIT_REACH, share(waits->instructions, waits->waiting),
                  share(waits->chained, waits->waiting));
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
    buffer_text(text, "    return {\n");
    if (unit->coded)
        buffer_text(text, "      code(served.code),\n");
    add_all_accesses(unit, text);
    if (has_tlb(outcome, unit))
        buffer_text(text, "      served.tlb ~= nil and tlb { miss_rate = served.tlb },\n");
    if (unit->branches > 0)
        buffer_printf(
            text,
            "      branch { accuracy = 1 - %u / %u, taken = %u / %u, count = %u, test = \"shared\"%s },\n",
            unit->random, 2 * unit->branches, unit->taken, 2 * unit->branches, unit->branches,
            unit->narrow_tests ? ", width = 4" : "");
    unsigned jumps = unit->jumps - unit->loaded_jumps;
    if (jumps > 0)
        buffer_printf(
            text,
            "      branch { kind = \"indirect\", accuracy = 1 - %u / %u, count = %u, test = \"shared\" },\n",
            unit->random_jumps, 2 * jumps, jumps);
    if (unit->loaded_jumps > 0)
        buffer_printf(
            text, "      branch { kind = \"indirect\", through = \"memory\", accuracy = 1, count = %u },\n",
            unit->loaded_jumps);
    add_operations(outcome, unit, text);
    buffer_text(text, "    }\n  end,\n}\n");
}

/* Lists the properties of the application that a recipe cannot express, with their shares. */
static void add_inexpressible(const struct clone_outcome *outcome, struct buffer *text)
{
    static const double LITTLE = 0.001;
    const struct application_counts *counts = &outcome->phases[0].counts;
    double all = (double)counts->tally.instructions;
    buffer_printf(text, "-- What the recipe cannot express:\n-- - system calls: %.3g per instruction\n",
                  share((double)counts->tally.calls, all));
    buffer_printf(text,
                  "-- - calls and returns that load or store: %.4f of the instructions; only their accesses "
                  "are in it\n",
                  share(outcome->profile.accessing_flow, all));
    buffer_printf(text, "-- - other instructions: %.4f", share(counts->classes[CLASS_OTHER], all));
    for (size_t i = 0; i < MNEMONICS_MOST && outcome->profile.others[i][0] != '\0'; i++)
        buffer_printf(text, "%s%s", i == 0 ? ", such as " : ", ", outcome->profile.others[i]);
    buffer_printf(text, "\n-- - instructions of forked children: %.4f of all instructions\n",
                  share((double)outcome->profile.header.child_instructions,
                        all + (double)outcome->profile.header.child_instructions));
    if (outcome->profile.header.executions > 0)
        buffer_printf(
            text,
            "-- - other programs, which its children tried to run %.0f times and which were not counted\n",
            (double)outcome->profile.header.executions);
    const struct clone_unit *unit = &outcome->phases[0].unit;
    double apart = clone_copies(counts) + clone_updates(counts) -
                   share(unit->copies + unit->updates.wide + unit->updates.small, unit->size);
    if (apart > LITTLE)
        buffer_printf(
            text, "-- - instructions that load and store: %.4f; it has a load and a store for each\n", apart);
    const char *between = "-- - misses of L1I, per instruction:";
    for (size_t i = 0; i < outcome->machine_count; i++)
        if (outcome->phases[0].unit.services[i].code_misses == 0) {
            buffer_printf(text, "%s %.6f on %s", between, share((double)counts->caches[i].l1i, all),
                          outcome->machines[i].name);
            between = ",";
        }
    buffer_text(text, between[1] == '\0' ? "\n" : "");
    buffer_text(text, "-- - the variation of the distances between dependent loads and of the lengths of "
                      "their chains\n");
    buffer_text(text, "-- - the order in which lines are reused\n"
                      "-- - the kernel's instructions, which were not counted\n");
}

void clone_recipe_write(const struct clone_outcome *outcome, size_t first, size_t count, const char *command,
                        struct buffer *text)
{
    buffer_text(text, "-- Made by trauma clone of: ");
    visible_append(text, command);
    buffer_text(text, "\n-- Rates are of user space, as qemu-user executes it, for the described caches.\n");
    add_inexpressible(outcome, text);
    for (size_t i = 0; i < count; i++)
        add_benchmark(outcome, first + i, text);
}
