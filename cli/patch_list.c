#include "cli/patch_list.h"

#include "base/json.h"
#include "base/plural.h"
#include "cli/command.h"
#include "isa/gcn/list.h"
#include "report/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is listed, as it comes. */
struct lister {
    const unsigned char *file;
    struct table table;
    json_t *kernels;
    size_t functions, instructions, unreached, other;
};

const char *patch_words(const unsigned char *bytes, size_t size, char text[160])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t at = 0; at + 4 <= size; at += 4)
        used += (size_t)snprintf(text + used, 160 - used, "%s%02x%02x%02x%02x", at == 0 ? "" : " ",
                                 bytes[at + 3], bytes[at + 2], bytes[at + 1], bytes[at]);
    return text;
}

static json_t *instruction_json(const struct lister *lister, const struct gcn_listed *instruction)
{
    char words[160];
    json_t *json = json_pack("{s:I, s:I, s:s, s:b}", "offset", (json_int_t)instruction->offset, "bytes",
                             (json_int_t)instruction->length, "words",
                             patch_words(lister->file + instruction->offset, instruction->length, words),
                             "reached", (int)instruction->reached);
    json_object_set_new(json, "text",
                        instruction->text[0] == '\0' ? json_null() : json_string(instruction->text));
    return json;
}

static void take_json(struct lister *lister, const struct gcn_listing *listing)
{
    const struct gcn_piece *piece = listing->piece;
    char *name = strndup(piece->kernel, (size_t)piece->kernel_length);
    json_t *instructions = json_array();
    if (name == NULL)
        abort();
    for (size_t i = 0; i < listing->count; i++)
        json_array_append_new(instructions, instruction_json(lister, &listing->instructions[i]));
    json_array_append_new(lister->kernels,
                          json_pack("{s:o, s:s, s:I, s:I, s:I, s:o}", "kernel", json_from_text(name),
                                    "target", piece->target->name, "offset", (json_int_t)piece->offset,
                                    "bytes", (json_int_t)piece->size, "other_bytes",
                                    (json_int_t)listing->other, "instructions", instructions));
    free(name);
}

static void take_row(struct lister *lister, const struct gcn_piece *piece,
                     const struct gcn_listed *instruction)
{
    char words[160];
    table_cell(&lister->table, "%s", piece->target->name);
    table_cell(&lister->table, "%.*s", piece->kernel_length, piece->kernel);
    table_cell(&lister->table, "0x%zx", instruction->offset);
    table_cell(&lister->table, "%s",
               patch_words(lister->file + instruction->offset, instruction->length, words));
    table_cell(&lister->table, "%s%s", instruction->text, instruction->reached ? "" : "  (not reached)");
}

static void take(void *context, const struct gcn_listing *listing)
{
    struct lister *lister = context;
    lister->functions++;
    lister->instructions += listing->count;
    lister->other += listing->other;
    for (size_t i = 0; i < listing->count; i++)
        lister->unreached += !listing->instructions[i].reached;
    if (lister->kernels != NULL)
        take_json(lister, listing);
    for (size_t i = 0; lister->kernels == NULL && i < listing->count; i++)
        take_row(lister, listing->piece, &listing->instructions[i]);
}

static void print_table(const struct lister *lister)
{
    table_print(&lister->table, stdout);
    printf("\n%zu function%s, %zu instruction%s", lister->functions, plural_s(lister->functions),
           lister->instructions, plural_s(lister->instructions));
    if (lister->unreached > 0)
        printf(", of which control flow reaches %zu (--unreached takes the others too)",
               lister->instructions - lister->unreached);
    if (lister->other > 0)
        printf("; %zu bytes of data, padding or words that are not known", lister->other);
    printf("\n");
}

enum status patch_list(const struct options *options, const struct buffer *file, struct error *error)
{
    static const struct table_column columns[] = {{"processor", TABLE_LEFT},
                                                  {"kernel", TABLE_LEFT},
                                                  {"offset", TABLE_RIGHT},
                                                  {"words", TABLE_LEFT},
                                                  {"instruction", TABLE_LEFT}};
    struct lister lister = {.file = (const unsigned char *)file->data,
                            .table = {.columns = columns, .column_count = 5},
                            .kernels = options->json ? json_array() : NULL};
    enum status status =
        gcn_list(file->data, file->size, options->kernel, options->target, take, &lister, error);
    if (status != STATUS_OK && status != STATUS_USAGE)
        error_prefix(error, "%s", options->inputs[0]);
    if (status == STATUS_OK && options->json) {
        json_t *json =
            json_pack("{s:o, s:O}", "input", json_from_text(options->inputs[0]), "kernels", lister.kernels);
        command_print_json(json, 2);
        json_decref(json);
    } else if (status == STATUS_OK) {
        print_table(&lister);
    }
    json_decref(lister.kernels);
    table_free(&lister.table);
    return status;
}
