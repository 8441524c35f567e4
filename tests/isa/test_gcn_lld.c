/* Linked code objects compared with those of ld.lld and read by LLVM's readers, if these programs are
 * present.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/gcn_files.h"
#include "tests/gcn_programs.h"
#include "tests/skip.h"

static bool program_there(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static void save(const char *folder, const char *name, const struct buffer *file)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file->data, 1, file->size, out), file->size);
    assert_int_equal(fclose(out), 0);
}

static struct buffer output_of(const char *command)
{
    struct buffer text = {0};
    char piece[4096];
    FILE *in = popen(command, "r");
    assert_non_null(in);
    for (size_t count; (count = fread(piece, 1, sizeof piece, in)) > 0;)
        buffer_append(&text, piece, count);
    assert_int_equal(pclose(in), 0);
    return text;
}

/* Segment by segment: the same headers, and the same bytes but for where the file's own header tells of
 * sections, as lld's file has a .comment more. */
static void compare_loaded(const struct buffer *ours, struct buffer *theirs)
{
    Elf64_Ehdr header, other;
    memcpy(&header, ours->data, sizeof header);
    memcpy(&other, theirs->data, sizeof other);
    other.e_shoff = header.e_shoff;
    other.e_shnum = header.e_shnum;
    other.e_shstrndx = header.e_shstrndx;
    memcpy(theirs->data, &other, sizeof other);
    assert_memory_equal(&header, &other, sizeof header);
    unsigned compared = 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        size_t at = header.e_phoff + i * sizeof segment;
        memcpy(&segment, ours->data + at, sizeof segment);
        assert_memory_equal(theirs->data + at, &segment, sizeof segment);
        assert_memory_equal(theirs->data + segment.p_offset, ours->data + segment.p_offset, segment.p_filesz);
        compared += segment.p_type == PT_LOAD;
    }
    assert_int_equal(compared, 3);
}

static void compare_with_lld(const char *folder, const struct program *program)
{
    char command[600];
    struct buffer object = program_object(program);
    struct buffer file = {0};
    struct error error;
    assert_int_equal(gcn_link(&object, program->gfx, &file, &error), STATUS_OK);
    save(folder, "object", &object);
    save(folder, "linked", &file);
    snprintf(command, sizeof command, "cd %s && ld.lld-19 -shared -o lld object && cat lld", folder);
    struct buffer theirs = output_of(command);
    compare_loaded(&file, &theirs);
    buffer_free(&theirs);
    if (program_there("llvm-readelf-19")) {
        snprintf(command, sizeof command,
                 "cd %s && for file in linked lld; do llvm-readelf-19 -lsdnr $file 2>&1 | "
                 "grep -v -e '^ *None' -e program.headers >$file.txt; done && "
                 "grep kernel0.kd linked.txt >/dev/null && diff linked.txt lld.txt",
                 folder);
        theirs = output_of(command);
        assert_int_equal(theirs.size, 0);
        buffer_free(&theirs);
    }
    buffer_free(&object);
    buffer_free(&file);
}

static void the_bytes_are_lld_s(void **state)
{
    (void)state;
    if (!program_there("ld.lld-19"))
        skip_because("ld.lld-19 is missing: apt-get install lld-19");
    char folder[] = "/tmp/gcn_link_XXXXXX";
    char command[100];
    assert_non_null(mkdtemp(folder));
    for (unsigned i = 0; i < PROGRAM_TARGETS; i++)
        if (made_known(program_targets[i]))
            compare_with_lld(folder, &(struct program){.gfx = program_targets[i], .kernels = 1 + i});
    compare_with_lld(folder, &(struct program){.gfx = "gfx906", .kernels = 70, .rest = PROGRAM_TABLE});
    /* Pages that are filled up to their end, and text that alignment moves to the next one. */
    for (unsigned bytes = 1900; bytes < 2300; bytes += 57) {
        char filling[200];
        snprintf(filling, sizeof filling,
                 ".section .rodata.more,\"a\"\n.fill %u\n.section .text.more,\"ax\"\n"
                 ".fill %u,4,0xbf800000\n",
                 bytes, bytes / 3);
        compare_with_lld(folder, &(struct program){.gfx = "gfx906", .kernels = 2, .rest = filling});
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void llvm_reads_it(void **state)
{
    (void)state;
    if (!program_there("llvm-readelf-19") || !program_there("llvm-objdump-19"))
        skip_because("llvm-readelf-19 or llvm-objdump-19 is missing: apt-get install llvm-19");
    char folder[] = "/tmp/gcn_link_XXXXXX";
    char command[400];
    assert_non_null(mkdtemp(folder));
    struct buffer file = program_linked(&(struct program){.gfx = "gfx906", .kernels = 2});
    save(folder, "linked", &file);
    snprintf(command, sizeof command,
             "cd %s && llvm-readelf-19 -a linked 2>&1 >listing; cat listing | "
             "grep -i -e warning -e error; llvm-objdump-19 -d linked 2>&1",
             folder);
    struct buffer text = output_of(command);
    assert_null(strstr(text.data, "arning"));
    assert_null(strstr(text.data, "rror"));
    assert_non_null(strstr(text.data, "<kernel0>:\n\ts_nop 1"));
    assert_non_null(strstr(text.data, "<kernel1>:\n\ts_nop 1"));
    buffer_free(&text);
    buffer_free(&file);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_lld_s),
        cmocka_unit_test(llvm_reads_it),
    };
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("this LLVM has no AMD GPUs\n");
    return 77; /* skipped */
#endif
    return cmocka_run_group_tests_name("isa/gcn_lld", tests, NULL, NULL);
}
