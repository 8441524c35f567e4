/* Lists of single instructions, as users write them for `trauma measure instruction`: each line is read for
 * every processor. What is accepted can be written with other registers and read again. */
#include "isa/isa.h"
#include "runner/instruction/instruction_code.h"
#include "runner/instruction/instruction_roles.h"
#include "runner/instruction/instruction_text.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static const struct isa *const processors[] = {&isa_x86_64, &isa_aarch64, &isa_riscv64};
enum { PROCESSORS = sizeof processors / sizeof processors[0], LINES_MOST = 12, LINE_BYTES = 300 };

static void read_again(const struct insn *insn, const struct template *texts)
{
    struct register_use uses[INSN_SLOTS];
    struct insn_values values[INSN_VALUES_MOST];
    struct insn again;
    struct buffer text = {0};
    struct error error = {0};
    if (insn_assign(insn, texts, uses, &error) != STATUS_OK) {
        fuzz_accepted(error.code, &error);
        return;
    }
    FUZZ_REQUIRE(insn_values_read(texts, insn, values) >= 1);
    insn_write(insn, uses, 0, &text);
    if (insn_read(text.data, texts, &again, &error) != STATUS_OK || again.token_count != insn->token_count) {
        fprintf(stderr, "%s, written as %s: %s\n", insn->text, text.data, error.message);
        abort();
    }
    buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct template texts[PROCESSORS];
    static bool open;
    const char *at = (const char *)data;
    const char *end = at + size;
    struct error error = {0};
    for (size_t i = 0; !open && i < PROCESSORS; i++)
        FUZZ_REQUIRE(insn_texts_open(processors[i], &texts[i], &error) == STATUS_OK);
    open = true;
    for (int n = 0; n < LINES_MOST && at < end; n++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = newline == NULL ? (size_t)(end - at) : (size_t)(newline - at);
        char line[LINE_BYTES];
        size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, at, kept);
        line[kept] = '\0';
        for (size_t i = 0; i < PROCESSORS; i++) {
            struct insn insn;
            error = (struct error){0};
            enum status status = insn_read(line, &texts[i], &insn, &error);
            fuzz_accepted(status, &error);
            if (status == STATUS_OK)
                read_again(&insn, &texts[i]);
        }
        at += length + 1;
    }
    return 0;
}
