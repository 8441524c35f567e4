#include "session/machine_validation.h"

#include "base/clock.h"
#include "base/units.h"
#include "isa/isa.h"
#include "runner/evidence/host.h"
#include "runner/sources/source.h"
#include "session/execute/check_points.h"
#include "session/execute/conditions_now.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- what the machine is, and what can be seen of it ---- */

static void add_cache(const char *name, const struct cache *cache, struct buffer *text)
{
    char size[40];
    if (cache->size > 0)
        buffer_printf(text, "%s%s %s, %u ways", text->size == 0 ? "" : "; ", name,
                      units_show_size(cache->size, size, sizeof size), cache->ways);
}

static void describe(const struct machine *machine, struct scorecard *card)
{
    struct buffer caches = {0};
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    add_cache("L1I", &machine->l1i, &caches);
    add_cache("L1D", &machine->l1d, &caches);
    add_cache("L2", &machine->l2, &caches);
    add_cache("L3", &machine->l3, &caches);
    card->version = TRAUMA_VERSION;
    card->date = arena_strdup(&card->arena, date);
    card->machine = arena_strdup(&card->arena, machine->name);
    card->cpu = arena_strdup(&card->arena, machine_cpu(machine, "model unknown"));
    card->isa = arena_strdup(&card->arena, machine->isa);
    card->caches = caches.size == 0 ? "none described" : arena_take(&card->arena, &caches);
    card->present = machine->present;
    card->is_virtual = machine->is_virtual;
}

/* Those that serve its programs and are asked. */
static void add_sources(const struct machine *machine, const char *counters, struct scorecard *card)
{
    for (const struct counter_source *const *at = counter_sources; *at != NULL; at++) {
        const struct counter_source *source = *at;
        struct error why = {0};
        bool of_silicon = evidence_kinds[source->kind].side == SIDE_SILICON;
        if (!source_serves(source, machine->isa) ||
            (counters != NULL && strstr(counters, source->name) == NULL) || (source == &counter_record))
            continue;
        struct score_source *added = card->sources =
            arena_next(&card->arena, card->sources, card->source_count, sizeof *card->sources);
        added += card->source_count++;
        *added = (struct score_source){.name = source->name, .kind = source->kind};
        if (of_silicon && !machine->present)
            added->why = "the machine is not the present one";
        else if (source_usable(source, &why) != STATUS_OK)
            added->why = arena_strdup(&card->arena, why.message);
        added->usable = added->why == NULL;
    }
}

static void add_warnings(const struct validation_request *request, const struct target_request *target,
                         struct scorecard *card)
{
    struct warnings warnings = {0};
    unsigned matters = conditions_that_matter(request->evidence.counters, false, false);
    if (matters != 0 && card->present)
        conditions_warn_now(target->root, host_choose_cpu(), matters, &warnings);
    for (size_t i = 0; i < warnings.count; i++) {
        card->warnings =
            arena_next(&card->arena, card->warnings, card->warning_count, sizeof *card->warnings);
        card->warnings[card->warning_count++] = arena_strdup(&card->arena, warnings.items[i].what);
    }
    warnings_free(&warnings);
}

static void add_behaviours(struct work *work, struct scorecard *card)
{
    struct suite_benchmark benchmark;
    for (size_t i = 0; work_benchmark(work, i, &benchmark); i++) {
        const struct benchmark *own = benchmark.own;
        struct score_behaviour behaviour = {.name = arena_strdup(&card->arena, own->name),
                                            .title = arena_strdup(&card->arena, benchmark_title(own))};
        for (size_t j = 0; j < own->plot_count; j++)
            for (size_t k = 0; k < own->plots[j].y.count; k++) {
                behaviour.metrics = arena_next(&card->arena, behaviour.metrics, behaviour.metric_count,
                                               sizeof *behaviour.metrics);
                behaviour.metrics[behaviour.metric_count++] =
                    arena_strdup(&card->arena, own->plots[j].y.items[k]);
            }
        bool selected = false;
        for (size_t j = 0; j < work->item_count; j++)
            selected = selected || strcmp(work->items[j].benchmark, own->name) == 0;
        if (!selected)
            continue;
        card->behaviours =
            arena_next(&card->arena, card->behaviours, card->behaviour_count, sizeof *card->behaviours);
        card->behaviours[card->behaviour_count++] = behaviour;
    }
}

/* ---- the check ---- */

struct card_filling {
    struct scorecard *card;
    struct tally *tally;
};

static void found(void *context, struct check_finding *finding)
{
    struct card_filling *filling = context;
    if (finding->failure == NULL)
        tally_rates(&finding->rates, filling->tally);
    else if (finding->code != STATUS_RECIPE)
        tally_failure(finding->code, filling->tally);
    scorecard_add(filling->card, finding);
    check_finding_free(finding);
}

enum status validate_machine(const struct validation_request *request, const struct selection *selection,
                             const struct target_request *target, struct scorecard *card, struct tally *tally,
                             struct error *error)
{
    struct work work;
    struct card_filling filling = {card, tally};
    double begin_s = clock_now_s();
    const struct check_request check = {.evidence = request->evidence,
                                        .jobs = request->jobs,
                                        .allow_state = request->allow_state,
                                        .until_s = begin_s + request->most_s,
                                        .tally = tally,
                                        .found = found,
                                        .context = &filling};
    enum status status = work_open(selection, target, &work, error);
    if (status == STATUS_OK) {
        const struct machine *machine = work_machine(&work.sources[0]);
        describe(machine, card);
        add_sources(machine, request->evidence.counters, card);
        add_warnings(request, target, card);
        add_behaviours(&work, card);
    }
    work_close(&work);
    if (status == STATUS_OK)
        status = check_programs(&check, selection, target, error);
    card->seconds = clock_now_s() - begin_s;
    return status;
}
