#include "isa/template.h"

#include "base/file.h"
#include "isa/loop.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_MOST = 128, MOST_ROWS = 512, NAME_BYTES = 64, HEADS = 512, MOST_LISTED = 64 };

/* An operation that a row "floating" or "iterative" lists. */
struct listed {
    const char *op;
    unsigned traits;
    int line;
};

/* A template file being read, line by line. */
struct template_reader {
    struct listed listed[MOST_LISTED];
    unsigned listed_count;
    bool floating; /* there is a row "floating" */
    struct template *templates;
    const char *path;
    int line;
    struct error *error;
};

static unsigned hash_of(const char *name, size_t length)
{
    unsigned hash = 2166136261U; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619U;
    return hash;
}

static unsigned head_of(const char *name)
{
    return hash_of(name, strlen(name)) % HEADS;
}

static enum status wrong(const struct template_reader *reader, const char *message)
{
    error_set(reader->error, STATUS_FAILED, "%s", message);
    error_at(reader->error, reader->path, reader->line);
    return STATUS_FAILED;
}

/* Cuts the next blank-separated word off *text. NULL at the end of the line. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, " \t");
    if (*word == '\0')
        return NULL;
    char *end = word + strcspn(word, " \t");
    *text = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

static enum status read_pool(struct template_reader *reader, char *text)
{
    struct template *templates = reader->templates;
    const char *role = next_word(&text);
    if (role == NULL || templates->pool_count == MOST_ROWS)
        return wrong(reader, "expected: registers ROLE REGISTER...");
    struct pool *pool = &templates->pools[templates->pool_count++];
    pool->role = arena_strdup(&templates->arena, role);
    bool listed = templates->isa->register_count > 0; /* otherwise its assembler checks them */
    size_t most = listed ? templates->isa->register_count : POOL_MOST;
    pool->registers = arena_alloc(&templates->arena, most, sizeof(char *));
    for (const char *word; (word = next_word(&text)) != NULL;) {
        if (!listed && pool->count < most) {
            pool->registers[pool->count++] = arena_strdup(&templates->arena, word);
            continue;
        }
        size_t i = 0;
        while (i < templates->isa->register_count && strcmp(templates->isa->registers[i].whole, word) != 0)
            i++;
        if (i == templates->isa->register_count || pool->count == templates->isa->register_count)
            return wrong(reader, "expected the name of a register of this ISA, each once");
        pool->registers[pool->count++] = templates->isa->registers[i].whole;
    }
    return pool->count > 0 ? STATUS_OK : wrong(reader, "expected at least one register");
}

/* The traits that follow from the operands in braces; {name:32} counts as {name}. */
static unsigned traits_of_text(const char *text)
{
    static const struct {
        const char *name;
        unsigned traits;
    } operands[] = {{"operand", FORM_OPERAND},
                    {"accumulator", FORM_ACCUMULATES},
                    {"accumulator_low", FORM_ACCUMULATES},
                    {"quotient", FORM_DIVIDES},
                    {"float", FORM_FLOAT_PAIR | FORM_FLOATING},
                    {"double", FORM_DOUBLE_PAIR | FORM_FLOATING},
                    {"half", FORM_HALF_PAIR | FORM_FLOATING},
                    {"brain", FORM_BRAIN_PAIR | FORM_FLOATING},
                    {"tile", FORM_TILE | FORM_FLOATING},
                    {"tile_int", FORM_WHOLE_TILE},
                    {"tile_int_2", FORM_WHOLE_TILE},
                    {"group_tile", FORM_GROUP_TILE},
                    {"descriptor_a", FORM_OPERAND},
                    {"operand_a4", FORM_OPERAND},
                    {"operand_a2", FORM_OPERAND},
                    {"operand_a1", FORM_OPERAND},
                    {"hit_line", FORM_HITS_LINE},
                    {"target", FORM_BRANCHES},
                    {"goal", FORM_BRANCHES}};
    unsigned traits = 0;
    for (const char *brace = text; (brace = strchr(brace, '{')) != NULL; brace++) {
        size_t length = strcspn(brace + 1, ":}");
        for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++)
            if (strncmp(operands[i].name, brace + 1, length) == 0 && operands[i].name[length] == '\0')
                traits |= operands[i].traits;
    }
    return traits;
}

static enum status read_form(struct template_reader *reader, char *name, char *text)
{
    struct template *templates = reader->templates;
    const char *bytes = next_word(&text);
    const char *mnemonic = next_word(&text);
    text += strspn(text, " \t");
    if (mnemonic == NULL || *text == '\0' || atoi(bytes) < 1 || templates->form_count == MOST_ROWS)
        return wrong(reader, "expected: FORM BYTES MNEMONIC TEXT");
    size_t plain = strcspn(name, "@");
    const char *feature = name[plain] == '@' ? name + plain + 1 : "";
    if (plain == 0 || (name[plain] == '@' && *feature == '\0'))
        return wrong(reader, "expected a form's name, and the feature that it needs after an @");
    name[plain] = '\0';
    unsigned instructions = 1;
    for (const char *more = text; (more = strstr(more, "; ")) != NULL; more++)
        instructions++;
    unsigned traits = traits_of_text(text);
    templates->forms[templates->form_count++] =
        (struct form){.instructions = instructions,
                      .helpers = (traits & FORM_BRANCHES) != 0 ? instructions - 1 : 0,
                      .name = arena_strdup(&templates->arena, name),
                      .op_hash = hash_of(name, strcspn(name, ".")),
                      .traits = traits | (strchr(name, '.') != NULL ? FORM_VARIANT : 0U) |
                                (strchr(mnemonic, LOOP_READS) != NULL ? FORM_READS : 0U) |
                                (strchr(mnemonic, LOOP_WRITES) != NULL ? FORM_WRITES : 0U),
                      .feature = arena_strdup(&templates->arena, feature),
                      .bytes = (unsigned)atoi(bytes),
                      .mnemonic = arena_strdup(&templates->arena, mnemonic),
                      .text = arena_strdup(&templates->arena, text)};
    return STATUS_OK;
}

static enum status read_word(struct template_reader *reader, char *text)
{
    struct template *templates = reader->templates;
    const char *name = next_word(&text);
    const char *value = next_word(&text);
    char *end = NULL;
    uint64_t bits = value == NULL ? 0 : strtoull(value, &end, 0);
    if (value == NULL || !isdigit((unsigned char)*value) || *end != '\0' ||
        templates->word_count == MOST_ROWS)
        return wrong(reader, "expected: word NAME NUMBER, such as 0x3ff or 10");
    templates->words[templates->word_count++] = (struct word){arena_strdup(&templates->arena, name), bits};
    return STATUS_OK;
}

/* "floating OP..." and "iterative OP...": all rows of these operations get the trait. */
static enum status read_list(struct template_reader *reader, unsigned traits, char *text)
{
    unsigned before = reader->listed_count;
    for (const char *op; (op = next_word(&text)) != NULL;) {
        if (reader->listed_count == MOST_LISTED)
            return wrong(reader, "expected fewer operations in such lists");
        reader->listed[reader->listed_count++] =
            (struct listed){arena_strdup(&reader->templates->arena, op), traits, reader->line};
    }
    reader->floating = reader->floating || traits == FORM_FLOATING;
    return reader->listed_count > before ? STATUS_OK : wrong(reader, "expected at least one operation");
}

static enum status read_row(struct template_reader *reader, char *text)
{
    char *name = next_word(&text);
    if (name == NULL || name[0] == '#')
        return STATUS_OK;
    if (strcmp(name, "word") == 0)
        return read_word(reader, text);
    if (strcmp(name, "floating") == 0)
        return read_list(reader, FORM_FLOATING, text);
    if (strcmp(name, "iterative") == 0)
        return read_list(reader, FORM_ITERATIVE, text);
    return strcmp(name, "registers") == 0 ? read_pool(reader, text) : read_form(reader, name, text);
}

/* True if the row belongs to the operation, in any variant and width; hash: of the op. */
static bool is_row_of(const struct form *form, const char *op, size_t length, unsigned hash)
{
    return form->op_hash == hash && strncmp(form->name, op, length) == 0 &&
           (form->name[length] == '.' || form->name[length] == '\0');
}

/* Sets the rows' traits from the lists of operations. */
static enum status apply_lists(struct template_reader *reader)
{
    struct template *templates = reader->templates;
    for (unsigned i = 0; i < reader->listed_count; i++) {
        const struct listed *listed = &reader->listed[i];
        size_t length = strlen(listed->op);
        unsigned hash = hash_of(listed->op, length);
        bool found = false;
        for (size_t j = 0; j < templates->form_count; j++)
            if (is_row_of(&templates->forms[j], listed->op, length, hash)) {
                templates->forms[j].traits |= listed->traits;
                found = true;
            }
        reader->line = listed->line;
        if (!found)
            return wrong(reader, "expected operations that have rows here");
    }
    if (!reader->floating && template_pool(templates, "vector") != NULL)
        return wrong(reader,
                     "expected a row \"floating OP...\", which lists the operations that compute with "
                     "floating-point numbers, beside \"registers vector\"");
    return STATUS_OK;
}

static enum status read_ops(struct template_reader *reader, char *text)
{
    enum status status = STATUS_OK;
    for (reader->line = 1; status == STATUS_OK && *text != '\0'; reader->line++) {
        char *end = text + strcspn(text, "\n");
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        status = read_row(reader, text);
        text = next;
    }
    return status == STATUS_OK ? apply_lists(reader) : status;
}

/* Lines "@section NAME" divide a skeleton file into sections; the text before the first is a comment. */
static enum status read_sections(struct template_reader *reader, char *text)
{
    static const char mark[] = "@section ";
    struct template *templates = reader->templates;
    char *start = strstr(text, mark);
    while (start != NULL) {
        char *name = start + strlen(mark);
        char *body = name + strcspn(name, "\n");
        if (*body == '\0' || templates->section_count == MOST_ROWS)
            return wrong(reader, "expected a section's text after its @section line");
        *body++ = '\0';
        start = strstr(body, mark);
        if (start != NULL)
            start[-1] = start[-1] == '\n' ? '\0' : start[-1];
        templates->sections[templates->section_count++] =
            (struct section){arena_strdup(&templates->arena, name), arena_strdup(&templates->arena, body)};
    }
    return STATUS_OK;
}

static enum status read_part(struct template *templates, const char *home, const char *name,
                             enum status (*read)(struct template_reader *, char *), struct error *error)
{
    char folder[FILE_PATH_BYTES];
    char isa_folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    file_join(folder, home, "templates");
    file_join(isa_folder, folder, templates->isa->name);
    file_join(path, isa_folder, name);
    struct buffer contents = {0};
    enum status status = file_read(path, &contents, error);
    if (status != STATUS_OK)
        status = STATUS_FAILED;
    struct template_reader reader = {.templates = templates, .path = path, .line = 1, .error = error};
    if (status == STATUS_OK && contents.size > 0)
        status = read(&reader, contents.data);
    buffer_free(&contents);
    return status;
}

/* Links the rows by their names, those of one name in the order of the file. */
static void index_forms(struct template *templates)
{
    templates->form_heads = arena_alloc(&templates->arena, HEADS, sizeof *templates->form_heads);
    for (size_t i = templates->form_count; i-- > 0;) {
        unsigned short *head = &templates->form_heads[head_of(templates->forms[i].name)];
        templates->forms[i].next = *head;
        *head = (unsigned short)(i + 1);
    }
    templates->helped = arena_alloc(&templates->arena, templates->form_count + 1, sizeof *templates->helped);
    size_t count = 0;
    for (size_t i = 0; i < templates->form_count; i++)
        if (templates->forms[i].helpers > 0)
            templates->helped[count++] = templates->forms[i].text;
}

static void begin(const struct isa *isa, struct template *templates)
{
    memset(templates, 0, sizeof *templates);
    templates->isa = isa;
    if (isa->triple != NULL) {
        templates->stencils = stencils_new(isa);
        templates->assembly = assembly_new(templates->stencils);
    }
    templates->forms = arena_alloc(&templates->arena, MOST_ROWS, sizeof *templates->forms);
    templates->pools = arena_alloc(&templates->arena, MOST_ROWS, sizeof *templates->pools);
    templates->words = arena_alloc(&templates->arena, MOST_ROWS, sizeof *templates->words);
    templates->sections = arena_alloc(&templates->arena, MOST_ROWS, sizeof *templates->sections);
}

enum status template_load_texts(const char *home, const struct isa *isa, const char *file,
                                struct template *templates, struct error *error)
{
    begin(isa, templates);
    enum status status = read_part(templates, home, file, read_sections, error);
    index_forms(templates);
    return status;
}

enum status template_load(const char *home, const struct isa *isa, struct template *templates,
                          struct error *error)
{
    begin(isa, templates);
    enum status status = read_part(templates, home, "ops.txt", read_ops, error);
    if (status == STATUS_OK)
        status = read_part(templates, home, isa->skeleton, read_sections, error);
    if (status == STATUS_OK && isa->start != NULL)
        status = read_part(templates, home, isa->start, read_sections, error);
    index_forms(templates);
    return status;
}

const struct form *template_next(const struct template *templates, const char *name, const struct form *after)
{
    unsigned i = after == NULL ? templates->form_heads[head_of(name)] : after->next;
    while (i != 0 && strcmp(templates->forms[i - 1].name, name) != 0)
        i = templates->forms[i - 1].next;
    return i == 0 ? NULL : &templates->forms[i - 1];
}

const struct form *template_form(const struct template *templates, const char *name)
{
    return template_next(templates, name, NULL);
}

const struct form *template_variant(const struct template *templates, const char *op, const char *variant)
{
    size_t length = strlen(op);
    const struct form *plain = NULL;
    for (size_t i = 0; i < templates->form_count; i++) {
        const char *name = templates->forms[i].name;
        if (strncmp(name, op, length) != 0)
            continue;
        if (name[length] == '.' && strcmp(name + length + 1, variant) == 0)
            return &templates->forms[i];
        if (name[length] == '\0')
            plain = &templates->forms[i];
    }
    return plain;
}

bool template_counts(const struct template *templates, const char *text, const char *op)
{
    size_t length = strlen(op);
    unsigned hash = hash_of(op, length);
    char mnemonic[NAME_BYTES];
    if (!loop_mnemonic(templates->isa, text, mnemonic, sizeof mnemonic))
        return false;
    for (size_t i = 0; i < templates->form_count; i++) {
        const struct form *form = &templates->forms[i];
        if (is_row_of(form, op, length, hash) && strcmp(form->mnemonic, mnemonic) == 0)
            return true;
    }
    return false;
}

unsigned template_count(const struct template *templates, const struct form *form, const char *op)
{
    unsigned count = 0;
    unsigned helpers = form->helpers;
    for (const char *at = form->text; at != NULL; at = strstr(at, "; ")) {
        at += *at == ';' ? 2 : 0;
        if (helpers > 0)
            helpers--;
        else
            count += template_counts(templates, at, op);
    }
    return count;
}

const struct pool *template_pool(const struct template *templates, const char *role)
{
    for (size_t i = 0; i < templates->pool_count; i++)
        if (strcmp(templates->pools[i].role, role) == 0)
            return &templates->pools[i];
    return NULL;
}

bool template_word(const struct template *templates, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < templates->word_count; i++) {
        if (strcmp(templates->words[i].name, name) != 0)
            continue;
        *value = templates->words[i].value;
        return true;
    }
    return false;
}

bool template_word_of(const struct template *templates, const char *name, const char *arch, uint64_t *value)
{
    char own[NAME_BYTES];
    size_t length = strlen(arch);
    for (; length > 0; length--) {
        snprintf(own, sizeof own, "%s.%.*s", name, (int)length, arch);
        if (template_word(templates, own, value))
            return true;
        if (!isalpha((unsigned char)arch[length - 1]))
            break;
    }
    return template_word(templates, name, value);
}

const char *template_section(const struct template *templates, const char *name)
{
    for (size_t i = 0; i < templates->section_count; i++)
        if (templates->sections[i].name[0] == name[0] && strcmp(templates->sections[i].name, name) == 0)
            return templates->sections[i].text;
    return NULL;
}

/* The register's name at a width, or NULL. */
static const char *view_of(const struct isa *isa, const char *text, unsigned bits)
{
    size_t prefix = strlen(isa->register_prefix);
    if (strncmp(text, isa->register_prefix, prefix) != 0)
        return NULL;
    const struct register_name *found = isa_register(isa, text + prefix, strlen(text + prefix));
    return found == NULL ? NULL : isa_register_part(found, bits);
}

/* The number after a colon in the braces, which is cut off; 0: there is none. */
static unsigned bits_of(const char *name, size_t *length)
{
    const char *colon = memchr(name, ':', *length);
    unsigned bits = 0;
    if (colon == NULL || colon + 1 == name + *length)
        return 0;
    for (const char *digit = colon + 1; digit < name + *length; digit++) {
        if (!isdigit((unsigned char)*digit) || bits > 1000)
            return 0;
        bits = 10 * bits + (unsigned)(*digit - '0');
    }
    *length = (size_t)(colon - name);
    return bits;
}

static const char *find_bound(const char *name, size_t length, const struct binding *bindings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *bound = bindings[i].name;
        if (bound[0] == name[0] && strncmp(bound, name, length) == 0 && bound[length] == '\0')
            return bindings[i].value;
    }
    return NULL;
}

/* "number[16:12]" */
static bool append_part(const char *name, size_t length, const struct binding *bindings, size_t count,
                        struct buffer *output)
{
    unsigned from;
    unsigned bits;
    const char *open = memchr(name, '[', length);
    const char *value = find_bound(name, (size_t)(open - name), bindings, count);
    if (value == NULL || sscanf(open, "[%2u:%2u]", &from, &bits) != 2 || from > 63 || bits > 32)
        return false;
    buffer_number(output, strtoull(value, NULL, 0) >> from & ((UINT64_C(1) << bits) - 1));
    return true;
}

/* The part of a number that the text after a colon in the braces names, which is cut off; NULL: there is
 * none. */
static const struct number_part *part_of(const struct isa *isa, const char *name, size_t *length)
{
    const char *colon = isa->parts == NULL ? NULL : memchr(name, ':', *length);
    size_t size = colon == NULL ? 0 : *length - (size_t)(colon + 1 - name);
    for (const struct number_part *part = isa->parts; colon != NULL && part->name != NULL; part++) {
        if (strlen(part->name) != size || memcmp(part->name, colon + 1, size) != 0)
            continue;
        *length = (size_t)(colon - name);
        return part;
    }
    return NULL;
}

/* False if the value is not a number. */
static bool append_rounded(const struct number_part *part, const char *value, struct buffer *output)
{
    char *end = NULL;
    bool negative = value != NULL && value[0] == '-';
    uint64_t number = value == NULL ? 0 : strtoull(value + negative, &end, 0);
    if (value == NULL || end == value + negative || *end != '\0')
        return false;
    number = ((negative ? -number : number) + part->round) >> part->shift;
    number &= (UINT64_C(1) << part->bits) - 1;
    bool below = part->is_signed && number >> (part->bits - 1) != 0;
    buffer_printf(output, "%" PRId64, (int64_t)number - (below ? INT64_C(1) << part->bits : 0));
    return true;
}

/* "register=number" */
static bool append_constant(const struct template *templates, const char *name, size_t length,
                            const struct binding *bindings, size_t count, struct buffer *output)
{
    const char *number = (const char *)memchr(name, '=', length) + 1;
    const char *to = find_bound(name, (size_t)(number - 1 - name), bindings, count);
    const char *value = find_bound(number, (size_t)(name + length - number), bindings, count);
    if (to == NULL || value == NULL || templates->isa->write_constant == NULL)
        return false;
    templates->isa->write_constant(to, strtoull(value, NULL, 0), output);
    return true;
}

/* Appends the value of the braces' content `name`. */
static bool append_bound(const struct template *templates, const char *name, size_t length,
                         const struct binding *bindings, size_t count, struct buffer *output)
{
    if (memchr(name, '[', length) != NULL)
        return append_part(name, length, bindings, count, output);
    if (memchr(name, '=', length) != NULL)
        return append_constant(templates, name, length, bindings, count, output);
    const struct number_part *piece = part_of(templates->isa, name, &length);
    if (piece != NULL)
        return append_rounded(piece, find_bound(name, length, bindings, count), output);
    unsigned bits = bits_of(name, &length);
    const char *value = find_bound(name, length, bindings, count);
    const char *part = value != NULL && bits != 0 ? view_of(templates->isa, value, bits) : value;
    if (part == NULL)
        return false;
    buffer_text(output, bits != 0 ? templates->isa->register_prefix : "");
    buffer_text(output, part);
    return true;
}

enum status template_expand_part(const struct template *templates, const char *text, size_t size,
                                 const struct binding *bindings, size_t count, struct buffer *output,
                                 struct error *error)
{
    const char *end = text + size;
    while (text < end) {
        const char *brace = memchr(text, '{', (size_t)(end - text));
        buffer_append(output, text, (size_t)((brace == NULL ? end : brace) - text));
        if (brace == NULL)
            break;
        const char *close = memchr(brace, '}', (size_t)(end - brace));
        if (close == NULL ||
            !append_bound(templates, brace + 1, (size_t)(close - brace) - 1, bindings, count, output))
            return error_set(error, STATUS_FAILED, "a template of %s has %.40s, to which nothing is bound",
                             templates->isa->name, brace);
        text = close + 1;
    }
    return STATUS_OK;
}

enum status template_expand(const struct template *templates, const char *text,
                            const struct binding *bindings, size_t count, struct buffer *output,
                            struct error *error)
{
    return template_expand_part(templates, text, strlen(text), bindings, count, output, error);
}

void template_free(struct template *templates)
{
    assembly_free(templates->assembly);
    stencils_free(templates->stencils);
    arena_free(&templates->arena);
    memset(templates, 0, sizeof *templates);
}
