/* gcn_decoded FILE...: every instruction of these code objects, by the decoder and by LLVM's disassembler,
 * which must agree on text and length. Prints how many there were; fails where they differ. For scripts. */
#include "base/file.h"
#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/walk/walk.h"
#include "tests/gcn_text.h"

static size_t compare(const struct gcn_piece *piece, const unsigned char *file, struct gcn_walker *walker,
                      size_t *differ)
{
    size_t count = 0;
    for (size_t at = 0; at < piece->size; count++) {
        char theirs[GCN_TEXT_BYTES];
        char mine[GCN_PRINT_BYTES] = "";
        struct gcn_instruction got = {0};
        struct error error;
        const unsigned char *code = file + piece->offset + at;
        size_t length = gcn_walker_step(walker, code, piece->size - at, theirs);
        if (gcn_decode(piece->target->generation, code, piece->size - at, at, &got, &error) == STATUS_OK) {
            gcn_settle(piece->target->name, &got);
            gcn_print(piece->target->generation, &got, mine);
        } else {
            snprintf(mine, sizeof mine, "%.*s", (int)sizeof mine - 1, error.message);
        }
        /* The walker has no text of instructions with SDWA, of which LLVM's printer is not safe. */
        bool same = text_same(mine, theirs) || (theirs[0] == '\0' && got.extension == GCN_SDWA);
        if (got.length != length || !same) {
            ++*differ;
            printf("at 0x%zx: \"%s\", LLVM has \"%s\"\n", at, mine, theirs);
        }
        if (length == 0)
            break;
        at += length;
    }
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    size_t differ = 0;
    struct error error;
    gcn_llvm_prepare();
    for (int i = 1; i < argc; i++) {
        struct buffer file = {0};
        struct gcn_code code = {0};
        if (file_read(argv[i], &file, &error) != STATUS_OK ||
            gcn_code_find(file.data, file.size, &code, &error) != STATUS_OK) {
            fprintf(stderr, "%s: %s\n", argv[i], error.message);
            return 1;
        }
        for (size_t j = 0; j < code.count; j++) {
            struct gcn_walker *walker = gcn_walker_open(code.pieces[j].target, &error);
            if (walker == NULL) {
                fprintf(stderr, "%s: %s\n", argv[i], error.message);
                return 1;
            }
            count += compare(&code.pieces[j], (const unsigned char *)file.data, walker, &differ);
            gcn_walker_close(walker);
        }
        gcn_code_free(&code);
        buffer_free(&file);
    }
    printf("%zu instructions, %zu differ\n", count, differ);
    return count == 0 || differ != 0;
}
