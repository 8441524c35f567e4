/* Stands for a suite's program that is not the generated one: it says what STRAY_SAYS has, with %s for the
 * passes asked for, and leaves a process with a session of its own, whose number it writes to STRAY_FILE.
 * With STRAY_STAYS it does not end either. "launch COMMAND..." begins the command as a terminal would: in a
 * group of its own, with no signal ignored. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* A process whose parent is gone. */
static void leave(const char *file)
{
    pid_t middle = fork();
    if (middle != 0)
        return;
    setsid();
    pid_t left = fork();
    if (left != 0)
        _exit(0);
    setsid();
    FILE *to = fopen(file, "w");
    if (to != NULL) {
        fprintf(to, "%ld\n", (long)getpid());
        fclose(to);
    }
    sleep(600);
    _exit(0);
}

static int launch(char **command)
{
    setsid();
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    execvp(command[0], command);
    return 127;
}

int main(int count, char **arguments)
{
    const struct timespec pause = {0, 10000000};
    if (count > 2 && strcmp(arguments[1], "launch") == 0)
        return launch(arguments + 2);
    const char *file = getenv("STRAY_FILE");
    const char *says = getenv("STRAY_SAYS");
    const char *passes = count > 1 ? arguments[1] : "0";
    if (file != NULL) {
        leave(file);
        while (access(file, F_OK) != 0)
            nanosleep(&pause, NULL);
    }
    if (getenv("STRAY_STAYS") != NULL)
        sleep(600);
    for (; says != NULL && *says != '\0'; says++) {
        if (strncmp(says, "%s", 2) == 0) {
            fputs(passes, stdout);
            says++;
        } else {
            putchar(*says);
        }
    }
    putchar('\n');
    return 0;
}
