/* For test scripts: holds each line of a file against a JSON schema, in the part of draft 2020-12 that
 * runner/results/results.schema.json uses.
 *
 *     schema_lines SCHEMA FILE
 *
 * Prints how many lines it held against it. Exit 1, with the line and the place in it, for one that does not
 * fit, and 2 for a keyword of the schema that is not known here: nothing passes unread. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
    const json_t *schema; /* the whole, for references */
    char why[512];        /* of the last that did not fit */
    bool unknown;         /* a keyword is */
};

static bool fits(struct check *check, const json_t *schema, const json_t *value, const char *where);

static bool refuse(struct check *check, const char *where, const char *what)
{
    snprintf(check->why, sizeof check->why, "%s: %s", where[0] == '\0' ? "/" : where, what);
    return false;
}

static bool has_type(const json_t *value, const char *name)
{
    static const char *const names[] = {"object", "array",   "string",  "integer",
                                        "number", "boolean", "boolean", "null"}; /* as json_type counts */
    return strcmp(names[json_typeof(value)], name) == 0 ||
           (json_is_integer(value) && strcmp(name, "number") == 0);
}

static bool check_type(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    bool good = json_is_string(wanted) && has_type(value, json_string_value(wanted));
    for (size_t i = 0; i < json_array_size(wanted); i++)
        good = good || has_type(value, json_string_value(json_array_get(wanted, i)));
    return good || refuse(check, where, "is of another type");
}

static bool check_ref(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    static const char prefix[] = "#/$defs/";
    const char *name = json_string_value(wanted);
    const json_t *schema =
        strncmp(name, prefix, sizeof prefix - 1) == 0
            ? json_object_get(json_object_get(check->schema, "$defs"), name + sizeof prefix - 1)
            : NULL;
    check->unknown = check->unknown || schema == NULL;
    return schema != NULL ? fits(check, schema, value, where) : refuse(check, where, name);
}

static bool check_one_of(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    size_t count = 0;
    char whys[sizeof check->why] = "";
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        check->why[0] = '\0';
        count += fits(check, json_array_get(wanted, i), value, where);
        size_t used = strlen(whys);
        snprintf(whys + used, sizeof whys - used, "%s%.200s", used > 0 ? "; or " : "", check->why);
    }
    return count == 1 || refuse(check, where, count == 0 ? whys : "fits several");
}

static bool check_enum(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    for (size_t i = 0; i < json_array_size(wanted); i++)
        if (json_equal(json_array_get(wanted, i), value))
            return true;
    return refuse(check, where, "is none of the values");
}

static bool check_const(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    return json_equal(wanted, value) || refuse(check, where, "is another value");
}

static bool check_minimum(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    return !json_is_number(value) || json_number_value(value) >= json_number_value(wanted) ||
           refuse(check, where, "is too small");
}

static bool check_required(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const char *key = json_string_value(json_array_get(wanted, i));
        if (json_is_object(value) && json_object_get(value, key) == NULL) {
            char what[128];
            snprintf(what, sizeof what, "has no %s", key);
            return refuse(check, where, what);
        }
    }
    return true;
}

static bool check_items(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        char place[256];
        snprintf(place, sizeof place, "%s/%zu", where, i);
        if (!fits(check, wanted, json_array_get(value, i), place))
            return false;
    }
    return true;
}

static bool check_members(struct check *check, const json_t *schema, const json_t *value, const char *where)
{
    const json_t *rest = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        const json_t *own = json_object_get(json_object_get(schema, "properties"), key);
        char place[256];
        snprintf(place, sizeof place, "%s/%s", where, key);
        if (own == NULL)
            own = rest;
        if (own != NULL && !fits(check, own, member, place))
            return false;
    }
    return true;
}

/* The one pattern that there is: a hash, or nothing. */
static bool check_pattern(struct check *check, const json_t *wanted, const json_t *value, const char *where)
{
    const char *text = json_string_value(value);
    if (strcmp(json_string_value(wanted), "^([0-9a-f]{64})?$") != 0)
        check->unknown = true;
    return text == NULL || text[0] == '\0' ||
           (strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64) ||
           refuse(check, where, "does not fit the pattern");
}

typedef bool keyword(struct check *check, const json_t *wanted, const json_t *value, const char *where);

static const struct {
    const char *name;
    keyword *check; /* NULL: says nothing, or is looked at by check_members */
} keywords[] = {{"type", check_type},
                {"$ref", check_ref},
                {"oneOf", check_one_of},
                {"enum", check_enum},
                {"const", check_const},
                {"minimum", check_minimum},
                {"required", check_required},
                {"items", check_items},
                {"pattern", check_pattern},
                {"properties", NULL},
                {"additionalProperties", NULL},
                {"description", NULL},
                {"title", NULL},
                {"$schema", NULL},
                {"$id", NULL},
                {"$defs", NULL}};
enum { KEYWORDS = sizeof keywords / sizeof keywords[0] };

static bool fits(struct check *check, const json_t *schema, const json_t *value, const char *where)
{
    const char *name;
    json_t *wanted;
    json_object_foreach((json_t *)schema, name, wanted)
    {
        size_t i = 0;
        while (i < KEYWORDS && strcmp(keywords[i].name, name) != 0)
            i++;
        if (i == KEYWORDS) {
            check->unknown = true;
            return refuse(check, name, "is a keyword that is not known here");
        }
        if (keywords[i].check != NULL && !keywords[i].check(check, wanted, value, where))
            return false;
    }
    return check_members(check, schema, value, where);
}

/* 0, or the exit code. */
static int check_line(struct check *check, const char *line, const char *file, int number)
{
    json_error_t error;
    json_t *value = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    bool good = value != NULL && fits(check, check->schema, value, "");
    if (!good)
        fprintf(stderr, "%s:%d: %s\n", file, number, value == NULL ? error.text : check->why);
    json_decref(value);
    return good ? 0 : check->unknown ? 2 : 1;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *schema = argc == 3 ? json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error) : NULL;
    FILE *input = argc == 3 ? fopen(argv[2], "r") : NULL;
    if (schema == NULL || input == NULL) {
        fprintf(stderr, "usage: schema_lines SCHEMA FILE, and both are there\n");
        return 2;
    }
    struct check check = {.schema = schema};
    char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    int count = 0;
    while (status == 0 && getline(&line, &capacity, input) > 0)
        status = check_line(&check, line, argv[2], ++count);
    if (status == 0)
        printf("%d\n", count);
    free(line);
    fclose(input);
    json_decref(schema);
    return status;
}
