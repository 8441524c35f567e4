/* The recipe's own instructions: one statement per line, with its registers filled in. */
#include "generator/emit/gpu_asm.h"
#include "generator/emit/gpu_emission.h"

#include <ctype.h>
#include <string.h>

enum status gpu_asm_check(const struct isa *isa, const struct machine *machine, const struct behaviour *item,
                          struct error *error)
{
    if (isa == &isa_opencl)
        return STATUS_OK;
    return isa == &isa_gcn ? gpu_asm_gcn_check(machine->gpu.arch, item, error)
                           : gpu_asm_ptx_check(item, error);
}

/* If ";" begins a comment, each statement needs its own line. */
static void put_text(const struct gpu_emission *emission, const char *text, struct buffer *output)
{
    buffer_text(output, "    ");
    for (; *text != '\0'; text++) {
        if (*text == ';' && emission->templates->isa->syntax.comment[0] == ';')
            buffer_text(output, "\n   ");
        else
            buffer_append(output, text, 1);
    }
    buffer_text(output, "\n");
}

enum status gpu_emit_asm(const struct gpu_emission *emission, const struct behaviour *item,
                         struct buffer *output)
{
    const char *prefix = emission->templates->isa->register_prefix;
    bool begun = false;
    if (emission->templates->isa == &isa_opencl) { /* the compiler reports what is missing */
        buffer_text(output,
                    "#error \"a text of asm{} is in program.s and program.co alone: OpenCL C has none\"\n");
        return STATUS_OK;
    }
    if (template_section(emission->templates, "asm.clear") ==
        NULL) { /* an ISA that inserts the text unchanged */
        put_text(emission, item->text, output);
        return STATUS_OK;
    }
    for (const char *at = item->text; *at != '\0';) {
        unsigned long number = 0;
        bool wide = false;
        size_t length = gpu_asm_ptx_register(at, &number, &wide);
        if (length > 0 && number >= item->registers) {
            error_set(emission->error, STATUS_RECIPE, "asm uses %.*s: it has registers = %u, counted from 0",
                      (int)length, at, item->registers);
            return behaviour_at_recipe(item, emission->error);
        }
        if (!begun && isspace((unsigned char)*at)) {
            at++;
            continue;
        }
        buffer_text(output, begun ? "" : "    ");
        begun = *at != ';' && *at != '\n';
        if (length > 0)
            buffer_printf(output, "%s%s%lu", prefix, wide ? "w" : "u", number);
        else
            buffer_append(output, at, 1);
        if (*at == ';')
            buffer_text(output, "\n");
        at += length > 0 ? length : 1;
    }
    if (begun)
        buffer_text(output, "\n");
    return STATUS_OK;
}

enum status gpu_emit_asm_registers(struct gpu_emission *emission, struct buffer *clear, struct buffer *start,
                                   struct buffer *finish)
{
    const struct kernel *kernel = emission->plan->kernel;
    struct buffer *const parts[] = {clear, start, finish};
    static const char *const sections[] = {"asm.clear", "asm.start", "asm.finish"};
    unsigned most = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind != BEHAVIOUR_ASM)
            continue;
        status = gpu_asm_check(emission->templates->isa, emission->plan->machine, item, emission->error);
        if (status != STATUS_OK)
            break;
        most = item->registers > most ? item->registers : most;
        if (item->registers > 0 && template_section(emission->templates, sections[0]) == NULL) {
            error_set(emission->error, STATUS_RECIPE,
                      "asm.registers is %u: this version gives registers only to x86_64 and ptx",
                      item->registers);
            status = behaviour_at_recipe(item, emission->error);
        }
    }
    for (unsigned n = 0; status == STATUS_OK && n < most; n++) {
        bindings_set(&emission->bindings, "n", "%u", n);
        for (size_t i = 0; status == STATUS_OK && i < 3; i++)
            status = bindings_section(&emission->bindings, sections[i], parts[i]);
    }
    return status;
}
