#include "report/figure/figure_draw.h"

#include "base/file.h"
#include "base/files/memory_file.h"
#include "runner/process/child.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

enum status figure_format_of(const char *output, enum figure_format *format, struct error *error)
{
    const char *extension = strrchr(file_base_name(output), '.');
    if (extension != NULL && strcasecmp(extension, ".svg") == 0) {
        *format = FIGURE_SVG;
    } else if (extension != NULL && strcasecmp(extension, ".png") == 0) {
        *format = FIGURE_PNG;
    } else {
        error_set(error, STATUS_USAGE, "the format of the picture %s is unknown", output);
        error_hint(error, "use a name that ends in .svg or .png");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status run_gnuplot(char *script_path, struct error *error)
{
    char program[] = "gnuplot";
    char without_users_settings[] = "-d";
    char *arguments[] = {program, without_users_settings, script_path, NULL};
    struct child_request request = {.path = "gnuplot", .arguments = arguments, .cpu = -1};
    struct child_result result = {0};
    enum status status = child_run(&request, &result, error);
    if (status != STATUS_OK)
        error_prefix(error, "gnuplot could not draw the figure");
    child_result_free(&result);
    return status;
}

/* A file in memory into which gnuplot draws: after a kill, nothing is left behind. */
struct drawn_sheet {
    int file; /* -1: not open */
    char path[MEMORY_FILE_PATH_BYTES];
};

static enum status run_script(const struct buffer *script, struct error *error)
{
    char path[MEMORY_FILE_PATH_BYTES];
    int file = -1;
    enum status status = memory_file_open(script->data, script->size, false, &file, error);
    memory_file_path(path, file);
    if (status == STATUS_OK)
        status = run_gnuplot(path, error);
    if (file >= 0)
        close(file);
    return status;
}

static enum status take_picture(const struct drawn_sheet *sheet, struct buffer *picture, struct error *error)
{
    size_t before = picture->size;
    enum status status = memory_file_read(sheet->file, picture, error);
    if (status == STATUS_OK && picture->size == before)
        status = error_set(error, STATUS_FAILED, "gnuplot drew an empty picture");
    return status;
}

/* Scripts contain only the paths of files in memory, never the output's name, which could be a pipe "|...".
 */
static enum status draw(const struct figure figures[], size_t count, enum figure_format format,
                        struct buffer pictures[], struct error *error)
{
    struct drawn_sheet sheets[FIGURE_BATCH];
    struct buffer script = {0};
    enum status status = STATUS_OK;
    size_t open = 0;
    for (; status == STATUS_OK && open < count; open++) {
        struct drawn_sheet *sheet = &sheets[open];
        sheet->file = -1;
        status = memory_file_open("", 0, false, &sheet->file, error);
        memory_file_path(sheet->path, sheet->file);
        figure_script(&figures[open], format, sheet->path, &script);
        buffer_text(&script, "reset session\n");
    }
    if (status == STATUS_OK)
        status = run_script(&script, error);
    for (size_t i = 0; i < open; i++) {
        if (status == STATUS_OK)
            status = take_picture(&sheets[i], &pictures[i], error);
        if (sheets[i].file >= 0)
            close(sheets[i].file);
    }
    buffer_free(&script);
    return status;
}

enum status figure_check_gnuplot(struct error *error)
{
    if (child_program_exists("gnuplot"))
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "gnuplot, which draws the figures, is not on this machine");
    error_hint(error, "sudo apt-get install gnuplot-nox");
    return STATUS_UNAVAILABLE;
}

enum status figure_pictures(const struct figure figures[], size_t count, enum figure_format format,
                            struct buffer pictures[], struct error *error)
{
    enum status status = figure_check_gnuplot(error);
    return status == STATUS_OK ? draw(figures, count, format, pictures, error) : status;
}

enum status figure_draw(const struct figure *figure, enum figure_format format, const char *output,
                        struct error *error)
{
    struct buffer picture = {0};
    enum status status = figure_pictures(figure, 1, format, &picture, error);
    if (status == STATUS_OK)
        status = file_write(output, picture.data, picture.size, false, error);
    buffer_free(&picture);
    return status;
}
