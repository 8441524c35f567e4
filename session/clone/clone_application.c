#include "session/clone/clone_application.h"

#include "base/file.h"
#include "base/files/paths.h"
#include "base/memory.h"
#include "generator/kernel/operations.h"
#include "generator/plan/plan_forms.h"
#include "runner/sources/bytes/code_listing.h"
#include "runner/sources/qemu/application_code.h"
#include "runner/sources/qemu/qemu_program.h"
#include "session/find_machine.h"
#include "session/work.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Passes of a clone that are counted. */
enum { WORD = 8, WORD_HALF = 32, PASSES = 100, TEXT_BYTES = 96 };

struct cloning {
    const struct clone_request *request;
    struct clone_outcome *outcome;
    const struct machine *machines[APP_MACHINES]; /* the outcome's */
    char command[512], trial[FILE_PATH_BYTES];
};

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* ---- where accesses are served ---- */

/* A way to round counted shares to whole accesses. Shares below `least` go to the next nearer level. */
struct rounding {
    double least;
    unsigned scale,
        scale_of_few; /* denominator: accesses per access of the unit; scale_of_few if there are few */
    bool stores_hit;  /* stores hit; loads have their misses too */
    bool joined;      /* L3 serves memory's accesses too */
};

static const struct rounding roundings[] = {
    {0.0005, 20, 100, false, false}, {0.0005, 20, 100, true, false}, {0.0005, 1, 1, false, false},
    {0.0005, 1, 1, true, false},     {0.002, 1, 1, false, false},    {0.002, 1, 1, true, false},
    {0.004, 1, 1, false, false},     {0.004, 1, 1, true, false},     {0.0005, 1, 1, true, true},
    {0.02, 1, 1, true, false},       {2, 1, 1, true, false},
};

/* COARSE: the last rounding before the joined one. */
enum { ROUNDINGS = sizeof roundings / sizeof roundings[0], COARSE = 7, ALL_HIT = ROUNDINGS - 1 };

/* Simplifications of a unit, each in addition to those before, as a loop has few registers. */
enum simplicity {
    WHOLE,
    FROM_VECTORS, /* stored words come from vector registers, if the ISA has such stores */
    ALIKE_FAR,    /* loads that miss all read the same word */
    WITHOUT_RANDOM_JUMPS,
    WITHOUT_DIVISIONS,
    WITHOUT_FLIPS,  /* one stored word, if it comes from a general register */
    WITHOUT_STORED, /* likewise, and it is zero */
    WITHOUT_JUMPS,
    WITHOUT_WORDS,
    WITHOUT_WIDTHS,
    WITHOUT_CHASES,
    ONLY_ADDITIONS,
    SIMPLICITIES
};

/* A lower bound of the unit's distance from the application, as a rate, without its accesses' misses. */
static double least_loss(const struct clone_outcome *outcome, const struct application_counts *counts,
                         enum simplicity simplicity)
{
    static const double LEAST[SIMPLICITIES] = {
        [FROM_VECTORS] = 0.0002,     [ALIKE_FAR] = 0.0003,    [WITHOUT_RANDOM_JUMPS] = 0.0005,
        [WITHOUT_DIVISIONS] = 0.001, [WITHOUT_FLIPS] = 0.006, [WITHOUT_STORED] = 0.012,
        [WITHOUT_JUMPS] = 0.014,     [WITHOUT_WORDS] = 0.02,  [WITHOUT_WIDTHS] = 0.03,
        [WITHOUT_CHASES] = 0.1,      [ONLY_ADDITIONS] = 0.3};
    double all = (double)counts->tally.instructions, most = LEAST[simplicity];
    if (simplicity >= WITHOUT_JUMPS)
        most = fmax(most, share((double)counts->tally.jumps, all));
    for (size_t i = CLASS_FIRST; simplicity >= WITHOUT_DIVISIONS && i < outcome->classes.count; i++)
        if (strcmp(outcome->classes.items[i].name, "div") == 0)
            most = fmax(most, share(counts->classes[i], all));
    return most;
}

static void count_served(const struct app_tally *tally, const struct app_caches *caches, bool has_l3,
                         int kind, double served[LEVEL_COUNT])
{
    double l1 = (double)caches->l1d[kind], l2 = (double)caches->l2[kind], l3 = (double)caches->l3[kind];
    served[LEVEL_L1] = (double)tally->accesses[kind] - l1;
    served[LEVEL_L2] = l1 - l2;
    served[LEVEL_L3] = has_l3 ? l2 - l3 : 0;
    served[LEVEL_MEM] = has_l3 ? l3 : l2;
}

/* The unit's accesses of a kind, APP_LOAD or APP_STORE. */
static unsigned unit_accesses(const struct clone_unit *unit, int kind)
{
    return kind == APP_LOAD
               ? unit->loads + unit->small_loads
               : unit->stores + unit->small_stores + unit->copies + unit->updates.wide + unit->updates.small;
}

double clone_updates(const struct application_counts *counts)
{
    return share(counts->updates, (double)counts->tally.instructions);
}

double clone_copies(const struct application_counts *counts)
{
    const struct app_tally *tally = &counts->tally;
    double accesses = (double)(tally->accesses[APP_LOAD] + tally->accesses[APP_STORE]);
    return fmax(0, share(accesses - counts->classes[CLASS_LOAD] - counts->classes[CLASS_STORE],
                         (double)tally->instructions) -
                       clone_updates(counts));
}

/* Rounds the shares of accesses, which sum to 1. */
static void round_served(const double shares[LEVEL_COUNT], unsigned count, double least, unsigned scale,
                         struct clone_service *service, int kind)
{
    double left[LEVEL_COUNT];
    memcpy(left, shares, sizeof left);
    service->of[kind] = count * scale;
    unsigned given = 0;
    double passed = 0; /* accesses that miss the level before */
    for (int level = LEVEL_MEM; level > LEVEL_L1; level--) {
        passed += left[level] * service->of[kind];
        unsigned served = (unsigned)fmax(0, (double)lround(passed) - given);
        if (left[level] < least || served == 0) {
            int before = level == LEVEL_MEM && shares[LEVEL_L3] <= 0 ? LEVEL_L2 : level - 1;
            left[before] += left[level];
            passed -= left[level] * service->of[kind];
            served = 0;
        }
        served = served < service->of[kind] - given ? served : service->of[kind] - given;
        service->served[kind][level] = served;
        given += served;
    }
    service->served[kind][LEVEL_L1] = service->of[kind] - given;
}

/* Misses of the data TLB per access; NAN: its size is unknown. */
static double tlb_rate(const struct clone_outcome *outcome, const struct clone_phase *phase, size_t machine)
{
    const struct app_tally *tally = &phase->counts.tally;
    return outcome->machines[machine].data_tlb.entries == 0
               ? NAN
               : share((double)phase->counts.caches[machine].tlb,
                       (double)(tally->accesses[APP_LOAD] + tally->accesses[APP_STORE]));
}

/* The unit's accesses that miss the data TLB; 0: too few to state. */
static unsigned tlb_misses_of(const struct clone_outcome *outcome, const struct clone_phase *phase,
                              size_t machine)
{
    static const double LEAST_TLB = 0.002;
    const struct clone_unit *unit = &phase->unit;
    double rate = tlb_rate(outcome, phase, machine);
    if (isnan(rate) || rate < LEAST_TLB)
        return 0;
    return (unsigned)lround(rate * (unit_accesses(unit, APP_LOAD) + unit_accesses(unit, APP_STORE)));
}

/* Misses of L1I per instruction below which there is no code{}, and their weight compared with other misses.
 */
static const double LEAST_CODE_MISS = 0.0003, CODE_MISS_WEIGHT = 3;

static double code_miss_rate(const struct clone_phase *phase, size_t machine)
{
    return share((double)phase->counts.caches[machine].l1i, (double)phase->counts.tally.instructions);
}

/* Chooses the pieces of code{}, the first of which have copies and so miss together in some passes. With few
 * misses there are none, as copies take instructions. */
static void choose_code(const struct clone_phase *phase, size_t machine, struct clone_service *service)
{
    static const unsigned periods[] = {1, 2, 4, 5, 10, 20, 50};
    static const double NEAR = 0.005;
    double rate = code_miss_rate(phase, machine);
    double wanted = rate < LEAST_CODE_MISS ? 0 : rate * phase->unit.size, off = INFINITY;
    unsigned together = (unsigned)ceil(wanted), moves = 0, period = 1;
    for (size_t i = 0; off > NEAR && i < sizeof periods / sizeof periods[0]; i++) {
        unsigned own = (unsigned)lround(share(wanted, together) * periods[i]);
        double own_off = fabs(wanted - (double)together * own / periods[i]);
        if (own_off < off)
            off = own_off, moves = own, period = periods[i];
    }
    service->pieces = together > 0 ? together + 1 : 2;
    service->code_misses = together * moves;
    service->code_of = period;
}

/* The largest difference, over the levels, between the misses of the unit's accesses and the application's.
 */
static double kind_error(const struct clone_outcome *outcome, const struct clone_phase *phase, size_t machine,
                         int kind)
{
    const struct app_tally *tally = &phase->counts.tally;
    const struct clone_unit *unit = &phase->unit;
    const struct clone_service *service = &unit->services[machine];
    const unsigned wide[] = {unit->far, unit->stores > 0 ? unit->stores : unit->small_stores},
                   all[] = {unit_accesses(unit, APP_LOAD), unit_accesses(unit, APP_STORE)};
    double most = 0, passed = 0, counted[LEVEL_COUNT];
    count_served(tally, &phase->counts.caches[machine], outcome->machines[machine].l3.size > 0, kind,
                 counted);
    for (int level = LEVEL_MEM; level > LEVEL_L1; level--) {
        passed += share(counted[level], (double)tally->accesses[kind]) -
                  share(share(service->served[kind][level], service->of[kind]) * wide[kind], all[kind]);
        most = fmax(most, fabs(passed));
    }
    return most;
}

static double service_error(const struct clone_outcome *outcome, const struct clone_phase *phase,
                            size_t machine)
{
    return fmax(kind_error(outcome, phase, machine, APP_LOAD),
                kind_error(outcome, phase, machine, APP_STORE));
}

/* If a whole number of misses per pass is this near to the count, as a rate, no access needs to miss in only
 * some passes, which takes more instructions. */
static const double EVEN = 0.001;

static void choose_service(const struct clone_outcome *outcome, struct clone_phase *phase, size_t machine,
                           const struct rounding *rounding, int tlb_misses)
{
    const struct app_tally *tally = &phase->counts.tally;
    const struct app_caches *caches = &phase->counts.caches[machine];
    struct clone_unit *unit = &phase->unit;
    struct clone_service *service = &unit->services[machine];
    const unsigned wide[] = {unit->far, unit->stores > 0 ? unit->stores : unit->small_stores},
                   all[] = {unit_accesses(unit, APP_LOAD), unit_accesses(unit, APP_STORE)};
    enum { FEW = 10 };
    *service = (struct clone_service){.pieces = 0};
    if (unit->coded)
        choose_code(phase, machine, service);
    double served[APP_KINDS][LEVEL_COUNT];
    for (int kind = 0; kind < APP_KINDS; kind++)
        count_served(tally, caches, outcome->machines[machine].l3.size > 0, kind, served[kind]);
    if (rounding->stores_hit && unit->far > 0)
        for (int level = LEVEL_L2; level < LEVEL_COUNT; level++) {
            served[APP_LOAD][level] += served[APP_STORE][level];
            served[APP_LOAD][LEVEL_L1] -= served[APP_STORE][level];
            served[APP_STORE][LEVEL_L1] += served[APP_STORE][level];
            served[APP_STORE][level] = 0;
        }
    for (int kind = 0; rounding->joined && outcome->machines[machine].l3.size > 0 && kind < APP_KINDS;
         kind++) {
        served[kind][LEVEL_L3] += served[kind][LEVEL_MEM];
        served[kind][LEVEL_MEM] = 0;
    }
    for (int kind = 0; kind < APP_KINDS; kind++) {
        /* Only some accesses miss, on behalf of all. */
        double times = share(all[kind], wide[kind]), rest = 1, shares[LEVEL_COUNT] = {0};
        for (int level = LEVEL_L2; level < LEVEL_COUNT; level++) {
            shares[level] = fmin(rest, times * share(served[kind][level], (double)tally->accesses[kind]));
            rest -= shares[level];
        }
        shares[LEVEL_L1] = rest;
        round_served(shares, wide[kind], times * rounding->least, 1, service, kind);
        if (rounding->scale > 1 && kind_error(outcome, phase, machine, kind) > EVEN)
            round_served(shares, wide[kind], times * rounding->least,
                         all[kind] < FEW ? rounding->scale_of_few : rounding->scale, service, kind);
    }
    service->tlb_stated = tlb_misses >= 0;
    service->tlb_misses = tlb_misses > 0 ? (unsigned)tlb_misses : 0;
    service->tlb_of = all[APP_LOAD] + all[APP_STORE];
}

/* ---- the unit ---- */

static void split_widths(const struct app_tally *tally, int kind, unsigned count, unsigned *wide,
                         unsigned *small)
{
    static const double LEAST = 0.1;
    double narrow = 0, all = 0;
    for (size_t i = 0; i < APP_WIDTHS; i++) {
        narrow += i <= 2 ? (double)tally->widths[kind][i] : 0;
        all += (double)tally->widths[kind][i];
    }
    double part = share(narrow, all);
    *small = part < LEAST ? 0 : part > 1 - LEAST ? count : (unsigned)lround(part * count);
    *wide = count - *small;
}

static bool is_operation(const struct clone_outcome *outcome, size_t class)
{
    const char *name = outcome->classes.items[class].name;
    return class >= CLASS_FIRST && strcmp(name, "access") != 0 && strcmp(name, "copy") != 0 &&
           strcmp(name, "branch") != 0;
}

/* Replaces operations that a machine lacks; as a simplification, divisions by multiplications, and all by
 * additions. */
static void replace_operations(const struct clone_outcome *outcome, enum simplicity simplicity,
                               struct clone_unit *unit)
{
    enum { WIDTH = 8 };
    bool all = simplicity == ONLY_ADDITIONS;
    const struct instruction_class *items = outcome->classes.items;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        if (outcome->stand_in[i] != i) {
            unit->operations[outcome->stand_in[i]] += unit->operations[i];
            unit->operations[i] = 0;
        }
    for (size_t i = CLASS_FIRST; simplicity >= WITHOUT_DIVISIONS && i < outcome->classes.count; i++)
        for (size_t j = CLASS_FIRST; j < outcome->classes.count; j++)
            if (i != j && items[j].width == WIDTH && strcmp(items[j].name, all ? "add" : "mul") == 0 &&
                (all ? strcmp(items[i].name, "nop") != 0 : strcmp(items[i].name, "div") == 0)) {
                unit->operations[j] += unit->operations[i];
                unit->operations[i] = 0;
            }
}

/* The size of the index-th of `parts` even parts of `all`. */
static unsigned part_of(unsigned all, unsigned parts, unsigned index)
{
    return all * (index + 1) / parts - all * index / parts;
}

/* Fills the words' bits from `first` on. Some columns of bits change, with the ones and the runs of ones; the
 * other columns are constant. */
static void fill_half(struct clone_words *words, unsigned first, unsigned ones, unsigned runs)
{
    enum { STEP = 5 };
    unsigned count = words->count, changing = runs < WORD_HALF ? runs : WORD_HALF,
             most = changing * count - runs;
    unsigned full = ones > most ? (ones - most + count / 2) / count : 0;
    full = full > WORD_HALF - changing ? WORD_HALF - changing : full;
    ones -= full * count < ones ? full * count : ones;
    for (unsigned i = 0; i < changing + full; i++) {
        bool changes = i < changing;
        unsigned parts = changes ? part_of(runs, changing, i) : 1;
        unsigned own = changes ? part_of(ones, changing, i) : count;
        own = own < parts ? parts : changes && own > count - parts ? count - parts : own;
        for (unsigned part = 0, at = i * STEP; part < parts; part++) {
            for (unsigned j = part_of(own, parts, part); j > 0; j--)
                words->words[at++ % count] |= UINT64_C(1) << (first + i);
            at += part_of(count - own, parts, part);
        }
    }
}

/* Makes words with these shares of ones and flips, in both halves, as some accesses have 4 bytes. */
static void make_words(double one, double flips, unsigned count, struct clone_words *words)
{
    *words = (struct clone_words){.count = count};
    double half = WORD_HALF * words->count;
    one = fmin(1, one);
    flips = fmin(flips, 2 * fmin(one, 1 - one));
    unsigned runs = count == 1 ? 0 : (unsigned)lround(half * flips / 2), filled = 0;
    fill_half(words, 0, (unsigned)lround(half * one), runs);
    for (unsigned i = 0; i < words->count; i++)
        filled += (unsigned)__builtin_popcountll(words->words[i]);
    unsigned both = (unsigned)lround(2 * half * one);
    fill_half(words, WORD_HALF, both > filled ? both - filled : 0,
              count == 1 ? 0 : (unsigned)lround(half * flips) - runs);
}

/* Sets the number of far loads: twice the misses of a unit, on the machine with the most. */
static void count_far(const struct clone_outcome *outcome, struct clone_phase *phase)
{
    static const double LEAST = 0.0005;
    const struct app_tally *tally = &phase->counts.tally;
    struct clone_unit *unit = &phase->unit;
    double most = 0;
    for (size_t i = 0; i < outcome->machine_count; i++) {
        const uint64_t *missed = phase->counts.caches[i].l1d;
        most = fmax(most,
                    share((double)(missed[APP_LOAD] + missed[APP_STORE]), (double)tally->accesses[APP_LOAD]));
    }
    unsigned loads = unit->loads + unit->small_loads;
    double far = most < LEAST ? 0 : ceil(2 * most * loads);
    unit->far = far < loads ? (unsigned)far : loads;
    if (unit->loads > 0 && unit->far > unit->loads) { /* all of them are of one width */
        unit->loads = unit->far;
        unit->small_loads = loads - unit->far;
    }
}

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static double clamped(double part)
{
    return fmin(1, fmax(0, part));
}

/* True if most instances of the operation in general registers have fewer than 8 bytes. */
static bool is_narrow(const struct clone_outcome *outcome, const struct application_counts *counts,
                      const char *name)
{
    double narrow = 0;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++) {
        const struct instruction_class *class = &outcome->classes.items[i];
        if (class->width <= WORD && strcmp(class->name, name) == 0)
            narrow += class->width < WORD ? counts->classes[i] : -counts->classes[i];
    }
    return narrow > 0;
}

/* The share of logic operations in general registers, of the more frequent width. Loads that lead add some.
 */
static double logic_of(const struct clone_outcome *outcome, const struct application_counts *counts)
{
    double most = 0;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        if (strcmp(outcome->classes.items[i].name, "xor") == 0 && outcome->classes.items[i].width <= WORD)
            most = fmax(most, counts->classes[i]);
    return share(most, (double)counts->tally.instructions);
}

/* The share of additional logic operations that is acceptable. */
static const double SPARE_LOGIC = 0.004;

/* The number of logic operations that loads which lead may add: no more than the application has. */
static double logic_to_lead(const struct clone_outcome *outcome, const struct application_counts *counts,
                            const struct clone_correction *correction, const struct clone_unit *unit)
{
    static const double TESTS = 0.75; /* logic of a random branch */
    return unit->size * (SPARE_LOGIC + logic_of(outcome, counts) + correction->by[CORRECT_LOGIC]) -
           TESTS * unit->random;
}

/* The number of loads that lead, so that led loads stand at this mean distance behind them. */
static double leads_for(const struct clone_unit *unit, double led, double distance)
{
    double places = unit->size - unit->branches - unit->jumps;
    return (places - led / 2) / (distance + 2);
}

/* True if the application has far too few logic operations. */
static bool zeros_should_lead(const struct clone_outcome *outcome, const struct application_counts *counts,
                              const struct clone_unit *unit)
{
    static const double FEW = 0.5;
    const struct application_waits *found = &counts->waits;
    double led = (unit->loads + unit->small_loads) * share(found->waiting, found->loads);
    const struct clone_correction none = {.flips_more = false};
    return logic_to_lead(outcome, counts, &none, unit) <
           FEW * leads_for(unit, led, share(found->instructions, found->waiting));
}

/* The number of loads that lead. With fewer, each has a longer part of the unit for the loads that wait for
 * it. */
static unsigned count_leads(const struct clone_outcome *outcome, const struct application_counts *counts,
                            const struct clone_correction *correction, const struct clone_unit *unit,
                            unsigned led, double distance, double chained)
{
    static const double REACH = 48, CHAINED = 0.1;
    double places = unit->size - unit->branches - unit->jumps;
    double logic = unit->zeros_lead ? INFINITY : logic_to_lead(outcome, counts, correction, unit);
    double leads = fmin(logic, leads_for(unit, led, distance));
    if (chained > CHAINED)
        leads = fmax(leads, fmin(places / REACH, logic + SPARE_LOGIC * unit->size));
    return (unsigned)fmin(led, fmax(1, leads));
}

/* Divides the near loads of each role by width, in the proportion of all near loads. */
static void split_roles(const unsigned counts[CLONE_ROLES], unsigned near, unsigned small,
                        struct clone_unit *unit)
{
    unsigned after = 0, given = 0;
    for (int role = 0; role < CLONE_ROLES; role++) {
        after += counts[role];
        unsigned part = (unsigned)lround(share((double)after * small, near)) - given;
        given += part;
        unit->near[role] = (struct clone_loads){counts[role] - part, part};
    }
}

/* Sets the roles of loads. Loads that wait are led; far loads only if near ones do not suffice. The loads
 * that lead divide the unit into parts; one that also waits does so for the one of the previous part. */
static void count_waiting(const struct clone_outcome *outcome, const struct application_counts *counts,
                          const struct clone_correction *correction, bool waits, struct clone_unit *unit)
{
    const struct application_waits *found = &counts->waits;
    unsigned all = unit->loads + unit->small_loads, roles[CLONE_ROLES] = {0};
    double chained = clamped(share(found->chained, found->waiting) + correction->by[CORRECT_CHAINED]),
           distance = fmax(1, share(found->instructions, found->waiting) + correction->by[CORRECT_DISTANCE]),
           waiting =
               waits ? clamped(share(found->waiting, found->loads) + correction->by[CORRECT_WAITING]) : 0;
    /* The first load behind the branches is too far from its leading load. */
    unsigned apart = unit->branches > WAIT_REACH && found->chained > 0;
    double places = unit->size - unit->branches - unit->jumps;
    unsigned led = waiting > 0 ? least_of((unsigned)lround(all * waiting) + apart, all) : 0;
    if (led > all - unit->far && led < unit->far) /* half of the far loads miss */
        unit->far = all - led > unit->far / 2 ? all - led : (unit->far + 1) / 2;
    unsigned near = all - unit->far, small = unit->loads > 0 ? unit->small_loads : near;
    unit->far_led = led > near && led >= unit->far && near > 0;
    unsigned near_led = unit->far_led ? led - unit->far : least_of(led, near);
    unit->zeros_lead = zeros_should_lead(outcome, counts, unit);
    if (led > 0 && near > 0) {
        unsigned leads = count_leads(outcome, counts, correction, unit, led, distance, chained);
        if (leads * WAIT_REACH < places) /* leading loads are too far apart to wait for each other */
            chained = apart = 0;
        if (chained * leads + apart > near_led) /* fewer lead, and a larger share of them wait */
            leads = (unsigned)fmax(1, floor(((double)near_led - apart) / chained));
        roles[ROLE_LED_LEADS] =
            least_of((unsigned)lround(chained * leads + apart), least_of(near_led, leads));
        roles[ROLE_LEADS] = leads - roles[ROLE_LED_LEADS];
        if (roles[ROLE_LEADS] > near - near_led && roles[ROLE_LED_LEADS] > 0)
            roles[ROLE_LEADS] = near - near_led; /* all other loads wait */
        roles[ROLE_LEADS] = least_of(roles[ROLE_LEADS], near);
        roles[ROLE_LED] = least_of(near_led, near - roles[ROLE_LEADS]) - roles[ROLE_LED_LEADS];
    }
    roles[ROLE_FREE] = near - roles[ROLE_LEADS] - roles[ROLE_LED_LEADS] - roles[ROLE_LED];
    unsigned behind = led - least_of(led, roles[ROLE_LED_LEADS]);
    unit->behind =
        (unsigned)fmin(WAIT_REACH, fmax(1, lround(share(distance * led - chained * places, behind)) - 1));
    split_roles(roles, near, small, unit);
    if (unit->zeros_lead) {
        const struct clone_loads *leads = &unit->near[ROLE_LEADS];
        unsigned with =
            least_of((unsigned)fmax(0, logic_to_lead(outcome, counts, correction, unit)), roles[ROLE_LEADS]);
        unsigned narrow = (unsigned)lround(share((double)with * leads->small, roles[ROLE_LEADS]));
        unit->with_logic = (struct clone_loads){with - narrow, narrow};
    }
}

/* Removes up to `count` free loads from the unit, those of 4 bytes last; returns how many. */
static unsigned take_free(struct clone_unit *unit, unsigned count)
{
    struct clone_loads *near = &unit->near[ROLE_FREE];
    unsigned wide = least_of(count, near->wide), small = least_of(count - wide, near->small);
    near->wide -= wide;
    near->small -= small;
    return wide + small;
}

/* A unit has instructions that both load and store if the application's share of them is at least this. */
static const double LEAST_JOINED = 0.002;

/* The stores of each width that may become part of such instructions; the others have the misses of all
 * stores. */
static struct clone_loads stores_to_join(const struct clone_outcome *outcome,
                                         const struct application_counts *counts,
                                         const struct clone_unit *unit)
{
    static const double LEAST = 0.03, OF_MISSES = 4;
    double kept = LEAST, stores = (double)counts->tally.accesses[APP_STORE];
    for (size_t i = 0; i < outcome->machine_count; i++)
        kept = fmax(kept, OF_MISSES * share((double)counts->caches[i].l1d[APP_STORE], stores));
    kept = fmin(1, kept);
    return (struct clone_loads){(unsigned)((1 - kept) * unit->stores),
                                (unsigned)((1 - kept) * unit->small_stores)};
}

/* Adds copies; each replaces a store and two free loads. */
static void join_copies(const struct clone_outcome *outcome, const struct application_counts *counts,
                        struct clone_loads *stores, struct clone_unit *unit)
{
    const struct clone_loads *near = &unit->near[ROLE_FREE];
    unsigned copies = least_of((near->wide + near->small) / 2, stores->wide + stores->small);
    if (!outcome->copies || clone_copies(counts) < LEAST_JOINED)
        return;
    copies = least_of(copies, (unsigned)lround(clone_copies(counts) * unit->size));
    unsigned wide = least_of(copies, stores->wide);
    (void)take_free(unit, 2 * copies);
    unit->copies = copies;
    unit->stores -= wide;
    unit->small_stores -= copies - wide;
    stores->wide -= wide;
    stores->small -= copies - wide;
}

/* Joins free loads and stores to instructions that do both, as often as the application has them. */
static void join_accesses(const struct clone_outcome *outcome, const struct application_counts *counts,
                          struct clone_unit *unit)
{
    double updates = clone_updates(counts) * unit->size;
    struct clone_loads *near = &unit->near[ROLE_FREE], joined, stores = stores_to_join(outcome, counts, unit);
    join_copies(outcome, counts, &stores, unit);
    unsigned all = unit->stores + unit->small_stores;
    if (!outcome->updates || updates < LEAST_JOINED * unit->size || all == 0)
        return;
    joined.small = least_of((unsigned)lround(updates * unit->small_stores / all), near->small);
    joined.small = least_of(joined.small, stores.small);
    joined.wide = least_of((unsigned)lround(updates) - joined.small, near->wide);
    joined.wide = least_of(joined.wide, stores.wide);
    near->wide -= joined.wide;
    near->small -= joined.small;
    unit->stores -= joined.wide;
    unit->small_stores -= joined.small;
    unit->updates = joined;
}

/* Lets up to `more` jumps load their targets, in place of free loads; returns how many. */
static unsigned load_targets(struct clone_unit *unit, unsigned more)
{
    if (unit->branches == 0) /* their loop needs a conditional branch */
        return 0;
    more = least_of(more, unit->jumps - unit->random_jumps - unit->loaded_jumps);
    more = take_free(unit, more);
    unit->loaded_jumps += more;
    return more;
}

static void make_loaded(const struct app_tally *tally, const struct clone_correction *correction,
                        enum simplicity simplicity, struct clone_unit *unit)
{
    static const double FEW = 0.1, MOST_ZEROS = 0.3;
    if (tally->bits[APP_LOAD] == 0)
        return;
    double ones =
        share((double)tally->ones[APP_LOAD], (double)tally->bits[APP_LOAD]) + correction->by[CORRECT_ONES];
    double flips = share((double)tally->toggles[APP_LOAD], (double)tally->compared[APP_LOAD]) +
                   correction->by[CORRECT_FLIPS];
    if (unit->zeros_lead) { /* the other loads must have the ones of those that read zeros */
        unsigned leads = unit->near[ROLE_LEADS].wide + unit->near[ROLE_LEADS].small +
                         unit->near[ROLE_LED_LEADS].wide + unit->near[ROLE_LED_LEADS].small -
                         unit->with_logic.wide - unit->with_logic.small;
        double zeros = fmin(MOST_ZEROS, share(leads, unit->loads + unit->small_loads));
        ones /= 1 - zeros;
        flips = (flips - 2 * zeros * ones) / (1 - 2 * zeros);
    }
    make_words(fmax(0, ones), fmax(0, flips), CLONE_WORDS, &unit->near_words);
    bool few = !unit->far_led && unit->far < FEW * (unit->loads + unit->small_loads);
    few = few || simplicity >= ALIKE_FAR;
    make_words(fmax(0, ones), few ? 0 : fmax(0, flips), few ? 1 : CLONE_WORDS, &unit->far_words);
}

/* A unit has indirect jumps if the application has at least this many per instruction. */
static const double LEAST_JUMPS = 0.004;

/* The number of random branches, half of which are mispredicted. */
static unsigned random_branches(const struct app_tally *tally, unsigned branches)
{
    double missed = share((double)tally->branch_misses, (double)tally->branches);
    return (unsigned)lround(fmin(1, 2 * missed) * branches);
}

/* Twice the number of taken branches: one for each random branch, and two for each taken other. */
static unsigned taken_halves(const struct app_tally *tally, unsigned branches, unsigned random)
{
    double taken = branches * share((double)tally->taken, (double)tally->branches) - random / 2.0;
    return random + 2 * (unsigned)lround(fmin(fmax(0, taken), branches - random));
}

/* With fewer branches in a unit, whole numbers may be far from the shares that are taken and mispredicted. */
static const double FEW_BRANCHES = 40;

/* The unit's size in instructions: half of the smallest L1I, with few enough branches for a small predictor.
 * The code behind an indirect jump never runs. A unit with few branches has more instructions, as these are
 * shorter. */
static unsigned unit_size(const struct clone_outcome *outcome, const struct app_tally *tally,
                          unsigned halvings, bool coded)
{
    static const double MOST = 1600, LEAST = 100, BRANCHES = 120, BYTES = 8, JUMP_BYTES = 160, LONG = 3000,
                        SHORT_BYTES = 5.5;
    double all = (double)tally->instructions, jumps = share((double)tally->jumps, all);
    bool few = MOST * share((double)tally->branches, all) < FEW_BRANCHES;
    double bytes = (few ? SHORT_BYTES : BYTES) + (jumps >= LEAST_JUMPS ? jumps * JUMP_BYTES : 0);
    double size = fmin(few ? LONG : MOST, share(BRANCHES * all, (double)tally->branches + 1));
    if (outcome->isa->branch_reach > 0 && !coded)
        size = fmin(size, (double)outcome->isa->branch_reach / bytes);
    for (size_t i = 0; i < outcome->machine_count; i++)
        size = fmin(size, (double)outcome->machines[i].l1i.size / (2 * bytes));
    return (unsigned)fmax(LEAST, size / (1U << halvings));
}

/* The rounding error of misses in a unit of that size: 1 for each machine and kind of access whose whole
 * misses are not near enough to the counts, plus the largest difference of rates. */
static double uneven(const struct clone_outcome *outcome, const struct application_counts *counts,
                     unsigned size)
{
    const struct app_tally *tally = &counts->tally;
    double most = 0, far = 0, accesses = 0;
    for (int kind = 0; kind < APP_KINDS; kind++) {
        double own = round(size * share((double)tally->accesses[kind], (double)tally->instructions));
        accesses += own;
        for (size_t i = 0; own > 0 && i < outcome->machine_count; i++) {
            double served[LEVEL_COUNT], off = 0, misses = 0;
            count_served(tally, &counts->caches[i], outcome->machines[i].l3.size > 0, kind, served);
            for (int level = LEVEL_MEM; level > LEVEL_L1; level--) {
                misses += own * share(served[level], (double)tally->accesses[kind]);
                off = fmax(off, fabs(misses - round(misses)) / own);
            }
            far += off > EVEN;
            most = fmax(most, off);
        }
    }
    unsigned branches = (unsigned)lround(size * share((double)tally->branches, (double)tally->instructions));
    if (branches > 0 && branches < FEW_BRANCHES) {
        unsigned random = random_branches(tally, branches), taken = taken_halves(tally, branches, random);
        most = fmax(most, fabs(random / (2.0 * branches) -
                               share((double)tally->branch_misses, (double)tally->branches)));
        most =
            fmax(most, fabs(taken / (2.0 * branches) - share((double)tally->taken, (double)tally->branches)));
    }
    for (size_t i = 0; accesses > 0 && i < outcome->machine_count; i++) {
        double misses = accesses * share((double)counts->caches[i].tlb,
                                         (double)(tally->accesses[APP_LOAD] + tally->accesses[APP_STORE]));
        most = fmax(most, fabs(misses - round(misses)) / accesses);
    }
    return far + most;
}

/* The size, at most a seventh smaller, at which misses are nearest to whole numbers, so that few instructions
 * are needed for misses in only some passes. */
static unsigned even_size(const struct clone_outcome *outcome, const struct application_counts *counts,
                          unsigned size)
{
    unsigned best = size;
    double least = INFINITY;
    for (unsigned i = size; i >= size - size / 7; i--) {
        double off = uneven(outcome, counts, i);
        if (off < least)
            least = off, best = i;
    }
    return best;
}

static void begin_unit(const struct clone_outcome *outcome, struct clone_phase *phase,
                       enum simplicity simplicity)
{
    const struct application_counts *counts = &phase->counts;
    const struct app_tally *tally = &counts->tally;
    struct clone_unit *unit = &phase->unit;
    double all = (double)tally->instructions;
    unsigned size = unit_size(outcome, tally, phase->halvings, phase->coded);
    *unit = (struct clone_unit){.size = even_size(outcome, counts, size), .coded = phase->coded};
    split_widths(tally, APP_LOAD,
                 (unsigned)lround(unit->size * share((double)tally->accesses[APP_LOAD], all)), &unit->loads,
                 &unit->small_loads);
    split_widths(tally, APP_STORE,
                 (unsigned)lround(unit->size * share((double)tally->accesses[APP_STORE], all)), &unit->stores,
                 &unit->small_stores);
    unit->branches = (unsigned)lround(unit->size * share((double)tally->branches, all));
    unit->narrow_tests = outcome->narrow_tests && is_narrow(outcome, counts, "compare");
    unit->wide_logic = outcome->narrow_logic && !is_narrow(outcome, counts, "xor");
    unit->random = random_branches(tally, unit->branches);
    unit->taken = taken_halves(tally, unit->branches, unit->random);
    if (share((double)tally->jumps, all) >= LEAST_JUMPS && simplicity < WITHOUT_JUMPS)
        unit->jumps = (unsigned)lround(unit->size * share((double)tally->jumps, all));
    if (simplicity < WITHOUT_RANDOM_JUMPS)
        unit->random_jumps = (unsigned)lround(
            fmin(1, 2 * share((double)tally->jump_misses, (double)tally->jumps)) * unit->jumps);
    if (simplicity >= WITHOUT_WIDTHS) {
        unit->loads += unit->small_loads;
        unit->stores += unit->small_stores;
        unit->small_loads = unit->small_stores = 0;
    }
    count_far(outcome, phase);
    count_waiting(outcome, counts, &phase->correction, simplicity < WITHOUT_CHASES, unit);
    join_accesses(outcome, counts, unit);
    if (simplicity < WITHOUT_WORDS)
        make_loaded(tally, &phase->correction, simplicity, unit);
    bool vectors = outcome->vector_stores, more = phase->correction.flips_more;
    if ((vectors || simplicity < WITHOUT_STORED) && tally->bits[APP_STORE] > 0)
        make_words(fmax(0, share((double)tally->ones[APP_STORE], (double)tally->bits[APP_STORE]) +
                               phase->correction.by[CORRECT_STORED_ONES]),
                   fmax(0, share((double)tally->toggles[APP_STORE], (double)tally->compared[APP_STORE]) +
                               phase->correction.by[CORRECT_STORED_FLIPS]),
                   !vectors && simplicity >= WITHOUT_FLIPS ? 1
                   : vectors && more                       ? 4
                                                           : 2,
                   &unit->stored_words);
    unit->from_vectors = vectors && (more || simplicity >= FROM_VECTORS) && unit->stored_words.count > 0;
    unit->stored_apart = !vectors && more && unit->stored_words.count == 2;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        if (is_operation(outcome, i))
            unit->operations[i] = (unsigned)lround(unit->size * share(counts->classes[i], all));
    for (size_t i = CLASS_FIRST; i < outcome->classes.count;
         i++) { /* indirect jumps are among the branches */
        if (strcmp(outcome->classes.items[i].name, "jump") != 0)
            continue;
        unsigned through_registers = least_of(unit->operations[i], unit->jumps);
        if (outcome->loaded_jumps)
            (void)load_targets(unit, unit->jumps - through_registers + phase->loaded_more);
        unit->operations[i] -= through_registers;
    }
    replace_operations(outcome, simplicity, unit);
}

/* The contents of a program's pass. */
struct loop_pass {
    double units, instructions, classes[CLASS_MOST];
};

/* The excess of the operation's other widths, if this width is the first with any left. */
static double excess_of_others(const struct clone_outcome *outcome, const double wanted[CLASS_MOST],
                               size_t class)
{
    double excess = 0;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        if (strcmp(outcome->classes.items[i].name, outcome->classes.items[class].name) == 0) {
            if (i < class && wanted[i] > 0)
                return 0;
            excess += fmin(0, wanted[i]);
        }
    return excess;
}

/* Sets the operations so that all classes have their shares, given a pass of the unit's program. Instructions
 * that branches and working sets add count as operations. */
static void fit_operations(const struct clone_outcome *outcome, struct clone_phase *phase,
                           enum simplicity simplicity, const struct loop_pass *pass)
{
    struct clone_unit *unit = &phase->unit;
    double all = (double)phase->counts.tally.instructions, units = pass->units;
    if (units <= 0)
        return;
    double wanted[CLASS_MOST] = {0}, left[CLASS_MOST] = {0}, sum = 0,
           fixed = pass->instructions / units - unit->fill;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++) {
        if (!is_operation(outcome, i))
            continue;
        double brought = pass->classes[i] / units - unit->operations[i];
        if (strcmp(outcome->classes.items[i].name, "nop") == 0)
            brought -= unit->fill;
        wanted[i] = unit->size * share(phase->counts.classes[i], all) - brought;
        if (outcome->loaded_jumps && wanted[i] < 0 && strcmp(outcome->classes.items[i].name, "jump") == 0)
            phase->loaded_more += load_targets(unit, (unsigned)lround(-wanted[i]));
        fixed -= unit->operations[i];
    }
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        sum += left[i] = fmax(0, wanted[i] + excess_of_others(outcome, wanted, i));
    double room = fmax(0, unit->size - fixed), scale = sum > room ? room / sum : 1;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++)
        unit->operations[i] = (unsigned)lround(scale * left[i]);
    unit->fill = sum < room ? (unsigned)lround(room - sum) : 0;
    replace_operations(outcome, simplicity, unit);
}

/* ---- trials ---- */

/* Differences of access rates below this are not reported. */
static const double GOOD = 0.003;

/* If the best unit is this near, simpler ones are not tried. */
static const double ENOUGH = 0.006;

static enum status count_clone(struct cloning *own, size_t phase, size_t machine,
                               const struct test_program *test_program, struct error *error)
{
    struct clone_outcome *outcome = own->outcome;
    struct application_counts *counts = &outcome->phases[phase].clones[machine];
    *counts = (struct application_counts){.classes = {0}};
    struct application_profile profile;
    const struct application_run request = {.classes = &outcome->classes,
                                            .program = test_program->executable,
                                            .program_size = test_program->executable_size,
                                            .passes = PASSES,
                                            .cpu = qemu_program_cpu(test_program),
                                            .machines = own->machines,
                                            .machine_count = outcome->machine_count};
    enum status status = application_count(&request, &profile, error);
    for (size_t i = 0; status == STATUS_OK && i < profile.count; i++)
        application_counts_add(counts, &profile.intervals[i]);
    application_profile_free(&profile);
    return status;
}

/* Reads the contents of a pass from the program's code. */
static enum status read_pass(const struct clone_outcome *outcome, const struct test_program *test_program,
                             struct loop_pass *pass, struct error *error)
{
    struct code_listing listing;
    enum status status = code_listing_read(test_program, outcome->isa, &listing, error);
    *pass = (struct loop_pass){.units = test_program->manifest->units};
    for (size_t i = 0; status == STATUS_OK && i < listing.pass.count; i++) {
        const char *text = listing.pass.items[i].text;
        size_t class = instruction_class_of(&outcome->classes, text);
        pass->instructions++;
        pass->classes[class]++;
    }
    pass->instructions = test_program->manifest->instructions;
    code_listing_free(&listing);
    return status;
}

/* Records the data TLB misses that the plan expects, even if the recipe states none. */
static void find_tlb_misses(struct clone_phase *phase, size_t machine, const struct manifest *manifest)
{
    struct clone_service *service = &phase->unit.services[machine];
    double units = (double)manifest->units;
    service->tlb_found =
        rates_get(&manifest->counts, "dtlb.misses", NAN) / (units > 0 ? units * service->tlb_of : NAN);
}

/* The most instructions of a clone's warm-up. */
static const double MOST_WARMUP = 200e6;

static enum status check_warmup(const struct manifest *manifest, struct error *error)
{
    double instructions = manifest->warmup * manifest->instructions;
    return instructions <= MOST_WARMUP
               ? STATUS_OK
               : error_set(error, STATUS_RECIPE,
                           "its caches take %.0f instructions to fill; at most %.0f are taken", instructions,
                           MOST_WARMUP);
}

/* Writes the phase's recipe and plans it for the machine. STATUS_RECIPE if it is refused. pass: receives the
 * contents of the program's pass, unless NULL. count: also counts the program. */
static enum status try_unit(struct cloning *own, size_t phase, size_t machine, struct loop_pass *pass,
                            bool count, struct error *error)
{
    const struct session_events silent = {.report = NULL};
    struct buffer text = {0};
    clone_recipe_write(own->outcome, phase, 1, own->command, &text);
    enum status status = file_write(own->trial, text.data, text.size, false, error);
    buffer_free(&text);
    if (status != STATUS_OK)
        return status;
    const char *inputs[] = {own->trial};
    struct work work = {0};
    struct program program = {0};
    bool changed;
    char name[FILE_PATH_BYTES];
    const char *machines = own->request->machines;
    for (size_t i = 0; machines != NULL && i < machine; i++)
        machines = strchr(machines, ',') + 1;
    if (machines != NULL)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(machines, ","), machines);
    const struct target_request target = {.events = &silent,
                                          .machine = machines == NULL ? NULL : name,
                                          .root = own->request->root,
                                          .no_calibration = true};
    const struct selection selection = {.inputs = inputs, .input_count = 1, .seed = 1};
    status = work_open(&selection, &target, &work, error);
    if (status == STATUS_OK)
        status = work.item_count == 1
                     ? work_program(&work.items[0], &program, &changed, error)
                     : error_set(error, STATUS_RECIPE, "the machine has no point of the recipe");
    struct test_program test_program = {.cpu = -1};
    if (status == STATUS_OK)
        test_program = work_test_program(&work.items[0], &program, -1);
    if (status == STATUS_OK)
        status = check_warmup(test_program.manifest, error);
    if (status == STATUS_OK)
        find_tlb_misses(&own->outcome->phases[phase], machine, test_program.manifest);
    if (status == STATUS_OK && pass != NULL)
        status = read_pass(own->outcome, &test_program, pass, error);
    if (status == STATUS_OK && count)
        status = count_clone(own, phase, machine, &test_program, error);
    program_free(&program);
    work_close(&work);
    return status;
}

/* The difference between the unit's and the application's misses of the data TLB, as a rate. */
static double tlb_error(const struct clone_outcome *outcome, const struct clone_phase *phase, size_t machine)
{
    const struct clone_service *service = &phase->unit.services[machine];
    double found = service->tlb_stated ? share(service->tlb_misses, service->tlb_of) : service->tlb_found;
    double off = fabs(tlb_rate(outcome, phase, machine) - (isnan(found) ? 0 : found));
    return isnan(off) ? 0 : off;
}

/* Plans the unit with that rounding. *reason: the last refusal. tlb_misses: of the unit's accesses; below 0:
 * not stated. pass: as for try_unit. */
static enum status try_rounding(struct cloning *own, size_t index, size_t machine, size_t rounding,
                                int tlb_misses, struct loop_pass *pass, struct error *reason,
                                struct error *error)
{
    struct clone_outcome *outcome = own->outcome;
    choose_service(outcome, &outcome->phases[index], machine, &roundings[rounding], tlb_misses);
    enum status status = try_unit(own, index, machine, pass, false, error);
    if (status == STATUS_RECIPE)
        session_detail(own->request->events, "not on %s: %s", outcome->machines[machine].name,
                       error->message);
    if (status == STATUS_RECIPE && reason->code == STATUS_OK)
        *reason = *error;
    return status;
}

/* The nearest service so far; INFINITY: none. */
struct best_service {
    struct clone_service service;
    double off;
    size_t rounding;
};

/* Tries the roundings from `first` to `last` that may be nearer than the best, until one is near enough. A
 * unit that is refused with all accesses hitting is refused with every rounding, and one refused with COARSE
 * with finer ones. */
static enum status try_services(struct cloning *own, size_t index, size_t machine, int tlb_misses,
                                size_t first, size_t last, struct best_service *best, struct error *reason,
                                struct error *error)
{
    struct clone_phase *phase = &own->outcome->phases[index];
    struct clone_service *service = &phase->unit.services[machine];
    enum status status = STATUS_OK;
    bool found = false; /* coarser roundings are not nearer, except for joined ones */
    for (size_t i = first; best->off > GOOD && i <= last; i++) {
        choose_service(own->outcome, phase, machine, &roundings[i], tlb_misses);
        if (service_error(own->outcome, phase, machine) >= best->off || (found && !roundings[i].joined))
            continue;
        status = try_rounding(own, index, machine, i, tlb_misses, NULL, reason, error);
        if (status != STATUS_OK && status != STATUS_RECIPE)
            return status;
        found = found || status == STATUS_OK;
        double off =
            fmax(service_error(own->outcome, phase, machine), tlb_error(own->outcome, phase, machine));
        if (status == STATUS_OK && off < best->off)
            *best = (struct best_service){*service, off, i};
        if (status == STATUS_OK || i != 0 || isfinite(best->off))
            continue;
        status = try_rounding(own, index, machine, ALL_HIT, -1, NULL, reason, error);
        if (status != STATUS_OK)
            return status;
        status = try_rounding(own, index, machine, COARSE, tlb_misses, NULL, reason, error);
        if (status != STATUS_OK && status != STATUS_RECIPE)
            return status;
        if (status == STATUS_RECIPE)
            i = COARSE;
    }
    return STATUS_OK;
}

/* Finds the nearest service: with the application's misses of the data TLB, one more, those of its working
 * sets, or none stated. */
static enum status find_service(struct cloning *own, size_t index, size_t machine, double *off,
                                struct error *reason, struct error *error)
{
    enum { FEW = 4 };
    struct clone_phase *phase = &own->outcome->phases[index];
    struct best_service best = {.off = INFINITY, .rounding = ALL_HIT};
    int misses = (int)tlb_misses_of(own->outcome, phase, machine);
    enum status status = STATUS_OK;
    int more_most = misses < FEW ? 1 : 0;
    for (int more = 0; status == STATUS_OK && misses > 0 && more <= more_most; more++)
        status = try_services(own, index, machine, misses + more, 0, ALL_HIT - 1, &best, reason, error);
    if (status == STATUS_OK)
        status = try_services(own, index, machine, -1, 0, ALL_HIT, &best, reason, error);
    if (status == STATUS_OK && isfinite(best.off) && !isnan(tlb_rate(own->outcome, phase, machine))) {
        status = try_services(own, index, machine, 0, best.rounding, best.rounding, &best, reason, error);
    }
    *off = best.off;
    phase->unit.services[machine] = best.service;
    return status == STATUS_OK && !isfinite(best.off) ? STATUS_RECIPE : status;
}

/* Finds the services of all machines, after removing operations for instructions that others add, such as
 * tests. */
static enum status find_services(struct cloning *own, size_t index, enum simplicity simplicity, double *worst,
                                 struct error *reason, struct error *error)
{
    struct clone_phase *phase = &own->outcome->phases[index];
    struct loop_pass pass;
    begin_unit(own->outcome, phase, simplicity);
    for (size_t i = 0; i < own->outcome->machine_count; i++)
        choose_service(own->outcome, phase, i, &roundings[ALL_HIT], -1);
    enum status status = try_rounding(own, index, 0, ALL_HIT, -1, &pass, reason, error);
    if (status == STATUS_OK)
        fit_operations(own->outcome, phase, simplicity, &pass);
    *worst = 0;
    for (size_t i = 0; status == STATUS_OK && i < own->outcome->machine_count; i++) {
        double off;
        status = find_service(own, index, i, &off, reason, error);
        *worst = fmax(*worst, off);
    }
    return status;
}

/* Plans the unit for all machines, and counts the programs of the first `counted` machines. */
static enum status try_all(struct cloning *own, size_t index, struct loop_pass *pass, size_t counted,
                           struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < own->outcome->machine_count; i++)
        status = try_unit(own, index, i, i == 0 ? pass : NULL, i < counted, error);
    return status;
}

/* Sets the operations from the pass of the first machine's program, as long as the unit can be planned, and
 * counts that program. */
static enum status refine(struct cloning *own, size_t index, enum simplicity simplicity, struct error *error)
{
    enum { ROUNDS = 2 }; /* the instructions beside operations may change with these */
    struct clone_phase *phase = &own->outcome->phases[index];
    struct loop_pass pass;
    bool counted = false;
    enum status status = try_unit(own, index, 0, &pass, false, error);
    for (int round = 0; status == STATUS_OK && round < ROUNDS; round++) {
        struct clone_phase before = *phase;
        fit_operations(own->outcome, phase, simplicity, &pass);
        if (phase->unit.fill == before.unit.fill && phase->loaded_more == before.loaded_more &&
            memcmp(phase->unit.operations, before.unit.operations, sizeof before.unit.operations) == 0)
            break;
        counted = round + 1 == ROUNDS;
        status = try_all(own, index, &pass, counted, error);
        if (status == STATUS_RECIPE) {
            *phase = before;
            counted = false;
            status = STATUS_OK;
            break;
        }
    }
    return status == STATUS_OK && !counted ? try_unit(own, index, 0, NULL, true, error) : status;
}

/* Corrections are made separately for waiting loads, for loaded words and for stored words. */
enum { GROUP_WAITS, GROUP_LOADED, GROUP_STORED, GROUPS };

static int group_of(int correction)
{
    return correction <= CORRECT_LOGIC   ? GROUP_WAITS
           : correction <= CORRECT_FLIPS ? GROUP_LOADED
                                         : GROUP_STORED;
}

/* For each group, the sum of squared differences, in units of the acceptable difference. */
struct deviation {
    double groups[GROUPS];
};

/* For each group: the nearest aim, its remaining difference, and the gains for the next aim. */
struct aim_search {
    struct clone_correction aim, off;
    struct deviation far;
    double gains[CORRECTED];
    unsigned failures[GROUPS]; /* in a row; after FAILURES the group is no longer corrected */
};
enum { FAILURES = 2 };

static double deviation_all(const struct deviation *far)
{
    double sum = 0;
    for (int i = 0; i < GROUPS; i++)
        sum += far->groups[i];
    return sum;
}

/* The difference between clone and application: a loop has loads beside those of its units, and other
 * instructions. off: the difference of each rate, without negligible ones. */
static struct deviation how_far(const struct clone_outcome *outcome, const struct clone_phase *phase,
                                struct clone_correction *off)
{
    static const double SHARE = 0.01, CHAINED = 0.05, DISTANCE = 0.2, LEAST_DISTANCE = 2, LITTLE = 0.3;
    const struct application_counts *wanted = &phase->counts, *found = &phase->clones[0];
    const struct application_waits *aim = &wanted->waits, *is = &found->waits;
    double distance = share(aim->instructions, aim->waiting);
    bool waits = aim->waiting > SHARE * aim->loads && is->waiting > 0;
    unsigned words = phase->unit.stored_words.count;
    double stored[] = {
        share((double)wanted->tally.ones[APP_STORE], (double)wanted->tally.bits[APP_STORE]),
        share((double)wanted->tally.toggles[APP_STORE], (double)wanted->tally.compared[APP_STORE])};
    *off = (struct clone_correction){
        .by = {[CORRECT_WAITING] = share(aim->waiting, aim->loads) - share(is->waiting, is->loads),
               [CORRECT_CHAINED] =
                   waits ? share(aim->chained, aim->waiting) - share(is->chained, is->waiting) : 0,
               [CORRECT_DISTANCE] = waits ? distance - share(is->instructions, is->waiting) : 0,
               [CORRECT_LOGIC] =
                   waits ? fmin(0, logic_of(outcome, wanted) + SPARE_LOGIC - logic_of(outcome, found)) : 0,
               [CORRECT_ONES] =
                   share((double)wanted->tally.ones[APP_LOAD], (double)wanted->tally.bits[APP_LOAD]) -
                   share((double)found->tally.ones[APP_LOAD], (double)found->tally.bits[APP_LOAD]),
               [CORRECT_FLIPS] =
                   share((double)wanted->tally.toggles[APP_LOAD], (double)wanted->tally.compared[APP_LOAD]) -
                   share((double)found->tally.toggles[APP_LOAD], (double)found->tally.compared[APP_LOAD]),
               [CORRECT_STORED_ONES] = words == 0 ? 0
                                                  : stored[0] - share((double)found->tally.ones[APP_STORE],
                                                                      (double)found->tally.bits[APP_STORE]),
               [CORRECT_STORED_FLIPS] = words < 2
                                            ? 0
                                            : stored[1] - share((double)found->tally.toggles[APP_STORE],
                                                                (double)found->tally.compared[APP_STORE])}};
    const double allowed[CORRECTED] = {
        SHARE, CHAINED, fmax(LEAST_DISTANCE, DISTANCE * distance), SHARE, SHARE, SHARE, SHARE, SHARE};
    struct deviation far = {.groups = {0}};
    for (int i = 0; i < CORRECTED; i++) {
        double part = off->by[i] / allowed[i];
        far.groups[group_of(i)] += part * part;
        off->by[i] = fabs(part) < LITTLE ? 0 : off->by[i];
    }
    return far;
}

/* Two words in turn flip at most twice as many bits as they have ones (or zeros); stores of two widths, each
 * with words of its own, flip half as many. If that is too few, four words are stored in turn if there are
 * registers for them, or each width stores one of the two words. */
static void flip_more(const struct clone_outcome *outcome, struct clone_phase *phase)
{
    struct clone_correction *aim = &phase->correction;
    const struct app_tally *tally = &phase->counts.tally;
    double ones = share((double)tally->ones[APP_STORE], (double)tally->bits[APP_STORE]);
    double flips = share((double)tally->toggles[APP_STORE], (double)tally->compared[APP_STORE]);
    double fewer = fmin(phase->unit.stores, phase->unit.small_stores);
    /* The share of pairs of both widths, which flip half as many bits. */
    double mixed = share(2 * fewer, phase->unit.stores + phase->unit.small_stores);
    double most = 2 * fmin(ones, 1 - ones) * (1 - mixed / 2);
    if (aim->flips_more || phase->unit.stored_words.count != 2 || fewer == 0 ||
        flips + aim->by[CORRECT_STORED_FLIPS] <= most)
        return;
    aim->flips_more = true;
    aim->by[CORRECT_STORED_FLIPS] = outcome->vector_stores ? 0 : flips / mixed - flips;
}

/* Learns the gains from the last step: an aim may change its rate by more or less than its own amount. */
static void learn(const struct clone_correction *step, const struct clone_correction *last,
                  const struct clone_correction *off, double gains[CORRECTED])
{
    static const double LEAST = 0.3, MOST = 2, HALF = 0.5, MORE = 1.6;
    for (int i = 0; i < CORRECTED; i++) {
        double moved = share(last->by[i] - off->by[i], fabs(step->by[i])) * (step->by[i] < 0 ? -1 : 1);
        if (step->by[i] == 0)
            continue;
        gains[i] = moved > 0   ? fmin(MOST, fmax(LEAST, 1 / moved))
                   : moved < 0 ? fmax(LEAST, HALF * gains[i])
                               : fmin(MOST, MORE * gains[i]);
    }
}

/* Plans and counts the unit with this aim, and with the services and operations found. */
static enum status aim_at(struct cloning *own, size_t index, enum simplicity simplicity,
                          const struct clone_correction *aim, struct error *error)
{
    struct clone_phase *phase = &own->outcome->phases[index];
    struct clone_phase before = *phase;
    phase->correction = *aim;
    flip_more(own->outcome, phase);
    begin_unit(own->outcome, phase, simplicity);
    memcpy(phase->unit.services, before.unit.services, sizeof before.unit.services);
    memcpy(phase->unit.operations, before.unit.operations, sizeof before.unit.operations);
    phase->unit.fill = before.unit.fill;
    enum status status =
        phase->unit.far == before.unit.far ? refine(own, index, simplicity, error) : STATUS_RECIPE;
    if (status != STATUS_OK)
        *phase = before;
    return status;
}

/* Keeps each group's aim if it came nearer; after two failures in a row the group is no longer corrected. A
 * change of one group may change another whose aim stays: its new difference is recorded. */
static void take_nearer(const struct clone_correction *step, const struct clone_correction *tried,
                        const struct clone_correction *found, const struct deviation *reached,
                        struct aim_search *search)
{
    bool moves[GROUPS] = {false}, takes[GROUPS];
    for (int i = 0; i < CORRECTED; i++)
        moves[group_of(i)] |= step->by[i] != 0;
    for (int group = 0; group < GROUPS; group++) {
        bool nearer = reached->groups[group] <= search->far.groups[group];
        takes[group] = nearer || !moves[group];
        if (nearer && group == GROUP_STORED)
            search->aim.flips_more = tried->flips_more;
        if (takes[group])
            search->far.groups[group] = reached->groups[group];
        search->failures[group] = takes[group] ? 0 : search->failures[group] + 1;
    }
    for (int i = 0; i < CORRECTED; i++)
        if (takes[group_of(i)]) {
            search->aim.by[i] = tried->by[i];
            search->off.by[i] = found->by[i];
        }
}

/* Corrects the aim, from each group's nearest one, by the clone's remaining difference and the gains of
 * earlier aims. Ends with the nearest aim of all groups. */
static enum status refine_again(struct cloning *own, size_t index, enum simplicity simplicity,
                                struct error *error)
{
    enum { ROUNDS = 7 };
    static const double NEAR = 0.4;
    struct clone_phase *phase = &own->outcome->phases[index], best = *phase;
    struct aim_search search = {.aim = phase->correction};
    search.far = how_far(own->outcome, phase, &search.off);
    double least = deviation_all(&search.far);
    for (int i = 0; i < CORRECTED; i++)
        search.gains[i] = 1;
    bool ends = false, more = false;
    for (int round = 0; least >= NEAR && !ends; round++) {
        struct clone_correction tried = search.aim, step = {.flips_more = false}, found;
        ends = true;
        bool others = !more && search.failures[GROUP_STORED] == FAILURES && own->outcome->vector_stores;
        if (others) { /* with two words, flips change by a whole bit at a time */
            more = tried.flips_more = true;
            search.failures[GROUP_STORED] = FAILURES - 1;
        }
        for (int i = 0; i < CORRECTED && round < ROUNDS; i++) {
            step.by[i] = search.failures[group_of(i)] < FAILURES ? search.gains[i] * search.off.by[i] : 0;
            if (others && group_of(i) == GROUP_STORED)
                step.by[i] = -tried.by[i];
            tried.by[i] += step.by[i];
            ends = ends && step.by[i] == 0;
        }
        if (memcmp(tried.by, best.correction.by, sizeof tried.by) == 0)
            break;
        *phase = best;
        enum status status = aim_at(own, index, simplicity, &tried, error);
        if (status != STATUS_OK && status != STATUS_RECIPE)
            return status;
        if (status == STATUS_RECIPE) {
            search.failures[GROUP_WAITS] = FAILURES;
            continue;
        }
        struct deviation reached = how_far(own->outcome, phase, &found);
        learn(&step, &search.off, &found, search.gains);
        take_nearer(&step, &phase->correction, &found, &reached, &search);
        if (deviation_all(&reached) < least) {
            least = deviation_all(&reached);
            best = *phase;
        }
    }
    *phase = best;
    return STATUS_OK;
}

static const char *left_out(enum simplicity simplicity)
{
    static const char *const texts[SIMPLICITIES] = {
        [WITHOUT_DIVISIONS] = "multiplications stand for divisions",
        [WITHOUT_FLIPS] = "all stores write one word",
        [WITHOUT_STORED] = "zeros are written",
        [WITHOUT_JUMPS] = "there are no jumps",
        [WITHOUT_WORDS] = "zeros are read, and there are no jumps",
        [WITHOUT_WIDTHS] = "zeros are read, all accesses have one width, and there are no jumps",
        [WITHOUT_CHASES] =
            "zeros are read, all accesses have one width, no load waits for another, and there are no jumps",
        [ONLY_ADDITIONS] =
            "additions stand for all operations, all accesses have one width, no load waits for another, and "
            "there are no jumps"};
    return texts[simplicity];
}

/* The best unit so far. */
struct best_unit {
    struct clone_phase phase;
    enum simplicity simplicity;
    double least,
        off; /* distance from the application: in all, and of the accesses' levels; INFINITY: no unit */
};

static double worst_code_miss(const struct clone_outcome *outcome, const struct clone_phase *phase)
{
    double most = 0;
    for (size_t i = 0; i < outcome->machine_count; i++)
        most = fmax(most, code_miss_rate(phase, i));
    return most;
}

/* True if the largest difference is in data TLB misses of accesses to memory, which simpler units have, too.
 */
static bool misses_by_memory(const struct clone_outcome *outcome, const struct clone_phase *phase,
                             double worst)
{
    for (size_t i = 0; i < outcome->machine_count; i++) {
        const struct clone_service *service = &phase->unit.services[i];
        bool memory = service->served[APP_LOAD][LEVEL_MEM] + service->served[APP_STORE][LEVEL_MEM] > 0;
        if (memory && !service->tlb_stated && tlb_error(outcome, phase, i) >= worst)
            return true;
    }
    return false;
}

/* Tries simpler and simpler units, as long as they may be nearer. */
static enum status find_unit(struct cloning *own, size_t index, struct best_unit *best, struct error *reason,
                             struct error *error)
{
    static const double HALF_LOSES = 0.03;
    struct clone_phase *phase = &own->outcome->phases[index];
    const struct app_tally *tally = &phase->counts.tally;
    double uncoded = phase->coded ? 0 : CODE_MISS_WEIGHT * worst_code_miss(own->outcome, phase);
    double times = share(unit_size(own->outcome, tally, 0, true),
                         unit_size(own->outcome, tally, phase->halvings, phase->coded));
    for (enum simplicity i = WHOLE; i < SIMPLICITIES; i++) {
        /* In smaller units, rounding errors and the share of the loop's own instructions are larger. */
        double worst,
            missed = least_loss(own->outcome, &phase->counts, i) + HALF_LOSES * (times - 1) + uncoded;
        bool stores = i == WITHOUT_FLIPS || i == WITHOUT_STORED;
        if (own->outcome->vector_stores ? stores : i == FROM_VECTORS)
            continue;
        if (best->least <= missed || best->off <= ENOUGH)
            break;
        enum status status = find_services(own, index, i, &worst, reason, error);
        if (status != STATUS_OK && status != STATUS_RECIPE)
            return status;
        if (status == STATUS_OK && worst + missed < best->least)
            *best = (struct best_unit){*phase, i, worst + missed, worst};
        if (status == STATUS_OK && misses_by_memory(own->outcome, phase, worst))
            break;
    }
    return STATUS_OK;
}

static enum status fit_phase(struct cloning *own, size_t index, struct error *error)
{
    enum { HALVINGS = 2 };
    struct clone_phase *phase = &own->outcome->phases[index];
    struct best_unit best = {.phase = *phase, .least = INFINITY, .off = INFINITY};
    struct error reason = {0};
    enum status status = STATUS_OK;
    /* Where branches have a short reach, a loop holds more of smaller units. */
    unsigned halvings = own->outcome->isa->branch_reach > 0 ? HALVINGS : 1;
    /* Where branches reach little, pieces of code are as near to their twins as that. */
    bool codes =
        own->outcome->isa->branch_reach > 0 || worst_code_miss(own->outcome, phase) >= LEAST_CODE_MISS;
    for (unsigned i = 0; status == STATUS_OK && best.least > ENOUGH && i < (1U + codes) * halvings; i++) {
        phase->coded = i < codes * halvings;
        phase->halvings = i % halvings;
        status = find_unit(own, index, &best, &reason, error);
    }
    if (status != STATUS_OK)
        return status;
    if (!isfinite(best.least))
        return error_set(error, STATUS_RECIPE, "%s", reason.message);
    *phase = best.phase;
    if (best.off > GOOD)
        session_note(own->request->events,
                     "the nearest that can be reached is %.4f from what was counted in where "
                     "accesses are served, or in the data TLB: %s",
                     best.off, reason.message);
    if (left_out(best.simplicity) != NULL)
        session_note(own->request->events, "%s%s, as the loop has too few registers: %s",
                     best.simplicity > WITHOUT_STORED && !own->outcome->vector_stores ? "zeros are written, "
                                                                                      : "",
                     left_out(best.simplicity), reason.message);
    status = refine(own, index, best.simplicity, error);
    if (status == STATUS_OK)
        status = refine_again(own, index, best.simplicity, error);
    for (size_t i = 1; status == STATUS_OK && i < own->outcome->machine_count; i++)
        status = try_unit(own, index, i, NULL, true, error);
    return status;
}

/* ---- rates ---- */

bool clone_rate(const struct clone_outcome *outcome, size_t phase, size_t machine, size_t index,
                struct arena *arena, struct clone_rate *rate)
{
    const struct application_counts *both[] = {&outcome->phases[phase].counts,
                                               &outcome->phases[phase].clones[machine]};
    enum { FIXED = 23 };
    double values[2] = {NAN, NAN};
    const char *name = "";
    for (int i = 0; i < 2; i++) {
        const struct app_tally *t = &both[i]->tally;
        const struct app_caches *c = &both[i]->caches[machine];
        double all = (double)t->instructions, loads = (double)t->accesses[APP_LOAD],
               stores = (double)t->accesses[APP_STORE], l1d = (double)(c->l1d[APP_LOAD] + c->l1d[APP_STORE]),
               l2 = (double)(c->l2[APP_LOAD] + c->l2[APP_STORE]),
               l3 = (double)(c->l3[APP_LOAD] + c->l3[APP_STORE]), branches = (double)t->branches;
        const struct application_waits *w = &both[i]->waits;
        const struct {
            const char *name;
            double part, whole;
        } rows[FIXED] = {
            {"loads per instruction", loads, all},
            {"stores per instruction", stores, all},
            {"updates per instruction", both[i]->updates, all},
            {"branches per instruction", branches, all},
            {"branch.taken_rate", (double)t->taken, branches},
            {"branch.miss_rate", (double)t->branch_misses, branches},
            {"indirect jumps per instruction", (double)t->jumps, all},
            {"L1D misses per load", (double)c->l1d[APP_LOAD], loads},
            {"L1D misses per store", (double)c->l1d[APP_STORE], stores},
            {"l1d.miss_rate", l1d, loads + stores},
            {"L2 misses per access", l2, loads + stores},
            {"L3 misses per access", outcome->machines[machine].l3.size > 0 ? l3 : NAN, loads + stores},
            {"L1I misses per instruction", (double)c->l1i, all},
            {"dtlb.miss_rate", outcome->machines[machine].data_tlb.entries > 0 ? (double)c->tlb : NAN,
             loads + stores},
            {"loads that wait for loads", w->waiting, w->loads},
            {"of them, for ones that wait", w->chained, w->waiting},
            {"instructions to them", w->instructions, w->waiting},
            {"loads to them", w->between, w->waiting},
            {"ones of bits loaded", (double)t->ones[APP_LOAD], (double)t->bits[APP_LOAD]},
            {"flips of bits loaded", (double)t->toggles[APP_LOAD], (double)t->compared[APP_LOAD]},
            {"ones of bits stored", (double)t->ones[APP_STORE], (double)t->bits[APP_STORE]},
            {"flips of bits stored", (double)t->toggles[APP_STORE], (double)t->compared[APP_STORE]},
            {"system calls per instruction", (double)t->calls, all}};
        if (index < FIXED) {
            name = rows[index].name;
            values[i] = rows[index].whole > 0 ? rows[index].part / rows[index].whole : NAN;
        } else if (index - FIXED < outcome->classes.count) {
            const struct instruction_class *class = &outcome->classes.items[index - FIXED];
            name = class->width == 0 || class->width == 8
                       ? arena_print(arena, "share of %s", class->name)
                       : arena_print(arena, "share of %s of %u bytes", class->name, class->width);
            values[i] = all > 0 ? both[i]->classes[index - FIXED] / all : NAN;
        } else {
            return false;
        }
    }
    *rate = (struct clone_rate){name, values[0], values[1]};
    return true;
}

/* ---- phases ---- */

enum { SIGNS = 8 };

/* The rates that distinguish phases, with a higher weight for misses. */
static void find_signs(const struct application_counts *counts, double signs[SIGNS])
{
    static const double MISS_WEIGHT = 3;
    const struct app_tally *tally = &counts->tally;
    const struct app_caches *caches = &counts->caches[0];
    double all = (double)tally->instructions,
           accesses = (double)(tally->accesses[APP_LOAD] + tally->accesses[APP_STORE]);
    signs[0] = share((double)tally->accesses[APP_LOAD], all);
    signs[1] = share((double)tally->accesses[APP_STORE], all);
    signs[2] = share((double)tally->branches, all);
    signs[3] = share((double)tally->taken, (double)tally->branches) / 2;
    signs[4] = MISS_WEIGHT * share((double)tally->branch_misses, (double)tally->branches);
    signs[5] = MISS_WEIGHT * share((double)(caches->l1d[APP_LOAD] + caches->l1d[APP_STORE]), accesses);
    signs[6] = MISS_WEIGHT * share((double)(caches->l2[APP_LOAD] + caches->l2[APP_STORE]), accesses);
    signs[7] = MISS_WEIGHT * share((double)caches->l1i, all);
}

static double distance(const struct application_counts *a, const struct application_counts *b)
{
    double one[SIGNS], other[SIGNS], most = 0;
    find_signs(a, one);
    find_signs(b, other);
    for (size_t i = 0; i < SIGNS; i++)
        most = fmax(most, fabs(one[i] - other[i]));
    return most;
}

/* Joins the two nearest groups repeatedly, until all groups differ, none is small and there are at most
 * `most`. They are then at the start of the list; returns their number. */
static size_t join_groups(struct application_counts *groups, size_t count, size_t most)
{
    static const double APART = 0.06, SMALL = 0.05;
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += (double)groups[i].tally.instructions;
    while (count > 1) {
        size_t a = 0, b = 1;
        double least = INFINITY;
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++) {
                double smaller =
                    fmin((double)groups[i].tally.instructions, (double)groups[j].tally.instructions);
                double apart = distance(&groups[i], &groups[j]) * (smaller < SMALL * all ? SMALL : 1);
                if (apart < least)
                    least = apart, a = i, b = j;
            }
        double smaller = fmin((double)groups[a].tally.instructions, (double)groups[b].tally.instructions);
        if (least >= APART && count <= most && smaller >= SMALL * all)
            break;
        application_counts_add(&groups[a], &groups[b]);
        groups[b] = groups[--count];
    }
    return count;
}

static void find_phases(struct cloning *own)
{
    struct clone_outcome *outcome = own->outcome;
    size_t most = own->request->phases > 0 ? own->request->phases : CLONE_PHASES;
    struct application_counts *groups = memory_zeroed(outcome->profile.count, sizeof *groups);
    memcpy(groups, outcome->profile.intervals, outcome->profile.count * sizeof *groups);
    size_t count = join_groups(groups, outcome->profile.count, most);
    double all = (double)outcome->phases[0].counts.tally.instructions;
    for (size_t i = 0; count > 1 && i < count; i++)
        outcome->phases[outcome->phase_count++] = (struct clone_phase){
            .share = share((double)groups[i].tally.instructions, all), .counts = groups[i]};
    free(groups);
}

/* ---- the application ---- */

static enum status open_machines(struct cloning *own, struct error *error)
{
    struct clone_outcome *outcome = own->outcome;
    const char *names = own->request->machines;
    enum status status = STATUS_OK;
    do {
        char name[FILE_PATH_BYTES] = "";
        struct machine *machine = &outcome->machines[outcome->machine_count];
        if (outcome->machine_count == APP_MACHINES)
            return error_set(error, STATUS_USAGE, "more than %d machines are named", APP_MACHINES);
        if (names != NULL)
            snprintf(name, sizeof name, "%.*s", (int)strcspn(names, ","), names);
        status = find_machine(names == NULL ? NULL : name, own->request->root, machine, error);
        own->machines[outcome->machine_count++] = machine;
        if (status == STATUS_OK && strcmp(machine->isa, outcome->isa->name) != 0) {
            error_set(error, STATUS_USAGE, "the machine %s is %s, and the command is %s", machine->name,
                      machine->isa, outcome->isa->name);
            error_hint(error,
                       "name a machine of the command's processors with -m; trauma machine list names them");
            return STATUS_USAGE;
        }
        names = names == NULL ? NULL : strchr(names, ',');
        names = names == NULL ? NULL : names + 1;
    } while (status == STATUS_OK && names != NULL);
    return status;
}

static bool all_have(const struct clone_outcome *outcome, const struct template *templates, size_t class)
{
    const struct instruction_class *item = &outcome->classes.items[class];
    char row[TEXT_BYTES];
    if (item->width == templates->isa->plain_width)
        snprintf(row, sizeof row, "%s", item->name);
    else
        snprintf(row, sizeof row, "%s.%u", item->name, item->width);
    bool has = true;
    for (size_t i = 0; i < outcome->machine_count; i++)
        has = has && operation_row(templates, &outcome->machines[i], row) != NULL;
    return has;
}

/* The widest class of the same name that all machines have, else the addition. */
static size_t find_stand_in(const struct clone_outcome *outcome, const struct template *templates,
                            size_t class)
{
    const struct instruction_class *items = outcome->classes.items;
    size_t found = class;
    for (size_t i = CLASS_FIRST; i < outcome->classes.count; i++) {
        bool same = strcmp(items[i].name, items[class].name) == 0 && items[i].width < items[class].width;
        bool addition = strcmp(items[i].name, "add") == 0 && items[i].width == templates->isa->plain_width;
        bool better = found == class || strcmp(items[found].name, items[class].name) != 0 ||
                      items[i].width > items[found].width;
        if (same ? better && all_have(outcome, templates, i) : addition && found == class)
            found = i;
    }
    return found;
}

static enum status find_stand_ins(struct cloning *own, struct error *error)
{
    struct clone_outcome *outcome = own->outcome;
    const struct instruction_class *items = outcome->classes.items;
    char home[FILE_PATH_BYTES];
    struct template templates = {0};
    enum status status = paths_home(home, error);
    if (status == STATUS_OK)
        status = template_load(home, outcome->isa, &templates, error);
    outcome->narrow_tests = status == STATUS_OK && template_form(&templates, "branch.taken.4") != NULL;
    outcome->narrow_logic = status == STATUS_OK && plan_has_narrow_logic(&templates);
    outcome->loaded_jumps =
        status == STATUS_OK && template_form(&templates, "branch.indirect_memory") != NULL;
    outcome->copies = status == STATUS_OK && template_form(&templates, "load.copy.8") != NULL;
    outcome->updates = status == STATUS_OK && template_form(&templates, "load.update.8") != NULL;
    outcome->vector_stores = status == STATUS_OK && template_form(&templates, "store.vector.8") != NULL;
    for (size_t i = 0; i < CLASS_MOST; i++) {
        outcome->stand_in[i] = i;
        if (status != STATUS_OK || i >= outcome->classes.count || !is_operation(outcome, i) ||
            all_have(outcome, &templates, i))
            continue;
        size_t found = outcome->stand_in[i] = find_stand_in(outcome, &templates, i);
        if (outcome->phases[0].counts.classes[i] > 0)
            session_note(
                own->request->events,
                "a machine has no %s of %u bytes: %s of %u bytes stands for %.4f of the instructions",
                items[i].name, items[i].width, items[found].name, items[found].width,
                share(outcome->phases[0].counts.classes[i],
                      (double)outcome->phases[0].counts.tally.instructions));
    }
    if (templates.isa != NULL)
        template_free(&templates);
    return status;
}

static void make_names(struct cloning *own)
{
    struct clone_outcome *outcome = own->outcome;
    const char *base = file_base_name(own->request->command[0]);
    size_t length = 0, used = 0;
    for (; *base != '\0' && length + 1 < sizeof outcome->name; base++)
        outcome->name[length++] = isalnum((unsigned char)*base) || *base == '_' || *base == '-' ? *base : '_';
    if (outcome->name[0] == '\0')
        snprintf(outcome->name, sizeof outcome->name, "application");
    for (size_t i = 0; own->request->command[i] != NULL && used + 1 < sizeof own->command; i++)
        used += (size_t)snprintf(own->command + used, sizeof own->command - used, "%s%s", i == 0 ? "" : " ",
                                 own->request->command[i]);
    snprintf(own->trial, sizeof own->trial, "%.*s.trial.lua", FILE_PATH_BYTES - 16, own->request->path);
}

static enum status count_application(struct cloning *own, struct error *error)
{
    struct clone_outcome *outcome = own->outcome;
    const struct application_run request = {.classes = &outcome->classes,
                                            .command = own->request->command,
                                            .machines = own->machines,
                                            .machine_count = outcome->machine_count};
    enum status status = application_count(&request, &outcome->profile, error);
    outcome->exit_code = outcome->profile.exit_code;
    struct clone_phase *whole = &outcome->phases[0];
    whole->share = 1;
    outcome->phase_count = 1;
    for (size_t i = 0; status == STATUS_OK && i < outcome->profile.count; i++)
        application_counts_add(&whole->counts, &outcome->profile.intervals[i]);
    if (status == STATUS_OK)
        find_phases(own);
    return status;
}

enum status clone_application(const struct clone_request *request, struct clone_outcome *outcome,
                              struct error *error)
{
    struct cloning own = {.request = request, .outcome = outcome};
    *outcome = (struct clone_outcome){.exit_code = 0};
    make_names(&own);
    enum status status = application_isa(request->command[0], &outcome->isa, error);
    if (status == STATUS_OK)
        status = instruction_classes_open(outcome->isa, &outcome->classes, error);
    if (status == STATUS_OK)
        status = open_machines(&own, error);
    if (status == STATUS_OK)
        status = count_application(&own, error);
    if (status == STATUS_OK)
        status = find_stand_ins(&own, error);
    if (status == STATUS_OK && outcome->profile.header.executions > 0)
        session_warn(
            request->events,
            "the command's children tried to run other programs, %.0f times; these programs are not counted",
            (double)outcome->profile.header.executions);
    for (size_t i = 0; status == STATUS_OK && i < outcome->phase_count; i++) {
        status = fit_phase(&own, i, error);
        if (status == STATUS_RECIPE && i > 0) {
            session_warn(request->events, "a phase of %.4f of the instructions has no benchmark: %s",
                         outcome->phases[i].share, error->message);
            outcome->phases[i--] = outcome->phases[--outcome->phase_count];
            status = STATUS_OK;
        }
    }
    unlink(own.trial);
    if (status != STATUS_OK)
        return status;
    struct buffer text = {0};
    clone_recipe_write(outcome, 0, outcome->phase_count, own.command, &text);
    status = file_write(request->path, text.data, text.size, false, error);
    outcome->wrote = status == STATUS_OK;
    buffer_free(&text);
    return status;
}

void clone_outcome_free(struct clone_outcome *outcome)
{
    application_profile_free(&outcome->profile);
    if (outcome->classes.isa != NULL)
        instruction_classes_close(&outcome->classes);
    for (size_t i = 0; i < outcome->machine_count; i++)
        machine_free(&outcome->machines[i]);
    *outcome = (struct clone_outcome){.exit_code = 0};
}
