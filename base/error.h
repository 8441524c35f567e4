/* Errors that tell users how to fix the problem: every function that can fail returns a status and fills a
 * struct error. Nothing below cli/ prints errors. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/* The values are the command's exit codes (DESIGN.md section 3). */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,      /* failed while running */
    STATUS_USAGE = 2,       /* the command line is wrong */
    STATUS_RECIPE = 3,      /* a recipe or machine file is wrong */
    STATUS_UNAVAILABLE = 4, /* hardware, permission or program missing on this machine */
    STATUS_MISSED = 5,      /* a rate missed its target */
};

struct error {
    enum status code;
    int line;           /* 1 and up; 0 if no line applies */
    char file[512];     /* "" if no file applies */
    char message[1024]; /* one sentence: what was found and what was expected */
    char hint[512];     /* how to fix it; may be "" */
    char lacking[832];  /* names of missing counters, separated by ", "; "" for other errors */
};

/* Fills *error with the message (file, line and hint cleared) and returns code. error may be NULL. */
__attribute__((format(printf, 3, 4))) enum status error_set(struct error *error, enum status code,
                                                            const char *format, ...);

/* Adds the location to an error already set. */
void error_at(struct error *error, const char *file, int line);

/* Adds a hint to an error already set. */
__attribute__((format(printf, 2, 3))) void error_hint(struct error *error, const char *format, ...);

/* Puts "prefix: " before the message, to name the benchmark or point. */
__attribute__((format(printf, 2, 3))) void error_prefix(struct error *error, const char *format, ...);

#endif
