/* Source "bytes": inspects the emitted executable by disassembly: whether its loop is the kernel's, the
 * instruction mix, the units' share of the loop and the distance between branches. It trusts neither the plan
 * nor the source text. The object has the same code, and in addition the labels. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/rational.h"
#include "generator/suite/gpu_regions.h"
#include "generator/suite/program.h"
#include "isa/isa.h"
#include "isa/loop.h"
#include "isa/sass/ptx_lines.h"
#include "isa/sass/sass.h"
#include "runner/devices/launcher.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "runner/sources/bytes/bytes_data.h"
#include "runner/sources/bytes/code_flow.h"
#include "runner/sources/bytes/code_listing.h"
#include "runner/sources/bytes/ptxas.h"
#include "runner/sources/gpu/ptx_mix.h"
#include "runner/sources/identity.h"
#include "runner/sources/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the source "bytes" that judges PTX programs: ptxas compiles program.ptx to machine code
 * (SASS) for the manifest's architecture, without a GPU, and a disassembler shows the result. The PTX text
 * itself is no evidence: ptxas moves loads out of loops, merges operations and drops unused ones. Line
 * information maps each machine instruction to its line of PTX. */

/* ---- the data of GPU programs ---- */

/* What the loads of one warp move over the bus, transfer by transfer in access order, from the manifest's
 * image. */

enum { MOST_BUS = 128, MOST_ACCESSES = 1 << 16 };

/* Counts of bits: of all words, and of all but the first of each stream, which can differ from the previous
 * word. */
struct bits {
    uint64_t ones, all, toggles, steps;
};

/* Totals of several streams, weighted by what each transfers in a pass. */
struct weighted_rates {
    double toggles, ones, weights;
    uint64_t looked;
};

struct data_walk {
    const struct gpu_image *image;
    uint64_t start, end; /* of the region that holds the stream's words */
    uint64_t step, bytes, advance, per_pass, lane, width, threads, bus, word_bytes;
    uint64_t before; /* from the row to the first byte that the warp's first thread reads */
};

/* A number of the manifest, which is untrusted; 0 if it is out of range. */
static uint64_t number(double value)
{
    return value > 0 && value < 1e15 ? (uint64_t)value : 0;
}

static void take_word(const unsigned char *word, unsigned char *last, uint64_t bus, bool first,
                      struct bits *bits)
{
    for (uint64_t i = 0; i < bus; i++) {
        bits->ones += (uint64_t)__builtin_popcount(word[i]);
        bits->toggles += first ? 0 : (uint64_t)__builtin_popcount(word[i] ^ last[i]);
    }
    bits->all += 8 * bus;
    bits->steps += first ? 0 : 8 * bus;
    memcpy(last, word, bus);
}

/* The transfers of one access: each word of the bus that contains bytes of some thread, once. */
static uint64_t take_access(const struct data_walk *walk, uint64_t row, unsigned char *last, bool first,
                            struct bits *bits)
{
    unsigned char word[MOST_BUS];
    uint64_t before = UINT64_MAX;
    uint64_t taken = 0;
    for (uint64_t thread = 0; thread < walk->threads; thread++) {
        uint64_t from = (row + thread * walk->lane) / walk->bus;
        uint64_t to = (row + thread * walk->lane + walk->width - 1) / walk->bus;
        for (uint64_t at = from; at <= to; at++) {
            if (at == before || walk->start + (at + 1) * walk->bus > walk->end)
                continue;
            gpu_image_fill(walk->image, 0, walk->start + at * walk->bus, walk->bus, word);
            take_word(word, last, walk->bus, first && taken == 0, bits);
            before = at;
            taken++;
        }
    }
    return taken;
}

/* The start of a wave's access with that number in a round, which goes around the rows. */
static uint64_t row_of(const struct data_walk *walk, uint64_t number)
{
    return number % (walk->bytes / walk->step) * walk->step + walk->before;
}

static void add_times(struct bits *to, const struct bits *one, uint64_t times)
{
    to->ones += times * one->ones;
    to->all += times * one->all;
    to->toggles += times * one->toggles;
    to->steps += times * one->steps;
}

/* Counts the access with that number, and the step from it to the first word of the next access. */
static void take_both(const struct data_walk *walk, uint64_t number, uint64_t next, struct bits *own,
                      struct bits *step)
{
    unsigned char last[MOST_BUS] = {0}, other[MOST_BUS] = {0};
    struct bits with = {0}, without = {0};
    *own = (struct bits){0};
    (void)take_access(walk, row_of(walk, number), last, true, own);
    (void)take_access(walk, row_of(walk, next), last, false, &with);
    (void)take_access(walk, row_of(walk, next), other, true, &without);
    *step = (struct bits){.toggles = with.toggles - without.toggles, .steps = with.steps - without.steps};
}

/* Counts one round, with the step back to its first access. In long rounds, whose words repeat after some
 * accesses, these are counted as often as they occur. Returns the accesses of the round. */
static uint64_t take_stream(const struct data_walk *walk, struct bits *all)
{
    uint64_t rows = walk->bytes / walk->step, length = walk->advance > 0 ? rows : walk->per_pass;
    uint64_t again = walk->word_bytes / rational_gcd(walk->step, walk->word_bytes);
    uint64_t period = again < length && length <= rows ? again : length;
    struct bits own, step;
    for (uint64_t k = 0; k < period; k++) {
        uint64_t times = length / period + (k < length % period),
                 steps = times - ((length - 1) % period == k);
        take_both(walk, k, k + 1 < length ? k + 1 : 0, &own, &step);
        add_times(all, &own, times);
        add_times(all, &step, steps);
    }
    take_both(walk, length - 1, 0, &own, &step);
    add_times(all, &step, 1);
    return length;
}

static bool sane(const struct data_walk *walk)
{
    return walk->step > 0 && walk->bytes >= walk->step && walk->lane > 0 && walk->width > 0 &&
           walk->width <= 64 && walk->threads > 0 && walk->threads <= 64 && walk->bus >= 8 &&
           walk->bus <= MOST_BUS && walk->bus % 8 == 0 && walk->per_pass > 0 &&
           walk->per_pass <= MOST_ACCESSES && walk->start % 8 == 0;
}

/* The stream's region is the one that names it. */
static const struct gpu_rule *rule_of(const struct manifest_data *data, const struct gpu_image *image,
                                      size_t stream)
{
    for (size_t i = 0; i < image->rule_count; i++)
        if (i < data->region_count && number(data->regions[i].stream) == stream)
            return &image->rules[i];
    return NULL;
}

static enum status take_one(const struct test_program *test_program, const struct gpu_image *image,
                            size_t index, struct weighted_rates *rates, struct error *error)
{
    const struct manifest_stream *stream = &test_program->manifest->streams[index];
    const struct gpu_rule *rule = rule_of(&test_program->manifest->data, image, index);
    uint64_t threads = number(test_program->manifest->block_threads), length = 1;
    uint64_t wave = test_program->machine->gpu.wave;
    struct bits bits = {0};
    if (strcmp(stream->op, "load") != 0 || rule == NULL || rule->word_bytes == 0)
        return STATUS_OK;
    struct gpu_rule words = *rule;
    words.fill = GPU_FILL_WORDS; /* also if chunks of one side are walked: all contain the same words */
    struct gpu_image own = {words.offset + words.bytes, image->align, &words, 1};
    struct data_walk walk = {.image = &own,
                             .start = words.offset,
                             .end = words.offset + words.bytes,
                             .step = number(stream->step),
                             .bytes = number(stream->bytes),
                             .advance = number(stream->advance),
                             .per_pass = number(stream->per_pass),
                             .lane = number(stream->lane),
                             .width = number(stream->width),
                             .threads = wave,
                             .bus = number(stream->bus),
                             .word_bytes = rule->word_bytes};
    if (!sane(&walk) || threads == 0 || threads > 4096)
        return error_set(error, STATUS_FAILED, "the manifest's streams[%zu] is not a stream of accesses",
                         index);
    for (uint64_t first = 0; first < threads; first += wave) { /* each warp reads another part of a row */
        walk.before = first * walk.lane;
        walk.threads = threads - first < wave ? threads - first : wave;
        length = take_stream(&walk, &bits);
    }
    double weight = (double)walk.per_pass * (double)bits.all / (double)length;
    rates->weights += weight;
    rates->toggles += bits.steps == 0 ? 0 : weight * (double)bits.toggles / (double)bits.steps;
    rates->ones += bits.all == 0 ? 0 : weight * (double)bits.ones / (double)bits.all;
    rates->looked += bits.steps;
    return STATUS_OK;
}

/* The first asynchronous load with words of its own. No bytes show where its copies go, and when they arrive.
 * NULL: there is none. */
static const struct manifest_stream *copied_words(const struct manifest *manifest,
                                                  const struct gpu_image *image)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        const struct gpu_rule *rule = rule_of(&manifest->data, image, i);
        if (strcmp(stream->op, "load") == 0 && stream->source[0] != '\0' && rule != NULL &&
            rule->word_bytes > 0)
            return stream;
    }
    return NULL;
}

/* Adds data.toggle_rate and data.ones_rate of all loads that have data of their own; nothing if none has.
 * STATUS_FAILED when the manifest's data or streams are damaged. */
static enum status bytes_observe_gpu_data(const struct test_program *test_program, struct observations *list,
                                          struct error *error)
{
    struct arena arena = {0};
    struct gpu_image image;
    struct weighted_rates rates = {0};
    const struct manifest *manifest = test_program->manifest;
    if (!manifest->data.given)
        return STATUS_OK; /* nothing was promised, and nothing is observed */
    for (size_t i = 0; i < manifest->stream_count; i++)
        if (manifest->streams[i].side != NULL && !manifest->streams[i].chase)
            return STATUS_OK; /* the order of chunks is determined where the program runs */
    enum status status = gpu_regions_read(&manifest->data, &arena, &image, error);
    const struct manifest_stream *copied = status == STATUS_OK ? copied_words(manifest, &image) : NULL;
    if (copied != NULL)
        warning_add(
            &list->warnings, NULL,
            "bytes does not follow asynchronous copies to shared memory (source = \"%s\"): the rates of "
            "their data are left to warp, which executes them",
            copied->source);
    for (size_t i = 0; status == STATUS_OK && copied == NULL && i < manifest->stream_count; i++)
        status = take_one(test_program, &image, i, &rates, error);
    if (status == STATUS_OK && rates.weights > 0) {
        double looked = (double)rates.looked;
        source_add(&counter_bytes, list, "data.toggle_rate", rates.toggles / rates.weights, looked);
        source_add(&counter_bytes, list, "data.ones_rate", rates.ones / rates.weights, looked);
    }
    arena_free(&arena);
    return status;
}

/* ---- the loads and stores of a SASS loop ---- */

enum { KINDS_MOST = 64 };

/* Accesses of one kind: the number in the manifest, and that in the machine code. */
struct sass_kind {
    struct sass_access access;
    unsigned stated, found;
};

struct kinds {
    struct sass_kind items[KINDS_MOST];
    size_t count;
};

/* Returns the kind, adding a new one; NULL if there are too many. */
static struct sass_kind *kind_of(struct kinds *kinds, const struct sass_access *access)
{
    for (size_t i = 0; i < kinds->count; i++) {
        const struct sass_access *other = &kinds->items[i].access;
        if (strcmp(other->op, access->op) == 0 && strcmp(other->space, access->space) == 0 &&
            strcmp(other->cache, access->cache) == 0 && other->width == access->width)
            return &kinds->items[i];
    }
    if (kinds->count == KINDS_MOST)
        return NULL;
    kinds->items[kinds->count] = (struct sass_kind){.access = *access};
    return &kinds->items[kinds->count++];
}

/* The cache operator in a common form. Accesses to shared memory, also of other blocks by generic loads, have
 * none; for atomics in memory it is the scope. */
static const char *plain_cache(const char *op, const char *space, const char *cache)
{
    if (strcmp(space, "shared") == 0 || strcmp(space, "generic") == 0 || strncmp(op, "bulk ", 5) == 0)
        return "";
    if (strncmp(op, "atomic", 6) == 0 || strncmp(op, "reduction", 9) == 0)
        return strcmp(cache, "cluster") == 0 ? "gpu" : cache; /* there is no other instruction */
    if (cache[0] == '\0')
        return strcmp(op, "store") == 0 ? "wb" : "ca";
    return strcmp(cache, "volatile") == 0 ? strcmp(op, "store") == 0 ? "wt" : "cv" : cache;
}

/* Adds the reads of a stream on one side of L2: it reads the location of the next chunk at the end of each
 * chunk and of the pass. */
static bool add_hops(struct kinds *kinds, const struct manifest_stream *stream)
{
    double accesses = stream->per_pass, hop = stream->hop;
    const struct sass_access access = {.op = "load", .space = "global", .cache = "cg", .width = 8};
    if (stream->side == NULL || stream->chase || hop < 1)
        return true;
    struct sass_kind *kind = kind_of(kinds, &access);
    if (kind != NULL)
        kind->stated += (unsigned)((accesses - 1) / hop) + 1;
    return kind != NULL;
}

/* Adds the reads of copies in shared memory: the last copy of an asynchronous load, once per unit, or each
 * copy of a chase. Streams of one load share a ring. */
static bool add_reads(struct kinds *kinds, const struct manifest *manifest, size_t index)
{
    const struct manifest_stream *stream = &manifest->streams[index];
    const struct sass_access access = {
        .op = "load", .space = "shared", .cache = "", .width = (unsigned)stream->width};
    if (stream->source[0] == '\0' || !stream->read)
        return true;
    for (size_t i = 0; i < index && !stream->chase; i++)
        if (manifest->streams[i].source[0] != '\0' && manifest->streams[i].ring == stream->ring)
            return true;
    struct sass_kind *kind = kind_of(kinds, &access);
    if (kind != NULL)
        kind->stated += (unsigned)(stream->chase ? stream->per_pass : manifest->units);
    return kind != NULL;
}

/* The stream's operation in the words of sass_access_of: reductions in shared memory are atomics without a
 * result. */
static const char *atomic_op(const struct manifest_stream *stream, bool global)
{
    static const struct {
        const char *op, *returns, *reduces;
    } ops[] = {{"add", "atomic add", "reduction add"},
               {"max", "atomic max", "reduction max"},
               {"swap", "atomic swap", ""},
               {"cas", "atomic cas", ""}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(stream->atomic, ops[i].op) == 0)
            return stream->returns || !global ? ops[i].returns : ops[i].reduces;
    return "";
}

static bool add_stated(struct kinds *kinds, const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        bool shared = strcmp(stream->level, "SHARED") == 0, others = strcmp(stream->level, "DSMEM") == 0;
        bool async = strcmp(stream->source, "async") == 0, bulk = strcmp(stream->source, "tma") == 0;
        struct sass_access access = {.op = async                                      ? "asynchronous load"
                                           : bulk && strcmp(stream->op, "store") == 0 ? "bulk store"
                                           : bulk                                     ? "bulk load"
                                           : stream->op[0] == '\0'                    ? "load"
                                                                                      : stream->op,
                                     .space = shared   ? "shared"
                                              : others ? "generic" /* LD */
                                                       : "global",
                                     .width = bulk ? 0 : (unsigned)stream->width};
        if (stream->atomic != NULL)
            access.op = atomic_op(stream, !shared && !others);
        access.cache =
            plain_cache(access.op, access.space,
                        stream->atomic != NULL ? manifest_text_or(stream->scope, "") : stream->cache);
        struct sass_kind *kind = kind_of(kinds, &access);
        if (kind == NULL)
            return false;
        kind->stated += (unsigned)stream->per_pass;
        if (!add_hops(kinds, stream) || !add_reads(kinds, manifest, i))
            return false;
    }
    return true;
}

static bool add_found(struct kinds *kinds, const struct sass *sass, const struct sass_loop *loop)
{
    for (size_t i = loop->first; i <= loop->last; i++) {
        struct sass_access access;
        if (sass->code[i].never || !sass_access_of(sass->code[i].mnemonic, &access))
            continue;
        access.cache = plain_cache(access.op, access.space, access.cache);
        struct sass_kind *kind = kind_of(kinds, &access);
        if (kind == NULL)
            return false;
        kind->found++;
    }
    return true;
}

/* Compares a thread's accesses per pass by operation, space, cache operator and width with the manifest's
 * "streams". STATUS_FAILED with the first difference. */
static enum status bytes_check_streams(const struct manifest *manifest, const struct sass *sass,
                                       const struct sass_loop *loop, struct error *error)
{
    struct kinds kinds = {.count = 0};
    if (!add_stated(&kinds, manifest) || !add_found(&kinds, sass, loop))
        return error_set(error, STATUS_FAILED, "the loop has more than %d kinds of accesses", KINDS_MOST);
    for (size_t i = 0; i < kinds.count; i++) {
        const struct sass_kind *kind = &kinds.items[i];
        if (kind->stated == kind->found)
            continue;
        char width[32] = "";
        if (kind->access.width > 0)
            snprintf(width, sizeof width, " of %u bytes", kind->access.width);
        error_set(error, STATUS_FAILED,
                  "a pass of the machine code makes %u %ss%s in %s memory%s%s; the manifest states %u",
                  kind->found, kind->access.op, width, kind->access.space,
                  kind->access.cache[0] == '\0' ? "" : ", operator ", kind->access.cache, kind->stated);
        error_hint(error, "ptxas moves invariant code out of a loop, merges neighbours, and treats operators "
                          "as hints: see `nvdisasm -gp -c`");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* ---- the loop's statements ---- */

/* The analysis of one program; freed with its parts. */
struct sass_view {
    struct code_generator rows; /* for their column MNEMONIC */
    struct ptxas_result made;
    const struct ptxas_listing *listing; /* made before; NULL: none */
    struct buffer text;                  /* from the disassembler otherwise */
    struct ptx_lines lines;
    struct sass sass;
    struct sass_loop loop;
};

static void view_free(struct sass_view *view)
{
    code_generator_close(&view->rows);
    ptxas_free(&view->made);
    buffer_free(&view->text);
    ptx_lines_free(&view->lines);
    sass_free(&view->sass);
}

/* True if a row of the operation has the instruction, or "-" for a sequence, in its column MNEMONIC; also if
 * the operation (of memory, or not of the templates) has no row that computes. */
static bool is_of(const struct template *templates, const char *mnemonic, const char *op)
{
    size_t length = strcspn(mnemonic, "."), named = strlen(op);
    bool computes = false;
    for (size_t i = 0; i < templates->form_count; i++) {
        const struct form *form = &templates->forms[i];
        if (strncmp(form->name, op, named) != 0 || (form->name[named] != '.' && form->name[named] != '\0') ||
            !form_has(form, FORM_COMPUTES))
            continue;
        computes = true;
        for (const char *name = form->mnemonic; *name != '\0'; name += *name == '|') {
            size_t size = strcspn(name, "|");
            if ((size == length && strncmp(name, mnemonic, size) == 0) || strncmp(name, "-", size) == 0)
                return true;
            name += size;
        }
    }
    return !computes;
}

/* True for a product of groups of warps, for which ptxas states no line, or the next statement's. */
static bool is_product(const struct ptx_line *line)
{
    return line->statements > 0 && strncmp(line->opcode, "wgmma.mma", strlen("wgmma.mma")) == 0;
}

/* STATUS_FAILED unless the machine code has each instruction of such products, with its shape and types, and
 * of their fences and waits, as often as the text, and no others: if registers are used otherwise, ptxas
 * makes one wait for each. */
static enum status check_products(const struct sass_view *view, struct error *error)
{
    const struct template *templates = &view->rows.templates;
    unsigned others = 0;
    for (int i = view->lines.loop; i < view->lines.units_end; i++)
        others += is_product(&view->lines.lines[i]);
    for (size_t f = 0; f < templates->form_count; f++) {
        const struct form *form = &templates->forms[f];
        unsigned stated = 0, seen = 0;
        size_t length = strcspn(form->text, " ");
        if (strncmp(form->name, "wgmma", strlen("wgmma")) != 0 || form->mnemonic[0] == '-')
            continue;
        for (int i = view->lines.loop; i < view->lines.units_end; i++)
            stated += view->lines.lines[i].statements > 0 && strlen(view->lines.lines[i].opcode) == length &&
                      strncmp(view->lines.lines[i].opcode, form->text, length) == 0;
        for (size_t i = view->loop.first; i <= view->loop.last; i++)
            seen += strcmp(view->sass.code[i].mnemonic, form->mnemonic) == 0;
        if (stated != seen)
            return error_set(
                error, STATUS_FAILED,
                "the loop has %u statements %.*s, but its machine code has %s %u times: expected as many",
                stated, (int)length, form->text, form->mnemonic, seen);
        others -= form_has(form, FORM_GROUP_TILE) ? stated : 0;
    }
    return others == 0 ? STATUS_OK
                       : error_set(error, STATUS_FAILED,
                                   "%u of the loop's products of groups of warps belong to no row of the "
                                   "templates",
                                   others);
}

/* True if the loop has machine code for the line; with op, an instruction of that operation: ptxas may merge
 * statements, or make another sequence from one. */
static bool has_code(const void *context, int line, const char *op)
{
    const struct sass_view *view = context;
    if (is_product(&view->lines.lines[line])) /* counted by check_products */
        return true;
    for (size_t i = view->loop.first; i <= view->loop.last; i++)
        if (view->sass.code[i].line == line &&
            (op == NULL || is_of(&view->rows.templates, view->sass.code[i].mnemonic, op)))
            return true;
    return false;
}

/* True for statements that the generator adds: sums of loaded values, two of which may become one
 * instruction, statements between operations, and the end of a group of products, which is part of the last
 * product's instruction. */
static bool is_help(const struct ptx_line *line)
{
    static const char *const registers[] = {"%sum", "%word", "%t", "%y2", "%q2", "%k2", "%at", "%bits"};
    if (strncmp(line->opcode, "wgmma.commit", strlen("wgmma.commit")) == 0)
        return true;
    const char *operands = line->operands == NULL ? "" : line->operands + strspn(line->operands, " ");
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        if (strncmp(operands, registers[i], strlen(registers[i])) == 0)
            return true;
    return false;
}

/* STATUS_FAILED if ptxas made a sequence instead of an operation's own instruction, as it converts numbers of
 * 8 bits to halves. A recipe's own text is not checked. */
static enum status check_operations(const struct sass_view *view, const struct manifest *manifest,
                                    struct error *error)
{
    unsigned others = 0;
    int first = 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (manifest->unit[i].has_text)
            return STATUS_OK;
    for (int i = view->lines.loop; i < view->lines.units_end; i++) {
        const struct ptx_line *line = &view->lines.lines[i];
        const char *op = line->statements == 0 || is_help(line) ? NULL : ptx_mix_op(line->opcode);
        if (op == NULL || !has_code(view, i, NULL) || has_code(view, i, op))
            continue;
        first = others == 0 ? i : first;
        others++;
    }
    if (others == 0)
        return STATUS_OK;
    error_set(error, STATUS_FAILED,
              "of %u of the loop's statements ptxas makes other instructions than the operation's own, the "
              "first in line %d of program.ptx: %s",
              others, first, view->lines.lines[first].opcode);
    char version[PTXAS_VERSION_BYTES];
    ptxas_version(&view->made, version);
    error_hint(error,
               "the architecture has no such instruction, or this ptxas (%s) is not the one that the "
               "rows of templates/ptx/ops.txt are from: see `nvdisasm -gp -c`",
               version);
    return STATUS_FAILED;
}

/* A statement without machine code was unnecessary, or was merged with a neighbour. */
static void warn_of_lost(const struct sass_view *view, struct observations *list)
{
    const struct ptx_lines *lines = &view->lines;
    unsigned lost = 0;
    int first = 0;
    for (int i = lines->loop; i < lines->units_end; i++) {
        if (lines->lines[i].statements == 0 || is_help(&lines->lines[i]) || has_code(view, i, NULL))
            continue;
        first = lost == 0 ? i : first;
        lost++;
    }
    if (lost == 0)
        return;
    warning_add(&list->warnings, NULL,
                "ptxas generated no machine code for %u of the loop's statements, the first in line %d of "
                "program.ptx: %s",
                lost, first, lines->lines[first].opcode);
}

/* ---- counts ---- */

static void add_count(struct observations *list, const char *name, double value)
{
    struct buffer key = {0};
    buffer_printf(&key, "sass.%s", name);
    const struct raw_count *known = observations_counted(list, key.data);
    value += known == NULL ? 0 : known->interval.value;
    observations_count(list, key.data, (struct interval){value, value, value, 1}, NAN);
    buffer_free(&key);
}

static void observe_counts(const struct sass_view *view, struct observations *list)
{
    struct sass_access access;
    add_count(list, "registers", view->made.resources.registers);
    add_count(list, "instructions", (double)(view->loop.last - view->loop.first + 1));
    for (size_t i = view->loop.first; i <= view->loop.last; i++)
        if (!view->sass.code[i].never && sass_access_of(view->sass.code[i].mnemonic, &access))
            add_count(list, view->sass.code[i].mnemonic, 1);
}

/* ---- observing ---- */

static const char *entry_of(const struct manifest *manifest)
{
    return manifest_text_or(manifest->entry, "trauma_kernel");
}

/* Successful assembly is evidence even without a disassembler; spills may then be anywhere. */
static enum status disassemble(struct sass_view *view, const char *arch, struct error *error)
{
    const struct ptxas_resources *resources = &view->made.resources;
    char spilled[96] = "none in local memory";
    enum status status = ptxas_disassemble(&view->made.cubin, &view->text, error);
    if (status == STATUS_OK)
        return status;
    if (resources->spill_stores + resources->spill_loads > 0)
        snprintf(spilled, sizeof spilled,
                 "%u bytes stored to and %u loaded from local memory, perhaps in the loop",
                 resources->spill_stores, resources->spill_loads);
    char version[PTXAS_VERSION_BYTES];
    ptxas_version(&view->made, version);
    error_prefix(
        error, "ptxas %s accepts it for %s (%u registers, %s), but the loop's machine code was not inspected",
        version, arch, resources->registers, spilled);
    return status;
}

/* Spills in the loop are accesses that the manifest does not contain. */
static void warn_of_spills(const struct sass_view *view, struct observations *list)
{
    const struct ptxas_resources *resources = &view->made.resources;
    if (resources->spill_stores + resources->spill_loads > 0)
        warning_add(
            &list->warnings, NULL,
            "ptxas keeps registers in local memory, %u bytes of stores and %u of loads per thread, all "
            "outside the measured loop",
            resources->spill_stores, resources->spill_loads);
}

/* Marks the loops of waits, some of them behind the measured loop. */
static void mark_waits(struct sass_view *view)
{
    for (size_t i = 0; i < view->sass.count; i++) {
        int line = view->sass.code[i].line;
        view->sass.code[i].inner = line > 0 && line <= view->lines.count && view->lines.lines[line].waits;
    }
}

static enum status read_code(const struct manifest *manifest, struct sass_view *view, struct error *error)
{
    const struct ptxas_listing *listing = view->listing;
    enum status status = listing != NULL ? STATUS_OK : disassemble(view, manifest->arch, error);
    if (listing != NULL)
        status = sass_read(listing->text, listing->size, listing->kernel, &view->sass, error);
    else if (status == STATUS_OK)
        status = sass_read(view->text.data, view->text.size, entry_of(manifest), &view->sass, error);
    if (status == STATUS_OK && !view->sass.has_lines) {
        status = error_set(error, STATUS_UNAVAILABLE,
                           "cuobjdump prints no PTX lines: the instructions of the loop's units are unknown");
        error_hint(error, "nvdisasm does: `pip install nvidia-cuda-nvdisasm`");
    }
    return status;
}

static bool same_code(const struct sass *a, const struct sass *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same =
            strcmp(a->code[i].mnemonic, b->code[i].mnemonic) == 0 && a->code[i].target == b->code[i].target;
    return same;
}

/* True if the judged machine code is what runs. A driver has a ptxas of its own: where the program is loaded,
 * the driver's code must have the same instructions; otherwise a warning reports the difference. */
static bool is_drivers(const struct test_program *test_program, const struct sass_view *view,
                       struct observations *list)
{
    struct error why = {.code = STATUS_OK};
    struct sass sass = {0};
    struct buffer text = {0};
    const struct buffer *ran = test_program->launch == NULL ? NULL : launch_binary(test_program, &why);
    if (ran == NULL)
        return true;
    enum status status = ptxas_disassemble(ran, &text, &why);
    if (status == STATUS_OK)
        status = sass_read(text.data, text.size, entry_of(test_program->manifest), &sass, &why);
    if (status == STATUS_OK && !same_code(&sass, &view->sass)) {
        char version[PTXAS_VERSION_BYTES];
        ptxas_version(&view->made, version);
        status = error_set(&why, STATUS_UNAVAILABLE,
                           "it has %zu instructions, that of ptxas %s %zu, and not the same ones", sass.count,
                           version, view->sass.count);
    }
    if (status != STATUS_OK)
        warning_add(&list->warnings, NULL,
                    "the machine code that the driver made, and that ran, is not judged: %s", why.message);
    sass_free(&sass);
    buffer_free(&text);
    return status == STATUS_OK;
}

/* ---- before observing ---- */

/* Assembles the programs of PTX and disassembles them together for bytes_observe_sass: each one's `prepared`
 * is a struct ptxas_listing. Programs that fail are left to it. */
static void bytes_prepare_sass(struct test_program *const *list, size_t count)
{
    if (!ptxas_can_disassemble())
        return;
    struct ptxas_one *ones = memory_zeroed(count, sizeof *ones);
    for (size_t i = 0; i < count; i++) {
        if (list[i] == NULL || strcmp(list[i]->machine->isa, "ptx") != 0 || list[i]->manifest->arch == NULL)
            continue;
        ones[i].kernel = entry_of(list[i]->manifest);
        if (ptxas_assemble(list[i]->executable, list[i]->executable_size, list[i]->manifest->arch,
                           &ones[i].made, NULL) != STATUS_OK)
            ptxas_free(&ones[i].made);
    }
    ptxas_disassemble_all(ones, count);
    for (size_t i = 0; i < count; i++) {
        if (list[i] != NULL)
            list[i]->prepared = ones[i].listing;
        ptxas_free(&ones[i].made);
    }
    free(ones);
}

static enum status look(const struct test_program *test_program, struct sass_view *view, struct error *error)
{
    const char *text = test_program->executable;
    const char *arch = test_program->manifest->arch;
    if (arch == NULL)
        return error_set(error, STATUS_FAILED,
                         "the manifest has no \"arch\"; expected one such as \"sm_90\"");
    enum status status = code_generator_open(test_program->machine->isa, &view->rows, error);
    if (view->listing != NULL)
        view->made = view->listing->made;
    else if (status == STATUS_OK)
        status = ptxas_assemble(text, test_program->executable_size, arch, &view->made, error);
    if (status == STATUS_OK)
        status = ptx_lines_read(text, test_program->executable_size, &view->lines, error);
    if (status == STATUS_OK)
        status = read_code(test_program->manifest, view, error);
    if (status == STATUS_OK)
        mark_waits(view);
    return status == STATUS_OK
               ? sass_find_loop(&view->sass, view->lines.loop, view->lines.loop_end, &view->loop, error)
               : status;
}

/* Adds body.share and mix.<op>: among the loop's PTX statements that have machine code in the loop, the share
 * of the units and of the operation; and counts: "sass.instructions" per pass, "sass.<mnemonic>" of its
 * memory instructions, "sass.registers". Compares the loads and stores of a pass with the manifest's
 * "streams". STATUS_FAILED, with what was found and what was promised, when ptxas refuses the program, spills
 * registers or the loop differs from the promise; STATUS_UNAVAILABLE without a suitable ptxas or a
 * disassembler. */
static enum status bytes_observe_sass(const struct test_program *test_program, struct observations *list,
                                      struct error *error)
{
    struct sass_view view = {.listing = test_program->prepared};
    enum status status = bytes_observe_gpu_data(test_program, list, error);
    if (status == STATUS_OK)
        status = look(test_program, &view, error);
    if (status == STATUS_OK)
        status = bytes_check_streams(test_program->manifest, &view.sass, &view.loop, error);
    if (status == STATUS_OK)
        status = check_products(&view, error);
    if (status == STATUS_OK)
        status = check_operations(&view, test_program->manifest, error);
    if (status == STATUS_OK && is_drivers(test_program, &view, list)) {
        ptx_mix_observe(test_program->manifest, &view.lines, has_code, &view, &counter_bytes, list);
        observe_counts(&view, list);
        warn_of_spills(&view, list);
        warn_of_lost(&view, list);
    }
    view_free(&view);
    return status;
}

/* ---- the source ---- */

static unsigned count_op(const struct template *templates, const struct loop_count *loop, const char *op)
{
    unsigned count = 0;
    for (size_t i = 0; i < loop->mnemonic_count; i++)
        if (template_counts(templates, loop->mnemonics[i].name, op))
            count += loop->mnemonics[i].count;
    return count;
}

static void observe_mix(const struct template *templates, const struct loop_count *loop,
                        struct observations *list)
{
    for (size_t i = 0; i < templates->form_count; i++) {
        char op[METRIC_BYTES];
        char metric[METRIC_BYTES + 4];
        const char *name = templates->forms[i].name;
        snprintf(op, sizeof op, "%.*s", (int)strcspn(name, "."), name);
        snprintf(metric, sizeof metric, "mix.%s", op);
        unsigned count = count_op(templates, loop, op);
        if (count > 0 && observations_find(list, metric, counter_bytes.name) == NULL)
            source_add(&counter_bytes, list, metric, (double)count / loop->instructions, loop->instructions);
    }
    if (loop->has_texts)
        source_add(&counter_bytes, list, "mix.asm", (double)loop->texts / loop->instructions,
                   loop->instructions);
}

/* Cycles from one branch to the next, if the machine issues the instructions between them at its full width.
 * A pass enters only a part of code{}. */
static void observe_distance(const struct test_program *test_program, const struct template *templates,
                             const struct loop_count *loop, struct observations *list)
{
    const struct manifest *manifest = test_program->manifest;
    unsigned width = test_program->machine->issue_width, branches = count_op(templates, loop, "branch");
    if (manifest->branches.given && !manifest->has_code && branches > 0 && width > 0)
        source_add(&counter_bytes, list, "branch.distance",
                   (double)(loop->instructions - branches) / branches / width, branches);
}

/* STATUS_FAILED where the program that runs is not the one that the manifest describes. */
static enum status check_flow(const struct test_program *test_program, const struct template *templates,
                              struct error *error)
{
    struct code_listing listing;
    enum status status = code_listing_compare(test_program, templates->isa, error);
    if (status != STATUS_OK) /* a manifest without a kernel describes no program */
        return test_program->manifest->unit_count > 0 ? status : source_unavailable(status, error);
    status = code_listing_read(test_program, templates->isa, &listing, error);
    if (status == STATUS_OK)
        status = code_flow_check(test_program, templates, &listing, error);
    code_listing_free(&listing);
    return status;
}

static enum status observe_executable(const struct test_program *test_program, struct observations *list,
                                      struct error *error)
{
    struct code_generator code_generator;
    struct loop_count loop = {0};
    enum status status = code_generator_open(test_program->machine->isa, &code_generator, error);
    bool opened = status == STATUS_OK;
    if (opened)
        status = check_flow(test_program, &code_generator.templates, error);
    if (opened && status == STATUS_FAILED) {
        code_generator_close(&code_generator);
        return status;
    }
    if (status == STATUS_OK)
        status = loop_inspect(code_generator.templates.isa, test_program->object, test_program->object_size,
                              code_generator.templates.helped, &loop, error);
    if (status == STATUS_OK && loop.instructions > 0) {
        observe_mix(&code_generator.templates, &loop, list);
        source_add(&counter_bytes, list, "body.share", (double)loop.body / loop.instructions,
                   loop.instructions);
        if (!test_program->manifest->has_code) /* with code{} a pass enters only a part of the loop */
            source_add(&counter_bytes, list, "pass.instructions", loop.instructions, loop.instructions);
        observe_distance(test_program, &code_generator.templates, &loop, list);
    }
    if (status == STATUS_OK)
        status = bytes_observe_data(test_program, &code_generator.templates, list, error);
    code_generator_close(&code_generator);
    return source_unavailable(status, error); /* nothing was run: an unreadable object proves nothing else */
}

/* The functions that inspect the programs of a target. */
static const struct {
    const char *target;
    enum status (*observe)(const struct test_program *test_program, struct observations *list,
                           struct error *error);
} targets[] = {{ISA_PROCESSOR, observe_executable}, {"ptx", bytes_observe_sass}};

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    const char *target = manifest_text_or(test_program->manifest->target, test_program->machine->isa);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (isa_is_listed(targets[i].target, target))
            return targets[i].observe(test_program, list, error);
    return error_set(error, STATUS_UNAVAILABLE, "no disassembler is available for %s", target);
}

/* PTX that runs has no identity, as a driver may compile it differently. */
static void identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    identity[0] = '\0';
    if (test_program->launch == NULL && !isa_is_listed(ISA_PROCESSOR, test_program->machine->isa))
        identity_of_text(test_program, identity);
}

const struct counter_source counter_bytes = {.name = "bytes",
                                             .kind = EVIDENCE_INSPECTED,
                                             .targets = ISA_PROCESSOR ",ptx",
                                             .observe = observe,
                                             .identify = identify,
                                             .prepare = bytes_prepare_sass};
