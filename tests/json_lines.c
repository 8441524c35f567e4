/* For test scripts: reads JSON and prints what stands at some paths, one line a document, values with a tab
 * between.
 *
 *     json_lines FILE PATH...       every line of FILE must be one JSON object
 *     json_lines -d FILE PATH...    FILE is one document
 *
 * A PATH is keys and array indices with slashes: rates/l1d.miss_rate/verdict. A missing value is "-"; "#PATH"
 * is the number of entries of an array or object. Exit 1, with the line, for what is no JSON. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *find(const json_t *value, const char *path)
{
    char key[256];
    while (value != NULL && *path != '\0') {
        size_t length = strcspn(path, "/");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        path += length + (path[length] == '/');
        value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
    }
    return value;
}

static void print_value(const json_t *document, const char *path)
{
    const json_t *value = find(document, path + (path[0] == '#'));
    if (path[0] == '#') {
        printf("%zu", json_is_array(value) ? json_array_size(value) : json_object_size(value));
    } else if (value == NULL) {
        printf("-");
    } else if (json_is_string(value)) {
        printf("%s", json_string_value(value));
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(10));
        printf("%s", text == NULL ? "-" : text);
        free(text);
    }
}

static int print_document(json_t *document, char **paths, const char *file, int line,
                          const json_error_t *error)
{
    if (document == NULL) {
        fprintf(stderr, "%s:%d: %s\n", file, line, error->text);
        return 1;
    }
    for (char **path = paths; *path != NULL; path++) {
        printf("%s", path == paths ? "" : "\t");
        print_value(document, *path);
    }
    if (*paths != NULL)
        printf("\n");
    json_decref(document);
    return 0;
}

static int print_lines(FILE *input, char **paths, const char *file)
{
    char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    for (int number = 1; status == 0 && getline(&line, &capacity, input) > 0; number++) {
        json_error_t error;
        status = print_document(json_loads(line, 0, &error), paths, file, number, &error);
    }
    free(line);
    return status;
}

int main(int argc, char **argv)
{
    int whole = argc > 1 && strcmp(argv[1], "-d") == 0;
    if (argc < 2 + whole) {
        fprintf(stderr, "usage: json_lines [-d] FILE PATH...\n");
        return 2;
    }
    const char *file = argv[1 + whole];
    FILE *input = fopen(file, "r");
    if (input == NULL) {
        perror(file);
        return 1;
    }
    char **paths = argv + 2 + whole;
    json_error_t error = {0};
    int status = whole ? print_document(json_loadf(input, 0, &error), paths, file, error.line, &error)
                       : print_lines(input, paths, file);
    fclose(input);
    return status;
}
