#include "session/stop_signals.h"

#include <signal.h>
#include <string.h>

/* The only type that a handler may safely access. */
static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void stop_signals_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    struct sigaction action;
    struct sigaction before;
    memset(&action, 0, sizeof action);
    action.sa_handler = note; /* without SA_RESTART */
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

bool stop_signals_came(void)
{
    return came != 0;
}

void stop_signals_obey(void)
{
    if (came == 0)
        return;
    signal(came, SIG_DFL);
    raise(came);
}
