#include "generator/emit/code_emit.h"

#include "generator/emit/emission.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FARTHEST_SHORT: bytes over which no branch has a short form. */
enum { LABEL_BYTES = 48, MOST_LOCAL = 6, FARTHEST_SHORT = 512 };

/* One chunk, or one of its copies. */
struct code_piece {
    uint64_t offset; /* from the start of the loop's code */
    size_t chunk;
    unsigned copy;
};

struct code_pieces {
    const struct plan *plan;
    const struct template *templates;
    struct bindings *bindings; /* those of the emission, and of the pieces */
    const char **bodies;       /* [chunks]: start of each one's text */
    const char **twins;        /* [chunks]: of its twin's; NULL: no branches */
    struct code_piece *items;
    size_t count;
    struct buffer *area;
};

static bool rotates(const struct code_plan *code, size_t chunk)
{
    if (!code->placed)
        return code->manner.copies && chunk == 1;
    return code->layout.services[chunk] == CODE_ROTATES;
}

static void label(char text[LABEL_BYTES], size_t chunk, unsigned copy)
{
    snprintf(text, LABEL_BYTES, ".Lchunk%zu_%u", chunk, copy);
}

static int by_offset(const void *a, const void *b)
{
    const struct code_piece *x = a;
    const struct code_piece *y = b;
    return x->offset != y->offset ? (x->offset > y->offset ? 1 : -1) : 0;
}

/* Splits the body at its cuts; returns the number of chunks. */
static size_t split(const char *body, const char **bodies)
{
    size_t count = 0;
    while (body != NULL) {
        if (bodies != NULL)
            bodies[count] = body;
        count++;
        body = strchr(body, CODE_CUT);
        body += body != NULL;
    }
    return count;
}

/* In a trial the chunks are in loop order. */
static void list_pieces(struct code_pieces *pieces, size_t chunks, struct arena *arena)
{
    const struct code_plan *code = pieces->plan->code;
    unsigned most = code->placed && code->layout.copies > 0 ? code->layout.copies : 1;
    pieces->items = arena_alloc(arena, chunks * most, sizeof *pieces->items);
    for (size_t i = 0; i < chunks; i++) {
        unsigned copies = rotates(code, i) ? most : 1;
        for (unsigned copy = 0; copy < copies; copy++) {
            struct code_piece *piece = &pieces->items[pieces->count++];
            *piece = (struct code_piece){.chunk = i, .copy = copy};
            if (code->placed)
                piece->offset = code->layout.offsets[i] + copy * code->layout.step + code->start[i];
        }
    }
    if (code->placed)
        qsort(pieces->items, pieces->count, sizeof *pieces->items, by_offset);
}

static void write_comment(const struct code_pieces *pieces, const struct code_piece *piece)
{
    static const char *const services[] = {[CODE_HIT] = "stays in L1I",
                                           [CODE_MISS] = "misses L1I, hits L2",
                                           [CODE_ROTATES] = "misses L1I when the copy changes"};
    const struct code_plan *code = pieces->plan->code;
    if (!code->placed)
        return;
    const struct cache *l1i = &pieces->plan->machine->l1i;
    buffer_printf(pieces->area, "%s piece %zu of %zu", pieces->templates->isa->syntax.comment,
                  piece->chunk + 1, code->count);
    if (rotates(code, piece->chunk))
        buffer_printf(pieces->area, ", copy %u of %u", piece->copy + 1, code->layout.copies);
    buffer_printf(pieces->area, ": L1I set %" PRIu64 ", ", piece->offset / l1i->line % cache_sets(l1i));
    if (code->lines[piece->chunk] > 1)
        buffer_printf(pieces->area, "%u lines; ", code->lines[piece->chunk]);
    buffer_printf(pieces->area, "%s\n", services[code->layout.services[piece->chunk]]);
}

void code_emit_header(const struct plan *plan, const char *comment, struct buffer *source)
{
    if (plan->code == NULL || !plan->code->placed)
        return;
    const struct code_layout *layout = &plan->code->layout;
    const struct code_share *share = &layout->share;
    buffer_printf(source, "%s %u lines of code a pass, in %zu pieces: %u miss L1I always\n", comment,
                  layout->lines, layout->count, share->misses);
    if (layout->copies > 0)
        buffer_printf(source, "%s %u have %u copies and miss when these change, in %u of %u passes\n",
                      comment, share->run_lines, layout->copies, share->moves, share->period);
}

/* Appends the jump to the next chunk: to its copy of the same number, or to the start of this turn's copy. */
static enum status emit_jump(const struct code_pieces *pieces, const struct code_piece *piece)
{
    const struct code_plan *code = pieces->plan->code;
    char target[LABEL_BYTES];
    bool indirect = rotates(code, piece->chunk + 1) && !rotates(code, piece->chunk);
    const char *way = !indirect ? "next" : code->manner.kept ? "copies_kept" : "copies";
    const struct form *form = template_variant(pieces->templates, "code", way);
    label(target, piece->chunk + 1, rotates(code, piece->chunk + 1) ? piece->copy : 0);
    bindings_set(pieces->bindings, "target", "%s", target);
    const char *far = template_section(pieces->templates, "code.far");
    buffer_printf(pieces->area, "    %s%s", indirect || far == NULL ? "" : far, indirect ? "" : " ");
    enum status status = bindings_expand(pieces->bindings, form == NULL ? NULL : form->text, pieces->area);
    buffer_text(pieces->area, "\n");
    return status;
}

/* Length of the text up to the next cut. */
static int length_of(const char *text)
{
    return (int)strcspn(text, (const char[]){CODE_CUT, 0});
}

static enum code_twin twin_of(const struct code_pieces *pieces, size_t chunk)
{
    return pieces->twins == NULL ? CODE_NO_TWIN : code_plan_twin(pieces->plan, chunk);
}

/* Appends the piece's twin, to which its taken branches lead: the same code again from the first branch on.
 * The twin is outside the piece's range, because a pass executes one or the other. */
static enum status emit_twin(const struct code_pieces *pieces, const struct code_piece *piece, bool last)
{
    const bool trial = !pieces->plan->code->placed;
    const char *text = pieces->twins[piece->chunk];
    char mark[LABEL_BYTES];
    char name[LABEL_BYTES];
    const bool apart = twin_of(pieces, piece->chunk) == CODE_TWIN_APART;
    enum status status = STATUS_OK;
    label(name, piece->chunk, piece->copy);
    snprintf(mark, LABEL_BYTES, "\n%d:\n", CODE_TWIN_LABEL);
    if (!apart)
        text = strstr(text, mark) + 1; /* every chunk with a twin has a branch */
    if (apart && !trial)
        bindings_number(pieces->bindings, "offset", piece->offset + pieces->plan->code->apart[piece->chunk]);
    if (apart)
        status = bindings_section(pieces->bindings, trial ? "gap" : "code.place", pieces->area);
    if (trial)
        buffer_printf(pieces->area, ".Ltwin%s:\n", name + strlen(".L"));
    buffer_printf(pieces->area, "%.*s", length_of(text), text);
    if (status == STATUS_OK)
        status = last ? bindings_section(pieces->bindings, "code.close_twin", pieces->area)
                      : emit_jump(pieces, piece);
    if (trial)
        buffer_printf(pieces->area, ".Ltwinend%s:\n", name + strlen(".L"));
    return status;
}

static enum status emit_piece(const struct code_pieces *pieces, const struct code_piece *piece, size_t chunks)
{
    char name[LABEL_BYTES];
    const char *body = pieces->bodies[piece->chunk];
    bool last = piece->chunk + 1 == chunks;
    enum status status = STATUS_OK;
    label(name, piece->chunk, piece->copy);
    bindings_number(pieces->bindings, "offset", piece->offset);
    bindings_set(pieces->bindings, "label", "%s", name);
    write_comment(pieces, piece);
    if (pieces->plan->code->placed)
        status = bindings_section(pieces->bindings, "code.place", pieces->area);
    if (piece->chunk == 0)
        buffer_text(pieces->area, "trauma_loop:\n");
    if (piece->chunk == 1 && piece->copy == 0)
        buffer_text(pieces->area, "trauma_copies:\n");
    buffer_printf(pieces->area, "%s:\n%.*s", name, length_of(body), body);
    if (status == STATUS_OK)
        status =
            last ? bindings_section(pieces->bindings, "code.close", pieces->area) : emit_jump(pieces, piece);
    if (!last)
        buffer_printf(pieces->area, ".Lend%s:\n", name + strlen(".L"));
    bool twin = twin_of(pieces, piece->chunk) != CODE_NO_TWIN;
    return status == STATUS_OK && twin ? emit_twin(pieces, piece, last) : status;
}

/* Appends the table: start and length of each chunk's first copy; in a trial also of the twins. */
static void emit_table(const struct code_pieces *pieces, size_t chunks, struct buffer *table)
{
    const char *symbols = bindings_value(pieces->bindings, "symbols");
    const char *comment = pieces->templates->isa->syntax.comment;
    const bool trial = !pieces->plan->code->placed;
    buffer_printf(table, "    .type trauma_chunks, @object\n");
    buffer_printf(table, "trauma_chunks:                          %s pieces of one pass: start, length\n",
                  comment);
    buffer_printf(table, "    .quad %zu\n", trial ? 2 * chunks : chunks);
    for (size_t i = 0; i < chunks; i++) {
        char name[LABEL_BYTES];
        char end[2 * LABEL_BYTES] = "trauma_loop_end";
        label(name, i, 0);
        if (i + 1 < chunks)
            snprintf(end, sizeof end, ".Lend%s", name + strlen(".L"));
        buffer_printf(table, "    .quad %s - %s_kernel, %s - %s\n", name, symbols, end, name);
    }
    for (size_t i = 0; trial && i < chunks; i++)
        if (twin_of(pieces, i) != CODE_NO_TWIN)
            buffer_printf(table, "    .quad 0, .Ltwinendchunk%zu_0 - .Ltwinchunk%zu_0\n", i, i);
        else
            buffer_text(table, "    .quad 0, 0\n");
    buffer_text(table, "    .size trauma_chunks, . - trauma_chunks\n");
}

/* Log2 of the alignment: the span of an L1I way if it is a power of two, so that the loop's lines are in
 * their sets in every program that the object is linked into. */
static unsigned area_power(const struct plan *plan)
{
    const struct cache *l1i = &plan->machine->l1i;
    uint64_t span = l1i->size / l1i->ways;
    return (unsigned)__builtin_ctzll(span | (UINT64_C(1) << 16));
}

enum status emission_frame_copies(struct emission *emission, struct buffer *start, struct buffer *advance)
{
    static const uint64_t trial = 1 << 20; /* same length as the final text */
    const struct code_plan *code = emission->plan->code;
    if (code == NULL || !code->manner.copies)
        return STATUS_OK;
    const struct code_share *share = &code->layout.share;
    uint64_t step = code->placed ? code->layout.step : trial;
    uint64_t limit = code->placed ? step * code->layout.copies : trial;
    uint64_t part =
        code->placed ? ((UINT64_C(1) << 32) * share->moves + share->period - 1) / share->period : trial;
    bool all = code->placed && share->moves == share->period;
    bindings_number(&emission->bindings, "copy_step", step);
    bindings_number(&emission->bindings, "copy_limit", limit);
    bindings_number(&emission->bindings, "copy_share", part);
    /* Bytes from the start of the program's code, which is at, or near, a multiple of the area's alignment.
     */
    unsigned power = area_power(emission->plan);
    uint64_t first =
        (UINT64_C(1) << power) + (code->placed ? code->layout.offsets[1] + code->start[1] : trial);
    bindings_number(&emission->bindings, "code_power", power);
    bindings_number(&emission->bindings, "copy_start", first);
    bindings_number(&emission->bindings, "copies", code->placed ? code->layout.copies : 1);
    static const char *const sections[2][4] = {
        {"start.copies", "advance.copies_all", "advance.copies_some", "advance.copies"},
        {"start.copies_kept", "advance.copies_kept_all", "advance.copies_kept_some", "advance.copies_kept"}};
    const char *const *names = sections[code->manner.kept];
    enum status status = bindings_section(&emission->bindings, names[0], start);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, names[all ? 1 : 2], advance);
    return status == STATUS_OK ? bindings_section(&emission->bindings, names[3], advance) : status;
}

enum status emission_frame_apart(struct emission *emission, struct buffer *start)
{
    const struct plan *plan = emission->plan;
    if (plan->code == NULL || plan->branches.indirect == 0 ||
        template_section(emission->templates, "start.apart") == NULL)
        return STATUS_OK;
    uint64_t apart = FARTHEST_SHORT;
    for (size_t i = 0; plan->code->placed && i < plan->code->count; i++)
        apart = plan->code->apart[i] > 0 ? plan->code->apart[i] : apart;
    bindings_number(&emission->bindings, "apart", apart);
    return bindings_section(&emission->bindings, "start.apart", start);
}

enum status code_emit(const struct plan *plan, const struct code_text *text, struct buffer *area,
                      struct buffer *table)
{
    struct arena arena = {0};
    struct bindings bindings = *text->bindings;
    const struct template *templates = bindings.templates;
    struct code_pieces pieces = {.plan = plan, .templates = templates, .bindings = &bindings, .area = area};
    size_t chunks = split(text->body, NULL);
    pieces.bodies = arena_alloc(&arena, chunks, sizeof *pieces.bodies);
    split(text->body, pieces.bodies);
    if (text->twin != NULL) {
        pieces.twins = arena_alloc(&arena, chunks, sizeof *pieces.twins);
        split(text->twin, pieces.twins);
    }
    list_pieces(&pieces, chunks, &arena);
    bindings_number(&bindings, "gap", FARTHEST_SHORT); /* a trial's distance to a twin apart */
    char power[LABEL_BYTES];
    snprintf(power, LABEL_BYTES, "%u", area_power(plan));
    bindings_set(&bindings, "power", "%s", power);
    bindings_text(&bindings, "advance", text->advance);
    bindings_text(&bindings, "far", template_section(templates, "code.far"));
    enum status status = bindings_section(&bindings, "code.area", area);
    for (size_t i = 0; status == STATUS_OK && i < pieces.count; i++)
        status = emit_piece(&pieces, &pieces.items[i], chunks);
    if (status == STATUS_OK && plan->branches.total > 0)
        status = bindings_section(&bindings, "code.branches", area);
    if (status == STATUS_OK)
        emit_table(&pieces, chunks, table);
    arena_free(&arena);
    return status;
}
