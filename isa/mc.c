#include "isa/mc.h"

#include "base/memory.h"

#include <llvm-c/Core.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The assembler's first error, from the diagnostic handler: the call itself reports success. */
struct complaint {
    bool made;
    int line;
    char message[512];
};

static void listen(LLVMDiagnosticInfoRef diagnostic, void *context)
{
    struct complaint *complaint = context;
    if (LLVMGetDiagInfoSeverity(diagnostic) != LLVMDSError || complaint->made)
        return;
    char *text = LLVMGetDiagInfoDescription(diagnostic);
    complaint->made = true;
    int column = 0;
    int skip = 0;
    if (sscanf(text, "<inline asm>:%d:%d: %n", &complaint->line, &column, &skip) < 2)
        skip = 0;
    snprintf(complaint->message, sizeof complaint->message, "%.*s", (int)strcspn(text + skip, "\n"),
             text + skip);
    LLVMDisposeMessage(text);
}

static LLVMTargetMachineRef open_target(const struct isa *isa, const char *features, struct error *error)
{
    isa->prepare();
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(isa->triple, &target, &message) != 0) {
        error_set(error, STATUS_UNAVAILABLE, "this LLVM has no %s: %s", isa->triple, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, isa->triple, isa->cpu, features == NULL ? "" : features,
                                LLVMCodeGenLevelNone, LLVMRelocStatic, LLVMCodeModelDefault);
    if (machine == NULL)
        error_set(error, STATUS_UNAVAILABLE, "this LLVM cannot generate code for %s, processor \"%s\"",
                  isa->triple, isa->cpu);
    return machine;
}

enum status mc_assemble_with(const struct isa *isa, const char *features, const char *text, const char *name,
                             struct buffer *object, struct error *error)
{
    LLVMTargetMachineRef target = open_target(isa, features, error);
    if (target == NULL)
        return STATUS_UNAVAILABLE;
    struct complaint complaint = {0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, listen, &complaint);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("", context);
    LLVMSetTarget(module, isa->triple);
    LLVMSetModuleInlineAsm2(module, text, strlen(text));
    char *message = NULL;
    LLVMMemoryBufferRef memory = NULL;
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(target, module, LLVMObjectFile, &message, &memory) != 0;
    enum status status = STATUS_OK;
    if (failed || complaint.made) {
        status = error_set(error, STATUS_FAILED, "%s", complaint.made ? complaint.message : message);
        error_at(error, name, complaint.line);
    } else {
        buffer_append(object, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    }
    if (message != NULL)
        LLVMDisposeMessage(message);
    if (memory != NULL)
        LLVMDisposeMemoryBuffer(memory);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(target);
    return status;
}

enum status mc_assemble(const struct isa *isa, const char *text, const char *name, struct buffer *object,
                        struct error *error)
{
    return mc_assemble_with(isa, isa->features, text, name, object, error);
}

static enum status disassemble(const struct isa *isa, const char *features, uint64_t options,
                               const void *bytes, size_t size, mc_visitor *visit, void *context,
                               struct error *error)
{
    isa->prepare();
    LLVMDisasmContextRef disassembler =
        LLVMCreateDisasmCPUFeatures(isa->triple, "", features == NULL ? "" : features, NULL, 0, NULL, NULL);
    if (disassembler == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "this LLVM has no disassembler for %s", isa->triple);
    if (options != 0 && LLVMSetDisasmOptions(disassembler, options) == 0) {
        LLVMDisasmDispose(disassembler);
        return error_set(error, STATUS_UNAVAILABLE, "this LLVM has only one syntax for %s", isa->triple);
    }
    /* LLVM's parameter is not const, although it does not change the bytes. */
    uint8_t *copy = memory_resized(NULL, size + 1, 1);
    memcpy(copy, bytes, size);
    enum status status = STATUS_OK;
    size_t offset = 0;
    while (offset < size) {
        char text[256];
        size_t length =
            LLVMDisasmInstruction(disassembler, copy + offset, size - offset, offset, text, sizeof text);
        if (length == 0) {
            status = error_set(error, STATUS_FAILED, "no instruction of %s at offset %zu", isa->name, offset);
            break;
        }
        visit(offset, length, text + strspn(text, " \t"), context);
        offset += length;
    }
    free(copy);
    LLVMDisasmDispose(disassembler);
    return status;
}

enum status mc_disassemble(const struct isa *isa, const void *bytes, size_t size, mc_visitor *visit,
                           void *context, struct error *error)
{
    return disassemble(isa, isa->features, 0, bytes, size, visit, context, error);
}

enum status mc_disassemble_with(const struct isa *isa, const char *features, const void *bytes, size_t size,
                                mc_visitor *visit, void *context, struct error *error)
{
    return disassemble(isa, features, 0, bytes, size, visit, context, error);
}

enum status mc_disassemble_sized(const struct isa *isa, const void *bytes, size_t size, mc_visitor *visit,
                                 void *context, struct error *error)
{
    return disassemble(isa, isa->features, isa->sized_syntax ? LLVMDisassembler_Option_AsmPrinterVariant : 0,
                       bytes, size, visit, context, error);
}
