/* Counts and sums as Python functions. */
#include "bindings.h"

static PyObject *count_ngrams(PyObject *module, Segments hypotheses, const Streams *references, size_t max_order)
{
    if (references->count != 0 && references->segments[0].count != hypotheses.count) {
        PyErr_SetString(PyExc_ValueError, "streams of different lengths");
        return NULL;
    }
    size_t columns = 2 + 2 * max_order;
    if (hypotheses.count != 0 && columns > SIZE_MAX / hypotheses.count) {
        return PyErr_NoMemory();
    }
    int64_t *rows = NULL;
    PyObject *bytes = new_integers(hypotheses.count * columns, &rows);
    if (bytes == NULL) {
        return NULL;
    }
    Outcome outcome;
    Py_BEGIN_ALLOW_THREADS
    outcome = ngram_stats(hypotheses, references->segments, references->count, max_order, rows);
    Py_END_ALLOW_THREADS
    if (outcome != DONE) {
        Py_DECREF(bytes);
        return outcome_error(outcome);
    }
    return new_stats(module, bytes, columns);
}

PyObject *py_ngram_stats(PyObject *module, PyObject *arguments)
{
    PyObject *object, *sequence, *result = NULL;
    Py_ssize_t max_order;
    Texts hypotheses;
    Streams references;
    if (!PyArg_ParseTuple(arguments, "OOn:ngram_stats", &object, &sequence, &max_order)) {
        return NULL;
    }
    if (max_order < 1) {
        return PyErr_Format(PyExc_ValueError, "max_order %zd; expected at least 1", max_order);
    }
    if (texts_open(module, object, &hypotheses) != 0) {
        return NULL;
    }
    if (streams_open(module, sequence, &references) == 0) {
        result = count_ngrams(module, hypotheses.segments, &references, (size_t)max_order);
        streams_close(&references);
    }
    texts_close(&hypotheses);
    return result;
}

static PyObject *tuple_of_sums(const Stats *stats, const int64_t *integers, const double *reals)
{
    PyObject *sums = PyTuple_New((Py_ssize_t)stats->columns);
    for (size_t column = 0; sums != NULL && column < stats->columns; column++) {
        PyObject *sum =
            stats->reals != NULL ? PyFloat_FromDouble(reals[column]) : PyLong_FromLongLong(integers[column]);
        if (sum == NULL || PyTuple_SetItem(sums, (Py_ssize_t)column, sum) != 0) {
            Py_CLEAR(sums);
        }
    }
    return sums;
}

static PyObject *sum_columns(const Stats *stats)
{
    int64_t *integers = allocate(stats->columns, sizeof *integers);
    double *reals = allocate(stats->columns, sizeof *reals);
    Outcome outcome = NO_MEMORY;
    if (integers != NULL && reals != NULL) {
        Py_BEGIN_ALLOW_THREADS
        outcome = column_sums(*stats, integers, reals);
        Py_END_ALLOW_THREADS
    }
    PyObject *result = outcome == DONE ? tuple_of_sums(stats, integers, reals) : outcome_error(outcome);
    release(integers);
    release(reals);
    return result;
}

PyObject *py_column_sums(PyObject *module, PyObject *object)
{
    PyObject *width = PyObject_GetAttrString(object, "columns");
    if (width == NULL) {
        return NULL;
    }
    Py_ssize_t columns = PyLong_AsSsize_t(width);
    Py_DECREF(width);
    if (columns == -1 && PyErr_Occurred() != NULL) {
        return NULL;
    }
    Py_buffer data;
    if (buffer_of(object, state_of(module)->data_name, PyBUF_CONTIG_RO | PyBUF_FORMAT, &data) != 0) {
        return NULL;
    }
    PyObject *result = NULL;
    int reals = data.format != NULL && data.format[0] == 'd';
    if (columns < 1 || data.itemsize != 8 || (data.len / 8) % columns != 0 || !is_aligned(&data)) {
        PyErr_SetString(PyExc_ValueError, "SegmentStats whose data are no rows of 64-bit numbers");
    }
    else {
        Stats stats = {data.buf, reals ? data.buf : NULL, (size_t)(data.len / 8 / columns), (size_t)columns};
        result = sum_columns(&stats);
    }
    PyBuffer_Release(&data);
    return result;
}
