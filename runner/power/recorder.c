#include "runner/power/recorder.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the recording as text ---- */

/* The next row of one channel. */
struct series_cursor {
    const struct series *series;
    const char *name;
    size_t at;
};

static double next_time(const struct series_cursor *cursor)
{
    return cursor->at < cursor->series->count ? cursor->series->t_s[cursor->at] : INFINITY;
}

static struct series_cursor *earliest(struct series_cursor *cursors, size_t count)
{
    struct series_cursor *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (isfinite(next_time(&cursors[i])) && (first == NULL || next_time(&cursors[i]) < next_time(first)))
            first = &cursors[i];
    return first;
}

static void write_rows(const struct recorder *recorder, struct series_cursor *cursors, size_t count,
                       struct buffer *text)
{
    size_t mark_count;
    size_t mark = 0;
    const struct recorder_mark *marks = recorder_marks(recorder, &mark_count);
    struct series_cursor *next = earliest(cursors, count);
    double zero_s = mark_count > 0 ? marks[0].t_s : next != NULL ? next_time(next) : 0;
    for (; next != NULL || mark < mark_count; next = earliest(cursors, count)) {
        if (mark < mark_count && (next == NULL || marks[mark].t_s <= next_time(next))) {
            buffer_printf(text, "%.6f,mark,%s\n", marks[mark].t_s - zero_s, marks[mark].phase);
            mark++;
            continue;
        }
        buffer_printf(text, "%.6f,%s,%.9g\n", next_time(next) - zero_s, next->name,
                      next->series->values[next->at]);
        next->at++;
    }
}

/* A comma in a name would end the field. */
static bool plain(const char *name)
{
    return strpbrk(name, ",\"\n") == NULL;
}

void power_trace_write(const struct recorder *recorder, struct buffer *text)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    struct series_cursor cursors[SENSOR_LIST_MOST * SENSOR_LIST_CHANNELS];
    size_t count = 0;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (plain(meters->meters[i].channels[j].name))
                cursors[count++] = (struct series_cursor){.series = recorder_series(recorder, i, j),
                                                          .name = meters->meters[i].channels[j].name};
    buffer_text(text, "t_s,channel,value\n");
    write_rows(recorder, cursors, count, text);
}

/* ---- the recorder ---- */

enum { MARKS_FIRST = 32 };

/* The longest wait for a sensor's last value at the end of a recording. */
static const double PATIENCE_S = 1;

/* A longer silence is no meter's regular interval. */
static const double LONGEST_GAP_S = 5;

/* An idle thread checks for work this often. */
static const double REST_S = 0.02;

/* One sensor being read. */
struct station {
    const struct listed_sensor *meter;
    struct recorder *recorder;
    void *handle;
    struct series *series; /* of each channel */
    double *values;        /* the latest value of each channel */
    double latest_s;       /* its time */
    double gap_s;          /* the longest recent interval between two values */
    double lag_s;          /* the longest delay from a moment to the value for it */
    bool lost;
    struct error why_lost;
    bool runs;
    atomic_bool ends;
    pthread_t thread;
    pthread_mutex_t lock; /* protects all that the thread writes */
};

struct recorder {
    const struct sensor_list *meters;
    struct station *stations;
    atomic_bool recording;
    struct recorder_mark *marks;
    size_t mark_count, mark_capacity;
};

static void note(struct station *station, double t_s, const double *values)
{
    bool any = false;
    pthread_mutex_lock(&station->lock);
    for (size_t i = 0; i < station->meter->count; i++) {
        if (!isfinite(values[i]))
            continue;
        any = true;
        station->values[i] = values[i];
        if (atomic_load(&station->recorder->recording) && station->meter->channels[i].why_not[0] == '\0')
            series_add(&station->series[i], t_s, values[i]);
    }
    if (any) {
        if (station->meter->period_s == 0 && station->latest_s > 0)
            station->gap_s = fmax(station->gap_s, t_s - station->latest_s);
        station->lag_s = fmax(station->lag_s, clock_now_s() - t_s);
        station->latest_s = t_s;
    }
    pthread_mutex_unlock(&station->lock);
}

static void give_up(struct station *station, const struct error *why)
{
    pthread_mutex_lock(&station->lock);
    station->lost = true;
    station->why_lost = *why;
    pthread_mutex_unlock(&station->lock);
}

/* The time of the next reading; a late reading does not make the following ones bunch up. */
static double next_due(double due_s, double period_s)
{
    double now_s = clock_now_s();
    return due_s + period_s < now_s ? now_s : due_s + period_s;
}

/* True if there is nothing to do now, after a short sleep. A sensor that sends at its own pace is read
 * continuously, so that values sent outside a recording are not taken for new ones. */
static bool rests(const struct station *station, double *due_s)
{
    double now_s = clock_now_s();
    if (station->meter->period_s == 0)
        return false;
    if (!atomic_load(&station->recorder->recording)) {
        clock_rest(REST_S);
        *due_s = clock_now_s();
        return true;
    }
    if (now_s < *due_s)
        clock_rest(fmin(*due_s - now_s, REST_S));
    return now_s < *due_s;
}

static void *attend(void *context)
{
    struct station *station = context;
    const struct listed_sensor *meter = station->meter;
    double values[SENSOR_LIST_CHANNELS];
    struct error error = {0};
    double due_s = clock_now_s();
    while (!atomic_load(&station->ends)) {
        double t_s = clock_now_s();
        if (rests(station, &due_s))
            continue;
        for (size_t i = 0; i < meter->count; i++)
            values[i] = NAN;
        if (meter->sensor->read(station->handle, &t_s, values, &error) != STATUS_OK) {
            give_up(station, &error);
            break;
        }
        note(station, t_s, values);
        due_s = next_due(due_s, meter->period_s);
    }
    return NULL;
}

static void begin_station(struct station *station)
{
    const struct listed_sensor *meter = station->meter;
    enum status status = meter->sensor->open(&meter->request, meter->channels, meter->count, &station->handle,
                                             &station->why_lost);
    if (status == STATUS_OK && pthread_create(&station->thread, NULL, attend, station) != 0) {
        meter->sensor->close(station->handle);
        status = error_set(&station->why_lost, STATUS_FAILED, "cannot create a thread to read %s",
                           meter->sensor->name);
    }
    station->runs = status == STATUS_OK;
    station->lost = !station->runs;
}

static void end_station(struct station *station)
{
    if (!station->runs)
        return;
    atomic_store(&station->ends, true);
    pthread_join(station->thread, NULL);
    station->meter->sensor->close(station->handle);
    station->runs = false;
}

static void prepare(struct station *station, const struct listed_sensor *meter, struct recorder *recorder)
{
    station->meter = meter;
    station->recorder = recorder;
    station->series = memory_zeroed(meter->count + 1, sizeof *station->series);
    station->values = memory_zeroed(meter->count + 1, sizeof *station->values);
    for (size_t i = 0; i < meter->count; i++)
        station->values[i] = NAN;
    station->latest_s = -INFINITY;
    pthread_mutex_init(&station->lock, NULL);
}

struct recorder *recorder_start(const struct sensor_list *meters)
{
    struct recorder *made = memory_zeroed(1, sizeof *made);
    made->meters = meters;
    made->stations = memory_zeroed(meters->count + 1, sizeof *made->stations);
    for (size_t i = 0; i < meters->count; i++)
        prepare(&made->stations[i], &meters->meters[i], made);
    for (size_t i = 0; i < meters->count; i++)
        begin_station(&made->stations[i]);
    return made;
}

enum status recorder_open(const struct sensor_list *meters, struct recorder **recorder, struct error *error)
{
    *recorder = recorder_start(meters);
    for (size_t i = 0; i < meters->count; i++) {
        const struct error *lost = recorder_lost(*recorder, i);
        if (!meters->meters[i].sensor->external || lost == NULL)
            continue;
        *error = *lost;
        recorder_close(*recorder);
        *recorder = NULL;
        return error->code;
    }
    return STATUS_OK;
}

/* All processors except those; all of them if none would be left. */
static void choose_processors(const int *cpus, size_t count, cpu_set_t *set)
{
    CPU_ZERO(set);
    if (sched_getaffinity(getpid(), sizeof *set, set) != 0)
        return;
    cpu_set_t all = *set;
    for (size_t i = 0; i < count; i++)
        if (cpus[i] >= 0 && cpus[i] < CPU_SETSIZE)
            CPU_CLR((size_t)cpus[i], set);
    if (CPU_COUNT(set) == 0)
        *set = all;
}

/* True if the sensor has delivered a value after until_s, or will deliver none. */
static bool has_delivered(struct station *station, double until_s)
{
    pthread_mutex_lock(&station->lock);
    bool done = station->lost || station->latest_s >= until_s;
    pthread_mutex_unlock(&station->lock);
    return done;
}

/* The longest delay of the sensor's value for this moment: some meters report only every few seconds, or many
 * readings at once. */
static double patience(struct station *station)
{
    pthread_mutex_lock(&station->lock);
    double gap_s = fmin(station->gap_s, LONGEST_GAP_S);
    double lag_s = station->lag_s;
    pthread_mutex_unlock(&station->lock);
    return PATIENCE_S + lag_s + 2 * fmax(station->meter->period_s, gap_s);
}

/* Waits until each sensor has delivered a value after the moment, as long as the sensor's delay allows. */
static void await_all(struct recorder *recorder, double moment_s)
{
    for (size_t i = 0; i < recorder->meters->count; i++) {
        struct station *station = &recorder->stations[i];
        double patience_s = clock_now_s() + patience(station);
        while (!has_delivered(station, moment_s) && clock_now_s() < patience_s)
            clock_rest(REST_S / 20);
    }
}

void recorder_hold(struct recorder *recorder, double moment_s, double wait_s)
{
    double end_s = clock_now_s() + wait_s;
    for (size_t i = 0; i < recorder->meters->count; i++)
        while (!has_delivered(&recorder->stations[i], moment_s) && clock_now_s() < end_s)
            clock_rest(REST_S / 20);
    for (size_t i = 0; i < recorder->meters->count; i++)
        pthread_mutex_lock(&recorder->stations[i].lock);
}

void recorder_go_on(struct recorder *recorder)
{
    for (size_t i = 0; i < recorder->meters->count; i++)
        pthread_mutex_unlock(&recorder->stations[i].lock);
}

void recorder_begin(struct recorder *recorder, const int *cpus, size_t count)
{
    cpu_set_t set;
    choose_processors(cpus, count, &set);
    recorder->mark_count = 0;
    for (size_t i = 0; i < recorder->meters->count; i++) {
        struct station *station = &recorder->stations[i];
        pthread_mutex_lock(&station->lock);
        for (size_t j = 0; j < station->meter->count; j++)
            series_clear(&station->series[j]);
        pthread_mutex_unlock(&station->lock);
        if (station->runs && CPU_COUNT(&set) > 0)
            (void)pthread_setaffinity_np(station->thread, sizeof set,
                                         &set); /* on failure the thread stays where it was */
    }
    double now_s = clock_now_s();
    atomic_store(&recorder->recording, true);
    await_all(recorder, now_s);
    for (size_t i = 0; i < recorder->meters->count; i++) {
        struct station *station = &recorder->stations[i];
        pthread_mutex_lock(&station->lock);
        station->gap_s /= 2; /* a single long silence soon loses its effect */
        station->lag_s /= 2;
        pthread_mutex_unlock(&station->lock);
    }
}

void recorder_mark_at(struct recorder *recorder, const char *phase, double t_s)
{
    if (recorder->mark_count == recorder->mark_capacity) {
        size_t capacity = recorder->mark_capacity == 0 ? MARKS_FIRST : recorder->mark_capacity * 2;
        recorder->marks = memory_resized(recorder->marks, capacity, sizeof *recorder->marks);
        recorder->mark_capacity = capacity;
    }
    struct recorder_mark *marks = recorder->marks;
    size_t at = recorder->mark_count++;
    for (; at > 0 && marks[at - 1].t_s > t_s; at--)
        marks[at] = marks[at - 1];
    marks[at].t_s = t_s;
    snprintf(marks[at].phase, sizeof marks[at].phase, "%s", phase);
}

void recorder_mark(struct recorder *recorder, const char *phase)
{
    recorder_mark_at(recorder, phase, clock_now_s());
}

void recorder_end(struct recorder *recorder, double until_s)
{
    await_all(recorder, until_s);
    atomic_store(&recorder->recording, false);
    /* Once its lock is free, the thread has finished adding its sample. */
    for (size_t i = 0; i < recorder->meters->count; i++) {
        pthread_mutex_lock(&recorder->stations[i].lock);
        pthread_mutex_unlock(&recorder->stations[i].lock);
    }
}

const struct sensor_list *recorder_meters(const struct recorder *recorder)
{
    return recorder->meters;
}

const struct series *recorder_series(const struct recorder *recorder, size_t meter, size_t channel)
{
    return &recorder->stations[meter].series[channel];
}

const struct recorder_mark *recorder_marks(const struct recorder *recorder, size_t *count)
{
    *count = recorder->mark_count;
    return recorder->marks;
}

double recorder_latest(struct recorder *recorder, size_t meter, size_t channel)
{
    struct station *station = &recorder->stations[meter];
    pthread_mutex_lock(&station->lock);
    double value = station->values[channel];
    pthread_mutex_unlock(&station->lock);
    return value;
}

struct series_facts recorder_look(struct recorder *recorder, size_t meter, size_t channel)
{
    struct station *station = &recorder->stations[meter];
    pthread_mutex_lock(&station->lock);
    struct series_facts facts = series_look(&station->series[channel]);
    pthread_mutex_unlock(&station->lock);
    return facts;
}

struct series_likeness recorder_compare(struct recorder *recorder, size_t meter, size_t first, size_t second)
{
    struct station *station = &recorder->stations[meter];
    bool counts = station->meter->channels[first].quantity == SENSOR_ENERGY;
    pthread_mutex_lock(&station->lock);
    struct series_likeness likeness =
        series_compare(&station->series[first], &station->series[second], counts);
    pthread_mutex_unlock(&station->lock);
    return likeness;
}

const struct error *recorder_lost(const struct recorder *recorder, size_t meter)
{
    struct station *station = &recorder->stations[meter];
    pthread_mutex_lock(&station->lock);
    bool lost = station->lost;
    pthread_mutex_unlock(&station->lock);
    return lost ? &station->why_lost : NULL;
}

void recorder_drop(struct recorder *recorder, size_t meter, size_t channel, const char *why)
{
    struct station *station = &recorder->stations[meter];
    struct sensor_channel *channels = station->meter->channels;
    bool any = false;
    pthread_mutex_lock(&station->lock);
    snprintf(channels[channel].why_not, sizeof channels[channel].why_not, "%s", why);
    channels[channel].whole = false;
    pthread_mutex_unlock(&station->lock);
    for (size_t i = 0; i < station->meter->count; i++)
        any = any || channels[i].why_not[0] == '\0';
    if (any)
        return;
    end_station(station);
    station->lost = true; /* so that nothing waits for it */
}

void recorder_close(struct recorder *recorder)
{
    if (recorder == NULL)
        return;
    for (size_t i = 0; i < recorder->meters->count; i++)
        if (recorder->stations[i].runs)
            atomic_store(&recorder->stations[i].ends, true); /* so that all end at the same time */
    for (size_t i = 0; i < recorder->meters->count; i++) {
        struct station *station = &recorder->stations[i];
        end_station(station);
        for (size_t j = 0; j < station->meter->count; j++)
            series_free(&station->series[j]);
        free(station->series);
        free(station->values);
        pthread_mutex_destroy(&station->lock);
    }
    free(recorder->stations);
    free(recorder->marks);
    free(recorder);
}
