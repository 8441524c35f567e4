/* A made-up chip that cools: T = 35 + 55 exp(-t / 20 s) degrees Celsius, P = 0.5 W/K * T + 10 W. Writes the
 * temperature to the first file (hwmon's unit, 1/1000 degree) and the energy since its start to the second
 * (powercap's unit, microjoule) every few milliseconds, each file whole, until it is killed: cooling_chip
 * TEMPERATURE_FILE ENERGY_FILE.
 *
 * It is a program because a shell loop forks several times per step, which a busy machine delays by tenths of
 * a second.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int write_whole(const char *path, double value)
{
    char next[4096];
    snprintf(next, sizeof next, "%s.next", path);
    FILE *file = fopen(next, "w");
    if (file == NULL)
        return -1;
    fprintf(file, "%.0f\n", value);
    return fclose(file) == 0 ? rename(next, path) : -1;
}

int main(int argc, char **argv)
{
    static const double FLOOR_C = 35, RISE_C = 55, TAU_S = 20, WATTS_PER_K = 0.5, LEAST_W = 10;
    if (argc != 3)
        return 2;
    double start_s = now_s();
    for (;;) {
        double t = now_s() - start_s;
        double celsius = FLOOR_C + RISE_C * exp(-t / TAU_S);
        double joules =
            (WATTS_PER_K * FLOOR_C + LEAST_W) * t + WATTS_PER_K * RISE_C * TAU_S * (1 - exp(-t / TAU_S));
        if (write_whole(argv[1], 1e3 * celsius) != 0 || write_whole(argv[2], 1e6 + 1e6 * joules) != 0)
            return 1;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}
