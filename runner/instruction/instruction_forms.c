#include "runner/instruction/instruction_forms.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/files/paths.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_MOST = 8, ROW_BYTES = 512, WORD_BYTES = 64 };

/* A letter's values, one after the other: "x,y,z". */
struct form_letter {
    char letter;
    char values[ROW_BYTES];
};

/* A row of operands. */
struct form_row {
    char operands[ROW_BYTES]; /* "": none */
    struct form_letter letters[LETTERS_MOST];
    unsigned letter_count;
    unsigned variants; /* at least 1 */
};

/* The n-th of the values, of which there are more than n. */
static const char *find_value(const char *values, unsigned n)
{
    for (; n > 0; n--)
        values += strcspn(values, ",") + 1;
    return values;
}

/* Reads "{S0}, {S1} ; S=x,y,z". False if letters have different numbers of values. */
static bool read_row(const char *line, size_t length, struct form_row *row)
{
    char text[ROW_BYTES], word[ROW_BYTES];
    int used = 0;
    *row = (struct form_row){.variants = 1};
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    char *letters = strchr(text, ';');
    size_t end = letters == NULL ? strlen(text) : (size_t)(letters - text);
    while (end > 0 && text[end - 1] == ' ')
        end--;
    snprintf(row->operands, sizeof row->operands, "%.*s", (int)end, text);
    if (strcmp(row->operands, "-") == 0)
        row->operands[0] = '\0';
    for (const char *at = letters == NULL ? "" : letters + 1; sscanf(at, "%511s%n", word, &used) == 1;
         at += used) {
        if (row->letter_count == LETTERS_MOST || !isupper((unsigned char)word[0]) || word[1] != '=')
            return false;
        struct form_letter *letter = &row->letters[row->letter_count++];
        letter->letter = word[0];
        snprintf(letter->values, sizeof letter->values, "%s", word + 2);
        unsigned count = 1;
        for (const char *comma = letter->values; (comma = strchr(comma, ',')) != NULL; comma++)
            count++;
        if (row->letter_count > 1 && count != row->variants)
            return false;
        row->variants = count;
    }
    return true;
}

static void append(const struct form_row *row, const char *text, unsigned variant, struct buffer *form)
{
    for (; *text != '\0'; text++) {
        const char *value = text;
        size_t length = 1;
        for (unsigned i = 0; i < row->letter_count; i++)
            if (row->letters[i].letter == *text) {
                value = find_value(row->letters[i].values, variant);
                length = strcspn(value, ",");
            }
        buffer_append(form, value, length);
    }
}

/* Adds the forms of a line of mnemonics, each in all its variants. */
static void add_forms(const struct form_row *row, const char *line, size_t length, struct text_set *forms)
{
    char word[WORD_BYTES];
    int used = 0;
    for (const char *at = line; at < line + length && sscanf(at, "%63s%n", word, &used) == 1; at += used) {
        if (at + used > line + length)
            return;
        for (unsigned i = 0; i < row->variants; i++) {
            struct buffer form = {0};
            append(row, word, i, &form);
            if (row->operands[0] != '\0') {
                buffer_text(&form, " ");
                append(row, row->operands, i, &form);
            }
            (void)text_set_add(forms, form.data);
            buffer_free(&form);
        }
    }
}

static enum status read_lines(const char *text, const char *path, struct text_set *forms, struct error *error)
{
    struct form_row row = {.variants = 0};
    for (int number = 1; *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        bool indented = isblank((unsigned char)*text) != 0;
        bool good = true;
        if (length > 0 && *text != '#' && !indented)
            good = length < ROW_BYTES && read_row(text, length, &row);
        else if (indented && row.variants == 0)
            good = false;
        else if (indented)
            add_forms(&row, text, length, forms);
        if (!good) {
            error_set(error, STATUS_FAILED,
                      "expected operands and letters with as many values each ({S0} ; S=x,y), or mnemonics "
                      "indented below them");
            error_at(error, path, number);
            return STATUS_FAILED;
        }
        text += length + (text[length] == '\n');
    }
    return STATUS_OK;
}

enum status insn_forms_read(const struct isa *isa, struct text_set *forms, struct error *error)
{
    char home[FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    struct buffer text = {0};
    isa = isa != NULL ? isa : isa_of_host();
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    snprintf(path, sizeof path, "%.3500s/templates/%s/forms.txt", home, isa == NULL ? "" : isa->name);
    if (isa == NULL || !file_is_regular(path)) {
        error_set(error, STATUS_UNAVAILABLE,
                  "there is no list of this processor's instructions: %s is missing", path);
        error_hint(error, "give --list a file with one instruction on each line");
        return STATUS_UNAVAILABLE;
    }
    status = file_read(path, &text, error);
    if (status == STATUS_OK && text.data != NULL)
        status = read_lines(text.data, path, forms, error);
    buffer_free(&text);
    return status;
}
