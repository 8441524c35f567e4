/* Damaged, truncated, overlapping, looping and random binaries: a patch ends with an error message, or with a
 * file that differs from the input only in the reported words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/patch/patcher.h"
#include "tests/gcn_containers.h"
#include "tests/mutate.h"

static const struct gcn_patch_request REQUESTS[] = {
    {.field = "simd", .occurrence = GCN_ALL},
    {.field = "simd", .occurrence = 1, .kernel = "first"},
    {.replace = "b0077a5a", .with = "s_nop 0", .occurrence = GCN_ALL, .unreached = true},
};

struct tally {
    unsigned patched, refused;
};

static void try(const struct buffer *file, const struct gcn_patch_request *request, struct tally *tally)
{
    struct buffer result = {0};
    struct gcn_patch patch;
    struct error error = {0};
    mutate_keep(file);
    enum status status = gcn_patch(file->data, file->size, request, &result, &patch, &error);
    if (status != STATUS_OK) {
        assert_true(error.message[0] != '\0' && error.code == status);
        assert_true(status == STATUS_FAILED || status == STATUS_USAGE || status == STATUS_UNAVAILABLE);
        tally->refused++;
    } else {
        assert_int_equal(result.size, file->size);
        assert_true(patch.count > 0);
        for (size_t i = 0; i < patch.count; i++)
            memcpy(result.data + patch.changes[i].offset, patch.changes[i].before, patch.changes[i].size);
        assert_memory_equal(result.data, file->data, file->size);
        tally->patched++;
    }
    gcn_patch_free(&patch);
    buffer_free(&result);
}

/* One of the ELF files in the file, with its place; false where there is none. */
static bool pick_elf(struct random *random, const struct buffer *file, size_t *start)
{
    size_t count = 0;
    for (size_t at = 0; at + sizeof(Elf64_Ehdr) <= file->size; at++)
        if (memcmp(file->data + at, ELFMAG, SELFMAG) == 0 && random_below(random, (uint32_t)++count) == 0)
            *start = at;
    return count > 0;
}

/* Where damage goes: anywhere, into a header, or into a header of a section, where a reader takes it for what
 * it is. */
static size_t place_of(struct random *random, const struct buffer *file, size_t width)
{
    size_t start = 0;
    size_t last = file->size - width;
    uint32_t choice = random_below(random, 3);
    if (choice == 0 || !pick_elf(random, file, &start))
        return random_below(random, (uint32_t)last);
    const char *header = file->data + start;
    uint64_t table = 0;
    if (header[EI_CLASS] == ELFCLASS64)
        memcpy(&table, header + offsetof(Elf64_Ehdr, e_shoff), sizeof(Elf64_Off));
    else
        memcpy(&table, header + offsetof(Elf32_Ehdr, e_shoff), sizeof(Elf32_Off));
    size_t at = start + 4 * random_below(random, sizeof(Elf64_Ehdr) / 4);
    if (choice == 2 && table < file->size - start)
        at = start + (size_t)table + 4 * random_below(random, (uint32_t)(file->size - start - table) / 4 + 1);
    return at < last ? at : last;
}

/* What a hostile header has in it: the ends of ranges, the file's own size, places in it. */
static void damage_number(struct random *random, struct buffer *file)
{
    static const uint64_t numbers[] = {
        0,      1,      2,          8,          10,     0x40,       0x7d,       0xe0,
        0xaf5b, 0xffff, 0xfffffff0, 0xffffffff, 0x7fff, 0x80000000, UINT64_MAX, UINT64_MAX - 63};
    static const size_t widths[] = {1, 2, 4, 8};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    size_t width = widths[random_below(random, 4)];
    if (file->size < 9)
        return;
    size_t at = place_of(random, file, width);
    uint32_t choice = random_below(random, COUNT + 3);
    if (choice < COUNT)
        made_set(file, at, numbers[choice], width);
    else if (choice == COUNT)
        made_set(file, at, file->size - random_below(random, 9), width);
    else
        made_set(file, at, random_below(random, (uint32_t)file->size), width);
}

static struct buffer damaged(struct random *random, const struct buffer *file)
{
    struct buffer result = {0};
    switch (random_below(random, 4)) {
    case 0:
        return mutate(random, file);
    case 1: /* random words behind a header that is well */
        buffer_append(&result, file->data, file->size);
        for (size_t at = 64; at < result.size; at++)
            if (random_below(random, 4) == 0)
                result.data[at] = (char)random_below(random, 256);
        return result;
    default:
        buffer_append(&result, file->data, file->size);
        for (unsigned i = 1 + random_below(random, 6); i > 0; i--)
            damage_number(random, &result);
        return result;
    }
}

static void code_for(const char *target, struct buffer *code)
{
    assert_true(made_code(target,
                          "s_mov_b32 s1, 0xb0077a5a\n"
                          "v_and_b32 v0, 0xb0077a5a, v1\n"
                          "s_movk_i32 s7, 0x7a5a\n"
                          "s_endpgm\n",
                          code));
}

/* One binary of each kind: family, width, driver, processor. */
static const struct kind {
    char family; /* c: OpenCL 1.2; d: with code for two devices; r and h: OpenCL 2.0, raw or in a file; o:
                    ROCm's object; b: a bundle of two; f: a host program with that */
    bool is_64;
    const char *target;
} KINDS[] = {{'c', false, "gfx701"}, {'c', true, "gfx701"}, {'d', false, "gfx601"}, {'d', true, "gfx601"},
             {'r', false, "gfx701"}, {'r', true, "gfx701"}, {'h', false, "gfx701"}, {'h', true, "gfx701"},
             {'h', true, "gfx803"},  {'o', true, "gfx906"}, {'o', true, "gfx1030"}, {'o', true, "gfx1100"},
             {'b', true, "gfx906"},  {'f', true, "gfx1030"}};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static void make_bundle(const struct kind *kind, struct buffer *file, const struct buffer *code)
{
    const char *const targets[] = {kind->target, kind->target};
    struct buffer objects[2] = {{0}, {0}};
    struct buffer bundle = {0};
    made_rocm(&objects[0], kind->target, code);
    made_rocm(&objects[1], kind->target, code);
    made_bundle(&bundle, targets, objects, 2);
    if (kind->family == 'b')
        buffer_append(file, bundle.data, bundle.size);
    else
        made_host(file, ".hip_fatbin", &bundle);
    buffer_free(&bundle);
    buffer_free(&objects[0]);
    buffer_free(&objects[1]);
}

static void make(const struct kind *kind, struct buffer *file)
{
    static const unsigned hawaii[] = {7, 0, 1};
    static const unsigned fiji[] = {8, 0, 4};
    const bool is_hawaii = strcmp(kind->target, "gfx701") == 0;
    struct buffer code = {0};
    code_for(kind->target, &code);
    const struct made_encoding two[] = {{0x1b, &code}, {0x1c, &code}}; /* Pitcairn, Cape Verde */
    if (kind->family == 'o')
        made_rocm(file, kind->target, &code);
    else if (kind->family == 'b' || kind->family == 'f')
        make_bundle(kind, file, &code);
    else if (kind->family == 'd')
        made_two_devices(file, kind->is_64, 0x3fe, two);
    else if (kind->family == 'c')
        made_catalyst(file, kind->is_64, 0x408, 0x27, &code);
    else
        made_catalyst2(file, kind->is_64, kind->family == 'h', is_hawaii ? 7 : 14, is_hawaii ? hawaii : fiji,
                       &code);
    buffer_free(&code);
}

static void damaged_binaries_are_told(void **state)
{
    (void)state;
    struct random random = mutate_start("gcn");
    struct tally tally = {0};
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        struct buffer file = {0};
        make(&KINDS[kind], &file);
        struct tally whole = {0};
        try(&file, &REQUESTS[0], &whole);
        assert_int_equal(whole.patched, 1);
        for (struct mutate_span span = mutate_begin(mutate_seconds() / KIND_COUNT); mutate_more(&span);) {
            struct buffer input = damaged(&random, &file);
            try(&input, &REQUESTS[random_below(&random, 3)], &tally);
            buffer_free(&input);
        }
        buffer_free(&file);
    }
    print_message("%u patched, %u refused\n", tally.patched, tally.refused);
    assert_true(tally.refused > 100);
    assert_true(tally.patched > 10);
}

/* What reads the containers, alone: it gets through a thousand times as many as the assembler does. */
static void damaged_containers_are_read(void **state)
{
    (void)state;
    struct random random = mutate_start("gcn containers");
    unsigned found = 0, refused = 0;
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        struct buffer file = {0};
        make(&KINDS[kind], &file);
        for (struct mutate_span span = mutate_begin(mutate_seconds() / 4 / KIND_COUNT); mutate_more(&span);) {
            struct buffer input = damaged(&random, &file);
            struct gcn_code code;
            struct error error = {0};
            mutate_keep(&input);
            enum status status = gcn_code_find(input.data, input.size, &code, &error);
            assert_true(status == STATUS_OK || (status == STATUS_FAILED && error.message[0] != '\0'));
            for (size_t i = 0; status == STATUS_OK && i < code.count; i++) {
                assert_true(code.pieces[i].offset <= input.size &&
                            code.pieces[i].size <= input.size - code.pieces[i].offset);
                assert_non_null(code.pieces[i].target);
            }
            found += status == STATUS_OK;
            refused += status != STATUS_OK;
            if (status == STATUS_OK)
                gcn_code_free(&code);
            buffer_free(&input);
        }
        buffer_free(&file);
    }
    print_message("%u read, %u refused\n", found, refused);
    assert_true(found > 100 && refused > 100);
}

/* Cut anywhere, it is told or still whole. */
static void truncated_binaries_are_told(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        struct buffer file = {0};
        struct tally tally = {0};
        make(&KINDS[kind], &file);
        size_t size = file.size;
        for (size_t cut = 0; cut < size; cut += 1 + cut / 64) {
            struct buffer part = {0};
            char *exact = malloc(cut + 1); /* so that a byte too far is seen */
            assert_non_null(exact);
            memcpy(exact, file.data, cut);
            part.data = realloc(exact, cut == 0 ? 1 : cut);
            part.size = cut;
            try(&part, &REQUESTS[0], &tally);
            free(part.data);
        }
        assert_int_equal(tally.patched, 0); /* the sections' headers stand at the end */
        buffer_free(&file);
    }
}

static void random_code_is_walked(void **state)
{
    (void)state;
    static const char *const targets[] = {"gfx600", "gfx701",  "gfx803", "gfx906",
                                          "gfx90a", "gfx1030", "gfx1100"};
    enum { TARGETS = sizeof targets / sizeof targets[0], WORDS = 60 };
    struct random random = mutate_start("gcn code");
    struct tally tally = {0};
    for (unsigned i = 0; i < TARGETS; i++)
        for (struct mutate_span span = mutate_begin(mutate_seconds() / 4 / TARGETS); mutate_more(&span);) {
            struct buffer code = {0};
            struct buffer file = {0};
            for (unsigned k = random_below(&random, WORDS) + 1; k > 0; k--)
                made_number(&code, random_below(&random, 10) == 0 ? 0xb0077a5a : random_next(&random), 4);
            made_rocm(&file, targets[i], &code);
            try(&file, &REQUESTS[random_below(&random, 3)], &tally);
            buffer_free(&code);
            buffer_free(&file);
        }
    print_message("%u patched, %u refused\n", tally.patched, tally.refused);
    assert_true(tally.refused > 10);
    assert_true(tally.patched > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_binaries_are_told),
        cmocka_unit_test(damaged_containers_are_read),
        cmocka_unit_test(truncated_binaries_are_told),
        cmocka_unit_test(random_code_is_walked),
    };
    return cmocka_run_group_tests_name("isa/gcn_fuzz", tests, NULL, NULL);
}
