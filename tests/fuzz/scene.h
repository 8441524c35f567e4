/* A suite of one program on disk, for the entries that damage one of its files. */
#ifndef TESTS_FUZZ_SCENE_H
#define TESTS_FUZZ_SCENE_H

#include "tests/fuzz/fuzz.h"

#include "generator/suite/suite.h"
#include "runner/evidence/evidence.h"

/* Copies the suite of tests/fuzz/corpus/scene to the folder. */
static inline void scene_write(const char *folder)
{
    static const char *const files[] = {"suite.json", "b/default/manifest.json", "b/default/program.o",
                                        "b/default/program"};
    char path[FILE_PATH_BYTES];
    struct error error;
    FUZZ_REQUIRE(file_make_folders(file_join(path, folder, "b/default"), &error) == STATUS_OK);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct buffer bytes = {0};
        file_join(path, TRAUMA_SOURCE_DIR "/tests/fuzz/corpus/scene", files[i]);
        FUZZ_REQUIRE(file_read(path, &bytes, &error) == STATUS_OK);
        file_join(path, folder, files[i]);
        FUZZ_REQUIRE(file_write(path, bytes.data, bytes.size, false, &error) == STATUS_OK);
        buffer_free(&bytes);
    }
}

/* Judges one program by the sources that run nothing. */
static inline void scene_judge(const char *folder, const struct suite_entry *entry,
                               const struct machine *machine)
{
    struct program program;
    struct error error = {0};
    bool changed;
    if (fuzz_accepted(suite_load(folder, entry, &program, &changed, &error), &error)) {
        struct evidence evidence;
        const struct test_program test_program = {.benchmark = "b",
                                                  .point = "default",
                                                  .manifest = program.manifest,
                                                  .executable = program.executable.data,
                                                  .executable_size = program.executable.size,
                                                  .object = program.object.data,
                                                  .object_size = program.object.size,
                                                  .machine = machine,
                                                  .cpu = -1};
        struct result_rates rates;
        /* Programs whose code is not the manifest's kernel fail with a reason. */
        if (fuzz_accepted(evidence_gather(&test_program, "bytes,plan", &evidence, &error), &error)) {
            evidence_judge(&test_program, &evidence, &rates);
            result_rates_free(&rates);
        }
        evidence_free(&evidence);
    }
    program_free(&program);
}

/* Puts the input in the place of a file of the suite, and reads and judges the suite. */
static inline void scene_try(const char *name, const uint8_t *data, size_t size)
{
    static char folder[FUZZ_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    struct machine machine;
    struct error error = {0};
    if (folder[0] == '\0')
        scene_write(fuzz_make_folder(folder));
    FILE *file = fopen(file_join(path, folder, name), "wb");
    FUZZ_REQUIRE(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    struct suite_index index;
    enum status status = suite_read(folder, &index, &machine, &error);
    FUZZ_REQUIRE(status == STATUS_OK || error.message[0] != '\0');
    for (size_t i = 0; status == STATUS_OK && i < index.count && i < 4; i++)
        scene_judge(folder, &index.entries[i], &machine);
    suite_index_free(&index);
    machine_free(&machine);
}

#endif
