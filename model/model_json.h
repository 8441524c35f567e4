/* The JSON of models: documents of fits and predictions, and files of fitted models. */
#ifndef MODEL_MODEL_JSON_H
#define MODEL_MODEL_JSON_H

#include "base/json/json_text.h"
#include "model/model.h"

#include <jansson.h>

/* Writes the result as one member of the innermost object or list (json_text.h). */
void model_json_write(struct json_text *text, const char *key, const struct model *model,
                      const struct model_result *result);

/* Appends the result as a whole document. */
void model_json_print(struct buffer *buffer, const struct model *model, const struct model_result *result,
                      bool compact);

/* Writes the member "charts". */
void model_json_charts(struct json_text *text, const struct charts *charts);

/* Functions for rows of FIELD_OWN. The member is a struct named_numbers, in JSON an object. */
bool named_numbers_read(struct fields_reader *reader, const json_t *value, void *at);
void named_numbers_write(struct json_text *text, const char *name, const void *at);

/* The members are a struct spread and a struct vf_table. */
bool spread_value_read(struct fields_reader *reader, const json_t *value, void *at);
bool spread_covariance_read(struct fields_reader *reader, const json_t *value, void *at);
void spread_value_write(struct json_text *text, const char *name, const void *at);
void spread_covariance_write(struct json_text *text, const char *name, const void *at);
bool vf_read_states(struct fields_reader *reader, const json_t *value, void *at);
void vf_write_states(struct json_text *text, const char *name, const void *at);

/* Whether a spread that was read has values and the covariance of all of them. */
bool spread_is_whole(const struct spread *spread);

#define MODEL_OWN(of, title, member, reads, writes)                                                          \
    {                                                                                                        \
        .name = (title), .type = FIELD_OWN, .offset = offsetof(struct of, member), .read = (reads),          \
        .write = (writes)                                                                                    \
    }
#define MODEL_SPREAD(of, member)                                                                             \
    MODEL_OWN(of, "value", member, spread_value_read, spread_value_write),                                   \
        MODEL_OWN(of, "covariance", member, spread_covariance_read, spread_covariance_write),                \
        FIELD_ROW(of, "freedom", FIELD_REAL, member.freedom),                                                \
        FIELD_ROW(of, "rows", FIELD_WHOLE, member.rows)

/* Reads the document's "machine" and "simulated". The result borrows from the document. */
void model_json_origin(struct model_result *result, const json_t *document);

/* Reads a fitted model from its document. The result borrows from the document. */
void model_json_read(const json_t *document, const struct model *model, struct model_result *result);

/* A file of a fitted model. */
struct model_file {
    json_t *document;
    const struct model *model; /* NULL: the file is of another model than the wanted one */
    struct model_result result;
};

/* Opens the file of a fitted model. wanted: the expected model; NULL: any model, of this schema version.
 * STATUS_USAGE when the file cannot be read or, with wanted NULL, is no model. Close in every case. */
enum status model_file_open(const char *path, const struct model *wanted, struct model_file *file,
                            struct error *error);

/* Reads only the members that tables show, of a model of any version: coefficients, regressions, rows and
 * disbelief. False if the file is no model, and then it is closed. */
bool model_file_read_tables(const char *path, struct model_file *file);
void model_file_close(struct model_file *file);

#endif
