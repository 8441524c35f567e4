#include "runner/power/meters/serial.h"

#include "base/text/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    double baud;
    speed_t speed;
} speeds[] = {{300, B300},       {600, B600},       {1200, B1200},       {2400, B2400},
              {4800, B4800},     {9600, B9600},     {19200, B19200},     {38400, B38400},
              {57600, B57600},   {115200, B115200}, {230400, B230400},   {460800, B460800},
              {500000, B500000}, {921600, B921600}, {1000000, B1000000}, {2000000, B2000000}};
enum { SPEED_COUNT = sizeof speeds / sizeof speeds[0] };

static const char *const parities[] = {"none", "even", "odd"};
enum { PARITY_COUNT = sizeof parities / sizeof parities[0] };

static const speed_t *find_speed(double baud)
{
    for (size_t i = 0; i < SPEED_COUNT; i++)
        if (speeds[i].baud == baud)
            return &speeds[i].speed;
    return NULL;
}

static enum status read_parity(const struct sensor_request *request, char *parity, struct error *error)
{
    const char *text = request_text(request, "parity");
    if (text == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < PARITY_COUNT; i++)
        if (strcmp(text, parities[i]) == 0) {
            *parity = parities[i][0];
            return STATUS_OK;
        }
    error_set(error, STATUS_USAGE, "--power: %s: there is no parity '%s'", request->name, text);
    suggest_hint(error, text, parities, PARITY_COUNT, "expected parity=none, even or odd");
    return STATUS_USAGE;
}

enum status serial_settings_read(const struct sensor_request *request, struct serial_settings *settings,
                                 struct error *error)
{
    enum status status = request_number(request, "baud", settings->baud, 1, 1e9, &settings->baud, error);
    if (status == STATUS_OK && find_speed(settings->baud) == NULL) {
        status = error_set(error, STATUS_USAGE, "--power: %s: a serial line has no speed of %g baud",
                           request->name, settings->baud);
        error_hint(error, "expected 300 to 2000000, usually 9600 or 115200");
    }
    return status == STATUS_OK ? read_parity(request, &settings->parity, error) : status;
}

enum status serial_refused(const char *path, int number, struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE, "%s cannot be opened: %s", path, strerror(number));
    if (number == EACCES || number == EPERM)
        error_hint(error, "for a serial line: sudo usermod -aG dialout $USER, then log in again");
    else if (number == ENOENT || number == ENXIO || number == ENODEV)
        error_hint(error, "is it plugged in? `ls /dev/ttyUSB* /dev/ttyACM* /dev/ttyS*` lists serial lines");
    else if (number == EBUSY)
        error_hint(error, "another program has it open; `fuser %.200s` shows which", path);
    return STATUS_UNAVAILABLE;
}

static enum status no_line(const char *path, const char *why, struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE, "%s is not a serial line%s%s", path, why[0] == '\0' ? "" : ": ",
              why);
    error_hint(error, "`ls /dev/ttyUSB* /dev/ttyACM* /dev/ttyS*` lists them");
    return STATUS_UNAVAILABLE;
}

enum status serial_look(const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0 || access(path, R_OK | W_OK) != 0)
        return serial_refused(path, errno, error);
    return S_ISCHR(status.st_mode) ? STATUS_OK : no_line(path, "", error);
}

bool serial_claim(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static void set_bits(struct termios *line, const struct serial_settings *settings)
{
    cfmakeraw(line);
    line->c_cflag &= ~(tcflag_t)(CSIZE | CSTOPB | PARENB | PARODD | CRTSCTS | HUPCL);
    line->c_cflag |= CREAD | CLOCAL | (settings->data_bits == 7 ? CS7 : CS8);
    if (settings->stop_bits == 2)
        line->c_cflag |= CSTOPB;
    if (settings->parity != 'n')
        line->c_cflag |= PARENB | (settings->parity == 'o' ? PARODD : 0);
    line->c_cc[VMIN] = 1; /* so that a read of 0 bytes means that the line hung up */
    line->c_cc[VTIME] = 0;
}

static enum status set_up(int fd, const char *path, const struct serial_settings *settings,
                          struct error *error)
{
    struct termios line;
    if (tcgetattr(fd, &line) != 0)
        return no_line(path, strerror(errno), error);
    if (!serial_claim(fd))
        return serial_refused(path, EBUSY, error);
    set_bits(&line, settings);
    const speed_t *speed = find_speed(settings->baud);
    if (speed != NULL && cfsetspeed(&line, *speed) == 0 && tcsetattr(fd, TCSANOW, &line) == 0) {
        tcflush(fd, TCIOFLUSH); /* data from before the line was opened */
        return STATUS_OK;
    }
    return error_set(error, STATUS_UNAVAILABLE, "%s cannot be set to %g baud: %s", path, settings->baud,
                     strerror(errno));
}

enum status serial_open(const char *path, const struct serial_settings *settings, int *fd,
                        struct error *error)
{
    int opened = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0)
        return serial_refused(path, errno, error);
    enum status status = set_up(opened, path, settings, error);
    if (status == STATUS_OK)
        *fd = opened;
    else
        close(opened);
    return status;
}
