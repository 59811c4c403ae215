/* What the files that speak to Python share: bind_*.c hold the functions that Python calls, named py_ and the kernel's
 * name. Buffers in, buffers out; the counting itself runs without the interpreter's lock. */
#ifndef BLEU_BINDINGS_H
#define BLEU_BINDINGS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "kernels.h"

/* The module's state: classes and names that it needs again and again. */
typedef struct {
    PyObject *segments_class;
    PyObject *stats_class;
    PyObject *field_count_error;
    PyObject *data_name;
    PyObject *bounds_name;
    PyObject *cast_name;
} State;

/* A buffer that is held, and its bytes: a copy if somebody could write to the buffer while we read without the lock, for
 * room is measured out by a first look at the bytes. */
typedef struct {
    Py_buffer buffer;
    const void *bytes;
    void *copy; /* or NULL */
} Bytes;

/* A `Segments` object with its buffers held. */
typedef struct {
    Bytes data;
    Bytes bounds;
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

State *state_of(PyObject *module);
/* Raise what the outcome, not DONE, stands for; returns NULL. */
PyObject *outcome_error(Outcome outcome);

/* These return 0, or -1 with an exception set and nothing held. */
int bytes_open(PyObject *object, Bytes *bytes);
int texts_open(PyObject *module, PyObject *object, Texts *texts);
int streams_open(PyObject *module, PyObject *sequence, Streams *streams);
int rows_open(PyObject *module, PyObject *object, Rows *rows);
void bytes_close(Bytes *bytes);
void texts_close(Texts *texts);
void streams_close(Streams *streams);
int is_aligned(const void *at, Py_ssize_t size);

/* New bytes for `count` integers; *integers is where they lie. */
PyObject *new_integers(size_t count, int64_t **integers);
/* A new Segments object; steals `bounds`. */
PyObject *new_segments(PyObject *module, PyObject *data, PyObject *bounds);
/* A new SegmentStats object of numbers of a format, "q" or "d"; steals `rows`. */
PyObject *new_stats(PyObject *module, PyObject *rows, const char *format, size_t columns);

PyObject *py_split_lines(PyObject *module, PyObject *arguments);
PyObject *py_strip_trailing(PyObject *module, PyObject *segments);
PyObject *py_drop_empty(PyObject *module, PyObject *segments);
PyObject *py_reference_counts(PyObject *module, PyObject *references);
PyObject *py_tokenize_13a(PyObject *module, PyObject *segments);
PyObject *py_tokenize_zh(PyObject *module, PyObject *segments);
PyObject *py_tokenize_intl(PyObject *module, PyObject *arguments);
PyObject *py_distinct_characters(PyObject *module, PyObject *object);
PyObject *py_tokenize_char(PyObject *module, PyObject *segments);
PyObject *py_count_ending(PyObject *module, PyObject *arguments);
PyObject *py_ngram_stats(PyObject *module, PyObject *arguments);
PyObject *py_chrf_stats(PyObject *module, PyObject *arguments);
PyObject *py_f_score(PyObject *module, PyObject *arguments);
PyObject *py_ter_stats(PyObject *module, PyObject *arguments);
PyObject *py_column_sums(PyObject *module, PyObject *object);
PyObject *py_draw_weights(PyObject *module, PyObject *arguments);
PyObject *py_weighted_sums(PyObject *module, PyObject *arguments);
PyObject *py_swapped_sums(PyObject *module, PyObject *arguments);

#endif
