/* What the parts of the model "interconnect" share (Adhinarayanan et al. 2016, sections V and VI): points of
 * results that do the same and differ only in how far their data goes, and the table of the model's settings.
 */
#ifndef MODEL_INTERCONNECT_H
#define MODEL_INTERCONNECT_H

#include "model/model.h"

/* One repetition, or the mean of a point's. */
struct interconnect_sample {
    const json_t *point;
    size_t condition; /* samples of one condition differ in distance only; numbered by interconnect_gather */
    size_t group;     /* of its recipe, short and long path alike */
    double distance;  /* mm, or in paths */
    double toggle;    /* flips per bit and transfer, 0 to 1 */
    double bytes_s;   /* across the interconnect; NAN: only its share is told */
    double share;     /* of the peak at the sample's clock, 0 to 1 */
    double hz, volts; /* NAN: not told */
    double scale;     /* f / f_ref * (V / V_ref)^2 */
    double watts;     /* dynamic */
    double static_w;  /* subtracted from what was measured */
    double celsius;   /* NAN: not told */
    size_t reps;
    const char *pattern; /* "" : not told */
};

struct interconnect_samples {
    struct interconnect_sample *items;
    size_t count;
    size_t groups;
    bool mm;                      /* distances are in mm; else long - short is 1 path */
    double ref_hz, ref_volts;     /* NAN: not told */
    double peak;                  /* B/s at ref_hz; NAN: not known */
    double levelled;              /* the most that a sample's rate was off its condition's, as a share */
    bool peak_is_measured;        /* it is the most that was seen, as nobody said what is possible */
    size_t without_energy, alone; /* left out: repetitions, and points */
    size_t unplaced;              /* repetitions that do not tell how far */
    const json_t *unplaced_point; /* the first one's; borrowed */
};

extern const struct model_setting_row interconnect_settings[];

/* The setting, or the model's own value. */
double interconnect_setting(const struct model_settings *settings, const char *name);

/* All repetitions that tell how far, how much, how often toggling and at what power. STATUS_USAGE, with the
 * parameter that is missing and the point that lacks it (of how far: when all lack it); when no two points
 * differ in distance only; when such points move data at different rates. Free
 * in every case. */
enum status interconnect_gather(const struct dataset *dataset, const struct model_settings *settings,
                                struct interconnect_samples *samples, struct error *error);

/* saturation.h: kinds of points, wherever they stand. */
const char *interconnect_label(const struct dataset_row *row, char *buffer);

/* Keeps the samples that have a partner at another distance, and takes their power at one rate; part of
 * interconnect_gather. */
enum status interconnect_keep_pairs(struct interconnect_samples *samples, struct error *error);

/* One sample a point, the mean of its repetitions. Free with interconnect_free. */
struct interconnect_samples interconnect_means(const struct interconnect_samples *samples);

void interconnect_free(struct interconnect_samples *samples);

/* Breaks an application's dynamic power down (interconnect_predict.c). */
enum status interconnect_predict(const json_t *document, const json_t *counters,
                                 const struct model_settings *settings, json_t **result, struct error *error);

#endif
