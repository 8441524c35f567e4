#include "runner/probe/code.h"

#include "isa/isa.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* rdtsc waits for nothing by itself: the fences keep the loop between the two readings. */
static const char HEAD[] = ".text\n"
                           "pushq %rbx\npushq %rbp\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
                           "movq %rsi, %rbp\n"
                           "lfence\nrdtsc\nlfence\n"
                           "shlq $32, %rdx\nleaq (%rax,%rdx), %r15\n"
                           "movq (%rbp), %rax\nmovq 8(%rbp), %rbx\nmovq 16(%rbp), %rcx\nmovq 24(%rbp), %rdx\n"
                           "lfence\n"
                           ".p2align 6\n"
                           "1:\n";
static const char TAIL[] = "decq %rdi\njnz 1b\n"
                           "movq %rax, (%rbp)\nmovq %rbx, 8(%rbp)\nmovq %rcx, 16(%rbp)\nmovq %rdx, 24(%rbp)\n"
                           "lfence\nrdtsc\nlfence\n"
                           "shlq $32, %rdx\naddq %rdx, %rax\nsubq %r15, %rax\n"
                           "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\n"
                           "retq\n";

static void write_body(const struct probe_loop *loop, struct buffer *text)
{
    for (unsigned i = 0; i < loop->repeat; i++) {
        unsigned number = loop->step * i;
        for (const char *at = loop->body; *at != '\0'; at++) {
            if (at[0] != '%' || (at[1] != 'u' && at[1] != '%')) {
                buffer_append(text, at, 1);
                continue;
            }
            at++;
            if (*at == 'u')
                buffer_printf(text, "%u", number);
            else
                buffer_text(text, "%");
        }
    }
}

enum status probe_code_place(const void *bytes, size_t size, struct probe_code *code, struct error *error)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
        memcpy(memory, bytes, size);
        if (mprotect(memory, size, PROT_READ | PROT_EXEC) == 0) {
            *code = (struct probe_code){memory, size};
            return STATUS_OK;
        }
    }
    error_set(error, STATUS_UNAVAILABLE, "the system gives no memory to execute code from: %s",
              strerror(errno));
    error_hint(error, "a security policy that forbids it (SELinux's execmem) has to allow it for trauma");
    if (memory != MAP_FAILED)
        munmap(memory, size);
    return STATUS_UNAVAILABLE;
}

enum status probe_code_make(const struct probe_loop *loop, struct probe_code *code, struct error *error)
{
    struct buffer text = {0};
    struct buffer object = {0};
    struct object_part part = {0};
    buffer_text(&text, HEAD);
    buffer_text(&text, loop->before != NULL ? loop->before : "");
    write_body(loop, &text);
    buffer_text(&text, loop->after != NULL ? loop->after : "");
    buffer_text(&text, TAIL);
    enum status status = mc_assemble(&isa_x86_64, text.data, "probe", &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &part, error);
    if (status == STATUS_OK)
        status = probe_code_place(part.bytes, part.size, code, error);
    buffer_free(&object);
    buffer_free(&text);
    return status;
}

uint64_t probe_code_run(const struct probe_code *code, uint64_t iterations, struct probe_registers *registers)
{
    typedef uint64_t loop_function(uint64_t, struct probe_registers *);
    loop_function *function;
    memcpy(&function, &code->bytes, sizeof function); /* C has no cast from data to code */
    return function(iterations, registers);
}

void probe_code_free(struct probe_code *code)
{
    if (code->bytes != NULL)
        munmap(code->bytes, code->size);
    *code = (struct probe_code){0};
}
