#include "runner/sources/gpu/grid_flow.h"

#include "base/memory.h"
#include "base/text/names.h"
#include "generator/kernel/operations.h"
#include "generator/plan/gpu/gpu_tiles.h"
#include "runner/sources/gpu/grid_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COUNT = 1 << 20,
    MOST_SLOTS = 1 << 20,
    MOST_NAMES = 256,
    NAME_BYTES = 96,
    WHERE_BYTES = 48,
    CLOSE_BYTES = 2048,
    MOST_BESIDE = 32,
    MOST_PAIRS = 64,
    MOST_TILES = 64,
    TILE_WORDS = 4
};

/* A slot of the loop by the manifest's kernel. */
struct grid_slot {
    enum grid_step_kind kind;
    const char *op;                   /* the operation of the instruction; NULL: an access */
    bool dependent;                   /* it consumes the last load */
    bool waits;                       /* for loads before it */
    unsigned chain;                   /* operations that form a chain; 0: none */
    unsigned in_run;                  /* which of the chain it is */
    const struct manifest_item *item; /* NULL: idle, or of a section */
    /* of text */
    const char *row;   /* the row's statement; NULL: an access */
    size_t row_length; /* of it */
    bool first;        /* of its row */
    bool enters;       /* the first statement of its row that uses the chain's value */
    bool carries;      /* its result counts as the load's value */
};

/* The operation as which an instruction's name counts. */
struct name_row {
    const char *name, *op; /* NULL: none */
    bool known;            /* a row or section of the templates has it */
};

/* Registers that operations use together. */
struct grid_pair {
    const char *registers[2]; /* not ended */
    size_t lengths[2];
};

struct grid_flow {
    const struct manifest *manifest;
    const struct machine *machine;
    const struct template *templates;
    struct error *error;
    struct grid_slot *slots;
    size_t slot_count, next; /* next: the first one without a step so far */
    struct name_row names[MOST_NAMES];
    size_t name_count;
    unsigned char *tainted; /* [registers]: it holds a load's value, or a value computed from one */
    size_t *load_of;        /* [registers]: the load's number; the first load is 1 */
    size_t *slot_of;        /* [registers]: 1 + the slot of the operation that wrote it; 0: none */
    unsigned registers;
    size_t last_load;
    /* of text */
    bool text;
    const char *beside[MOST_BESIDE]; /* rows that may stand between slots */
    size_t beside_count;
    const char *within;      /* the rest of such a row that has begun; NULL: none has */
    struct grid_roles roles; /* of the row so far */
    struct grid_pair pairs[MOST_PAIRS];
    size_t pair_count;
    size_t last_chase;      /* the load of this round's last one; 0: none */
    char signs[MOST_TILES]; /* by a tile's registers: the letter of the factor that was added last; 0: none */
};

/* ---- the manifest's loop ---- */

static unsigned whole_of(double stated)
{
    return stated > 0 && stated < MOST_COUNT ? (unsigned)stated : 0;
}

static unsigned count_of(const struct manifest_item *item)
{
    return item->count > 0 ? whole_of(item->count) : 1;
}

static void put(struct grid_flow *flow, const struct grid_slot *slot)
{
    if (flow->slot_count == MOST_SLOTS)
        return;
    flow->slots = memory_next(flow->slots, flow->slot_count, sizeof *flow->slots);
    flow->slots[flow->slot_count++] = *slot;
}

bool grid_flow_is_operation(const char *op)
{
    return !names_contain("load,store,atomic,branch,throttle,asm,consume", op) && strpbrk(op, ".@") == NULL;
}

/* The operation as which the text's first instruction counts in the mix; NULL: none. */
static const char *op_of(const struct template *templates, const char *text)
{
    for (size_t i = 0; i < templates->form_count; i++)
        if (grid_flow_is_operation(templates->forms[i].name) &&
            template_counts(templates, text, templates->forms[i].name))
            return templates->forms[i].name;
    return NULL;
}

/* Adds slots for the instructions of a text that count as operations. */
static void put_text(struct grid_flow *flow, const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\n;");
        const char *op = *text == '.' || *text == '\0' ? NULL : op_of(flow->templates, text);
        if (op != NULL)
            put(flow, &(struct grid_slot){.op = op});
        text += strcspn(text, ";\n");
    }
}

/* Adds slots for the instructions of a row that count as its operation. Those that name the load consume it,
 * and so does the first one after other instructions that name it. */
static void put_row(struct grid_flow *flow, const struct manifest_item *item, bool dependent, unsigned in_run)
{
    char name[NAME_BYTES];
    const char *wide = item->width == 8 ? ".8" : item->width == 16 ? ".16" : "";
    snprintf(name, sizeof name, "%.60s%s%s", item->op, dependent ? ".dependent" : "", wide);
    const struct form *form = operation_row(flow->templates, flow->machine, name);
    const char *text = form == NULL ? "" : form->text;
    bool consumes = false;
    while (*text != '\0') {
        size_t length = strcspn(text, ";");
        const char *loaded = strstr(text, "{loaded}");
        consumes = consumes || (loaded != NULL && loaded < text + length);
        if (template_counts(flow->templates, text, item->op)) {
            put(flow, &(struct grid_slot){.op = item->op,
                                          .item = item,
                                          .dependent = consumes,
                                          .waits = dependent,
                                          .chain = whole_of(item->chain),
                                          .in_run = in_run});
            consumes = false;
        }
        text += length;
        text += strspn(text, "; ");
    }
}

/* ---- the same of text: every statement of a row is a slot ---- */

/* True if the statement names a register that operations compute in and pass on in a chain. */
static bool works(const char *row, size_t length)
{
    static const char *const names[] = {"accumulator", "float",    "double",     "half",      "brain",
                                        "tile",        "tile_int", "tile_int_2", "group_tile"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (grid_row_names(row, length, names[i]))
            return true;
    return false;
}

/* Adds a slot for every statement of a row, with the members of like. */
static void put_statements(struct grid_flow *flow, const char *text, const struct grid_slot *like)
{
    bool first = true, entered = false;
    size_t length;
    for (const char *row = NULL; (row = grid_row_next(&text, &length)) != NULL; first = false) {
        struct grid_slot slot = *like;
        slot.row = row;
        slot.row_length = length;
        slot.first = first;
        slot.enters = !entered && works(row, length);
        slot.dependent = slot.dependent || grid_row_names(row, length, "loaded");
        slot.carries = slot.carries && !grid_row_names(row, length, "sum");
        entered = entered || slot.enters;
        put(flow, &slot);
    }
}

static void put_named(struct grid_flow *flow, const char *name, const struct grid_slot *like)
{
    const struct form *form = operation_row(flow->templates, flow->machine, name);
    put_statements(flow, form == NULL ? "" : form->text, like);
}

static void put_operation(struct grid_flow *flow, const struct manifest_item *item, bool dependent,
                          unsigned in_run)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%.60s%s%s", item->op, dependent ? ".dependent" : "",
             item->width == 8 ? ".8" : "");
    put_named(
        flow, name,
        &(struct grid_slot){.op = item->op, .item = item, .chain = whole_of(item->chain), .in_run = in_run});
}

/* Adds the statements that consume a load's value; a chase's loads have none. */
static void put_consumed(struct grid_flow *flow, const struct manifest_item *item, bool chase)
{
    char name[NAME_BYTES];
    bool atomic = item->atomic != NULL;
    snprintf(name, sizeof name, "consume.%u", atomic ? 4 : whole_of(item->width));
    if ((item->op[0] == 'l' || (atomic && item->returns)) && !chase)
        put_named(flow, name, &(struct grid_slot){.op = "consume", .dependent = true, .carries = true});
}

/* Finds rows and sections that no count of the manifest places: changes of an access's stream or chunk, and
 * additional statements of operations. Their number is checked elsewhere (warp_operations.h). */
static void find_beside(struct grid_flow *flow)
{
    static const char *const sections[] = {"renew", "side.next"};
    static const char *const rows[] = {"chase.link", "chase.loaded", "div.beside", "div.beside.8"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        flow->beside[flow->beside_count++] = template_section(flow->templates, sections[i]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct form *form = operation_row(flow->templates, flow->machine, rows[i]);
        flow->beside[flow->beside_count++] = form == NULL ? NULL : form->text;
    }
    for (size_t i = 0; i < flow->templates->form_count && flow->beside_count < MOST_BESIDE; i++) {
        const struct form *form = &flow->templates->forms[i];
        bool brings = strncmp(form->name, "load.", 5) == 0 || strncmp(form->name, "atomic.global.", 14) == 0;
        const char *rest = brings ? strchr(form->text, ';') : NULL;
        if (rest != NULL) /* behind the access itself */
            flow->beside[flow->beside_count++] = rest + 1;
    }
}

static void put_item(struct grid_flow *flow, const struct manifest_item *item, unsigned unit, unsigned *idle)
{
    const char *branch = manifest_text_or(template_section(flow->templates, "branch"), "");
    bool chase = strcmp(manifest_text_or(item->address, ""), "chase") == 0;
    unsigned count = count_of(item);
    for (; strcmp(item->op, "throttle") == 0 && *idle > 0; --*idle) {
        const struct grid_slot like = {.op = "throttle"};
        if (flow->text)
            put_named(flow, "throttle.idle", &like);
        else
            put(flow, &like);
    }
    for (unsigned k = 0; k < count && strcmp(item->op, "throttle") != 0; k++) {
        bool dependent = k < whole_of(item->dependents);
        if (strcmp(item->op, "load") == 0 || strcmp(item->op, "store") == 0 || item->atomic != NULL) {
            put(flow, &(struct grid_slot){.kind = item->atomic != NULL ? GRID_ATOMIC
                                                  : item->op[0] == 'l' ? GRID_LOAD
                                                                       : GRID_STORE,
                                          .waits = chase});
            if (flow->text)
                put_consumed(flow, item, chase);
        } else if (strcmp(item->op, "branch") == 0) {
            if (flow->text)
                put_statements(flow, branch, &(struct grid_slot){.op = "branch"});
            else
                put_text(flow, branch);
        } else if (flow->text) {
            put_operation(flow, item, dependent, unit * count + k);
        } else {
            put_row(flow, item, dependent, unit * count + k);
        }
    }
}

static void lay_out(struct grid_flow *flow)
{
    const struct manifest *manifest = flow->manifest;
    unsigned units = whole_of(manifest->units);
    const struct grid_slot like = {.op = "wgmma"};
    for (unsigned unit = 0; unit < units && flow->slot_count < MOST_SLOTS; unit++) {
        unsigned idle = whole_of(manifest->idle);
        bool multiplies = false; /* the unit has products of groups of warps */
        for (size_t i = 0; i < manifest->unit_count; i++) {
            bool group = form_has(template_form(flow->templates, manifest->unit[i].op), FORM_GROUP_TILE);
            if (group && !multiplies)
                put_named(flow, "wgmma.fence", &like);
            multiplies = multiplies || group;
            put_item(flow, &manifest->unit[i], unit, &idle);
        }
        if (multiplies)
            put_named(flow, "wgmma.commit", &like);
        if (multiplies)
            put_named(flow, "wgmma.wait", &like);
    }
}

/* ---- names ---- */

/* True if a statement of the text has that name. The text may have a part in braces that is filled in. */
static bool text_has(const char *text, const char *name)
{
    while (*text != '\0') {
        text += strspn(text, " \t\n;");
        size_t length = strcspn(text, " \t\n;:{");
        bool fits = length > 0 && strncmp(text, name, length) == 0;
        if (fits && (text[length] == '{' || name[length] == '\0'))
            return true;
        text += strcspn(text, ";\n");
    }
    return false;
}

/* True for an instruction of a loop that may stand outside the slots: one of its close, or of a row or
 * section. */
static bool is_known(const struct template *templates, const char *name)
{
    static const char *const sections[] = {"step",      "advance", "advance.shared", "factor.turn",
                                           "side.next", "renew",   "branch"};
    char close[CLOSE_BYTES];
    const char *kernel = template_section(templates, "kernel");
    const char *from = kernel == NULL ? NULL : strstr(kernel, "{advance}");
    snprintf(close, sizeof close, "%.*s", from == NULL ? 0 : (int)strcspn(from + 1, ":"),
             from == NULL ? "" : from + 1);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (text_has(manifest_text_or(template_section(templates, sections[i]), ""), name))
            return true;
    for (size_t i = 0; i < templates->form_count; i++)
        if (text_has(templates->forms[i].text, name))
            return true;
    return text_has(strchr(close, '}') == NULL ? close : strchr(close, '}') + 1, name);
}

static const struct name_row *name_row(struct grid_flow *flow, const struct grid_step *step)
{
    const char *name = step->name;
    for (size_t i = 0; i < flow->name_count; i++)
        if (strcmp(flow->names[i].name, name) == 0)
            return &flow->names[i];
    struct name_row *row =
        &flow->names[flow->name_count < MOST_NAMES - 1 ? flow->name_count++ : MOST_NAMES - 1];
    bool known =
        is_known(flow->templates, name) || (step->also != NULL && is_known(flow->templates, step->also));
    *row = (struct name_row){name, op_of(flow->templates, name), known};
    return row;
}

/* ---- the comparison ---- */

static enum status wrong(const struct grid_flow *flow, const struct grid_step *step, const char *found,
                         const char *wanted)
{
    char at[WHERE_BYTES] = "";
    if (step->line == 0)
        snprintf(at, sizeof at, " at 0x%" PRIx64 " of the code", step->offset);
    error_set(flow->error, STATUS_FAILED, "%s%s, in the loop, %s; by the kernel in the manifest %s",
              step->name, at, found, wanted);
    if (step->line > 0)
        error_at(flow->error, "program.ptx", step->line);
    return STATUS_FAILED;
}

static const char *const access_names[] = {
    [GRID_LOAD] = "a load", [GRID_STORE] = "a store", [GRID_ATOMIC] = "an atomic"};

static const char *name_of(const struct grid_slot *slot)
{
    return slot->kind == GRID_OTHER ? slot->op : access_names[slot->kind];
}

/* The slot of the next step; NULL: the loop ends. */
static const struct grid_slot *next_slot(const struct grid_flow *flow)
{
    return flow->next < flow->slot_count ? &flow->slots[flow->next] : NULL;
}

/* Reports a step that is not the next slot's. */
static enum status not_next(const struct grid_flow *flow, const struct grid_step *step, const char *found)
{
    const struct grid_slot *slot = next_slot(flow);
    char wanted[2 * NAME_BYTES + WHERE_BYTES] = "the loop ends here";
    if (slot != NULL && slot->row == NULL)
        snprintf(wanted, sizeof wanted, "it would be %s", name_of(slot));
    else if (slot != NULL)
        snprintf(wanted, sizeof wanted, "it would be \"%.*s\" of %s",
                 (int)(slot->row_length < 2 * NAME_BYTES ? slot->row_length : 2 * NAME_BYTES), slot->row,
                 slot->op);
    return wrong(flow, step, found, wanted);
}

/* The number of the newest load whose value the step reads, and in *stale the oldest one; 0: none. */
static size_t load_read(const struct grid_flow *flow, const struct grid_step *step, size_t *stale)
{
    size_t newest = 0;
    *stale = 0;
    for (unsigned i = 0; i < GRID_SPANS; i++)
        for (unsigned r = 0; r < step->reads[i].count; r++) {
            unsigned at = step->reads[i].first + r;
            size_t load = at < flow->registers && flow->tainted[at] != 0 ? flow->load_of[at] : 0;
            newest = load > newest ? load : newest;
            *stale = load > 0 && (*stale == 0 || load < *stale) ? load : *stale;
        }
    return newest;
}

static void write(struct grid_flow *flow, const struct grid_step *step, size_t load, size_t slot)
{
    for (unsigned i = 0; i < GRID_SPANS; i++)
        for (unsigned r = 0; r < step->writes[i].count; r++) {
            unsigned at = step->writes[i].first + r;
            if (at >= flow->registers)
                continue;
            flow->tainted[at] = load > 0;
            flow->load_of[at] = load;
            flow->slot_of[at] = slot;
        }
}

/* True if the step reads what the operation of that slot wrote. */
static bool reads_slot(const struct grid_flow *flow, const struct grid_step *step, size_t slot)
{
    for (unsigned i = 0; i < GRID_SPANS; i++)
        for (unsigned r = 0; r < step->reads[i].count; r++) {
            unsigned at = step->reads[i].first + r;
            if (at < flow->registers && flow->slot_of[at] == slot + 1)
                return true;
        }
    return false;
}

/* The slot of the chain's previous operation; SIZE_MAX: none. */
static size_t before(const struct grid_flow *flow, size_t at)
{
    const struct grid_slot *slot = &flow->slots[at];
    for (size_t i = at; i-- > 0;)
        if (flow->slots[i].item == slot->item && flow->slots[i].in_run + 1 == slot->in_run)
            return i;
    return SIZE_MAX;
}

static enum status check_chain(const struct grid_flow *flow, const struct grid_step *step, size_t at)
{
    const struct grid_slot *slot = &flow->slots[at];
    if (slot->chain == 0 || slot->in_run == 0 || step->writes[0].count == 0 ||
        (slot->row != NULL && !slot->enters))
        return STATUS_OK;
    size_t previous = before(flow, at);
    bool linked = false;
    for (size_t i = previous;
         i != SIZE_MAX && flow->slots[i].item == slot->item && flow->slots[i].in_run + 1 == slot->in_run;
         i = i == 0 ? SIZE_MAX : i - 1) /* an operation may be several instructions */
        linked = linked || reads_slot(flow, step, i);
    bool wanted = slot->in_run % slot->chain != 0;
    if (previous == SIZE_MAX || linked == wanted)
        return STATUS_OK;
    return wrong(flow, step,
                 linked ? "depends on the operation before it" : "does not depend on the operation before it",
                 linked ? "a chain begins here" : "it continues a chain");
}

static enum status check_loads(const struct grid_flow *flow, const struct grid_step *step,
                               const struct grid_slot *slot)
{
    size_t stale, load = load_read(flow, step, &stale);
    if (!slot->dependent && load > 0)
        return wrong(flow, step, "consumes what a load brought", "it consumes no load");
    if (slot->dependent && load == 0)
        return wrong(flow, step, "consumes no load", "it consumes the last one");
    if (slot->dependent && (load != flow->last_load || stale != flow->last_load))
        return wrong(flow, step, "consumes another load than the last one", "it consumes the last one");
    return STATUS_OK;
}

/* Checks that an idle instruction has its row's length. */
static enum status check_number(const struct grid_flow *flow, const struct grid_step *step)
{
    const struct form *form = operation_row(flow->templates, flow->machine, "throttle.idle");
    const char *number = form == NULL ? NULL : strchr(form->text, ' ');
    return number == NULL || strtol(number, NULL, 10) == step->number
               ? STATUS_OK
               : wrong(flow, step, "idles for another number of cycles", "its row states the number");
}

static enum status meet_operation(struct grid_flow *flow, const struct grid_step *step, const char *op,
                                  bool judged)
{
    const struct grid_slot *slot = next_slot(flow);
    char found[NAME_BYTES];
    bool idles = slot != NULL && slot->op != NULL && strcmp(slot->op, "throttle") == 0 &&
                 template_counts(flow->templates, step->name, "throttle");
    if (slot == NULL || slot->op == NULL || (strcmp(slot->op, op) != 0 && !idles)) {
        snprintf(found, sizeof found, "is %s", op);
        return not_next(flow, step, found);
    }
    size_t at = flow->next++;
    enum status status = judged ? check_loads(flow, step, slot) : STATUS_OK;
    if (status == STATUS_OK && step->has_number && idles)
        status = check_number(flow, step);
    if (status == STATUS_OK)
        status = check_chain(flow, step, at);
    write(flow, step, 0, at + 1);
    return status;
}

static enum status meet_access(struct grid_flow *flow, const struct grid_step *step)
{
    const struct grid_slot *slot = next_slot(flow);
    char found[NAME_BYTES];
    if (slot == NULL || slot->kind != step->kind) {
        snprintf(found, sizeof found, "is %s", access_names[step->kind]);
        return not_next(flow, step, found);
    }
    flow->next++;
    if (step->kind == GRID_LOAD || (step->kind == GRID_ATOMIC && step->writes[0].count > 0))
        write(flow, step, ++flow->last_load, 0);
    return STATUS_OK;
}

/* ---- the comparison of text ---- */

static bool writes(const struct grid_step *step, unsigned at)
{
    for (unsigned i = 0; i < GRID_SPANS; i++)
        if (step->writes[i].count > 0 && step->writes[i].first == at)
            return true;
    return false;
}

/* 1 + the newest slot whose result the step reads; 0: none. */
static size_t slot_read(const struct grid_flow *flow, const struct grid_step *step)
{
    size_t newest = 0;
    for (unsigned i = 0; i < GRID_SPANS; i++)
        if (step->reads[i].count > 0 && flow->slot_of[step->reads[i].first] > newest)
            newest = flow->slot_of[step->reads[i].first];
    return newest;
}

/* True if the operation's two registers are always used together, which keeps chains apart. */
static bool is_paired(struct grid_flow *flow)
{
    struct grid_pair own = {0};
    unsigned count = 0;
    for (size_t i = 0; i < flow->roles.count; i++) {
        const char *name = flow->roles.items[i].name;
        size_t length = flow->roles.items[i].name_length;
        bool one = length == strlen("accumulator") && strncmp(name, "accumulator", length) == 0;
        if (!one && (length != strlen("other") || strncmp(name, "other", length) != 0))
            continue;
        own.registers[one ? 0 : 1] = flow->roles.items[i].text;
        own.lengths[one ? 0 : 1] = flow->roles.items[i].length;
        count++;
    }
    if (count < 2)
        return true;
    for (size_t i = 0; i < flow->pair_count; i++) {
        unsigned shared = 0;
        for (unsigned a = 0; a < 2; a++)
            for (unsigned b = 0; b < 2; b++)
                shared += flow->pairs[i].lengths[a] == own.lengths[b] &&
                          strncmp(flow->pairs[i].registers[a], own.registers[b], own.lengths[b]) == 0;
        if (shared > 0)
            return shared == 2;
    }
    if (flow->pair_count < MOST_PAIRS)
        flow->pairs[flow->pair_count++] = own;
    return true;
}

/* Checks the address of a load: a chase's depends on the last load of the chase, and other addresses on no
 * load. */
static enum status check_address(const struct grid_flow *flow, const struct grid_step *step, bool chase)
{
    size_t stale, load = load_read(flow, step, &stale);
    if (!chase && step->kind != GRID_STORE && load > 0)
        return wrong(flow, step, "has an address that depends on a load", "its address depends on no load");
    if (chase && flow->last_chase > 0 && load != flow->last_chase)
        return wrong(flow, step, "does not wait for the chase before it", "each waits for the one before");
    return STATUS_OK;
}

/* Checks the loads that a slot consumes; the register that it adds to does not count. */
static enum status check_taken(const struct grid_flow *flow, const struct grid_step *step,
                               const struct grid_slot *slot)
{
    struct grid_step taken = *step;
    for (unsigned i = 0; slot->dependent && i < GRID_SPANS; i++)
        if (taken.reads[i].count > 0 && writes(step, taken.reads[i].first))
            taken.reads[i].count = 0;
    return check_loads(flow, &taken, slot);
}

/* Reads consecutive registers in braces: their letter, the first one's number, and how many there are. */
static bool read_group(const char *text, size_t length, char *letter, unsigned long *first,
                       unsigned long *count)
{
    const char *at = text + 1, *end = text + length;
    *count = 0;
    while (at < end && *at == '%') {
        char *rest = NULL;
        unsigned long number = strtoul(at + 2, &rest, 10);
        if (rest == at + 2 || (*count > 0 && (at[1] != *letter || number != *first + *count)))
            return false;
        *letter = at[1];
        *first = *count == 0 ? number : *first;
        ++*count;
        at = rest + strspn(rest, ", ");
    }
    return *count > 0 && at + 1 == end;
}

/* True if a group's product adds to all registers of the sum, in order, and its descriptors belong together.
 * Without data, the first factor's sign alternates; with data, it is that of the words. */
static bool has_group_factors(struct grid_flow *flow, const struct grid_slot *slot)
{
    char letters[3] = {0}, *last = &flow->signs[MOST_TILES - 1], sign = 0;
    unsigned long first[3] = {0}, count[3] = {0};
    for (size_t i = 0; i < flow->roles.count; i++) {
        static const char *const names[] = {"group_tile", "descriptor_a", "descriptor_b"};
        const char *name = flow->roles.items[i].name, *text = flow->roles.items[i].text;
        if (strncmp(name, "sign", strlen("sign")) == 0)
            sign = text[0];
        for (unsigned k = 0; k < sizeof names / sizeof names[0]; k++) {
            bool own = strncmp(name, names[k], strlen(names[k])) == 0;
            if (own && k == 0 &&
                !read_group(text, flow->roles.items[i].length, &letters[k], &first[k], &count[k]))
                return false;
            if (own && k > 0) {
                letters[k] = text[1];
                first[k] = strtoul(text + 2, NULL, 10);
            }
        }
    }
    bool turns = sign == 0 || (slot->item->data.given ? sign == '1' : sign == (*last == '1' ? '-' : '1'));
    *last = sign;
    return turns && letters[0] == 'c' && first[0] == 0 && count[0] == GPU_GROUP_COLUMNS / 2 &&
           letters[1] == 'j' && letters[2] == 'j' && first[1] % 2 == 0 && first[2] == first[1] + 1;
}

/* True if both factors of a matrix operation are whole and belong together. Without data, the first factor's
 * sign alternates in each tile. */
static bool has_factors(struct grid_flow *flow, const struct grid_slot *slot)
{
    char letters[2] = {0, 0}, tile = 0;
    unsigned long first[2] = {0, 0}, count[2] = {0, 0}, number = 0, width = 0;
    for (size_t i = 0; i < flow->roles.count; i++) {
        const char *name = flow->roles.items[i].name, *text = flow->roles.items[i].text;
        size_t length = flow->roles.items[i].length;
        unsigned second = strncmp(name, "operand_b", strlen("operand_b")) == 0;
        if (strncmp(name, "tile", strlen("tile")) == 0 && !read_group(text, length, &tile, &number, &width))
            return false;
        if (strncmp(name, "operand_", strlen("operand_")) == 0 &&
            !read_group(text, length, &letters[second], &first[second], &count[second]))
            return false;
    }
    if (grid_row_names(slot->row, slot->row_length, "group_tile"))
        return has_group_factors(flow, slot);
    if (count[0] == 0 || count[1] == 0)
        return true;
    if (slot->item->data.given)
        return letters[0] == letters[1] && first[0] % GPU_TILE_WORDS == 0 && first[1] == first[0] + count[0];
    char *last = number / TILE_WORDS < MOST_TILES / 2
                     ? &flow->signs[number / TILE_WORDS + (tile == 'i' ? MOST_TILES / 2 : 0)]
                     : NULL;
    bool turns = last == NULL || *last != letters[0];
    if (last != NULL)
        *last = letters[0];
    return turns && (letters[0] == 'm' || letters[0] == 'n') && letters[1] == 'm' && first[0] == 0 &&
           first[1] == TILE_WORDS;
}

static enum status meet_statement(struct grid_flow *flow, const struct grid_step *step, bool judged)
{
    size_t at = flow->next++;
    const struct grid_slot *slot = &flow->slots[at];
    enum status status = judged ? check_taken(flow, step, slot) : STATUS_OK;
    if (status == STATUS_OK)
        status = check_chain(flow, step, at);
    if (status == STATUS_OK && !is_paired(flow))
        status = wrong(flow, step, "takes another register than before beside its own",
                       "pairs of registers stay together");
    if (status == STATUS_OK && slot->item != NULL && !has_factors(flow, slot))
        status = wrong(
            flow, step, "takes other factors",
            "a factor is all its registers, in order, and without data its sign alternates in each tile");
    write(flow, step, slot->carries ? flow->last_load : 0, at + 1);
    return status;
}

/* True if the step begins or continues a row that may stand between slots. */
static bool goes_beside(struct grid_flow *flow, const struct grid_step *step)
{
    size_t length;
    for (size_t i = 0; flow->within == NULL && i < flow->beside_count; i++) {
        const char *at = flow->beside[i];
        const char *row = at == NULL ? NULL : grid_row_next(&at, &length);
        struct grid_roles roles = {0};
        if (row == NULL || !grid_row_is(row, length, step->text, &roles))
            continue;
        flow->roles = roles;
        flow->within = at;
        return true;
    }
    const char *row = flow->within == NULL ? NULL : grid_row_next(&flow->within, &length);
    return row != NULL && grid_row_is(row, length, step->text, &flow->roles);
}

static enum status meet_text(struct grid_flow *flow, const struct grid_step *step, bool judged)
{
    const struct grid_slot *slot = next_slot(flow);
    size_t stale;
    if (flow->within != NULL) {
        const char *rest = flow->within;
        if (grid_row_next(&rest, &(size_t){0}) == NULL)
            flow->within = NULL;
    }
    bool going_on = flow->within != NULL;
    if (!going_on && slot != NULL && slot->row == NULL && step->kind == slot->kind) {
        enum status status = judged ? check_address(flow, step, slot->waits) : STATUS_OK;
        if (status == STATUS_OK)
            status = meet_access(flow, step);
        flow->last_chase = slot->waits ? flow->last_load : flow->last_chase;
        return status;
    }
    if (!going_on && slot != NULL && slot->row != NULL) {
        if (slot->first)
            flow->roles.count = 0;
        if (grid_row_is(slot->row, slot->row_length, step->text, &flow->roles))
            return meet_statement(flow, step, judged);
    }
    if (!goes_beside(flow, step))
        return not_next(flow, step, "is not what comes next");
    bool link = step->kind == GRID_LOAD; /* it reads where other accesses go on */
    size_t chained = slot_read(flow, step);
    write(flow, step, link ? 0 : load_read(flow, step, &stale), chained);
    return STATUS_OK;
}

static enum status meet(struct grid_flow *flow, const struct grid_step *step, bool judged)
{
    if (flow->text)
        return meet_text(flow, step, judged);
    const struct name_row *row = name_row(flow, step);
    size_t stale;
    if (step->link) {
        write(flow, step, 0, 0);
        return STATUS_OK;
    }
    if (step->kind != GRID_OTHER)
        return meet_access(flow, step);
    if (row->op != NULL)
        return meet_operation(flow, step, row->op, judged);
    if (!row->known)
        return wrong(flow, step, "belongs to no row and to no section of loops", "it is not expected");
    if (step->waits && (flow->next == flow->slot_count || !flow->slots[flow->next].waits))
        return wrong(flow, step, "waits for loads", "nothing that comes next consumes one");
    write(flow, step, load_read(flow, step, &stale), 0);
    return STATUS_OK;
}

/* Walks the loop twice: the second round begins with the registers as the first one left them. */
static enum status walk(struct grid_flow *flow, const struct grid_step *steps, size_t count, size_t *of_units)
{
    enum status status = STATUS_OK;
    for (int round = 0; round < 2 && status == STATUS_OK; round++) {
        flow->next = flow->last_chase = 0;
        memset(flow->signs, 0, sizeof flow->signs);
        for (size_t i = 0; i < count && status == STATUS_OK; i++) {
            size_t next = flow->next;
            status = meet(flow, &steps[i], round > 0);
            *of_units = flow->next > next ? i + 1 : *of_units;
        }
        if (status == STATUS_OK && flow->next < flow->slot_count)
            status = error_set(
                flow->error, STATUS_FAILED,
                "the loop has %zu of the %zu accesses and operations of the kernel in the manifest: "
                "the next would be %s",
                flow->next, flow->slot_count, name_of(&flow->slots[flow->next]));
    }
    return status;
}

static unsigned registers_of(const struct grid_step *steps, size_t count)
{
    unsigned most = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < GRID_SPANS; k++) {
            unsigned reads = steps[i].reads[k].first + steps[i].reads[k].count;
            unsigned writes = steps[i].writes[k].first + steps[i].writes[k].count;
            most = reads > most ? reads : most;
            most = writes > most ? writes : most;
        }
    return most;
}

bool grid_flow_has_asm(const struct manifest *manifest)
{
    bool has = false;
    for (size_t i = 0; i < manifest->unit_count; i++)
        has = has || strcmp(manifest->unit[i].op, "asm") == 0;
    return has;
}

enum status grid_flow_check(const struct manifest *manifest, const struct machine *machine,
                            const struct template *templates, const struct grid_step *steps, size_t count,
                            size_t *of_units, struct error *error)
{
    size_t unused = 0;
    size_t *in_units = of_units == NULL ? &unused : of_units;
    *in_units = 0;
    if (manifest->unit_count == 0 || grid_flow_has_asm(manifest))
        return STATUS_OK;
    unsigned registers = registers_of(steps, count);
    struct grid_flow *flow = memory_zeroed(1, sizeof *flow);
    *flow = (struct grid_flow){.manifest = manifest,
                               .machine = machine,
                               .templates = templates,
                               .error = error,
                               .registers = registers,
                               .text = count > 0 && steps[0].text != NULL};
    flow->tainted = memory_zeroed((size_t)registers + 1, 1);
    flow->load_of = memory_zeroed((size_t)registers + 1, sizeof *flow->load_of);
    flow->slot_of = memory_zeroed((size_t)registers + 1, sizeof *flow->slot_of);
    if (flow->text)
        find_beside(flow);
    lay_out(flow);
    enum status status = walk(flow, steps, count, in_units);
    free(flow->slots);
    free(flow->tainted);
    free(flow->load_of);
    free(flow->slot_of);
    free(flow);
    return status;
}
