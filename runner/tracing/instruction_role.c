#include "isa/qemu_target.h"
#include "runner/tracing/trace_format.h"

#include <stdbool.h>
#include <string.h>

/* True if the text's mnemonic is one of the words, which are separated by blanks; a word that ends with *
 * matches all that begin with it. */
static bool is_one_of(const char *text, const char *words)
{
    size_t length = strcspn(text, " \t");
    while (*words != '\0') {
        size_t word = strcspn(words, " ");
        bool open = words[word - 1] == '*';
        size_t compared = open ? word - 1 : word;
        if ((open ? length >= compared : length == compared) && strncmp(text, words, compared) == 0)
            return true;
        words += word + (words[word] == ' ');
    }
    return false;
}

static enum branch_role branch_of(const struct isa *isa, const uint8_t *bytes, size_t size, const char *text)
{
    const struct qemu_target *target = qemu_target_find(isa->name);
    enum branch_kind kind = target == NULL ? BRANCH_NONE : target->branch(bytes, size);
    if (kind == BRANCH_CONDITIONAL || kind == BRANCH_BLIND)
        return ROLE_CONDITIONAL;
    if (is_one_of(text, "ret retq c.ret"))
        return ROLE_RETURN;
    if (is_one_of(text, "call* bl blr jal jalr"))
        return ROLE_CALL;
    if (kind == BRANCH_INDIRECT)
        return ROLE_INDIRECT;
    return is_one_of(text, "jmp jmpq b j c.j") ? ROLE_JUMP : ROLE_NONE;
}

static void add(int registers[ROLE_REGISTERS], int number)
{
    for (size_t i = 0; i < ROLE_REGISTERS && number != ROLE_NO_REGISTER; i++) {
        if (registers[i] == number)
            return;
        if (registers[i] == ROLE_NO_REGISTER) {
            registers[i] = number;
            return;
        }
    }
}

/* A register named in a text. */
struct named {
    int number;
    int operand;     /* from 0 on */
    bool in_address; /* of a memory operand */
};

enum { MOST_NAMED = 12 };

static size_t find_named(const struct isa *isa, const char *text, struct named named[MOST_NAMED], int *last)
{
    size_t count = 0;
    bool inside = false;
    const char *at = text + strcspn(text, " \t");
    *last = 0;
    while (*at != '\0' && *at != '#' && count < MOST_NAMED) {
        size_t length = 0;
        while ((at[length] >= '0' && at[length] <= '9') || (at[length] >= 'a' && at[length] <= 'z'))
            length++;
        const struct register_name *found = length == 0 ? NULL : isa_register(isa, at, length);
        if (found != NULL)
            named[count++] = (struct named){(int)(found - isa->registers), *last, inside};
        inside = *at == isa->syntax.open || (inside && *at != isa->syntax.close);
        *last += *at == ',' && !inside;
        at += length > 0 ? length : 1;
    }
    return count;
}

/* Finds registers and flags. In AT&T's syntax an instruction's result is its last operand, which most
 * instructions also read; in the others it is the first, which only accumulating instructions read. */
static void find_registers(const struct isa *isa, const char *text, struct instruction_role *role)
{
    struct named named[MOST_NAMED];
    int end = 0;
    size_t count = find_named(isa, text, named, &end);
    enum memory_use use = isa->memory_use == NULL ? MEMORY_UNUSED : isa->memory_use(text);
    bool last = isa->register_prefix[0] == '%';
    bool compares =
        is_one_of(text, "cmp* test* tst* push* prefetch* ucomi* vucomi* comi* vcomi* fcmp* ccmp*");
    int result = compares || use == MEMORY_WRITTEN || role->branch != ROLE_NONE ? -1 : last ? end : 0;
    bool moves = !last || end > 1 || is_one_of(text, "mov* lea* vmov* pop* vbroadcast* set*");
    bool adds_up = is_one_of(text, "fmla* mla* vfmadd* vfmacc* movk");
    for (size_t i = 0; i < count; i++) {
        bool is_result = named[i].operand == result && !named[i].in_address;
        if (is_result)
            add(role->writes, named[i].number);
        if (!is_result || !moves || adds_up)
            add(role->reads, named[i].number);
    }
    if (last)
        role->writes_flags =
            is_one_of(text, "cmp* test* add* sub* inc* dec* and* or* xor* sh* sar* neg* bt* imul* "
                            "ucomi* vucomi* comi* vcomi*");
    else
        role->writes_flags = is_one_of(text, "cmp cmn tst subs adds ands bics ccmp ccmn fcmp fcmpe");
    role->reads_flags = is_one_of(text, last ? "j* set* cmov* adc* sbb*" : "b.* csel* cset* csinc*") &&
                        !is_one_of(text, "jmp* jrcxz jecxz jal* j");
}

struct instruction_role instruction_role_of(const struct isa *isa, const uint8_t *bytes, size_t size,
                                            const char *text)
{
    struct instruction_role role = {.branch = branch_of(isa, bytes, size, text)};
    for (size_t i = 0; i < ROLE_REGISTERS; i++)
        role.reads[i] = role.writes[i] = ROLE_NO_REGISTER;
    find_registers(isa, text, &role);
    return role;
}
