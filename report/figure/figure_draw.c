#include "report/figure/figure_draw.h"

#include "base/buffer.h"
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
        error_set(error, STATUS_USAGE, "the name %s does not tell the picture's format", output);
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

/* Files in memory, which a kill does not leave behind. gnuplot gets their paths, so the output's name, which
 * could be a pipe "|...", never occurs in a script. */
static enum status draw(const struct figure *figure, enum figure_format format, struct buffer *picture,
                        struct error *error)
{
    char script_path[MEMORY_FILE_PATH_BYTES];
    char picture_path[MEMORY_FILE_PATH_BYTES];
    struct buffer script = {0};
    size_t before = picture->size;
    int from = -1;
    int to = -1;
    enum status status = memory_file_open("", 0, false, &to, error);
    memory_file_path(picture_path, to);
    figure_script(figure, format, picture_path, &script);
    if (status == STATUS_OK)
        status = memory_file_open(script.data, script.size, false, &from, error);
    memory_file_path(script_path, from);
    if (status == STATUS_OK)
        status = run_gnuplot(script_path, error);
    if (status == STATUS_OK)
        status = memory_file_read(to, picture, error);
    if (status == STATUS_OK && picture->size == before)
        status = error_set(error, STATUS_FAILED, "gnuplot drew an empty picture");
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
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

enum status figure_picture(const struct figure *figure, enum figure_format format, struct buffer *picture,
                           struct error *error)
{
    enum status status = figure_check_gnuplot(error);
    return status == STATUS_OK ? draw(figure, format, picture, error) : status;
}

enum status figure_draw(const struct figure *figure, enum figure_format format, const char *output,
                        struct error *error)
{
    struct buffer picture = {0};
    enum status status = figure_picture(figure, format, &picture, error);
    if (status == STATUS_OK)
        status = file_write(output, picture.data, picture.size, false, error);
    buffer_free(&picture);
    return status;
}
