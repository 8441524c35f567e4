#include "runner/sources/bytes/code_listing.h"

#include "base/memory.h"
#include "isa/loop_ranges.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 200 };

/* ---- the executable and the object ---- */

struct first_text {
    char text[TEXT_BYTES];
    uint64_t from, offset;
    size_t length;
};

/* Keeps the last instruction that begins at or before the offset. */
static void keep_text(uint64_t offset, size_t length, const char *text, void *context)
{
    struct first_text *first = context;
    if (offset > first->from)
        return;
    first->offset = offset;
    first->length = length;
    snprintf(first->text, sizeof first->text, "%s", text + strspn(text, " \t"));
    for (char *tab = first->text; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
}

/* Reports the instruction at the offset that differs. Both codes are disassembled from their start, since
 * instructions have several lengths. */
static enum status report_difference(const struct isa *isa, const struct object_part *object,
                                     const unsigned char *program, uint64_t at, struct error *error)
{
    struct first_text texts[2] = {{.from = at}, {.from = at}};
    (void)mc_disassemble(isa, object->bytes, object->size, keep_text, &texts[0], NULL);
    (void)mc_disassemble(isa, program, object->size, keep_text, &texts[1], NULL);
    error_set(error, STATUS_FAILED,
              "program has '%s' at 0x%" PRIx64
              " of its code, program.o has '%s' there: the program that runs "
              "is not the one that is described",
              texts[1].text, texts[0].offset, texts[0].text);
    return STATUS_FAILED;
}

/* Finds the executable's copy of a section by a symbol that both files have. */
static enum status find_copy(const struct test_program *test_program, const char *section, const char *symbol,
                             struct object_part *object, const unsigned char **copy, struct error *error)
{
    struct object_part loaded;
    uint64_t in_object = 0, in_program = 0;
    const void *program = test_program->executable;
    size_t size = test_program->executable_size;
    enum status status =
        object_section(test_program->object, test_program->object_size, section, object, error);
    if (status == STATUS_OK)
        status = object_symbol(test_program->object, test_program->object_size, symbol, &in_object, error);
    if (status != STATUS_OK) {
        error_prefix(error, "program.o");
        return status;
    }
    status = object_section(program, size, ".text", &loaded, error);
    if (status == STATUS_OK)
        status = object_symbol(program, size, symbol, &in_program, error);
    if (status != STATUS_OK) {
        error_prefix(error, "program");
        return status;
    }
    uint64_t at = in_program - in_object - loaded.address;
    if (at > loaded.size || loaded.size - at < object->size)
        return error_set(error, STATUS_FAILED, "program: its %s is not where its symbols are", section);
    *copy = loaded.bytes + at;
    return STATUS_OK;
}

static uint64_t first_difference(const unsigned char *a, const unsigned char *b, size_t size)
{
    uint64_t at = 0;
    while (at < size && a[at] == b[at])
        at++;
    return at;
}

/* The label's offset from the kernel's start. */
static enum status find_offset(const void *file, size_t size, const char *label, uint64_t *offset,
                               struct error *error)
{
    uint64_t kernel = 0, at = 0;
    enum status status = object_symbol(file, size, "trauma_kernel", &kernel, error);
    if (status == STATUS_OK)
        status = object_symbol(file, size, label, &at, error);
    *offset = at - kernel;
    return status;
}

enum status code_listing_compare(const struct test_program *test_program, const struct isa *isa,
                                 struct error *error)
{
    static const char *const labels[] = {"trauma_loop", "trauma_loop_end"};
    struct object_part object;
    const unsigned char *copy;
    uint64_t at = 0;
    enum status status = find_copy(test_program, ".text", "trauma_kernel", &object, &copy, error);
    if (status == STATUS_OK && (at = first_difference(object.bytes, copy, object.size)) < object.size)
        return report_difference(isa, &object, copy, at, error);
    for (size_t i = 0; status == STATUS_OK && i < sizeof labels / sizeof labels[0]; i++) {
        uint64_t own = 0, in_object = 0;
        status = find_offset(test_program->executable, test_program->executable_size, labels[i], &own, error);
        if (status == STATUS_OK)
            status =
                find_offset(test_program->object, test_program->object_size, labels[i], &in_object, error);
        if (status == STATUS_OK && own != in_object)
            status = error_set(error, STATUS_FAILED,
                               "%s is at 0x%" PRIx64 " of program's code and at 0x%" PRIx64 " of program.o's",
                               labels[i], own, in_object);
    }
    if (status == STATUS_OK)
        status = find_copy(test_program, ".rodata", "trauma_layout", &object, &copy, error);
    if (status == STATUS_OK && (at = first_difference(object.bytes, copy, object.size)) < object.size)
        status = error_set(error, STATUS_FAILED,
                           "the constants of program differ from those of program.o at byte %" PRIu64
                           ": the program that runs is not the one that is described",
                           at);
    return status;
}

/* ---- the listing ---- */

struct listing_reading {
    const struct isa *isa;
    struct code_listing *listing;
    struct code_part *part;
    uint64_t from;      /* of the piece in the code */
    char before[16];    /* a prefix, which is printed before the next instruction */
    uint64_t before_at; /* its offset */
};

static bool is_prefix(const struct isa *isa, const char *text)
{
    static const char *const others[] = {"repne", "rep"};
    size_t length = strcspn(text, " \t");
    if (text[length + strspn(text + length, " \t")] != '\0')
        return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i]) == length && strncmp(text, others[i], length) == 0)
            return true;
    return isa->prefix != NULL && strlen(isa->prefix) == length && strncmp(text, isa->prefix, length) == 0;
}

/* Takes one instruction, except fillers of gaps, which are never executed. */
static void take(uint64_t offset, size_t length, const char *text, void *context)
{
    struct listing_reading *reading = context;
    struct code_part *part = reading->part;
    const struct isa *isa = reading->isa;
    (void)length;
    text += strspn(text, " \t");
    if (is_prefix(isa, text)) {
        snprintf(reading->before, sizeof reading->before, "%.*s ", (int)strcspn(text, " \t"), text);
        reading->before_at = offset;
        return;
    }
    if (isa->filler != NULL && strncmp(text, isa->filler, strlen(isa->filler)) == 0)
        return;
    size_t size = strlen(reading->before) + strlen(text) + 1;
    char *copy = arena_alloc(&reading->listing->arena, size, 1);
    snprintf(copy, size, "%s%s", reading->before, text);
    part->items = memory_next(part->items, part->count, sizeof *part->items);
    part->items[part->count++] = (struct printed_instruction){
        reading->from + (reading->before[0] != '\0' ? reading->before_at : offset), copy};
    reading->before[0] = '\0';
}

static enum status read_piece(struct listing_reading *reading, struct code_part *part,
                              const struct object_part *text, uint64_t from, uint64_t until,
                              struct error *error)
{
    reading->part = part;
    reading->from = from;
    reading->before[0] = '\0';
    if (from > until || until > text->size)
        return error_set(error, STATUS_FAILED, "the program's loop labels are out of order");
    return mc_disassemble(reading->isa, text->bytes + from, until - from, take, reading, error);
}

enum status code_listing_read(const struct test_program *test_program, const struct isa *isa,
                              struct code_listing *listing, struct error *error)
{
    const void *object = test_program->object;
    size_t size = test_program->object_size;
    struct object_part text, texts;
    struct loop_ranges ranges = {0};
    struct listing_reading reading = {.isa = isa, .listing = listing};
    uint64_t kernel = 0, twin = 0, first = UINT64_MAX;
    memset(listing, 0, sizeof *listing);
    enum status status = object_section(object, size, ".text", &text, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_kernel", &kernel, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_loop", &listing->loop, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_advance", &listing->advance, error);
    if (status == STATUS_OK)
        status = loop_ranges_read(object, size, &ranges, error);
    for (size_t i = 0; status == STATUS_OK && i < ranges.count; i++)
        first = ranges.items[i].start < first ? ranges.items[i].start : first;
    if (status == STATUS_OK)
        status = read_piece(&reading, &listing->start, &text, kernel, first, error);
    for (size_t i = 0; status == STATUS_OK && i < ranges.count; i++)
        status = read_piece(&reading, &listing->pass, &text, ranges.items[i].start,
                            ranges.items[i].start + ranges.items[i].bytes, error);
    if (status == STATUS_OK && object_symbol(object, size, "trauma_twin", &twin, NULL) == STATUS_OK)
        status = read_piece(&reading, &listing->twin, &text, twin, text.size, error);
    if (status == STATUS_OK && object_section(object, size, ".trauma.texts", &texts, NULL) == STATUS_OK) {
        listing->texts = texts.bytes;
        listing->text_count = texts.size / (2 * sizeof(uint32_t));
    }
    loop_ranges_free(&ranges);
    return status;
}

void code_listing_free(struct code_listing *listing)
{
    free(listing->start.items);
    free(listing->pass.items);
    free(listing->twin.items);
    arena_free(&listing->arena);
    memset(listing, 0, sizeof *listing);
}
