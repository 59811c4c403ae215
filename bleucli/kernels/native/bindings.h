/* What the files that bind to Python share: bind_*.c hold the functions that Python calls, named py_ and the kernel's
 * name. Buffers in, buffers out; the counting itself runs without the interpreter's lock. */
#ifndef BLEU_BINDINGS_H
#define BLEU_BINDINGS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "kernels.h"

/* The module's state: classes, functions and names that it needs repeatedly. It never changes once it is made, except
 * for `heed_stop`, which is NULL until first needed: most calls are too short to ask. */
typedef struct {
    PyObject *segments_class;
    PyObject *stats_class;
    PyObject *field_count_error;
    PyObject *heed_stop;
    PyObject *data_name;
    PyObject *bounds_name;
    PyObject *cast_name;
    Secrets secrets;
} State;

/* A `Segments` object with its buffers held. */
typedef struct {
    Py_buffer data;
    Py_buffer bounds;
    Segments segments;
} Texts;

/* A sequence of `Segments` of one length. */
typedef struct {
    Texts *texts;
    Segments *segments;
    size_t count;
} Streams;

/* A `SegmentStats` object with its buffer held. */
typedef struct {
    Py_buffer data;
    Stats stats;
} Rows;

/* A kernel's call while it runs without the interpreter's lock. It takes the lock now and then to ask whether to go on;
 * if not, it stops with an exception set. */
typedef struct {
    Call call; /* the first member, so that `ask` can find the rest */
    State *state;
    PyThreadState *thread;
} Run;

/* Python 3.12 and later add floats with a second number that holds the rounding errors. */
#define HAS_COMPENSATED_SUM 0x030C0000

State *state_of(PyObject *module);
/* Set *attribute to an attribute of a module; returns 0 with an exception set if that fails. */
int find(const char *module_name, const char *name, PyObject **attribute);
/* Ask signal handlers, and the thread that waits for this one, whether to go on; if not, an exception is set. */
int heed_stop(State *state);
void run_begin(PyObject *module, Run *run);
/* Returns the outcome, or STOPPED, which overrides any other. */
Outcome run_end(Run *run, Outcome outcome);
/* Raise the exception for an outcome other than DONE; returns NULL. */
PyObject *outcome_error(Outcome outcome);

/* These return 0, or -1 with an exception set and nothing held. They hold a copy if someone could write to the data
 * while we read without the lock: a first pass measures the room that a second one fills. */
int buffer_open(PyObject *object, Py_buffer *buffer);
int texts_open(PyObject *module, PyObject *object, Texts *texts);
int streams_open(PyObject *module, PyObject *sequence, Streams *streams);
int rows_open(PyObject *module, PyObject *object, Rows *rows);
void texts_close(Texts *texts);
void streams_close(Streams *streams);
int is_aligned(const void *at, Py_ssize_t size);

/* Larger orders would need more columns than memory holds. */
#define MAX_ORDER ((Py_ssize_t)1 << 24)
/* Square beta, and check orders as well; both return 0, or -1 with an exception set. The caller sets other options. */
int square_of(PyObject *beta, double *square);
int chrf_options(Py_ssize_t chars, Py_ssize_t words, PyObject *beta, ChrfOptions *options);

/* New bytes with room for `count` integers, at *integers; NULL with an exception set if there is no memory. */
PyObject *new_integers(size_t count, int64_t **integers);
/* A new Segments object; steals `bounds`. */
PyObject *new_segments(PyObject *module, PyObject *data, PyObject *bounds);
/* A new SegmentStats object of numbers of a format, "q" or "d"; steals `rows`. */
PyObject *new_stats(PyObject *module, PyObject *rows, const char *format, size_t columns);

/* METH_O gives a function its only argument, METH_VARARGS a tuple of them. */
#define KERNEL(name, flags, parameters, summary) PyObject *py_##name(PyObject *module, PyObject *arguments);
#include "functions.h"
#undef KERNEL

#endif
