/* Bindings of the names in a template's text to values, while a program is written, for processors and GPUs.
 */
#ifndef GENERATOR_EMIT_BINDINGS_H
#define GENERATOR_EMIT_BINDINGS_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/template.h"

#include <stddef.h>
#include <stdint.h>

enum { BINDINGS_MOST = 128, BINDINGS_VALUE = 64 };

struct bindings {
    const struct template *templates;
    struct error *error;
    struct binding items[BINDINGS_MOST]; /* [count] */
    char values[BINDINGS_MOST][BINDINGS_VALUE];
    size_t count;
    const char *lacks_room; /* a name that did not fit, or whose value did not; NULL: none */
};

/* Bind {name} to a text of less than BINDINGS_VALUE bytes, which is copied; name must outlive the bindings.
 * If a value does not fit, the next expansion fails. */
__attribute__((format(printf, 3, 4))) void bindings_set(struct bindings *bindings, const char *name,
                                                        const char *format, ...);
void bindings_number(struct bindings *bindings, const char *name, uint64_t number);

/* Binds {name} to the register's name with the ISA's prefix, which the tables omit. */
void bindings_register(struct bindings *bindings, const char *name, const char *register_name);

/* Binds {name} to a text of any length that outlives the bindings; NULL: none. */
void bindings_text(struct bindings *bindings, const char *name, const char *text);

/* The value bound to the name, or NULL. */
const char *bindings_value(const struct bindings *bindings, const char *name);

/* Appends the text with its names expanded. STATUS_FAILED if the text is NULL, a name is not bound, or an
 * earlier name or value did not fit. */
enum status bindings_expand(const struct bindings *bindings, const char *text, struct buffer *output);

/* The same for the text's first `size` bytes. */
enum status bindings_expand_part(const struct bindings *bindings, const char *text, size_t size,
                                 struct buffer *output);

/* The same for a section. */
enum status bindings_section(const struct bindings *bindings, const char *name, struct buffer *output);

/* Appends the section if the templates have it; ISAs that do not need it omit it. */
enum status bindings_section_if(const struct bindings *bindings, const char *name, struct buffer *output);

/* Appends the row's instructions, each indented on a line of its own with the ISA's line end; the last line
 * is left open for a comment. Fills *last, unless NULL, with its start in the output. */
enum status bindings_row(const struct bindings *bindings, const struct form *form, size_t *last,
                         struct buffer *output);

#endif
