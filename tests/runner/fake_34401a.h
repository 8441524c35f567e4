/* A 34401A at the other end of a pseudo-terminal: a thread that takes its commands and answers them, well or
 * badly. The input is the waveform (waveform.h) over a shunt. */
#ifndef TESTS_RUNNER_FAKE_34401A_H
#define TESTS_RUNNER_FAKE_34401A_H

#include "tests/runner/waveform.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum fake_manner {
    FAKE_SOUND,
    FAKE_ECHOES,    /* gives back what it is sent */
    FAKE_BARE,      /* knows REM, IDN, CONF and READ? alone; nothing is said of the rest */
    FAKE_STRANGER,  /* is another instrument */
    FAKE_MUTE,      /* answers nothing */
    FAKE_REFUSES,   /* an error in the queue for CONF */
    FAKE_OVERLOADS, /* every reading */
    FAKE_GARBLES,   /* every reading */
    FAKE_SLIPS,     /* now and then an overload, noise, or no answer at all */
    FAKE_FALLS_MUTE,
    FAKE_HANGS_UP,
    FAKE_BUSY, /* left in the middle of a list: it sends readings until it is cleared */
};

struct fake_34401a {
    enum fake_manner manner;
    double ohm, rail_v;   /* the input is the wave's watts / rail_v * ohm; ohm 0: rail_v itself */
    double integration_s; /* how long a reading takes */
    char path[128];
    int fd;
    pthread_t thread;
    atomic_bool stop, dies; /* dies: falls mute or hangs up now */
    bool remote, wrong, cleared;
    unsigned long samples, reads;
    char configured[64];
    char queue[64];
    bool stopped_locally; /* SYST:LOC came */
};

static inline void fake_say(const struct fake_34401a *fake, const char *text)
{
    (void)!write(fake->fd, text, strlen(text));
}

/* One reading, timed in the middle of the integration. */
static inline void fake_read(struct fake_34401a *fake, const char *end)
{
    char text[64];
    double half_s = fake->integration_s / 2;
    wave_rest(half_s);
    double volts = fake->ohm > 0 ? wave_watts(clock_now_s()) / fake->rail_v * fake->ohm : fake->rail_v;
    wave_rest(half_s);
    bool slips = fake->manner == FAKE_SLIPS;
    fake->reads++;
    snprintf(text, sizeof text, "%+.8E%s", volts, end);
    if (fake->manner == FAKE_OVERLOADS || (slips && fake->reads % 9 == 3))
        snprintf(text, sizeof text, "+9.90000000E+37%s", end);
    if (fake->manner == FAKE_GARBLES || (slips && fake->reads % 9 == 6))
        snprintf(text, sizeof text,
                 "+1.2\xff"
                 "34?E-0%s",
                 end);
    if (!(slips && fake->reads == 40)) /* lost on the way */
        fake_say(fake, text);
}

static inline void fake_obey(struct fake_34401a *fake, const char *command)
{
    if (fake->manner == FAKE_ECHOES) {
        fake_say(fake, command);
        fake_say(fake, "\r\n");
    }
    if (command[0] == '\0') /* as behind a device clear: no error (IEEE 488.2, 7.3.2) */
        return;
    if (strcmp(command, "SYST:REM") == 0) {
        fake->remote = true;
    } else if (strcmp(command, "SYST:LOC") == 0) {
        fake->stopped_locally = true;
    } else if (!fake->remote) {
        fake->wrong = true; /* -514: command not allowed in local */
    } else if (strcmp(command, "*IDN?") == 0) {
        fake_say(fake, fake->manner == FAKE_STRANGER ? "ACME,TOASTER,0,1\r\n"
                                                     : "HEWLETT-PACKARD,34401A,0,11-5-2\r\n");
    } else if (strncmp(command, "CONF:VOLT:DC", 12) == 0) {
        snprintf(fake->configured, sizeof fake->configured, "%.60s", command + 12);
        if (fake->manner == FAKE_REFUSES)
            strcpy(fake->queue, "-222,\"Data out of range\"");
    } else if (strcmp(command, "READ?") == 0) {
        unsigned long samples = fake->manner == FAKE_BARE ? 1 : fake->samples;
        for (unsigned long i = 1; i <= samples; i++)
            fake_read(fake, i == samples ? "\r\n" : ",");
    } else if (fake->manner == FAKE_BARE) {
        return;
    } else if (strcmp(command, "SYST:ERR?") == 0) {
        fake_say(fake, fake->queue[0] == '\0' ? "+0,\"No error\"" : fake->queue);
        fake_say(fake, "\r\n");
        fake->queue[0] = '\0';
    } else if (strncmp(command, "SAMP:COUN ", 10) == 0) {
        fake->samples = strtoul(command + 10, NULL, 10);
    } else if (strncmp(command, "VOLT:DC:NPLC ", 13) != 0 && strcmp(command, "*CLS") != 0 &&
               strncmp(command, "ZERO:AUTO ", 10) != 0 && strncmp(command, "TRIG:DEL ", 9) != 0) {
        strcpy(fake->queue, "-113,\"Undefined header\"");
        fake->wrong = true;
    }
}

static inline bool fake_is_dead(struct fake_34401a *fake)
{
    return fake->manner == FAKE_MUTE || atomic_load(&fake->dies);
}

static inline void *fake_be(void *context)
{
    struct fake_34401a *fake = context;
    char command[128];
    size_t length = 0;
    while (!atomic_load(&fake->stop)) {
        char byte;
        struct pollfd in = {fake->fd, POLLIN, 0};
        if (fake->manner == FAKE_HANGS_UP && fake_is_dead(fake)) {
            close(fake->fd);
            fake->fd = -1;
            return NULL;
        }
        if (fake->manner == FAKE_BUSY && !fake->cleared)
            fake_read(fake, ",");
        if (poll(&in, 1, 5) <= 0)
            continue;
        if (read(fake->fd, &byte, 1) != 1) { /* nobody has the other end open */
            wave_rest(0.005);
            continue;
        }
        if (byte == 3) { /* a device clear: a command that came in part is forgotten */
            fake->cleared = true;
            length = 0;
        } else if (byte != '\n') {
            command[length] = byte;
            length += length + 1 < sizeof command;
        } else {
            command[length] = '\0';
            length = 0;
            if (!fake_is_dead(fake) && (fake->manner != FAKE_BUSY || fake->cleared))
                fake_obey(fake, command);
        }
    }
    return NULL;
}

static inline bool fake_start(struct fake_34401a *fake)
{
    fake->fd = posix_openpt(O_RDWR | O_NOCTTY);
    fake->samples = 1;
    if (fake->fd < 0 || grantpt(fake->fd) != 0 || unlockpt(fake->fd) != 0 ||
        ptsname_r(fake->fd, fake->path, sizeof fake->path) != 0)
        return false;
    return pthread_create(&fake->thread, NULL, fake_be, fake) == 0;
}

static inline void fake_stop(struct fake_34401a *fake)
{
    atomic_store(&fake->stop, true);
    pthread_join(fake->thread, NULL);
    if (fake->fd >= 0)
        close(fake->fd);
}

#endif
