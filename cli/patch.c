/* trauma patch: replaces instructions in a GCN binary, and proves that nothing else changed. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text/plural.h"
#include "cli/command.h"
#include "cli/options/options.h"
#include "generator/suite/compiled.h"
#include "isa/gcn/patch/listing.h"
#include "isa/gcn/patch/patcher.h"
#include "report/table.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is not read ---- */

static json_t *unread_json(const struct gcn_unread *unread, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", unread[i].name_length,
                 unread[i].name_length > 0 ? unread[i].name : "");
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "offset", (json_int_t)unread[i].offset,
                                              "what", unread[i].what, "name",
                                              name[0] == '\0' ? json_null() : json_from_text(name)));
    }
    return list;
}

/* Code in it is neither listed nor replaced. */
static void print_unread(const json_t *list)
{
    const json_t *unread;
    size_t i;
    json_array_foreach(list, i, unread)
    {
        const char *name = json_string_or(unread, "name", "");
        printf("not read, and not patched: %s at 0x%llx%s%s; unpack the file to reach all its code\n",
               json_string_or(unread, "what", ""),
               (unsigned long long)json_integer_value(json_object_get(unread, "offset")),
               name[0] == '\0' ? "" : ": ", name);
    }
}

/* ---- --list ---- */

/* trauma patch --list: lists what can be patched in a binary. */

/* The list so far. */
struct lister {
    const unsigned char *file;
    struct table table;
    json_t *kernels;
    json_t *unread; /* NULL before the first function */
    size_t functions, instructions, unreached, other;
};

static json_t *instruction_json(const struct lister *lister, const struct gcn_listed *instruction)
{
    char words[GCN_TEXT_BYTES];
    json_t *json = json_pack("{s:I, s:I, s:s, s:b}", "offset", (json_int_t)instruction->offset, "bytes",
                             (json_int_t)instruction->length, "words",
                             gcn_words(lister->file + instruction->offset, instruction->length, words),
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
    char words[GCN_TEXT_BYTES];
    table_cell(&lister->table, "%s", piece->target->name);
    table_cell(&lister->table, "%.*s", piece->kernel_length, piece->kernel);
    table_cell(&lister->table, "0x%zx", instruction->offset);
    table_cell(&lister->table, "%s",
               gcn_words(lister->file + instruction->offset, instruction->length, words));
    table_cell(&lister->table, "%s%s", instruction->text, instruction->reached ? "" : "  (not reached)");
}

static void take(void *context, const struct gcn_listing *listing)
{
    struct lister *lister = context;
    if (lister->unread == NULL)
        lister->unread = unread_json(listing->code->unread, listing->code->unread_count);
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

static void print_list(const struct lister *lister)
{
    table_print(&lister->table, stdout);
    printf("\n%zu function%s, %zu instruction%s", lister->functions, plural_s(lister->functions),
           lister->instructions, plural_s(lister->instructions));
    if (lister->unreached > 0)
        printf(", of which control flow reaches %zu (--unreached includes the others)",
               lister->instructions - lister->unreached);
    if (lister->other > 0)
        printf("; %zu bytes of data, padding or unknown words", lister->other);
    printf("\n");
    print_unread(lister->unread);
}

/* Prints functions, instructions and offsets of the file, as text or as JSON. Prints nothing on an error. */
static enum status patch_list(const struct options *options, const struct buffer *file, struct error *error)
{
    struct lister lister = {.file = (const unsigned char *)file->data,
                            .table = table_of("processor|kernel|>offset|words|instruction"),
                            .kernels = options->json ? json_array() : NULL};
    enum status status =
        gcn_list(file->data, file->size, options->kernel, options->target, take, &lister, error);
    if (status != STATUS_OK && status != STATUS_USAGE)
        error_prefix(error, "%s", options->inputs[0]);
    if (status == STATUS_OK && options->json) {
        json_t *json = json_pack("{s:o, s:O, s:O?}", "input", json_from_text(options->inputs[0]), "kernels",
                                 lister.kernels, "unread", lister.unread);
        command_print_json(json, 2);
        json_decref(json);
    } else if (status == STATUS_OK) {
        print_list(&lister);
    }
    json_decref(lister.kernels);
    json_decref(lister.unread);
    table_free(&lister.table);
    return status;
}

/* ---- patching ---- */

static const char *const accepted[] = {"output",  "marker",     "replace",   "with", "field",
                                       "kernel",  "occurrence", "unreached", "list", "target",
                                       "dry-run", "json",       "quiet",     NULL};

static enum status read_occurrence(const char *text, int *occurrence, struct error *error)
{
    char *end;
    if (text == NULL || strcmp(text, "all") == 0) {
        *occurrence = text == NULL ? GCN_ONLY : GCN_ALL;
        return STATUS_OK;
    }
    long number = strtol(text, &end, 10);
    if (*end != '\0' || !isdigit((unsigned char)text[0]) || number < 1 || number > 1000000)
        return error_set(error, STATUS_USAGE,
                         "--occurrence: expected all or a number of at least 1, found '%.100s'", text);
    *occurrence = (int)number;
    return STATUS_OK;
}

static enum status wrong_usage(struct error *error, const char *what)
{
    error_set(error, STATUS_USAGE, "%s", what);
    error_hint(error, "trauma patch IN -o OUT --marker --field cu,sh,se");
    return STATUS_USAGE;
}

static enum status read_request(const struct options *options, struct gcn_patch_request *request,
                                struct error *error)
{
    if (options->input_count != 1)
        return wrong_usage(error, "trauma patch needs one binary");
    if (options->output == NULL && !options->dry_run)
        return wrong_usage(error, "trauma patch needs -o OUT for the patched binary, or --dry-run");
    if (options->marker == (options->replace != NULL))
        return wrong_usage(error, "name the instruction to replace: either --marker or --replace WORD|TEXT");
    if ((options->with == NULL) == (options->field == NULL))
        return wrong_usage(error, "name the new instruction: either --with TEXT or --field NAMES");
    *request = (struct gcn_patch_request){.replace = options->replace,
                                          .with = options->with,
                                          .field = options->field,
                                          .kernel = options->kernel,
                                          .target = options->target,
                                          .unreached = options->unreached};
    return read_occurrence(options->occurrence, &request->occurrence, error);
}

/* Reads the output back: the disk must have the bytes that were proven. */
static enum status write_result(const struct options *options, const struct buffer *result,
                                struct error *error)
{
    const char *path = options->output;
    struct buffer again = {0};
    bool readable = file_is_put_in_place(path);
    enum status status = file_write_like(options->inputs[0], path, result->data, result->size, error);
    if (status != STATUS_OK || !readable)
        return status;
    status = file_read_most(path, FILE_MOST_DATA, &again, error);
    if (status == STATUS_OK &&
        (again.size != result->size || memcmp(again.data, result->data, again.size) != 0))
        status =
            error_set(error, STATUS_FAILED, "%s does not contain the bytes that were written to it", path);
    buffer_free(&again);
    return status;
}

static void print_json(const struct options *options, const struct gcn_patch *patch)
{
    struct buffer output = {0};
    struct json_text text = {.buffer = &output};
    json_t *input = json_from_text(options->inputs[0]),
           *unread = unread_json(patch->unread, patch->unread_count);
    json_t *put = options->dry_run ? json_null() : json_from_text(options->output);
    struct arena arena = {0};
    struct compiled_kernel made = {0};
    compiled_fill(patch, &arena, &made);
    json_text_open(&text, NULL, '{');
    json_text_value(&text, "input", input);
    json_text_string(&text, "target", patch->target->name);
    fields_write(&text, compiled_changes, NULL, &made);
    json_text_integer(&text, "bytes_changed", (long long)patch->bytes_changed);
    fields_write(&text, compiled_fields, NULL, &made);
    json_text_open(&text, "proof", '{');
    json_text_bool(&text, "reread", true);
    json_text_bool(&text, "assembled", true);
    json_text_bool(&text, "disassembled", patch->disassembled);
    json_text_close(&text, '}');
    json_text_integer(&text, "left_out", (long long)patch->left_out);
    json_text_value(&text, "unread", unread);
    json_text_value(&text, "output", put);
    json_text_close(&text, '}');
    command_print_json_text(output.data);
    json_decref(input);
    json_decref(unread);
    json_decref(put);
    arena_free(&arena);
    buffer_free(&output);
}

static void print_table(const struct options *options, const struct gcn_patch *patch)
{
    struct table table = table_of("kernel|>offset|was|is");
    char text[GCN_TEXT_BYTES];
    size_t filling = 0;
    for (size_t i = 0; i < patch->count; i++) {
        const struct gcn_change *change = &patch->changes[i];
        table_cell(&table, "%.*s", change->kernel_length, change->kernel);
        table_cell(&table, "0x%zx", change->offset);
        table_cell(&table, "%s  %s", gcn_words(change->before, change->size, text), change->text_before);
        table_cell(&table, "%s  %s%s", gcn_words(change->after, change->size, text), change->text_after,
                   change->length < change->size ? "; s_nop 0" : "");
        filling += (change->size - change->length) / 4;
    }
    table_finish(&table, stdout);
    printf("\n%s: %zu instruction%s replaced, %zu bytes changed%s; read back, and %s\n", patch->target->name,
           patch->count, plural_s(patch->count), patch->bytes_changed,
           options->dry_run ? ", nothing written" : "",
           patch->disassembled ? "confirmed by LLVM's assembler and disassembler"
                               : "confirmed by LLVM's assembler");
    if (filling > 0)
        printf("%zu s_nop 0 fill%s the room that the shorter instruction%s\n", filling,
               filling == 1 ? "s" : "", patch->count == 1 ? " leaves" : "s leave");
    if (patch->left_out > 0)
        printf("left out: %zu more that control flow does not reach (--unreached includes %s)\n",
               patch->left_out, patch->left_out == 1 ? "it" : "them");
    json_t *unread = unread_json(patch->unread, patch->unread_count);
    print_unread(unread);
    json_decref(unread);
    for (size_t i = 0; i < patch->bits.count; i++) {
        const struct gcn_field *field = &patch->bits.fields[i];
        unsigned low = field->low - patch->bits.low;
        printf("%s%s at %u:%u", i == 0 ? "the register then holds " : ", ", field->name,
               low + field->size - 1, low);
    }
    printf(patch->bits.count > 0 ? "\n" : "");
}

static void warn(const struct options *options, const struct gcn_patch *patch)
{
    if (patch->source != NULL)
        command_warn(options,
                     "the binary still contains %s: a runtime that recompiles from it loses the patch "
                     "(Catalyst: build with -fno-bin-llvmir -fno-bin-amdil -fno-bin-source)",
                     patch->source);
    for (size_t i = 0; i < patch->count; i++)
        if (patch->changes[i].written > 0) {
            command_warn(options,
                         "at 0x%zx the placeholder writes %u registers, but the new instruction writes only "
                         "the first: '%s'",
                         patch->changes[i].offset, patch->changes[i].written + 1,
                         patch->changes[i].text_after);
            break;
        }
    for (size_t i = 0; i < patch->count; i++)
        if (patch->changes[i].moved) {
            command_warn(options,
                         "at 0x%zx '%s' writes another register than the placeholder: code that reads the "
                         "placeholder's register does not see the result",
                         patch->changes[i].offset, patch->changes[i].text_after);
            return;
        }
}

static enum status patch_file(const struct options *options, const struct buffer *file, struct error *error)
{
    struct gcn_patch_request request;
    struct gcn_patch patch = {0};
    struct buffer result = {0};
    enum status status = read_request(options, &request, error);
    if (status == STATUS_OK) {
        status = gcn_patch(file->data, file->size, &request, &result, &patch, error);
        if (status != STATUS_OK && status != STATUS_USAGE)
            error_prefix(error, "%s", options->inputs[0]);
    }
    if (status == STATUS_OK && !options->dry_run)
        status = write_result(options, &result, error);
    if (status == STATUS_OK) {
        warn(options, &patch);
        if (options->json)
            print_json(options, &patch);
        else
            print_table(options, &patch);
    }
    gcn_patch_free(&patch);
    buffer_free(&result);
    return status;
}

/* Checks the options before reading the file. */
static enum status check_usage(const struct options *options, struct error *error)
{
    struct gcn_patch_request request;
    if (!options->list)
        return read_request(options, &request, error);
    if (options->input_count != 1)
        return wrong_usage(error, "trauma patch --list needs one binary");
    if (options->output != NULL || options->marker || options->replace != NULL || options->with != NULL ||
        options->field != NULL || options->occurrence != NULL) {
        error_set(error, STATUS_USAGE,
                  "--list patches nothing and combines only with --kernel, -t and --json");
        error_hint(error, "trauma patch IN --list --kernel NAME");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static int run(const struct options *options)
{
    struct error error;
    struct buffer file = {0};
    enum status status = check_usage(options, &error);
    if (status == STATUS_OK)
        status = file_read_most(options->inputs[0], FILE_MOST_DATA, &file, &error);
    if (status == STATUS_OK)
        status = options->list ? patch_list(options, &file, &error) : patch_file(options, &file, &error);
    buffer_free(&file);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_patch = {
    .name = "patch",
    .arguments = "IN -o OUT (--marker | --replace WORDS|TEXT) (--with TEXT | --field cu,sh,se) [OPTIONS]\n"
                 "       trauma patch IN --list [--kernel NAME] [-t PROCESSOR] [--json]",
    .summary = "replaces an instruction in an AMD GPU binary, for example to read where a wave runs",
    .details =

        "IN is a ROCm code object, a bundle of them, a host program that contains one, or a Catalyst binary "
        "of OpenCL 1.2 or 2.0. It states which processor it is for; -t selects one of several.\n"
        "\n"
        "The placeholder is searched for instruction by instruction along the control flow from a kernel's "
        "entry: never in a literal, in data or in a descriptor. Several placeholders are refused unless "
        "--occurrence or --kernel selects; code that control flow does not reach is left out and reported, "
        "unless --unreached includes it. Name a longer instruction by its text or by all its words "
        "(\"be8003ff 81000210\").\n"
        "\n"
        "Sizes do not change: s_nop 0 fills the room behind a shorter instruction; an instruction longer "
        "than the placeholder is refused. No byte outside the placeholder changes. The result is read back, "
        "and LLVM's assembler and, from GFX8 on, its disassembler confirm each word. --list prints kernels, "
        "instructions and offsets.\n"
        "\n"
        "One s_getreg_b32 reads adjacent fields into the placeholder's register, from bit 0 on:\n"
        "  GFX6 to GFX9  wave simd pipe cu sh se tg vm queue state me (HW_ID); xcc (XCC_ID; gfx94x, gfx950)\n"
        "  GFX10 to 12   wave simd wgp sa se (HW_ID1); queue pipe me state wg vm (HW_ID2)\n",
    .examples = "  trauma patch my.co --list\n"
                "  trauma patch my.co --marker --field cu,sh,se -o patched.co\n",
    .options = accepted,
    .run = run,
};
