/* An instruction set as data: how its text is written, what its numbers, branches and addresses reach, its
 * registers, and the processor that runs it. A new one needs a folder here, a folder in templates/ and a row
 * in isa.c. Fields that only assembled or only processor ISAs use are zero in the others. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include "base/buffer.h"
#include "isa/isa_list.h"
#include "isa/numbers.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGISTER_VIEWS = 6 };

struct isa;

/* ---- disassembled instructions ---- */

enum { OPERANDS_MOST = 6, REGISTER_WORDS = 72 };

/* In the order of the text. A register has its index in the ISA's table, anything else -1. */
struct operands {
    int registers[OPERANDS_MOST];
    unsigned bits[OPERANDS_MOST]; /* the width at which it is named; 0: all of it */
    uint64_t numbers[OPERANDS_MOST];
    int count;
};

/* The content of each register, by its index in the ISA's table. */
struct register_words {
    const struct isa *isa;
    uint64_t words[REGISTER_WORDS];
    unsigned lanes[REGISTER_WORDS]; /* numbers of 8 bytes that hold the word; 0: unknown */
    unsigned vector_lanes;          /* as many as instructions work on, where the code itself says so */
};

/* ---- instruction sets ---- */

/* Between two instructions that a template has on one line. */
#define CONSTANT_NEXT "\n    "

/* The name for a part of a register with this many bits. */
struct register_view {
    unsigned bits;
    const char *name;
};

/* A register's name, and those of its other widths. A vector register is listed under its narrowest name. */
struct register_name {
    const char *whole;
    struct register_view views[REGISTER_VIEWS]; /* ends with bits 0 */
};

/* How its assembly text is written. Directives are those of GNU's assembler for ELF (assembly.h). */
struct syntax {
    const char *comment; /* starts a comment that extends to the line's end: "#", "//" */
    char immediate;      /* marks a number that is an operand: '$'; '\0': such numbers have no mark */
    char open, close;    /* around the registers of an address: '(' and ')', '[' and ']' */

    /* An address's displacement is the last number inside, with the immediate's mark ("[x1, #8]"); otherwise
     * it is in front, without a mark ("8(%rsi)"). */
    bool displacement_inside;

    bool written_last; /* an instruction writes its last operand: AT&T; otherwise its first */

    /* A whole address with {disp} and {base}, the latter with its prefix: "{disp}({base})". */
    const char *address;
};

/* What an instruction does with its memory operand. */
enum memory_use { MEMORY_UNUSED, MEMORY_READ, MEMORY_WRITTEN };

/* A range of displacements that an access of `width` bytes may have from its base register. */
struct reach {
    unsigned width;    /* bytes of the access; 0: any */
    int64_t low, high; /* inclusive */
    unsigned multiple; /* a power of two that divides each of them */
};

/* What makes assemblers take the instructions of a feature that a machine file names. */
struct extension {
    const char *feature;   /* "atomics" */
    const char *llvm;      /* "lse": in LLVM's list of features, and in its messages */
    const char *directive; /* ".arch_extension lse" */
};

/* The processor that runs it, as seen by a program on it: for timing beside the programs' own clock. */
struct host {
    const char *clock;  /* the programs' clock, for messages: "the time-stamp counter" */
    const char *source; /* what reports the clock's frequency: "cpuid" */

    /* Reads the programs' clock. NULL in a build for another processor. */
    uint64_t (*ticks)(void);

    /* The clock ticks at least once in so many passes of any loop. */
    unsigned passes_per_tick;

    /* A core that threads can share adds at least so many numbers per cycle while one has it; 0: threads
     * share no core. */
    unsigned least_width;

    /* With least_width: an instruction with two registers that any integer unit executes and that waits for
     * none before it, as a text of asm{}. Additions wait for the one before in their register, and wide cores
     * that give each a unit before it can run keep some of these idle (Zen 5: 5.3 of 6). */
    const char *independent;
};

struct isa {
    const char *name;     /* "x86_64"; also the folder under templates/ and a recipe's target */
    const char *skeleton; /* the file there from which programs are expanded */
    const char *start;    /* start code of standalone programs; NULL: a runner starts them */
    const char *probe;    /* loops that measure the present machine; NULL: none */
    const char *machine;  /* shipped, which stands in where nothing that runs this is here; NULL: none */
    bool gpu;             /* runs on a grid of threads */
    const char *const *markers; /* simulators' marks that start code can have; ends with NULL; NULL: none */
    const char *line_end;       /* ends an instruction in a GPU's text: ";" */
    const char *beside;         /* another ISA in which its programs are also written; NULL: none */
    unsigned plain_width;       /* bytes of an operation if the row's name has no width */
    bool one_vector_width;      /* start code sets how wide vectors are, for all of a program's */

    /* LLVM's assembler and disassembler. */
    const char *triple; /* NULL: LLVM does not assemble this */
    const char *cpu; /* baseline that generated code may assume; fixed, so that bytes do not vary by host */
    const char *features;  /* LLVM's names of what it has beside the baseline: "+m,+d"; NULL: none */
    void (*prepare)(void); /* initialises them; may be called repeatedly */
    bool sized_syntax;     /* it has a second syntax, which states the size of memory operands */

    /* The same with what only programs of others have, to disassemble them; NULL: no more than that. */
    const char *others_features;
    /* The part of `features` that every processor has; NULL: none of it. */
    const char *base_features;

    /* Of features beside the baseline; a program begins with those that it needs. Ends with a feature of
     * NULL; NULL: assemblers take every instruction. */
    const struct extension *extensions;

    /* Text. */
    struct syntax syntax;
    const char *register_prefix; /* "%" */
    const struct register_name *registers;
    size_t register_count;
    const struct text_rules *text_rules; /* for users' own instructions; NULL: not supported */

    /* Appends the instructions that put a number into the register, as few as there are, divided by
     * CONSTANT_NEXT. NULL: templates name the number in an instruction. */
    void (*write_constant)(const char *name, uint64_t value, struct buffer *output);

    /* What a disassembled instruction does with memory: mix.<op> counts reads and writes apart. */
    enum memory_use (*memory_use)(const char *text);

    /* Follows a disassembled instruction that the start of a program uses to load registers; others make
     * what they write unknown. */
    void (*follow)(const char *text, struct register_words *words);

    /* The mnemonic with which a disassembler prints the filler between pieces of code; NULL: none. */
    const char *filler;

    /* A word in front of an instruction, which a disassembler prints as if it were one of its own: "lock";
     * NULL: none. */
    const char *prefix;

    /* Numbers (numbers.h) and addresses. */
    const struct number_classes *numbers; /* [NUMBER_KINDS] */
    const struct number_part *parts;      /* ends with a name of NULL; NULL: templates need none */
    enum branch_origin branch_origin;
    unsigned branch_reach; /* bytes that a conditional branch reaches; 0: more than any loop has */
    unsigned code_align;   /* a power of two: instructions begin at its multiples */
    uint64_t code_reach;   /* bytes to either side that the branches between pieces of code reach; 0: any */
    const struct reach *reaches; /* [reach_count]; a displacement needs one of them */
    size_t reach_count;

    /* Executables. */
    unsigned elf_machine; /* EM_X86_64 */
    unsigned elf_flags;   /* e_flags: the ABI on RISC-V */
    unsigned load_align;  /* largest page size that its systems load segments with */

    const struct host *host; /* NULL: none that this program knows */
};

#define declare_isa(name) extern const struct isa isa_##name;
ISA_PROCESSORS(declare_isa)
ISA_GPUS(declare_isa)

/* The registry of all ISAs; NULL-terminated. */
extern const struct isa *const isa_table[];

/* The register with this name, without prefix, at any of its widths, or NULL. */
const struct register_name *isa_register(const struct isa *isa, const char *name, size_t length);

/* Appends the names of all that recipes may have as targets: "x86_64, ptx and gcn". */
void isa_write_targets(struct buffer *output);

/* The ISA of that name, or NULL. */
const struct isa *isa_find(const char *name);

/* True for the name of an ISA that processors run; GPUs' and unknown names are none. */
bool isa_is_processor(const char *name);

/* The name under which tables have what all processors share. */
#define ISA_PROCESSOR "processor"

/* True if what a table has for `listed`, an ISA or ISA_PROCESSOR, is for programs of the ISA `name`. */
bool isa_is_listed(const char *listed, const char *name);

/* The ISA of the processor that this program runs on, or NULL. */
const struct isa *isa_of_host(void);

/* True if an access of `width` bytes may have this displacement. */
bool isa_reaches(const struct isa *isa, unsigned width, int64_t displacement);

/* True if accesses of any width may have every displacement below that. */
bool isa_reaches_all(const struct isa *isa, uint64_t bytes);

/* The largest displacement of an access of `width` bytes. */
int64_t isa_farthest(const struct isa *isa, unsigned width);

/* The smallest one; below 0: in front of the base. */
int64_t isa_nearest(const struct isa *isa, unsigned width);

/* Appends an address operand; base is a register's name without its prefix. */
void isa_write_address(const struct isa *isa, uint64_t displacement, const char *base, struct buffer *output);

/* Operands are divided by commas and blanks; "v3.2d" is the register v3. */
struct operands operands_read(const struct isa *isa, const char *text);

/* True if the instruction's name is that word. */
bool operands_of(const char *text, const char *name);

#endif
