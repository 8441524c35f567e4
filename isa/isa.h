/* An instruction set as data: how its text is written, what its numbers, branches and addresses reach, its
 * registers, and the processor that runs it. A new one needs a folder here, a folder in templates/ and a row
 * in isa_list.h. Fields that only assembled ISAs or only processors' ISAs use are zero in the others. */
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

/* An instruction's operands in the order of its text. registers: the index in the ISA's table; -1 if the
 * operand is not a register. */
struct operands {
    int registers[OPERANDS_MOST];
    unsigned bits[OPERANDS_MOST]; /* width of the part that the name denotes; 0: the whole register */
    uint64_t numbers[OPERANDS_MOST];
    int count;
};

/* The known content of each register, by its index in the ISA's table: every lane holds the same word. */
struct register_words {
    const struct isa *isa;
    uint64_t words[REGISTER_WORDS];
    unsigned lanes[REGISTER_WORDS]; /* lanes of 8 bytes that hold the word; 0: the content is unknown */
    unsigned vector_lanes;          /* lanes of a vector instruction, if the code sets their number; else 0 */
};

/* ---- instruction sets ---- */

/* Separates the instructions that write_constant appends. */
#define CONSTANT_NEXT "\n    "

/* The name of a register's part of this many bits. */
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

/* What makes assemblers accept the instructions of a feature that a machine file lists. */
struct extension {
    const char *feature;   /* "atomics" */
    const char *llvm;      /* "lse": LLVM's name for it */
    const char *directive; /* ".arch_extension lse" */
};

/* What timing needs of a processor that runs the ISA. */
struct host {
    const char *clock;  /* the programs' clock, for messages: "the time-stamp counter" */
    const char *source; /* what reports the clock's frequency: "cpuid" */

    /* Reads the programs' clock. NULL in a build for another processor. */
    uint64_t (*ticks)(void);

    /* The clock ticks at least once in this many passes of any loop. */
    unsigned passes_per_tick;

    /* On processors with simultaneous multithreading: the fewest additions per cycle that a core executes
     * while only one thread uses it. 0: the ISA's processors have none. */
    unsigned least_width;

    /* With least_width: an instruction that any integer unit executes and that depends on no earlier one, as
     * a text of asm{} with two registers. Additions would depend on each other, and a core that assigns them
     * to units before they are ready leaves some units idle (Zen 5 executes 5.3 of 6 per cycle). */
    const char *independent;
};

struct isa {
    const char *name;     /* "x86_64"; also the folder under templates/ and a recipe's target */
    const char *skeleton; /* the file there from which programs are expanded */
    const char *start;    /* start code of standalone programs; NULL: a runner starts them */
    const char *probe;    /* loops that measure the host; NULL: none */
    const char *machine; /* shipped machine, the default where no device of this ISA is present; NULL: none */
    bool gpu;            /* runs on a grid of threads */
    const char *const *markers; /* simulators' marks that start code can have; ends with NULL; NULL: none */
    const char *line_end;       /* ends an instruction in a GPU's text: ";" */
    const char *beside;         /* another ISA in which its programs are also written; NULL: none */
    unsigned plain_width;       /* bytes of an operation if the row's name has no width */
    bool one_vector_width;      /* start code sets one width for all of a program's vectors */

    /* LLVM's assembler and disassembler. */
    const char *triple; /* NULL: LLVM does not assemble this */
    const char *cpu; /* baseline that generated code may assume; fixed, so that bytes do not vary by host */
    const char *features;  /* LLVM's names of features beyond the baseline: "+m,+d"; NULL: none */
    void (*prepare)(void); /* initialises them; may be called repeatedly */
    bool sized_syntax;     /* it has a second syntax, which states the size of memory operands */

    /* `features` and those that only other compilers' programs use, for disassembling them; NULL: `features`
     * suffices. */
    const char *others_features;
    /* The part of `features` that every processor has; NULL: none of it. */
    const char *base_features;

    /* Features beyond the baseline; a program begins with the directives of those that it needs. Ends with a
     * feature of NULL; NULL: assemblers accept every instruction. */
    const struct extension *extensions;

    /* Text. */
    struct syntax syntax;
    const char *register_prefix; /* "%" */
    const struct register_name *registers;
    size_t register_count;
    const struct text_rules *text_rules; /* for users' own instructions; NULL: not supported */

    /* Appends the fewest instructions that load a number into the register, separated by CONSTANT_NEXT. NULL:
     * templates name the number in an instruction. */
    void (*write_constant)(const char *name, uint64_t value, struct buffer *output);

    /* What a disassembled instruction does with memory: mix.<op> counts reads and writes separately. */
    enum memory_use (*memory_use)(const char *text);

    /* Updates the words for a disassembled instruction. Follows those with which a program's start loads
     * registers; what any other instruction writes becomes unknown. */
    void (*follow)(const char *text, struct register_words *words);

    /* The mnemonic with which a disassembler prints the filler between pieces of code; NULL: none. */
    const char *filler;

    /* An instruction prefix that a disassembler prints as a separate instruction: "lock"; NULL: none. */
    const char *prefix;

    /* Numbers (numbers.h) and addresses. */
    const struct number_classes *numbers; /* [NUMBER_KINDS] */
    const struct number_part *parts;      /* ends with a name of NULL; NULL: templates need none */
    enum branch_origin branch_origin;
    unsigned branch_reach; /* reach of a conditional branch in bytes; 0: farther than any loop */
    unsigned code_align;   /* a power of two: instructions begin at its multiples */
    uint64_t code_reach;   /* reach of branches between pieces of code, in bytes to either side; 0: any */
    const struct reach *reaches; /* [reach_count]; a displacement needs one of them */
    size_t reach_count;

    /* Executables. */
    unsigned elf_machine; /* EM_X86_64 */
    unsigned elf_flags;   /* e_flags: the ABI on RISC-V */
    unsigned load_align;  /* largest page size that its systems load segments with */

    const struct host *host; /* NULL: not supported */
};

#define declare_isa(name) extern const struct isa isa_##name;
ISA_PROCESSORS(declare_isa)
ISA_GPUS(declare_isa)

/* The registry of all ISAs; NULL-terminated. */
extern const struct isa *const isa_table[];

/* The register with this name, without prefix, at any of its widths, or NULL. */
const struct register_name *isa_register(const struct isa *isa, const char *name, size_t length);

/* The part's width in bits if the name, without prefix, denotes a part of the register; 0: all of it. */
unsigned isa_register_bits(const struct register_name *found, const char *name, size_t length);

/* The name of the register's part of that many bits, or NULL. */
const char *isa_register_part(const struct register_name *found, unsigned bits);

/* Appends the names of all targets of recipes: "x86_64, ptx and gcn". */
void isa_write_targets(struct buffer *output);

/* The ISA of that name, or NULL. */
const struct isa *isa_find(const char *name);

/* True for the name of a processor's ISA; false for a GPU's and for unknown names. */
bool isa_is_processor(const char *name);

/* In tables, stands for all processors' ISAs. */
#define ISA_PROCESSOR "processor"

/* True if `listed`, an ISA or ISA_PROCESSOR, includes the ISA `name`. */
bool isa_is_listed(const char *listed, const char *name);

/* The ISA of the processor that this program runs on, or NULL. */
const struct isa *isa_of_host(void);

/* True if an access of `width` bytes may have this displacement. */
bool isa_reaches(const struct isa *isa, unsigned width, int64_t displacement);

/* True if accesses of any width may have every displacement from 0 to that many bytes. */
bool isa_reaches_all(const struct isa *isa, uint64_t bytes);

/* The largest displacement of an access of `width` bytes. */
int64_t isa_farthest(const struct isa *isa, unsigned width);

/* The smallest one, at most 0. */
int64_t isa_nearest(const struct isa *isa, unsigned width);

/* Appends an address operand; base is a register's name without its prefix. */
void isa_write_address(const struct isa *isa, uint64_t displacement, const char *base, struct buffer *output);

/* Reads the operands, which commas and blanks separate; "v3.2d" is the register v3. */
struct operands operands_read(const struct isa *isa, const char *text);

/* True if the instruction's mnemonic is that word. */
bool operands_of(const char *text, const char *name);

#endif
