/* gcn_file KIND TARGET FILE TEXT: writes an AMD GPU binary with the instructions of the text, one a line.
 * KIND is rocm, old (ROCm's of
 * gfx701 or gfx900, with headers), raw (no container), gallium (the beginning of one), or for Hawaii and Vega
 * 10 catalyst-32, catalyst-64 (OpenCL 1.2), raw-32, raw-64, hsa-32, hsa-64 (OpenCL 2.0 of two drivers), or
 * host: a program with code objects for it and for gfx701. KIND program links a whole program's text, which
 * is in the file TEXT. */
#include "base/file.h"
#include "isa/gcn/link/link.h"
#include "tests/gcn_containers.h"

static void made_host_of(struct buffer *file, const char *target, const char *text, const struct buffer *code)
{
    const char *const targets[] = {"gfx701", target};
    struct buffer hawaii = {0};
    struct buffer objects[2] = {{0}, {0}};
    struct buffer bundle = {0};
    if (!made_code("gfx701", text, &hawaii))
        exit(2);
    made_rocm(&objects[0], "gfx701", &hawaii);
    made_rocm(&objects[1], target, code);
    made_bundle(&bundle, targets, objects, 2);
    made_host(file, ".hip_fatbin", &bundle);
    buffer_free(&bundle);
    buffer_free(&objects[0]);
    buffer_free(&objects[1]);
    buffer_free(&hawaii);
}

/* The code alone, or behind how Mesa's begins: one kernel, its name and where it is. */
static void made_bare(struct buffer *file, const struct buffer *code, bool gallium)
{
    static const unsigned char begin[] = {1,   0,   0,   0, 5, 0, 0, 0, 'f', 'i',
                                          'r', 's', 't', 0, 0, 0, 0, 0, 0,   0};
    if (gallium)
        buffer_append(file, begin, sizeof begin);
    buffer_append(file, code->data, code->size);
}

static int write_file(const char *kind, const char *target, const char *path, const char *text,
                      const struct buffer *code)
{
    static const unsigned versions[][3] = {{7, 0, 1}, {9, 0, 0}};
    const bool vega = strcmp(target, "gfx900") == 0;
    const bool is_64 = strstr(kind, "-64") != NULL;
    struct buffer file = {0};
    struct error error;
    if (strcmp(kind, "host") == 0)
        made_host_of(&file, target, text, code);
    else if (strcmp(kind, "rocm") == 0)
        made_rocm(&file, target, code);
    else if (strcmp(kind, "old") == 0)
        made_old_rocm(&file, target, versions[vega], code, true, 2);
    else if (strcmp(kind, "raw") == 0 || strcmp(kind, "gallium") == 0)
        made_bare(&file, code, strcmp(kind, "gallium") == 0);
    else if (strncmp(kind, "catalyst-", 9) == 0)
        made_catalyst(&file, is_64, 0x408, 0x27, code);
    else
        made_catalyst2(&file, is_64, strncmp(kind, "hsa-", 4) == 0, vega ? 20 : 7, versions[vega], code);
    enum status status = file_write(path, file.data, file.size, false, &error);
    buffer_free(&file);
    return status;
}

static int write_program(const char *target, const char *path, const char *source)
{
    struct buffer text = {0}, object = {0}, linked = {0};
    struct error error;
    enum status status = file_read(source, &text, &error);
    if (status == STATUS_OK)
        status = gcn_assemble_object(target, text.data, source, &object, &error);
    if (status == STATUS_OK)
        status = gcn_link(&object, target, &linked, &error);
    if (status == STATUS_OK)
        status = file_write(path, linked.data, linked.size, false, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "gcn_file: %s\n", error.message);
    buffer_free(&text);
    buffer_free(&object);
    buffer_free(&linked);
    return status;
}

int main(int argc, char **argv)
{
    struct buffer code = {0};
    if (argc == 5 && strcmp(argv[1], "program") == 0)
        return write_program(argv[2], argv[3], argv[4]);
    if (argc != 5 || gcn_target_named(argv[2]) == NULL || !made_code(argv[2], argv[4], &code))
        return 2;
    int status = write_file(argv[1], argv[2], argv[3], argv[4], &code);
    buffer_free(&code);
    return status;
}
