#include "runner/sources/bytes/code_flow.h"

#include "base/memory.h"
#include "base/text/names.h"
#include "generator/kernel/operations.h"
#include "generator/kernel/unit_order.h"
#include "generator/plan/plan_forms.h"
#include "isa/printed.h"
#include "runner/sources/bytes/code_addresses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COUNT = 1 << 20,
    MOST_SLOTS = 1 << 20,
    MOST_ROWS = 16,
    MOST_SECTIONS = 16,
    NAME_BYTES = 96,
    REGISTERS = CODE_REGISTERS,
    DEPENDENCES = 2
};

/* Indices of sections behind a pass: one that sets an anchor, and one that moves a base back. */
enum { ANCHOR_ROW, BACK_ROW };

/* ---- the kernel of the manifest ---- */

enum slot_kind { SLOT_ACCESS, SLOT_OPERATION, SLOT_BRANCH, SLOT_TEXT, SLOT_CODE };

struct code_slot {
    size_t item;
    size_t instance; /* of its item in a pass */
    bool dependent;  /* it consumes the last load's value */
    bool starts;     /* a chain begins */
};

/* An item of the kernel. Operations whose results are of one kind use registers in turn (enum
 * accumulators). */
struct item {
    const struct manifest_item *stated;
    enum slot_kind kind;
    unsigned count, dependents, chain, width, phase;
    enum accumulators results;
    bool load, chase, shared;
    bool target;     /* of a branch: it loads its target */
    bool led, leads; /* of a load: its address depends on the last load that leads; it leads itself */
    unsigned behind;
    size_t rows[MOST_ROWS]; /* of an access or branch: any of these rows */
    size_t row_count;
    size_t drawn, tested; /* of a branch: the ends of the rows that draw a number and test it, and of those
                             that test a number drawn before; the others use the flags of the branch before */
    size_t plain, dependent, start, next; /* of an operation; next: one that continues a chain */
};

/* ---- what was found in the code ---- */

enum code_item { PART_SLOT, PART_PLACE, PART_PLACE_NEXT, PART_IDLE, PART_ADVANCE, PART_CLOSE, PART_JUMP };

/* A row or section found in the code. */
struct found_unit {
    enum code_item part;
    size_t row;
    size_t first; /* its first instruction */
    const struct code_slot *slot;
    short registers[PRINTED_NAMES];
    int64_t disp, until, anchor;
};

struct code_pass {
    const struct printed_instruction *code;
    size_t count;
    bool twin;
    struct found_unit *items;
    size_t found;
};

/* The instructions of a text in the loop. */
struct own_text {
    size_t first, count;
};

struct code_flow {
    const struct manifest *manifest;
    const struct machine *machine;
    const struct template *templates;
    const struct isa *isa;
    const struct code_listing *listing;
    struct error *error;
    struct printed printed;
    struct item *items;
    size_t item_count;
    struct code_slot *slots;
    size_t slot_count;
    struct own_text *own; /* [slot_count] */
    size_t idle_rows[2], place_first, place_next, jump_rows[3], start_shared, start_target;
    size_t advance[MOST_SECTIONS], advance_count; /* rows of sections behind a pass */
    size_t close[2], close_count;
    struct code_pass passes[2];
    size_t pass_count;
    int data;       /* the register that receives the data's address */
    int wide_value; /* the register that wide loads fill, which nothing sets before the loop; -1: none */
    int fixed[PRINTED_NAMES]; /* the register of each role that has one; -1: none */
    bool set[REGISTERS];      /* by the instructions before the loop */
    bool shared[REGISTERS];   /* set there to the address of a shared region */
    bool worked[REGISTERS];   /* it is an accumulator of operations */
    struct code_addresses addresses;
};

static unsigned whole_of(double stated)
{
    return stated > 0 && stated < MOST_COUNT ? (unsigned)stated : 0;
}

/* ---- rows ---- */

static size_t add_form(struct code_flow *flow, const struct form *form, unsigned width)
{
    bool vectors = width > 8 || form_has(form, FORM_FLOATING) ||
                   (form != NULL && strncmp(form->name, "store.vector", strlen("store.vector")) == 0);
    return printed_add(&flow->printed, form == NULL ? NULL : form->text, width, vectors);
}

static const struct form *row_of(const struct code_flow *flow, const char *op, const char *variant,
                                 unsigned width)
{
    char name[NAME_BYTES], wide[16] = "";
    if (width != flow->isa->plain_width)
        snprintf(wide, sizeof wide, ".%u", width);
    snprintf(name, sizeof name, "%.40s%s%.16s%s", op, variant[0] == '\0' ? "" : ".", variant, wide);
    return operation_row(flow->templates, flow->machine, name);
}

static void put_row(struct code_flow *flow, struct item *item, const struct form *form)
{
    if (form != NULL && item->row_count < MOST_ROWS)
        item->rows[item->row_count++] = add_form(flow, form, item->width);
}

/* How the names of the access's rows begin; "": it has none of these properties. */
static const char *access_variant(const struct code_flow *flow, const struct item *item,
                                  char text[NAME_BYTES])
{
    const char *word = item->stated->data.word;
    bool zero = word != NULL && strspn(word, "0x") == strlen(word);
    bool wide = item->stated->logic == sizeof(uint64_t) && plan_has_narrow_logic(flow->templates);
    if (item->stated->atomic != NULL)
        return item->stated->atomic;
    if (item->led || item->leads) {
        const char *leads = zero ? "leads_zero" : wide ? "leads_wide" : "leads";
        snprintf(text, NAME_BYTES, "%s%s%s", item->led ? "led" : "", item->led && item->leads ? "_" : "",
                 item->leads ? leads : "");
        return text;
    }
    return item->stated->updates        ? "update"
           : item->stated->copies       ? "copy"
           : item->stated->from != NULL ? "vector"
           : item->shared               ? (item->chase ? "shared_chase" : "shared")
                                        : (item->chase ? "chase" : "");
}

/* Rows with a place are the last. */
static void find_access(struct code_flow *flow, struct item *item)
{
    static const char *const plain[] = {"nt", "independent", "start", "placed", NULL};
    static const char *const ends[] = {"", "_indexed", "_placed", NULL};
    char name[NAME_BYTES], text[NAME_BYTES];
    const char *variant = access_variant(flow, item, text);
    for (const char *const *end = variant[0] == '\0' ? plain : ends; *end != NULL; end++) {
        snprintf(name, sizeof name, "%.10s.%.40s%s.%u", item->stated->op, variant, *end, item->width);
        put_row(flow, item, operation_row(flow->templates, flow->machine, name));
    }
}

static void find_operation(struct code_flow *flow, struct item *item)
{
    const char *op = item->stated->op;
    const struct form *plain = row_of(flow, op, "", item->width);
    const struct form *start = row_of(flow, op, "start", item->width);
    const struct form *next = row_of(flow, op, "chain", item->width);
    bool floating = form_has(plain, FORM_FLOATING);
    item->results = floating          ? item->width == 4 ? ACCUMULATE_FLOAT : ACCUMULATE_DOUBLE
                    : item->width > 8 ? ACCUMULATE_VECTOR
                                      : ACCUMULATE_SCALAR;
    item->plain = add_form(flow, plain, item->width);
    item->dependent = add_form(flow, row_of(flow, op, "dependent", item->width), item->width);
    item->start = add_form(flow, start == NULL ? plain : start, item->width);
    item->next = add_form(flow, next == NULL ? plain : next, item->width);
}

static enum slot_kind kind_of(const char *op)
{
    static const struct {
        const char *op;
        enum slot_kind kind;
    } kinds[] = {{"load", SLOT_ACCESS},   {"store", SLOT_ACCESS}, {"atomic", SLOT_ACCESS},
                 {"branch", SLOT_BRANCH}, {"asm", SLOT_TEXT},     {"code", SLOT_CODE}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].op, op) == 0)
            return kinds[i].kind;
    return SLOT_OPERATION;
}

static void find_item(struct code_flow *flow, const struct manifest_item *stated, unsigned phase)
{
    struct item *item = &flow->items[flow->item_count++];
    *item = (struct item){.stated = stated,
                          .kind = kind_of(stated->op),
                          .count = whole_of(stated->count),
                          .dependents = whole_of(stated->dependents),
                          .chain = whole_of(stated->chain),
                          .width = (unsigned)manifest_width(stated),
                          .phase = phase,
                          .load = strcmp(stated->op, "store") != 0,
                          .chase = strcmp(manifest_text_or(stated->address, ""), "chase") == 0,
                          .led = strcmp(manifest_text_or(stated->address, ""), "led") == 0,
                          .leads = stated->leads,
                          .behind = whole_of(stated->behind),
                          .target = strcmp(manifest_text_or(stated->through, ""), "memory") == 0,
                          .shared = stated->shared != NULL};
    if (strcmp(stated->op, "throttle") == 0) {
        item->count = 0; /* its instructions are among the others (manifest->idle) */
        flow->idle_rows[0] = add_form(flow, template_form(flow->templates, "throttle.idle"), 8);
        flow->idle_rows[1] = add_form(flow, template_form(flow->templates, "throttle.idle_one_port"), 8);
    } else if (item->kind == SLOT_ACCESS) {
        find_access(flow, item);
    } else if (item->kind == SLOT_OPERATION) {
        find_operation(flow, item);
    } else if (item->kind == SLOT_BRANCH) {
        static const char *const kinds[] = {"", "random_again", "again"};
        size_t *const ends[] = {&item->drawn, &item->tested, &item->row_count};
        for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
            for (size_t i = 0; i < flow->templates->form_count; i++) {
                const struct form *form = &flow->templates->forms[i];
                size_t is = strstr(form->name, kinds[1]) != NULL   ? 1
                            : strstr(form->name, kinds[2]) != NULL ? 2
                                                                   : 0;
                bool target = strcmp(form->name, "branch.indirect_memory") == 0;
                if (strncmp(form->name, "branch.", 7) == 0 && is == kind && target == item->target)
                    put_row(flow, item, form);
            }
            *ends[kind] = item->row_count;
        }
    }
}

/* Adds the close of the loop: the part of the section from {advance} to trauma_loop_end. */
static void add_close(struct code_flow *flow, const char *name)
{
    const char *text = template_section(flow->templates, name);
    const char *from = text == NULL ? NULL : strstr(text, "{advance}");
    const char *end = from == NULL ? NULL : strstr(from, "trauma_loop_end:");
    if (from == NULL)
        return;
    from += strlen("{advance}");
    size_t size = end == NULL ? strlen(from) : (size_t)(end - from);
    char *part = arena_alloc(&flow->printed.arena, size + 1, 1);
    memcpy(part, from, size);
    flow->close[flow->close_count++] = printed_add(&flow->printed, part, 8, false);
}

static size_t add_section(struct code_flow *flow, const char *name)
{
    return printed_add(&flow->printed, template_section(flow->templates, name), 8, false);
}

static void find_rows(struct code_flow *flow)
{
    static const char *const sections[] = {[ANCHOR_ROW] = "start.anchor",
                                           [BACK_ROW] = "advance.rotating",
                                           "advance.always",
                                           "advance.sometimes",
                                           "advance.turn",
                                           "advance.copies_all",
                                           "advance.copies_some",
                                           "advance.copies",
                                           "advance.copies_kept_all",
                                           "advance.copies_kept_some",
                                           "advance.copies_kept",
                                           "advance.texts",
                                           "advance.coherence",
                                           "advance.coherence_walk"};
    const struct manifest *manifest = flow->manifest;
    size_t nothing = printed_add(&flow->printed, NULL, 8, false);
    flow->idle_rows[0] = flow->idle_rows[1] = nothing;
    flow->items = memory_zeroed(manifest->unit_count, sizeof *flow->items);
    size_t of_phase = 0, phase = 0;
    for (size_t i = 0; i < manifest->unit_count; i++) {
        if (phase + 1 < manifest->phase_count && of_phase == whole_of(manifest->phases[phase])) {
            phase++;
            of_phase = 0;
        }
        of_phase++;
        find_item(flow, &manifest->unit[i], (unsigned)phase);
    }
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        flow->advance[flow->advance_count++] = add_section(flow, sections[i]);
    flow->place_first = add_section(flow, "place.first");
    flow->place_next = add_section(flow, "place.next");
    flow->start_shared = add_section(flow, "start.shared");
    flow->start_target = add_section(flow, "start.target");
    flow->jump_rows[0] = add_form(flow, template_variant(flow->templates, "code", "next"), 8);
    flow->jump_rows[1] = add_form(flow, template_variant(flow->templates, "code", "copies"), 8);
    flow->jump_rows[2] = add_form(flow, template_form(flow->templates, "code.copies_kept"), 8);
    bool code = manifest->has_code;
    add_close(flow, code ? "code.close" : "loop");
    add_close(flow, code ? "code.close_twin" : "twin");
}

/* ---- slots ---- */

/* The order of a phase's unit. */
static struct unit_place *order_unit(const struct code_flow *flow, unsigned phase, size_t *total)
{
    struct unit_part *parts = memory_zeroed(flow->item_count + 1, sizeof *parts);
    *total = 0;
    for (size_t i = 0; i < flow->item_count; i++) {
        const struct item *item = &flow->items[i];
        bool fixed = item->shared || (item->kind != SLOT_ACCESS && item->kind != SLOT_OPERATION);
        if (item->phase != phase)
            continue;
        parts[i] = (struct unit_part){item->count,
                                      fixed              ? UNIT_FIXED
                                      : item->leads      ? UNIT_LEADS
                                      : item->behind > 0 ? UNIT_LED
                                                         : UNIT_MIXED,
                                      item->behind};
        *total += item->count;
    }
    struct unit_place *order = memory_zeroed(*total + 1, sizeof *order);
    unit_order(parts, flow->item_count, order);
    free(parts);
    return order;
}

static void lay_out(struct code_flow *flow)
{
    unsigned units = whole_of(flow->manifest->units);
    size_t phases = flow->manifest->phase_count == 0 ? 1 : flow->manifest->phase_count;
    for (unsigned phase = 0; phase < phases; phase++) {
        size_t total;
        struct unit_place *order = order_unit(flow, phase, &total);
        for (size_t i = 0; i < units * total && flow->slot_count < MOST_SLOTS; i++) {
            const struct unit_place *place = &order[i % total];
            const struct item *item = &flow->items[place->part];
            size_t instance = i / total * item->count + place->instance;
            bool operates = item->kind == SLOT_OPERATION;
            flow->slots = memory_next(flow->slots, flow->slot_count, sizeof *flow->slots);
            flow->slots[flow->slot_count++] =
                (struct code_slot){.item = place->part,
                                   .instance = instance,
                                   .dependent = operates && place->instance < item->dependents,
                                   .starts = operates && item->chain > 0 && instance % item->chain == 0 &&
                                             item->chain < (size_t)units * item->count};
        }
        free(order);
    }
}

static size_t row_of_slot(const struct code_flow *flow, const struct code_slot *slot)
{
    const struct item *item = &flow->items[slot->item];
    return slot->dependent    ? item->dependent
           : item->chain == 0 ? item->plain
           : slot->starts     ? item->start
                              : item->next;
}

/* ---- errors ---- */

static const char *name_of(const struct code_flow *flow, int index)
{
    return index < 0 ? "no register" : flow->isa->registers[index].whole;
}

#define BY_KERNEL "; by the kernel in the manifest "

/* ---- matching ---- */

/* Matches the row at instruction *at and moves *at behind it; false if it does not match. */
static bool meet(struct code_flow *flow, struct code_pass *pass, enum code_item part, size_t row,
                 const struct code_slot *slot, size_t *at)
{
    struct printed_match match;
    if (!printed_is(&flow->printed, row, pass->code + *at, pass->count - *at, &match))
        return false;
    size_t disp = printed_name(&flow->printed, "disp"), until = printed_name(&flow->printed, "until");
    size_t anchor = printed_name(&flow->printed, "anchor");
    pass->items = memory_next(pass->items, pass->found, sizeof *pass->items);
    struct found_unit *found = &pass->items[pass->found++];
    *found = (struct found_unit){.part = part, .row = row, .first = *at, .slot = slot};
    for (size_t i = 0; i < PRINTED_NAMES; i++)
        found->registers[i] = (short)match.registers[i];
    found->disp = disp < PRINTED_NAMES ? match.numbers[disp] : 0;
    found->until = until < PRINTED_NAMES ? match.numbers[until] : 0;
    found->anchor = anchor < PRINTED_NAMES ? match.numbers[anchor] : 0;
    *at += match.count;
    return true;
}

/* The jump from one piece of code to the next. */
static bool meet_jump(struct code_flow *flow, struct code_pass *pass, const struct code_slot *slot,
                      size_t *at)
{
    bool met = false;
    for (size_t i = 0; !met && i < sizeof flow->jump_rows / sizeof flow->jump_rows[0]; i++)
        met = meet(flow, pass, PART_JUMP, flow->jump_rows[i], slot, at);
    return met;
}

static void meet_idle(struct code_flow *flow, struct code_pass *pass, size_t *at)
{
    while (meet(flow, pass, PART_IDLE, flow->idle_rows[0], NULL, at) ||
           meet(flow, pass, PART_IDLE, flow->idle_rows[1], NULL, at))
        ;
}

/* Matches instructions of the recipe's own text: those that its place in the loop has. The twin must have the
 * same. */
static bool meet_own(struct code_flow *flow, struct code_pass *pass, const struct code_slot *slot, size_t *at)
{
    struct own_text *own = &flow->own[slot - flow->slots];
    if (pass->twin) {
        bool same = own->count > 0 && pass->count - *at >= own->count;
        for (size_t i = 0; same && i < own->count; i++)
            same = printed_same(flow->isa, pass->code[*at + i].text,
                                flow->passes[0].code[own->first + i].text, true);
        *at += same ? own->count : 0;
        return same;
    }
    uint64_t end = 0;
    *own = (struct own_text){.first = *at};
    for (size_t i = 0; i < flow->listing->text_count && *at < pass->count; i++) {
        uint32_t place[2];
        memcpy(place, flow->listing->texts + i * sizeof place, sizeof place);
        uint64_t offset = pass->code[*at].offset - flow->listing->loop;
        if (offset == place[0])
            end = flow->listing->loop + place[1];
    }
    while (*at < pass->count && pass->code[*at].offset < end)
        ++*at;
    own->count = *at - own->first;
    return own->count > 0;
}

/* How many of the branch's rows may stand there. Behind the close of a pass, and behind other instructions
 * than the item's branches, the flags are unknown; behind a random branch that draws no number, they are not
 * constant. */
static size_t branch_rows(const struct code_flow *flow, const struct code_pass *pass,
                          const struct code_slot *slot)
{
    const struct item *item = &flow->items[slot->item];
    if (strcmp(manifest_text_or(item->stated->test, ""), "shared") != 0 || pass->found == 0)
        return item->drawn;
    bool behind = slot > flow->slots && slot[-1].item == slot->item;
    for (size_t i = item->drawn; i < item->tested; i++)
        behind = behind && pass->items[pass->found - 1].row != item->rows[i];
    return behind ? item->row_count : item->tested;
}

static bool meet_slot(struct code_flow *flow, struct code_pass *pass, const struct code_slot *slot, bool last,
                      size_t *at)
{
    const struct item *item = &flow->items[slot->item];
    size_t place = *at, found = pass->found;
    switch (item->kind) {
    case SLOT_OPERATION:
        return meet(flow, pass, PART_SLOT, row_of_slot(flow, slot), slot, at);
    case SLOT_TEXT:
        return meet_own(flow, pass, slot, at);
    case SLOT_CODE:
        return meet_jump(flow, pass, slot, at);
    case SLOT_ACCESS:
        if (!item->shared && meet(flow, pass, PART_PLACE, flow->place_first, slot, &place))
            while (meet(flow, pass, PART_PLACE_NEXT, flow->place_next, slot, &place))
                ;
        break;
    case SLOT_BRANCH:
        break;
    }
    bool placed = pass->found > found;
    size_t rows = item->kind == SLOT_BRANCH ? branch_rows(flow, pass, slot) : item->row_count;
    for (size_t i = 0; i < rows; i++) {
        size_t row = item->rows[placed ? item->row_count - 1 - i : i]; /* see find_access */
        if (meet(flow, pass, PART_SLOT, row, slot, &place)) {
            *at = place;
            return true;
        }
    }
    pass->found = found;
    return last && item->kind == SLOT_BRANCH; /* the back edge */
}

/* Matches the longest section, as some sections begin with the whole of another. */
static bool meet_advance(struct code_flow *flow, struct code_pass *pass, size_t *at)
{
    size_t best = 0, longest = 0;
    for (size_t i = 0; i < flow->advance_count; i++) {
        struct printed_match match;
        bool is = printed_is(&flow->printed, flow->advance[i], pass->code + *at, pass->count - *at, &match);
        if (is && match.count > longest)
            best = i, longest = match.count;
    }
    return longest > 0 && meet(flow, pass, PART_ADVANCE, flow->advance[best], NULL, at);
}

/* Matches the jump between two parts of a long piece of code, which may stand between slots. */
static bool meet_cut(struct code_flow *flow, struct code_pass *pass, size_t *at)
{
    bool cut = flow->manifest->has_code && meet_jump(flow, pass, NULL, at);
    if (cut)
        meet_idle(flow, pass, at);
    return cut;
}

/* Matches a pass that begins with that slot. *at: the first instruction that does not match; *next: the slot
 * expected there, or slot_count. */
static bool meet_pass(struct code_flow *flow, struct code_pass *pass, size_t first, size_t *at, size_t *next)
{
    *at = 0;
    pass->found = 0;
    for (*next = 0; *next < flow->slot_count; ++*next) {
        const struct code_slot *slot = &flow->slots[(first + *next) % flow->slot_count];
        bool last = *next + 1 == flow->slot_count;
        meet_idle(flow, pass, at);
        if (!meet_slot(flow, pass, slot, last, at) &&
            !(meet_cut(flow, pass, at) && meet_slot(flow, pass, slot, last, at)))
            return false;
    }
    meet_idle(flow, pass, at);
    while (meet_advance(flow, pass, at))
        ;
    size_t close = flow->close[pass->twin && flow->close_count > 1 ? 1 : 0];
    return meet(flow, pass, PART_CLOSE, close, NULL, at) && (pass->twin || *at == pass->count);
}

/* Loops begin with an access or behind a branch. */
static bool may_begin(const struct code_flow *flow, size_t slot)
{
    size_t before = (slot + flow->slot_count - 1) % flow->slot_count;
    return slot == 0 || flow->items[flow->slots[slot].item].kind == SLOT_ACCESS ||
           flow->items[flow->slots[before].item].kind == SLOT_BRANCH;
}

static enum status not_the_row(const struct code_flow *flow, const struct code_pass *pass, size_t first,
                               size_t at, size_t next)
{
    const struct printed_instruction end = {flow->listing->advance, "the end"};
    const struct printed_instruction *instruction = at < pass->count ? &pass->code[at] : &end;
    if (next == flow->slot_count)
        return code_wrong(instruction, flow->error,
                          "is not what comes next" BY_KERNEL
                          "the units end here, and what closes the loop follows");
    const struct code_slot *slot = &flow->slots[(first + next) % flow->slot_count];
    const struct item *item = &flow->items[slot->item];
    size_t row = item->kind == SLOT_OPERATION ? row_of_slot(flow, slot)
                 : item->row_count > 0        ? item->rows[0]
                                              : flow->jump_rows[0];
    return code_wrong(instruction, flow->error,
                      "is not what comes next" BY_KERNEL "it would be '%.160s' of %s%.20s%s",
                      printed_text(&flow->printed, row), slot->dependent ? "a dependent " : "",
                      item->stated->op, slot->starts ? ", where a chain begins" : "");
}

/* Finds the slot with which the loop begins: the one from which most instructions match. */
static enum status find_pass(struct code_flow *flow, struct code_pass *pass, size_t *first)
{
    size_t best = 0, best_at = 0, best_next = 0;
    for (size_t i = 0; i < flow->slot_count; i++) {
        size_t at, next;
        if (!may_begin(flow, i))
            continue;
        if (meet_pass(flow, pass, i, &at, &next)) {
            *first = i;
            return STATUS_OK;
        }
        if (at > best_at || i == 0)
            best = i, best_at = at, best_next = next;
    }
    return not_the_row(flow, pass, best, best_at, best_next);
}

/* ---- registers ---- */

/* True for roles with one register in the whole loop. The others are judged by their use. */
static bool is_fixed(const char *name)
{
    return !names_contain("accumulator,operand,base,value,stored,rotating,anchor,shared,way,loop_way", name);
}

/* True for roles that the loop sets in every pass before it reads them. */
static bool is_own(const char *name)
{
    return names_contain("place,spare,goal,other_goal,mask,kept_passes,compared,address,remainder,quotient",
                         name);
}

static int register_of(const struct code_flow *flow, const struct found_unit *found, const char *role)
{
    size_t name = printed_name(&flow->printed, role);
    return name < PRINTED_NAMES ? found->registers[name] : -1;
}

static int fixed_of(const struct code_flow *flow, const char *role)
{
    size_t name = printed_name(&flow->printed, role);
    return name < PRINTED_NAMES ? flow->fixed[name] : -1;
}

/* The register with the highest count; -1: none. */
static int most_frequent(const unsigned counts[REGISTERS])
{
    int best = -1;
    for (int r = 0; r < REGISTERS; r++)
        if (counts[r] > 0 && (best < 0 || counts[r] > counts[best]))
            best = r;
    return best;
}

static void vote(struct code_flow *flow)
{
    for (size_t n = 0; n < PRINTED_NAMES; n++) {
        unsigned counts[REGISTERS] = {0};
        flow->fixed[n] = -1;
        if (n >= flow->printed.name_count || !is_fixed(flow->printed.names[n]))
            continue;
        for (size_t p = 0; p < flow->pass_count; p++)
            for (size_t i = 0; i < flow->passes[p].found; i++)
                if (flow->passes[p].items[i].registers[n] >= 0)
                    counts[flow->passes[p].items[i].registers[n]]++;
        flow->fixed[n] = most_frequent(counts);
    }
    size_t accumulator = printed_name(&flow->printed, "accumulator");
    for (size_t p = 0; p < flow->pass_count && accumulator < PRINTED_NAMES; p++)
        for (size_t i = 0; i < flow->passes[p].found; i++)
            if (flow->passes[p].items[i].registers[accumulator] >= 0)
                flow->worked[flow->passes[p].items[i].registers[accumulator]] = true;
    size_t data = printed_name(&flow->printed, "data");
    if (data < PRINTED_NAMES)
        flow->fixed[data] = flow->data;
}

static void add_anchor(struct code_flow *flow, const struct found_unit *found, int64_t offset, bool moves)
{
    struct code_addresses *addresses = &flow->addresses;
    addresses->anchors = memory_next(addresses->anchors, addresses->anchor_count, sizeof *addresses->anchors);
    addresses->anchors[addresses->anchor_count++] = (struct code_anchor){
        register_of(flow, found, "anchor"), register_of(flow, found, "base"), offset, moves};
}

/* Reads the instructions before the loop: which registers they set, and the values of anchors and registers
 * of shared regions. */
static void find_set(struct code_flow *flow)
{
    const struct code_part *start = &flow->listing->start;
    for (size_t i = 0; i < start->count; i++)
        for (int r = 0; r < (int)flow->isa->register_count && r < REGISTERS; r++)
            flow->set[r] = flow->set[r] || printed_sets(flow->isa, start->items[i].text, r);
    for (size_t i = 0; i < start->count; i++) {
        struct printed_match match;
        struct found_unit found = {.row = flow->start_shared};
        if (printed_is(&flow->printed, flow->start_shared, start->items + i, start->count - i, &match))
            flow->shared[match.registers[printed_name(&flow->printed, "shared")]] = true;
        if (!printed_is(&flow->printed, flow->advance[ANCHOR_ROW], start->items + i, start->count - i,
                        &match))
            continue;
        for (size_t n = 0; n < PRINTED_NAMES; n++)
            found.registers[n] = (short)match.registers[n];
        add_anchor(flow, &found, match.numbers[printed_name(&flow->printed, "anchor")], false);
    }
}

/* ---- the comparison ---- */

/* The state of a pass after the instructions so far. */
struct state {
    int loaded; /* the register that the last load filled; -1: none */
    bool loaded_wide;
    int *chain;    /* [items]: the register of each one's chain; -1: none yet */
    size_t *taken; /* [REGISTERS]: 1 + the item whose chain continues there; 0: none */
};

/* The registers that operations of one kind and dependence use in turn. */
struct code_ring {
    int *registers; /* in the order of the code; -1: an operation without one */
    size_t *at;     /* their instructions */
    size_t count;
};

static enum status is_one(const struct code_flow *flow, const struct printed_instruction *at,
                          const char *what, int found, int wanted)
{
    return found == wanted ? STATUS_OK
                           : code_wrong(at, flow->error, "takes %s as %s" BY_KERNEL "it is %s",
                                        name_of(flow, found), what, name_of(flow, wanted));
}

/* Checks that a role with one register uses it everywhere, and that no other role does. */
static enum status check_fixed(const struct code_flow *flow, const struct code_pass *pass,
                               const struct found_unit *found)
{
    const struct printed_instruction *at = &pass->code[found->first];
    for (size_t n = 0; n < flow->printed.name_count; n++) {
        int index = found->registers[n];
        if (index < 0)
            continue;
        enum status status = STATUS_OK;
        if (flow->fixed[n] >= 0)
            status = is_one(flow, at, flow->printed.names[n], index, flow->fixed[n]);
        for (size_t m = 0; status == STATUS_OK && m < flow->printed.name_count; m++) {
            const char *one = flow->printed.names[n], *other = flow->printed.names[m];
            bool may =
                m == n || flow->fixed[m] != index || strcmp(other, "zero") == 0 ||
                ((strcmp(one, "base") == 0 || strcmp(one, "operand") == 0) && strcmp(other, "data") == 0) ||
                ((strcmp(one, "value") == 0 || strcmp(one, "stored") == 0) &&
                 (strcmp(other, "pointer") == 0 || strcmp(other, "stored") == 0)) ||
                ((strcmp(one, "way") == 0 || strcmp(one, "loop_way") == 0) &&
                 (strcmp(other, "other_goal") == 0 || strcmp(other, "back_goal") == 0));
            if (may)
                continue;
            status = code_wrong(at, flow->error, "takes %s as %s" BY_KERNEL "that register is %s",
                                name_of(flow, index), one, other);
        }
        bool needs =
            !is_own(flow->printed.names[n]) && found->part != PART_ADVANCE && index != flow->wide_value;
        if (status == STATUS_OK && needs && index < REGISTERS && !flow->set[index] && index != flow->data &&
            index != fixed_of(flow, "zero") && strcmp(flow->isa->registers[index].whole, "zero") != 0)
            status = code_wrong(at, flow->error,
                                "takes %s as %s" BY_KERNEL "nothing before the loop sets that register",
                                name_of(flow, index), flow->printed.names[n]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status check_operand(const struct code_flow *flow, const struct code_pass *pass,
                                 const struct found_unit *found, int *own)
{
    int operand = register_of(flow, found, "operand");
    const struct item *item = &flow->items[found->slot->item];
    const struct printed_instruction *at = &pass->code[found->first];
    if (operand < 0)
        return STATUS_OK;
    if (!item->stated->data.given)
        return is_one(flow, at, "its operand", operand, *own);
    for (size_t i = 0; i < flow->manifest->operand_count; i++) {
        const struct manifest_operand *stated = &flow->manifest->operands[i];
        for (size_t k = 0; strcmp(stated->op, item->stated->op) == 0 && k < stated->registers.count; k++)
            if (stated->registers.items[k] != NULL &&
                strcmp(stated->registers.items[k], flow->isa->registers[operand].whole) == 0)
                return STATUS_OK;
    }
    return code_wrong(at, flow->error,
                      "takes %s as its operand" BY_KERNEL "its operands' registers are others",
                      name_of(flow, operand));
}

/* The register that most instances of the item use in a role. */
static int usual(const struct code_flow *flow, size_t item, const char *role)
{
    unsigned counts[REGISTERS] = {0};
    for (size_t p = 0; p < flow->pass_count; p++)
        for (size_t i = 0; i < flow->passes[p].found; i++) {
            const struct found_unit *found = &flow->passes[p].items[i];
            int index = found->slot != NULL && found->slot->item == item && found->part == PART_SLOT
                            ? register_of(flow, found, role)
                            : -1;
            if (index >= 0)
                counts[index]++;
        }
    return most_frequent(counts);
}

/* Checks that dependents consume the last load's value. In a loop without loads they consume one register
 * instead. */
static enum status check_value(const struct code_flow *flow, const struct code_pass *pass,
                               const struct found_unit *found, const struct state *state)
{
    int value = register_of(flow, found, "value");
    if (!found->slot->dependent)
        return STATUS_OK;
    int wanted = state->loaded < 0 ? usual(flow, found->slot->item, "value") : state->loaded;
    return value == wanted ? STATUS_OK
                           : code_wrong(&pass->code[found->first], flow->error,
                                        "consumes %s" BY_KERNEL "it consumes what the last load brought, %s",
                                        name_of(flow, value), name_of(flow, wanted));
}

static enum status check_access(struct code_flow *flow, const struct code_pass *pass,
                                const struct found_unit *found, struct state *state)
{
    const struct item *item = &flow->items[found->slot->item];
    const struct printed_instruction *at = &pass->code[found->first];
    bool points = item->chase || item->leads;
    int value = register_of(flow, found, points ? "pointer" : "value");
    int stored = register_of(flow, found, "stored");
    if (item->load) {
        state->loaded = value;
        if (!points && value >= 0 && value == fixed_of(flow, "pointer"))
            return code_wrong(at, flow->error,
                              "fills %s" BY_KERNEL
                              "loads that are led go by that register, and this one does not lead",
                              name_of(flow, value));
        return value < 0 || !flow->worked[value]
                   ? STATUS_OK
                   : code_wrong(at, flow->error, "fills %s" BY_KERNEL "operations work on that register",
                                name_of(flow, value));
    }
    return !item->stated->data.loaded || stored == state->loaded
               ? STATUS_OK
               : code_wrong(at, flow->error, "stores %s" BY_KERNEL "it stores what the last load brought",
                            name_of(flow, stored));
}

static enum status check_chain(const struct code_flow *flow, const struct code_pass *pass,
                               const struct found_unit *found, struct state *state)
{
    const struct code_slot *slot = found->slot;
    const struct item *item = &flow->items[slot->item];
    int accumulator = register_of(flow, found, "accumulator");
    if (accumulator < 0)
        return STATUS_OK;
    size_t other = state->taken[accumulator];
    if (other > 0 && other != slot->item + 1)
        return code_wrong(&pass->code[found->first], flow->error,
                          "works on %s" BY_KERNEL "a chain of %s goes on there", name_of(flow, accumulator),
                          flow->items[other - 1].stated->op);
    if (item->chain == 0)
        return STATUS_OK;
    int before = state->chain[slot->item];
    if (!slot->starts && before >= 0 && before != accumulator)
        return code_wrong(&pass->code[found->first], flow->error,
                          "works on %s and does not depend on the operation before it" BY_KERNEL
                          "it continues the chain of %s",
                          name_of(flow, accumulator), name_of(flow, before));
    if (before >= 0)
        state->taken[before] = 0;
    state->chain[slot->item] = accumulator;
    bool ends = (slot->instance + 1) % item->chain == 0;
    state->taken[accumulator] = ends ? 0 : slot->item + 1;
    return STATUS_OK;
}

/* Appends the operation's register to its ring. Operations without a register have a turn too. */
static void put_in_ring(const struct code_flow *flow, const struct found_unit *found, struct code_ring *rings)
{
    const struct code_slot *slot = found->slot;
    const struct item *item = &flow->items[slot->item];
    if (item->chain > 0 && !slot->starts)
        return;
    size_t own = item->chain > 0 ? ACCUMULATE_KINDS + slot->item : (size_t)item->results;
    struct code_ring *ring = &rings[own * DEPENDENCES + slot->dependent];
    ring->registers = memory_next(ring->registers, ring->count, sizeof *ring->registers);
    ring->at = memory_next(ring->at, ring->count, sizeof *ring->at);
    ring->registers[ring->count] = register_of(flow, found, "accumulator");
    ring->at[ring->count++] = found->first;
}

/* How many registers are used in turn: the distance at which most registers recur; count if none does. */
static size_t ring_size(const struct code_ring *ring)
{
    size_t best = ring->count, best_wrong = SIZE_MAX;
    for (size_t size = 1; size < ring->count && size <= REGISTERS; size++) {
        size_t differ = 0, pairs = 0;
        for (size_t i = size; i < ring->count; i++) {
            bool both = ring->registers[i] >= 0 && ring->registers[i - size] >= 0;
            pairs += both;
            differ += both && ring->registers[i] != ring->registers[i - size];
        }
        /* One wrong register makes two differ. */
        if (pairs > 0 && differ < best_wrong && (differ <= 2 || 10 * differ < pairs) &&
            2 * differ < pairs + 1)
            best = size, best_wrong = differ;
    }
    return best;
}

/* Checks that independent operations use all their registers in turn. Chains may begin in one register, as
 * their first operation does not read it. */
static enum status check_ring(const struct code_flow *flow, const struct code_pass *pass,
                              const struct code_ring *ring, bool independent)
{
    size_t size = ring_size(ring);
    enum status status = STATUS_OK;
    int *turns = memory_zeroed(size + 1, sizeof *turns); /* the register of each turn */
    for (size_t turn = 0; turn < size; turn++) {
        unsigned counts[REGISTERS] = {0};
        for (size_t i = turn; i < ring->count; i += size)
            if (ring->registers[i] >= 0)
                counts[ring->registers[i]]++;
        turns[turn] = most_frequent(counts);
    }
    for (size_t i = 0; status == STATUS_OK && i < ring->count; i++) {
        int own = ring->registers[i];
        if (own < 0)
            continue;
        size_t before = i == 0 ? SIZE_MAX : i - 1; /* its last use */
        while (before != SIZE_MAX && ring->registers[before] != own)
            before--;
        if (before != SIZE_MAX && (i - before < size || (size == 1 && independent)))
            status = code_wrong(&pass->code[ring->at[i]], flow->error,
                                "depends by %s on the one at 0x%" PRIx64 BY_KERNEL
                                "they are independent, and it is the turn of %s",
                                name_of(flow, own), pass->code[ring->at[before]].offset,
                                name_of(flow, size == 1 ? -1 : turns[i % size]));
        else if (own != turns[i % size])
            status = code_wrong(&pass->code[ring->at[i]], flow->error,
                                "works on %s" BY_KERNEL
                                "operations take %zu registers in turn, and it is the turn of %s",
                                name_of(flow, own), size, name_of(flow, turns[i % size]));
    }
    free(turns);
    return status;
}

/* Checks the register that an indirect branch adds to reach the other copy of the loop: it is zero, or the
 * distance, which is one register in the loop and another one in its twin. */
static enum status check_ways(const struct code_flow *flow, const struct code_pass *pass,
                              const struct found_unit *found)
{
    static const char *const roles[] = {"way", "loop_way"};
    const struct register_name *zero = isa_register(flow->isa, "zero", strlen("zero"));
    int none = zero == NULL ? -1 : (int)(zero - flow->isa->registers);
    unsigned counts[REGISTERS] = {0};
    for (size_t i = 0; i < pass->found; i++)
        for (size_t k = 0; k < 2; k++) {
            int way = register_of(flow, &pass->items[i], roles[k]);
            if (way >= 0 && way != none)
                counts[way]++;
        }
    int other = most_frequent(counts);
    for (size_t k = 0; k < 2; k++) {
        int way = register_of(flow, found, roles[k]);
        if (way >= 0 && way != none && way != other)
            return is_one(flow, &pass->code[found->first], "the way to the other copy", way, other);
    }
    return STATUS_OK;
}

static enum status check_slot(struct code_flow *flow, const struct code_pass *pass,
                              const struct found_unit *found, const int *operands, const int *values,
                              struct state *state, struct code_ring *rings)
{
    const struct item *item = &flow->items[found->slot->item];
    const struct printed_instruction *at = &pass->code[found->first];
    enum status status = STATUS_OK;
    int own = operands[found->slot->item];
    if (item->kind == SLOT_ACCESS) {
        const char *role = item->load && !item->chase ? "value" : "stored";
        int index = register_of(flow, found, role);
        int shared = register_of(flow, found, "shared");
        if (item->shared)
            status = is_one(flow, at, "where the shared region is", shared,
                            usual(flow, found->slot->item, "shared"));
        if (status == STATUS_OK && item->shared && (shared < 0 || !flow->shared[shared]))
            status = code_wrong(at, flow->error,
                                "accesses a shared region by a register that nothing sets to it" BY_KERNEL
                                "it is set before the loop");
        if (status == STATUS_OK && index >= 0 && !item->stated->data.given)
            status = is_one(flow, at, role, index, values[found->slot->item]);
        return status == STATUS_OK ? check_access(flow, pass, found, state) : status;
    }
    if (item->kind == SLOT_BRANCH)
        return check_ways(flow, pass, found);
    if (item->kind != SLOT_OPERATION)
        return STATUS_OK;
    status = check_operand(flow, pass, found, &own);
    if (status == STATUS_OK)
        status = check_chain(flow, pass, found, state);
    put_in_ring(flow, found, rings);
    return status;
}

/* Checks that an instruction that moves a base is followed by the section that moves it back to its start. */
static enum status check_advance(struct code_flow *flow, const struct code_pass *pass,
                                 const struct found_unit *found)
{
    const struct found_unit *next = found + 1;
    int moved = register_of(flow, found, "rotating"), anchor = register_of(flow, found, "anchor");
    const char *text = printed_text(&flow->printed, found->row);
    bool back = text == printed_text(&flow->printed, flow->advance[BACK_ROW]);
    bool more = next < pass->items + pass->found && next->part == PART_ADVANCE;
    if (anchor >= 0 && !pass->twin)
        add_anchor(flow, found, found->anchor, true);
    if (moved < 0 || back)
        return STATUS_OK;
    flow->addresses.rotating[moved] = true;
    return is_one(flow, &pass->code[(more ? next : found)->first], "the base that goes back to its start",
                  more ? register_of(flow, next, "rotating") : -1, moved);
}

static enum status compare_pass(struct code_flow *flow, const struct code_pass *pass, const int *operands,
                                const int *values)
{
    struct state state = {.loaded = -1};
    size_t ring_count = (ACCUMULATE_KINDS + flow->item_count) * DEPENDENCES;
    struct code_ring *rings = memory_zeroed(ring_count, sizeof *rings);
    enum status status = STATUS_OK;
    state.chain = memory_zeroed(flow->item_count + 1, sizeof *state.chain);
    state.taken = memory_zeroed(REGISTERS, sizeof *state.taken);
    for (int round = 0; round < 2; round++) { /* the second begins with the state after the first */
        for (size_t i = 0; round == 0 && i < flow->item_count; i++)
            state.chain[i] = -1;
        for (size_t i = 0; i < ring_count; i++)
            rings[i].count = 0;
        for (size_t i = 0; status == STATUS_OK && i < pass->found; i++) {
            const struct found_unit *found = &pass->items[i];
            if (found->part == PART_SLOT)
                status = check_value(flow, pass, found, &state);
            if (status == STATUS_OK)
                status = check_fixed(flow, pass, found);
            if (status == STATUS_OK && found->part == PART_SLOT)
                status = check_slot(flow, pass, found, operands, values, &state, rings);
            if (status == STATUS_OK && found->part == PART_ADVANCE)
                status = check_advance(flow, pass, found);
        }
    }
    for (size_t i = 0; i < ring_count; i++) {
        if (status == STATUS_OK)
            status =
                check_ring(flow, pass, &rings[i], i / DEPENDENCES < ACCUMULATE_KINDS && i % DEPENDENCES == 0);
        free(rings[i].registers);
        free(rings[i].at);
    }
    free(rings);
    free(state.chain);
    free(state.taken);
    return status;
}

/* ---- addresses ---- */

static void add_place(const struct code_flow *flow, const struct found_unit *found,
                      struct code_access *access)
{
    int base = register_of(flow, found, "base");
    access->places = memory_next(access->places, access->count, sizeof *access->places);
    access->places[access->count++] = (struct code_place){base, found->disp, (uint64_t)found->until};
}

/* True for accesses whose place the manifest states: all but those to shared regions. */
static bool is_placed(const struct code_flow *flow, const struct found_unit *found)
{
    if (found->part != PART_SLOT)
        return false;
    const struct item *item = &flow->items[found->slot->item];
    return item->kind == SLOT_ACCESS ? !item->shared : register_of(flow, found, "base") >= 0 && item->target;
}

/* True if the offset is that of an instruction that follows the slot, in the loop or its second copy. Other
 * instructions of a pass do not match; further copies of a code{} are in no pass. */
static bool may_lead(const struct code_flow *flow, const struct code_slot *slot, uint64_t offset)
{
    bool listed = false;
    for (size_t p = 0; p < flow->pass_count; p++) {
        const struct code_pass *pass = &flow->passes[p];
        for (size_t i = 0; i < pass->count; i++)
            listed = listed || pass->code[i].offset == offset;
        for (size_t i = 0; i < pass->found; i++) {
            size_t next = pass->items[i].first + 1;
            if (pass->items[i].slot == slot && next < pass->count && pass->code[next].offset == offset)
                return true;
        }
    }
    return flow->manifest->has_code && !listed;
}

/* Checks that the target that a branch loads is written before the loop and follows the branch. Its address
 * is relative to the instruction after the one that computes it, as on x86-64, which alone has such branches.
 * The copies of a code{}, to which some branches lead, are in no pass. */
static enum status check_target(const struct code_flow *flow, const struct code_pass *pass,
                                const struct found_unit *found)
{
    const struct code_part *start = &flow->listing->start;
    size_t disp = printed_name(&flow->printed, "disp"), base = printed_name(&flow->printed, "base");
    struct printed_match match;
    for (size_t i = 0; i + 1 < start->count; i++) {
        if (!printed_is(&flow->printed, flow->start_target, start->items + i, start->count - i, &match) ||
            match.numbers[disp] != found->disp || match.registers[base] != flow->data)
            continue;
        const char *text = start->items[i].text, *number = text + strcspn(text, "-0123456789");
        uint64_t target = start->items[i + 1].offset + (uint64_t)strtoll(number, NULL, 0);
        return may_lead(flow, found->slot, target)
                   ? STATUS_OK
                   : code_wrong(&pass->code[found->first], flow->error,
                                "loads a target that is not what follows it" BY_KERNEL
                                "a branch through memory leads there, in the loop or its second copy");
    }
    return code_wrong(&pass->code[found->first], flow->error,
                      "loads a target that nothing before the loop writes" BY_KERNEL
                      "each branch through memory has its own word");
}

/* Checks the addresses of a pass's accesses. */
static enum status check_addresses(struct code_flow *flow, const struct test_program *test_program,
                                   const struct code_pass *pass)
{
    struct code_addresses *addresses = &flow->addresses;
    size_t placed = SIZE_MAX;
    addresses->isa = flow->isa;
    addresses->data = flow->data;
    for (size_t i = 0; i < pass->found; i++) {
        const struct found_unit *found = &pass->items[i];
        bool place = found->part == PART_PLACE;
        if (place || (is_placed(flow, found) && placed == SIZE_MAX)) {
            addresses->accesses =
                memory_next(addresses->accesses, addresses->count, sizeof *addresses->accesses);
            addresses->accesses[addresses->count++] = (struct code_access){
                .at = &pass->code[found->first], .chase = flow->items[found->slot->item].chase};
        }
        if (place || found->part == PART_PLACE_NEXT)
            placed = i;
        else if (!is_placed(flow, found))
            continue;
        struct code_access *access = &addresses->accesses[addresses->count - 1];
        if (found->part != PART_SLOT || placed == SIZE_MAX)
            add_place(flow, found, access);
        if (found->part == PART_SLOT)
            placed = SIZE_MAX;
    }
    enum status status = code_addresses_check(test_program, addresses, flow->error);
    for (size_t i = 0; status == STATUS_OK && i < pass->found; i++)
        if (is_placed(flow, &pass->items[i]) && flow->items[pass->items[i].slot->item].target)
            status = check_target(flow, pass, &pass->items[i]);
    for (size_t i = 0; i < addresses->count; i++)
        free(addresses->accesses[i].places);
    free(addresses->accesses);
    addresses->accesses = NULL;
    addresses->count = 0;
    return status;
}

static enum status compare(struct code_flow *flow, const struct test_program *test_program)
{
    int *operands = memory_zeroed(flow->item_count + 1, sizeof *operands);
    int *values = memory_zeroed(flow->item_count + 1, sizeof *values);
    enum status status = STATUS_OK;
    vote(flow);
    find_set(flow);
    for (size_t i = 0; i < flow->item_count; i++) {
        operands[i] = usual(flow, i, "operand");
        values[i] = usual(flow, i, flow->items[i].load && !flow->items[i].chase ? "value" : "stored");
    }
    for (size_t p = 0; status == STATUS_OK && p < flow->pass_count; p++)
        status = compare_pass(flow, &flow->passes[p], operands, values);
    for (size_t p = 0; status == STATUS_OK && p < flow->pass_count; p++)
        status = check_addresses(flow, test_program, &flow->passes[p]);
    free(operands);
    free(values);
    return status;
}

/* The first register of the role's pool; -1: none. */
static int first_in(const struct code_flow *flow, const char *role)
{
    const struct pool *pool = template_pool(flow->templates, role);
    const char *name = pool == NULL || pool->count == 0 ? "" : pool->registers[0];
    const struct register_name *found = isa_register(flow->isa, name, strlen(name));
    return found == NULL ? -1 : (int)(found - flow->isa->registers);
}

enum status code_flow_check(const struct test_program *test_program, const struct template *templates,
                            const struct code_listing *listing, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    if (manifest->unit_count == 0 || whole_of(manifest->units) == 0)
        return STATUS_OK;
    struct code_flow *flow = memory_zeroed(1, sizeof *flow);
    *flow = (struct code_flow){.manifest = manifest,
                               .machine = test_program->machine,
                               .templates = templates,
                               .isa = templates->isa,
                               .listing = listing,
                               .error = error,
                               .printed = {.templates = templates, .near = manifest->has_code},
                               .pass_count = 1 + (listing->twin.count > 0)};
    flow->data = first_in(flow, "data");
    flow->wide_value = first_in(flow, "vector_value");
    find_rows(flow);
    lay_out(flow);
    flow->own = memory_zeroed(flow->slot_count + 1, sizeof *flow->own);
    flow->passes[0] = (struct code_pass){.code = listing->pass.items, .count = listing->pass.count};
    flow->passes[1] =
        (struct code_pass){.code = listing->twin.items, .count = listing->twin.count, .twin = true};
    enum status status = printed_make(&flow->printed, error);
    size_t first = 0, at, next;
    if (status == STATUS_OK)
        status = find_pass(flow, &flow->passes[0], &first);
    if (status == STATUS_OK && flow->pass_count > 1 && !meet_pass(flow, &flow->passes[1], first, &at, &next))
        status = not_the_row(flow, &flow->passes[1], first, at, next);
    if (status == STATUS_OK)
        status = compare(flow, test_program);
    printed_free(&flow->printed);
    free(flow->addresses.anchors);
    free(flow->passes[0].items);
    free(flow->passes[1].items);
    free(flow->slots);
    free(flow->own);
    free(flow->items);
    free(flow);
    return status;
}
