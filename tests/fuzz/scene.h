/* A suite of one program on disk, for the entries that damage one of its files. */
#ifndef TESTS_FUZZ_SCENE_H
#define TESTS_FUZZ_SCENE_H

#include "tests/fuzz/fuzz.h"

#include "generator/suite.h"
#include "runner/evidence.h"

static const char SCENE_MACHINE[] = "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{\"L1I\":{\"size\":8192,"
                                    "\"ways\":4,\"line\":64},\"L1D\":{\"size\":4096,"
                                    "\"ways\":2,\"line\":64,\"policy\":\"lru\"},\"L2\":{\"size\":65536,"
                                    "\"ways\":8,\"line\":64,\"policy\":\"lru\"}}}";

static const char SCENE_POINT[] = "{\"benchmark\":\"b\",\"point\":\"default\",\"parameters\":{},\"target\":"
                                  "\"x86_64\",\"kernel\":{\"unit\":[{\"op\":"
                                  "\"load\",\"served\":{\"L1\":0.5,\"L2\":0.5},\"order\":\"even\","
                                  "\"address\":\"independent\",\"width\":8,\"count\":1,"
                                  "\"data\":{\"toggle\":0.25}},{\"op\":\"asm\",\"count\":1,\"text\":\"nop\","
                                  "\"registers\":0},{\"op\":\"branch\","
                                  "\"count\":1,\"accuracy\":0.9,\"kind\":\"indirect\"}],\"loop\":{\"units\":"
                                  "20}},\"expect\":{\"ipc\":{\"min\":0.1}},"
                                  "\"tolerance\":{\"*\":0.1}}";

/* Writes the suite to the folder. */
static inline void scene_write(const char *folder)
{
    struct workshop workshop;
    struct machine machine;
    struct program program = {0};
    struct suite_writer writer;
    struct error error;
    struct buffer entry = {0};
    json_t *description = fuzz_constant(SCENE_MACHINE);
    json_t *point = fuzz_constant(SCENE_POINT);
    json_t *benchmarks = json_array();
    FUZZ_REQUIRE(machine_from_json(description, "machine", &machine, &error) == STATUS_OK);
    FUZZ_REQUIRE(workshop_open("x86_64", &workshop, &error) == STATUS_OK);
    FUZZ_REQUIRE(program_make(&workshop, point, &machine, 1, &program, &error) == STATUS_OK);
    FUZZ_REQUIRE(suite_begin(folder, &writer, &error) == STATUS_OK);
    FUZZ_REQUIRE(suite_begin_index(&writer, &machine, 1, benchmarks, &error) == STATUS_OK);
    FUZZ_REQUIRE(suite_add(&writer, "b.lua", point, &program, &entry, &error) == STATUS_OK);
    FUZZ_REQUIRE(suite_add_entry(&writer, entry.data, entry.size, &error) == STATUS_OK);
    FUZZ_REQUIRE(suite_finish(&writer, &error) == STATUS_OK);
    buffer_free(&entry);
    program_free(&program);
    workshop_close(&workshop);
    machine_free(&machine);
    json_decref(description);
    json_decref(point);
    json_decref(benchmarks);
}

/* Judges one program by the sources that run nothing. */
static inline void scene_judge(const char *folder, const json_t *entry, const struct machine *machine)
{
    struct program program;
    struct error error = {0};
    bool changed;
    if (fuzz_accepted(suite_load(folder, entry, &program, &changed, &error), &error)) {
        struct evidence evidence;
        const struct subject subject = {.benchmark = "b",
                                        .point = "default",
                                        .manifest = program.manifest,
                                        .executable = program.executable.data,
                                        .executable_size = program.executable.size,
                                        .object = program.object.data,
                                        .object_size = program.object.size,
                                        .machine = machine,
                                        .cpu = -1};
        FUZZ_REQUIRE(evidence_gather(&subject, "bytes,plan", &evidence, &error) == STATUS_OK);
        json_decref(evidence_judge(&subject, &evidence));
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
    json_t *index = suite_read(folder, &machine, &error);
    FUZZ_REQUIRE(index != NULL || error.message[0] != '\0');
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(index, "programs"), i, entry)
    {
        if (i < 4)
            scene_judge(folder, entry, &machine);
    }
    json_decref(index);
    machine_free(&machine);
}

#endif
