#include "runner/probe/code.h"

#include "base/files/paths.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { NUMBER_BYTES = 24 };

enum status probe_texts_open(struct template *texts, struct error *error)
{
    char home[FILE_PATH_BYTES];
    const struct isa *isa = isa_of_host();
    *texts = (struct template){0};
    if (isa == NULL || isa->probe == NULL) {
        error_set(error, STATUS_UNAVAILABLE, "templates/ has no measurement loops for this processor");
        error_hint(error, "describe the machine in a file (recipes/machines has examples) and pass -m FILE");
        return STATUS_UNAVAILABLE;
    }
    enum status status = paths_home(home, error);
    return status == STATUS_OK ? template_load_texts(home, isa, isa->probe, texts, error) : status;
}

const char *probe_section(const struct template *texts, const char *name, struct error *error)
{
    const char *section = template_section(texts, name);
    if (section == NULL)
        error_set(error, STATUS_FAILED, "templates/%s/%s has no section %s", texts->isa->name,
                  texts->isa->probe, name);
    return section;
}

const char *probe_next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* Appends a section, or the given text if any, for one copy. */
static enum status append(const struct template *texts, const char *section, const char *text,
                          const struct probe_loop *loop, unsigned copy, struct buffer *output,
                          struct error *error)
{
    char offset[NUMBER_BYTES];
    char step[NUMBER_BYTES];
    const char *part = text != NULL ? text : probe_section(texts, section, error);
    if (part == NULL)
        return STATUS_FAILED;
    snprintf(offset, sizeof offset, "%u", loop->step * copy);
    snprintf(step, sizeof step, "%u", loop->step * loop->repeat);
    const struct binding bindings[] = {{"offset", offset}, {"step", step}};
    enum status status = template_expand(texts, part, bindings, 2, output, error);
    buffer_text(output, "\n");
    return status;
}

enum status probe_code_write(const struct template *texts, const struct probe_loop *loop,
                             struct buffer *output, struct error *error)
{
    enum status status = append(texts, "head", NULL, loop, 0, output, error);
    if (status == STATUS_OK && loop->before != NULL)
        status = append(texts, loop->before, NULL, loop, 0, output, error);
    for (unsigned i = 0; status == STATUS_OK && i < loop->repeat; i++)
        status = append(texts, loop->body, loop->text, loop, i, output, error);
    if (status == STATUS_OK && loop->after != NULL)
        status = append(texts, loop->after, NULL, loop, 0, output, error);
    return status == STATUS_OK ? append(texts, "tail", NULL, loop, 0, output, error) : status;
}

enum status probe_code_place(const void *bytes, size_t size, struct probe_code *code, struct error *error)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        memcpy(memory, bytes, size);
        /* Compiles to nothing where instruction caches are coherent. */
        __builtin___clear_cache(memory, (char *)memory + size);
        if (mprotect(memory, size, PROT_READ | PROT_EXEC) == 0) {
            *code = (struct probe_code){memory, size};
            return STATUS_OK;
        }
    }
    error_set(error, STATUS_UNAVAILABLE, "the system provides no executable memory: %s", strerror(errno));
    error_hint(error, "if a security policy forbids it (SELinux's execmem), allow it for trauma");
    if (memory != MAP_FAILED)
        munmap(memory, size);
    return STATUS_UNAVAILABLE;
}

enum status probe_code_assemble(const struct isa *isa, const char *text, const char *name,
                                struct probe_code *code, struct error *error)
{
    struct buffer object = {0};
    struct object_part part = {0};
    enum status status = mc_assemble(isa, text, name, &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &part, error);
    if (status == STATUS_OK)
        status = probe_code_place(part.bytes, part.size, code, error);
    buffer_free(&object);
    return status;
}

enum status probe_code_make(const struct template *texts, const struct probe_loop *loop,
                            struct probe_code *code, struct error *error)
{
    struct buffer text = {0};
    enum status status = probe_code_write(texts, loop, &text, error);
    if (status == STATUS_OK)
        status = probe_code_assemble(texts->isa, text.data, texts->isa->probe, code, error);
    buffer_free(&text);
    return status;
}

uint64_t probe_code_run(const struct probe_code *code, uint64_t iterations, struct probe_words *words)
{
    typedef uint64_t loop_function(uint64_t, struct probe_words *);
    loop_function *function;
    memcpy(&function, &code->bytes, sizeof function); /* C cannot cast data to code */
    return function(iterations, words);
}

double probe_ticks_per_thing(const struct probe_timed *timed)
{
    uint64_t ticks = timed->run(timed->context, timed->code, timed->iterations);
    return (double)(ticks > 0 ? ticks : 1) / ((double)timed->iterations * timed->things);
}

void probe_take_samples(const struct probe_timed *loop, const struct probe_timed *clock,
                        struct probe_sample *samples, size_t count)
{
    double before = probe_ticks_per_thing(clock);
    for (size_t i = 0; i < count; i++) {
        double taken = probe_ticks_per_thing(loop);
        double after = probe_ticks_per_thing(clock);
        samples[i] = (struct probe_sample){taken, before, after};
        before = after;
    }
}

void probe_code_free(struct probe_code *code)
{
    if (code->bytes != NULL)
        munmap(code->bytes, code->size);
    *code = (struct probe_code){0};
}
