#include "cli/figure_draw.h"

#include "base/buffer.h"
#include "base/file.h"
#include "runner/child.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum status figure_format_of(const char *output, enum figure_format *format, struct error *error)
{
    const char *extension = strrchr(file_base_name(output), '.');
    if (extension != NULL && strcasecmp(extension, ".svg") == 0) {
        *format = FIGURE_SVG;
    } else if (extension != NULL && strcasecmp(extension, ".png") == 0) {
        *format = FIGURE_PNG;
    } else {
        error_set(error, STATUS_USAGE, "cannot tell the picture's format from the name %s", output);
        error_hint(error, "end it in .svg or .png");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* gnuplot works in a folder of its own, so that the picture appears under its name whole or not at all, and
 * that name never stands in a script. */
static enum status make_work_folder(char folder[FILE_PATH_BYTES], struct error *error)
{
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/') /* gnuplot takes "|..." for a pipe: only a full path will do */
        base = "/tmp";
    file_join(folder, base, "trauma-plot-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        error_set(error, STATUS_FAILED, "cannot make a folder for gnuplot's files under %s", base);
        error_hint(error, "set TMPDIR to a folder that can be written");
        return STATUS_FAILED;
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

static enum status draw_in(const char *folder, const struct figure *figure, enum figure_format format,
                           struct buffer *picture, struct error *error)
{
    char script_path[FILE_PATH_BYTES];
    char picture_path[FILE_PATH_BYTES];
    file_join(script_path, folder, "figure.gp");
    file_join(picture_path, folder, "figure");
    struct buffer script = {0};
    size_t before = picture->size;
    figure_script(figure, format, picture_path, &script);
    enum status status = file_write(script_path, script.data, script.size, false, error);
    if (status == STATUS_OK)
        status = run_gnuplot(script_path, error);
    if (status == STATUS_OK)
        status = file_read_most(picture_path, FILE_MOST_DATA, picture, error);
    if (status == STATUS_OK && picture->size == before)
        status = error_set(error, STATUS_FAILED, "gnuplot drew an empty picture");
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
    char folder[FILE_PATH_BYTES];
    enum status status = figure_check_gnuplot(error);
    if (status == STATUS_OK)
        status = make_work_folder(folder, error);
    if (status != STATUS_OK)
        return status;
    status = draw_in(folder, figure, format, picture, error);
    file_remove_tree(folder, NULL);
    return status;
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
