/* An NVML of two made-up GPUs for tests: the first tells all, the second is old. It draws 300 W, 200 W of
 * them on average, and its counter moves every 20 ms. FAKE_NVML says what goes wrong: "init=N", "lost",
 * "alone" (no GPU), "forbidden", "still" (the counter stands), "zero" (so does it, at 0, and all power is 0).
 * What is done to the first one's clock is written to FAKE_NVML_LOG. With FAKE_GPU_BUSY, what a made-up
 * libcuda writes of its kernels, the first draws 100 W, and 200 W more while one runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct field {
    unsigned field, scope;
    long long timestamp, latency_us;
    unsigned type;
    int result;
    union {
        unsigned whole;
        unsigned long long longer_whole;
    } value;
};

struct pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char name[32];
};

enum { OK = 0, NOT_SUPPORTED = 3, NO_PERMISSION = 4, LOST = 15 };

static int devices[2];

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, int **device);
int nvmlDeviceGetName(const int *device, char *name, unsigned capacity);
int nvmlDeviceGetTotalEnergyConsumption(const int *device, unsigned long long *millijoules);
int nvmlDeviceGetPowerUsage(const int *device, unsigned *milliwatts);
int nvmlDeviceGetTemperature(const int *device, unsigned sensor, unsigned *celsius);
int nvmlDeviceGetClockInfo(const int *device, unsigned clock, unsigned *mhz);
int nvmlDeviceGetFieldValues(const int *device, int count, struct field *fields);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, int **device);
int nvmlDeviceGetPciInfo_v3(const int *device, struct pci *pci);
int nvmlDeviceSetGpuLockedClocks(const int *device, unsigned least, unsigned most);
int nvmlDeviceResetGpuLockedClocks(const int *device);

static const char *trouble(void)
{
    const char *text = getenv("FAKE_NVML");
    return text == NULL ? "" : text;
}

static int is_zero(void)
{
    return strcmp(trouble(), "zero") == 0;
}

static int result_of_reading(void)
{
    return strcmp(trouble(), "lost") == 0 ? LOST : strcmp(trouble(), "forbidden") == 0 ? NO_PERMISSION : OK;
}

int nvmlInit_v2(void)
{
    return strncmp(trouble(), "init=", 5) == 0 ? atoi(trouble() + 5) : OK;
}

int nvmlShutdown(void)
{
    return OK;
}

const char *nvmlErrorString(int result)
{
    return result == LOST ? "GPU is lost" : result == NO_PERMISSION ? "Insufficient Permissions" : "Failed";
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = strcmp(trouble(), "alone") == 0 ? 0 : 2;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, int **device)
{
    *device = &devices[index];
    return OK;
}

int nvmlDeviceGetName(const int *device, char *name, unsigned capacity)
{
    snprintf(name, capacity, "%s", device == &devices[0] ? "Fake H1" : "Fake K1");
    return OK;
}

/* Joules at that moment. */
static double busy_energy(const char *path, double now_s)
{
    double joules = 100 * now_s;
    double span[2];
    FILE *file = fopen(path, "rb");
    size_t got = file == NULL ? 0 : fread(span, sizeof span[0], 2, file);
    for (; got > 0; got = fread(span, sizeof span[0], 2, file)) {
        double end_s = got == 2 && span[1] < now_s ? span[1] : now_s;
        joules += end_s > span[0] ? 200 * (end_s - span[0]) : 0;
    }
    if (file != NULL)
        fclose(file);
    return joules;
}

int nvmlDeviceGetTotalEnergyConsumption(const int *device, unsigned long long *millijoules)
{
    const char *busy = getenv("FAKE_GPU_BUSY");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (device != &devices[0])
        return NOT_SUPPORTED;
    if (is_zero() || strcmp(trouble(), "still") == 0) {
        *millijoules = is_zero() ? 0 : 123456;
        return OK;
    }
    if (busy != NULL) {
        *millijoules =
            (unsigned long long)(busy_energy(busy, (double)now.tv_sec + (double)now.tv_nsec * 1e-9) * 1e3);
        return result_of_reading();
    }
    double updates = (double)(now.tv_sec * 50 + now.tv_nsec / 20000000);
    *millijoules = (unsigned long long)(updates * 0.02 * 300e3);
    return result_of_reading();
}

int nvmlDeviceGetPowerUsage(const int *device, unsigned *milliwatts)
{
    *milliwatts = is_zero() ? 0 : device == &devices[0] ? 200000 : 50000;
    return result_of_reading();
}

int nvmlDeviceGetTemperature(const int *device, unsigned sensor, unsigned *celsius)
{
    (void)device;
    *celsius = 41 + sensor;
    return result_of_reading();
}

int nvmlDeviceGetClockInfo(const int *device, unsigned clock, unsigned *mhz)
{
    (void)device;
    *mhz = clock == 1 ? 1980 : 2619;
    return result_of_reading();
}

int nvmlDeviceGetFieldValues(const int *device, int count, struct field *fields)
{
    for (int i = 0; i < count; i++) {
        fields[i].type = 1;
        fields[i].result = device == &devices[0] ? OK : NOT_SUPPORTED;
        fields[i].value.whole = is_zero() ? 0 : fields[i].field == 186 ? 300000 : 200000;
    }
    return result_of_reading();
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, int **device)
{
    *device = &devices[0];
    return strcmp(pci, "0000:0f:00.0") == 0 ? OK : 6;
}

static void tell(const char *what, unsigned least, unsigned most)
{
    const char *path = getenv("FAKE_NVML_LOG");
    FILE *log = path == NULL ? NULL : fopen(path, "a");
    if (log == NULL)
        return;
    fprintf(log, "%s %u %u\n", what, least, most);
    fclose(log);
}

int nvmlDeviceSetGpuLockedClocks(const int *device, unsigned least, unsigned most)
{
    (void)device;
    if (result_of_reading() == OK)
        tell("lock", least, most);
    return result_of_reading();
}

int nvmlDeviceResetGpuLockedClocks(const int *device)
{
    (void)device;
    tell("unlock", 0, 0);
    return OK;
}

int nvmlDeviceGetPciInfo_v3(const int *device, struct pci *pci)
{
    *pci = (struct pci){.bus = device == &devices[0] ? 0x0f : 0x10, .name = "00000000:0F:00.0"};
    return OK;
}
