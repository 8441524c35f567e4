/* trauma patch: replaces instructions in a GCN binary, and proves that nothing else changed. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
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

/* ---- parts of the file that are not read ---- */

static void write_unread(struct json_text *text, const struct gcn_unread *unread, size_t count)
{
    json_text_open(text, "unread", '[');
    for (size_t i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", unread[i].name_length,
                 unread[i].name_length > 0 ? unread[i].name : "");
        json_text_open(text, NULL, '{');
        json_text_pack(text, "{s:I, s:s}", "offset", (json_int_t)unread[i].offset, "what", unread[i].what);
        json_text_word(text, "name", name);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

/* Code in it is neither listed nor replaced. */
static void print_unread(const struct gcn_unread *unread)
{
    printf("not read, and not patched: %s at 0x%llx%s%.*s; unpack the file to reach all its code\n",
           unread->what, (unsigned long long)unread->offset, unread->name_length > 0 ? ": " : "",
           unread->name_length > 0 ? unread->name_length : 0, unread->name_length > 0 ? unread->name : "");
}

/* ---- --list ---- */

/* The list so far. */
struct lister {
    const unsigned char *file;
    struct table table;
    struct json_text *json;    /* NULL: the table is filled */
    struct gcn_unread *unread; /* a copy, for free(); names are in the file */
    size_t unread_count;
    size_t functions, instructions, unreached, other;
};

static void write_instruction(const struct lister *lister, const struct gcn_listed *instruction)
{
    char words[GCN_TEXT_BYTES];
    json_text_open(lister->json, NULL, '{');
    json_text_pack(lister->json, "{s:I, s:I, s:s, s:b}", "offset", (json_int_t)instruction->offset, "bytes",
                   (json_int_t)instruction->length, "words",
                   gcn_words(lister->file + instruction->offset, instruction->length, words), "reached",
                   (int)instruction->reached);
    json_text_word(lister->json, "text", instruction->text);
    json_text_close(lister->json, '}');
}

static void write_kernel(const struct lister *lister, const struct gcn_listing *listing)
{
    const struct gcn_piece *piece = listing->piece;
    char *name = strndup(piece->kernel, (size_t)piece->kernel_length);
    if (name == NULL)
        abort();
    json_text_open(lister->json, NULL, '{');
    json_text_string(lister->json, "kernel", name);
    json_text_pack(lister->json, "{s:s, s:I, s:I, s:I}", "target", piece->target->name, "offset",
                   (json_int_t)piece->offset, "bytes", (json_int_t)piece->size, "other_bytes",
                   (json_int_t)listing->other);
    json_text_open(lister->json, "instructions", '[');
    for (size_t i = 0; i < listing->count; i++)
        write_instruction(lister, &listing->instructions[i]);
    json_text_close(lister->json, ']');
    json_text_close(lister->json, '}');
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
    if (lister->functions++ == 0) {
        lister->unread_count = listing->code->unread_count;
        lister->unread = memory_zeroed(lister->unread_count + 1, sizeof *lister->unread);
        for (size_t i = 0; i < lister->unread_count; i++)
            lister->unread[i] = listing->code->unread[i];
    }
    lister->instructions += listing->count;
    lister->other += listing->other;
    for (size_t i = 0; i < listing->count; i++)
        lister->unreached += !listing->instructions[i].reached;
    if (lister->json != NULL)
        write_kernel(lister, listing);
    for (size_t i = 0; lister->json == NULL && i < listing->count; i++)
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
    for (size_t i = 0; i < lister->unread_count; i++)
        print_unread(&lister->unread[i]);
}

/* Prints functions, instructions and offsets of the file, as text or as JSON. Prints nothing on an error. */
static enum status patch_list(const struct options *options, const struct buffer *file, struct error *error)
{
    struct json_text json = {.buffer = NULL};
    struct lister lister = {.file = (const unsigned char *)file->data,
                            .table = table_of("processor|kernel|>offset|words|instruction"),
                            .json = options->json ? &json : NULL};
    json_text_open(&json, NULL, '{');
    json_text_string(&json, "input", options->inputs[0]);
    json_text_open(&json, "kernels", '[');
    enum status status =
        gcn_list(file->data, file->size, options->kernel, options->target, take, &lister, error);
    if (status != STATUS_OK && status != STATUS_USAGE)
        error_prefix(error, "%s", options->inputs[0]);
    json_text_close(&json, ']');
    if (lister.functions > 0)
        write_unread(&json, lister.unread, lister.unread_count);
    else
        json_text_word(&json, "unread", NULL);
    json_text_close(&json, '}');
    if (status == STATUS_OK && !options->json)
        print_list(&lister);
    if (status == STATUS_OK && options->json)
        command_print_tree(&json, 2);
    else
        json_decref(json.tree[0]);
    free(lister.unread);
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

/* Writes the file and reads it back: the disk must have the bytes that were proven. */
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
    struct json_text text = {.buffer = NULL};
    struct arena arena = {0};
    struct compiled_kernel made = {0};
    compiled_fill(patch, &arena, &made);
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "input", options->inputs[0]);
    json_text_string(&text, "target", patch->target->name);
    fields_write(&text, compiled_changes, NULL, &made);
    json_text_integer(&text, "bytes_changed", (long long)patch->bytes_changed);
    fields_write(&text, compiled_fields, NULL, &made);
    json_text_pack(&text, "{s:{s:b, s:b, s:b}, s:I}", "proof", "reread", true, "assembled", true,
                   "disassembled", (int)patch->disassembled, "left_out", (json_int_t)patch->left_out);
    write_unread(&text, patch->unread, patch->unread_count);
    json_text_word(&text, "output", options->dry_run ? NULL : options->output);
    json_text_close(&text, '}');
    command_print_tree(&text, 2);
    arena_free(&arena);
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
    for (size_t i = 0; i < patch->unread_count; i++)
        print_unread(&patch->unread[i]);
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

        "IN is a ROCm code object, a bundle of them, a host program that contains one, or a Catalyst "
        "binary of OpenCL 1.2 or 2.0. The file states its processor; if it has code for several, -t "
        "selects one.\n"
        "\n"
        "The command searches for the placeholder instruction by instruction, along the control flow from "
        "a kernel's entry, and never in a literal, in data or in a descriptor. Several placeholders are "
        "refused unless --occurrence or --kernel selects. Code that control flow does not reach is left "
        "out and reported, unless --unreached includes it. A placeholder of several words is named by its "
        "text or by all its words (\"be8003ff 81000210\").\n"
        "\n"
        "Sizes do not change: s_nop 0 fills the space after a shorter instruction, and an instruction "
        "longer than the placeholder is refused. No byte outside the placeholder changes. The result is "
        "read back; LLVM's assembler and, from GFX8 on, its disassembler confirm each word. --list prints "
        "kernels, instructions and offsets.\n"
        "\n"
        "One s_getreg_b32 reads adjacent fields into the placeholder's register, from bit 0 on:\n"
        "  GFX6 to GFX9  wave simd pipe cu sh se tg vm queue state me (HW_ID); xcc (XCC_ID; gfx94x, "
        "gfx950)\n"
        "  GFX10 to 12   wave simd wgp sa se (HW_ID1); queue pipe me state wg vm (HW_ID2)\n",
    .examples = "  trauma patch my.co --list\n"
                "  trauma patch my.co --marker --field cu,sh,se -o patched.co\n",
    .options = accepted,
    .run = run,
};
