#include "isa/loop.h"

#include "isa/loop_ranges.h"
#include "isa/object.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HELPED_ROWS = 16, HELPED_LENGTH = 16 };

/* The counting names of a row's instructions: helpers, and the instruction that they prepare. */
struct helped {
    char names[HELPED_LENGTH][sizeof((struct loop_count *)NULL)->mnemonics[0].name];
    size_t count;
};

struct visit {
    const struct isa *isa;
    struct loop_count *count;
    uint64_t start;               /* of the current piece */
    uint64_t advance, close, end; /* code from advance to close belongs to no unit */
    bool closes_unit;             /* the code from close to end is a branch of the last unit */
    bool overflow;
    const unsigned char *places; /* pairs of 32-bit offsets: where recipes' own texts begin and end */
    size_t place_count;
    size_t place; /* the first that does not end before the instruction */
    bool takes_helpers;
    struct helped helped[HELPED_ROWS];
    size_t helped_count;
    size_t recent[HELPED_LENGTH]; /* mnemonics of the last instructions that may be helpers */
    size_t recent_count;
};

static uint32_t place_offset(const struct visit *visit, size_t index)
{
    uint32_t offset;
    memcpy(&offset, visit->places + index * sizeof offset, sizeof offset);
    return offset;
}

/* Texts are in the order of their places. */
static bool is_text(struct visit *visit, uint64_t offset)
{
    while (visit->place < visit->place_count && place_offset(visit, 2 * visit->place + 1) <= offset)
        visit->place++;
    return visit->place < visit->place_count && place_offset(visit, 2 * visit->place) <= offset;
}

static void find_texts(const void *object, size_t size, struct visit *visit)
{
    struct object_part part;
    if (object_section(object, size, ".trauma.texts", &part, NULL) != STATUS_OK)
        return;
    visit->places = part.bytes;
    visit->place_count = part.size / (2 * sizeof(uint32_t));
    visit->count->has_texts = true;
}

/* The text after the ISA's prefix, if it begins with that; else the text. */
static const char *skip_prefix(const struct isa *isa, const char *text)
{
    size_t length = isa->prefix == NULL ? 0 : strlen(isa->prefix);
    text += strspn(text, " \t");
    if (length == 0 || strncmp(text, isa->prefix, length) != 0 || strchr(" \t", text[length]) == NULL)
        return text;
    return text + length + strspn(text + length, " \t");
}

bool loop_mnemonic(const struct isa *isa, const char *text, char *name, size_t size)
{
    static const char marks[] = {[MEMORY_READ] = LOOP_READS, [MEMORY_WRITTEN] = LOOP_WRITES};
    text = skip_prefix(isa, text);
    size_t length = strcspn(text, " \t;");
    enum memory_use use = isa->memory_use == NULL ? MEMORY_UNUSED : isa->memory_use(text);
    bool marked = use != MEMORY_UNUSED;
    bool fits = length + marked < size;
    size_t kept = fits ? length : size - 1;
    memcpy(name, text, kept);
    if (fits && marked)
        name[kept++] = marks[use];
    name[kept] = '\0';
    return fits;
}

static void count_mnemonic(struct visit *visit, const char *text)
{
    struct loop_count *count = visit->count;
    char name[sizeof count->mnemonics[0].name];
    bool fits = loop_mnemonic(visit->isa, text, name, sizeof name);
    size_t i = 0;
    while (i < count->mnemonic_count && strcmp(count->mnemonics[i].name, name) != 0)
        i++;
    if (i == LOOP_MNEMONICS || !fits) {
        visit->overflow = true;
        return;
    }
    if (i == count->mnemonic_count)
        snprintf(count->mnemonics[count->mnemonic_count++].name, sizeof name, "%s", name);
    count->mnemonics[i].count++;
    if (visit->recent_count == HELPED_LENGTH)
        memmove(visit->recent, visit->recent + 1, --visit->recent_count * sizeof visit->recent[0]);
    visit->recent[visit->recent_count++] = i;
}

static enum status read_helped(struct visit *visit, const char *const *texts, struct error *error)
{
    visit->takes_helpers = texts != NULL;
    for (; texts != NULL && *texts != NULL; texts++) {
        if (visit->helped_count == HELPED_ROWS)
            return error_set(error, STATUS_FAILED, "more than %d rows have helpers", HELPED_ROWS);
        struct helped *row = &visit->helped[visit->helped_count++];
        for (const char *at = *texts; at != NULL; at = strstr(at, "; ")) {
            at += *at == ';' ? 2 : 0;
            if (row->count == HELPED_LENGTH ||
                !loop_mnemonic(visit->isa, at, row->names[row->count++], sizeof row->names[0]))
                return error_set(error, STATUS_FAILED, "the row '%.100s' is too long", *texts);
        }
    }
    return STATUS_OK;
}

static bool ends_in(const struct visit *visit, const struct helped *row)
{
    size_t i = 0;
    while (i < row->count && i < visit->recent_count &&
           strcmp(row->names[row->count - 1 - i],
                  visit->count->mnemonics[visit->recent[visit->recent_count - 1 - i]].name) == 0)
        i++;
    return i == row->count;
}

/* Subtracts the helpers of the last instruction. Where one row is the end of another, the longest applies. In
 * the close, the instruction before the branch is a helper too, as it counts the passes. */
static void subtract_helpers(struct visit *visit, bool is_in_close)
{
    if (!visit->takes_helpers || visit->overflow)
        return;
    size_t longest = is_in_close && visit->recent_count > 1 ? 2 : 1;
    for (size_t i = 0; i < visit->helped_count; i++)
        if (visit->helped[i].count > longest && ends_in(visit, &visit->helped[i]))
            longest = visit->helped[i].count;
    for (size_t i = 1; i < longest; i++)
        visit->count->mnemonics[visit->recent[visit->recent_count - 1 - i]].count--;
    visit->count->body -= (unsigned)(longest - 1);
    if (longest > 1) {
        visit->recent[0] = visit->recent[visit->recent_count - 1];
        visit->recent_count = 1;
    }
}

static bool is_filler(const struct isa *isa, const char *text)
{
    size_t length = isa->filler == NULL ? 0 : strlen(isa->filler);
    return length > 0 && strncmp(text, isa->filler, length) == 0;
}

static void visit_instruction(uint64_t offset, size_t length, const char *text, void *context)
{
    struct visit *visit = context;
    (void)length;
    offset += visit->start;
    if (skip_prefix(visit->isa, text)[0] == '\0')
        return; /* a prefix, which belongs to the next instruction */
    if (is_filler(visit->isa, text))
        return; /* padding between a jump and its targets, never executed */
    visit->count->instructions++;
    bool closes = offset >= visit->advance && offset < (visit->closes_unit ? visit->close : visit->end);
    bool is_own = !closes && is_text(visit, offset - visit->start); /* places count from the loop's start */
    if (!closes) {
        visit->count->body++;
        visit->count->texts += is_own;
        count_mnemonic(visit, text);
        subtract_helpers(visit, offset > visit->close && offset < visit->end);
    }
    if (closes || is_own)
        visit->recent_count = 0;
}

static enum status visit_ranges(const struct isa *isa, const struct object_part *text,
                                const struct loop_ranges *ranges, struct visit *visit, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < ranges->count; i++) {
        visit->start = ranges->items[i].start;
        visit->count->bytes += (unsigned)ranges->items[i].bytes;
        status = mc_disassemble(isa, text->bytes + visit->start, ranges->items[i].bytes, visit_instruction,
                                visit, error);
    }
    if (status == STATUS_OK && visit->overflow)
        status = error_set(error, STATUS_FAILED, "more than %d mnemonics in the loop", LOOP_MNEMONICS);
    return status;
}

enum status loop_inspect(const struct isa *isa, const void *object, size_t size, const char *const *helped,
                         struct loop_count *count, struct error *error)
{
    memset(count, 0, sizeof *count);
    struct object_part text = {0};
    struct loop_ranges ranges = {0};
    struct visit visit = {.isa = isa, .count = count};
    uint64_t end = 0;
    enum status status = read_helped(&visit, helped, error);
    if (status == STATUS_OK)
        status = object_section(object, size, ".text", &text, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_advance", &visit.advance, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_close", &visit.close, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_loop_end", &end, error);
    if (status == STATUS_OK && (visit.advance > visit.close || visit.close > end || end > text.size))
        status = error_set(error, STATUS_FAILED, "the object's loop labels are out of order");
    if (status == STATUS_OK)
        status = loop_ranges_read(object, size, &ranges, error);
    if (status == STATUS_OK) {
        visit.end = end;
        visit.closes_unit = object_symbol(object, size, "trauma_twin", &end, NULL) == STATUS_OK ||
                            object_symbol(object, size, "trauma_closes_unit", &end, NULL) == STATUS_OK;
        find_texts(object, size, &visit);
        status = visit_ranges(isa, &text, &ranges, &visit, error);
    }
    loop_ranges_free(&ranges);
    return status;
}

struct walk {
    mc_visitor *visitor;
    void *context;
    uint64_t start, from, until; /* offsets in .text: of the current piece; [from, until) is skipped */
};

static void walk_instruction(uint64_t offset, size_t length, const char *text, void *context)
{
    const struct walk *walk = context;
    offset += walk->start;
    if (offset < walk->from || offset >= walk->until)
        walk->visitor(offset, length, text, walk->context);
}

/* Visits all code up to the loop's first piece in memory, then the pieces in the order of execution. */
static enum status walk_ranges(const struct isa *isa, const struct object_part *text,
                               const struct loop_ranges *ranges, uint64_t kernel, mc_visitor *start,
                               mc_visitor *body, struct walk *walk, struct error *error)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < ranges->count; i++)
        first = ranges->items[i].start < first ? ranges->items[i].start : first;
    if (kernel > first || first > text->size)
        return error_set(error, STATUS_FAILED, "the object's loop labels are out of order");
    walk->visitor = start;
    walk->start = kernel;
    enum status status =
        mc_disassemble(isa, text->bytes + kernel, first - kernel, walk_instruction, walk, error);
    walk->visitor = body;
    for (size_t i = 0; status == STATUS_OK && i < ranges->count; i++) {
        walk->start = ranges->items[i].start;
        status = mc_disassemble(isa, text->bytes + walk->start, ranges->items[i].bytes, walk_instruction,
                                walk, error);
    }
    return status;
}

enum status loop_walk(const struct isa *isa, const void *object, size_t size, mc_visitor *start,
                      mc_visitor *body, void *context, struct error *error)
{
    struct object_part text;
    struct loop_ranges ranges = {0};
    struct walk walk = {.context = context};
    uint64_t kernel;
    enum status status = object_section(object, size, ".text", &text, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_kernel", &kernel, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_advance", &walk.from, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_loop_end", &walk.until, error);
    if (status == STATUS_OK)
        status = loop_ranges_read(object, size, &ranges, error);
    if (status == STATUS_OK)
        status = walk_ranges(isa, &text, &ranges, kernel, start, body, &walk, error);
    loop_ranges_free(&ranges);
    return status;
}
