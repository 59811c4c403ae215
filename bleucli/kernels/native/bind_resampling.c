/* Resampling as Python functions. */
#include "bindings.h"

/* Room for rows of sums, as a Python object and as what the kernels fill. */
typedef struct {
    PyObject *bytes;
    Sums sums;
} Room;

static int room_open(const Stats *stats, size_t trials, Room *room)
{
    int64_t *numbers;
    if (trials > SIZE_MAX / (2 * sizeof *numbers) / stats->columns) { /* kernels may need twice the room */
        PyErr_NoMemory();
        return -1;
    }
    room->bytes = new_integers(trials * stats->columns, &numbers);
    room->sums = (Sums){numbers, stats->reals != NULL ? (double *)(void *)numbers : NULL};
    return room->bytes != NULL ? 0 : -1;
}

/* The rows as a SegmentStats object, or the outcome as an exception; the room is used up. */
static PyObject *room_stats(PyObject *module, Room room, Outcome outcome, const Stats *stats)
{
    if (outcome != DONE) {
        Py_DECREF(room.bytes);
        return outcome_error(outcome);
    }
    return new_stats(module, room.bytes, stats->reals != NULL ? "d" : "q", stats->columns);
}

/* --- draws -------------------------------------------------------------------------------------------------------- */

static int words_open(PyObject *object, Py_buffer *words)
{
    if (PyObject_GetBuffer(object, words, PyBUF_SIMPLE) != 0) {
        return -1;
    }
    if (words->len % 8 != 0 || !is_aligned(words->buf, words->len)) {
        PyBuffer_Release(words);
        PyErr_SetString(PyExc_ValueError, "random numbers are not 64-bit words");
        return -1;
    }
    return 0;
}

/* A tuple of weights and the next half, or None; takes over the weights. */
static PyObject *drawn(PyObject *weights, Outcome outcome, size_t half)
{
    if (outcome == DONE) {
        return Py_BuildValue("Nn", weights, (Py_ssize_t)half);
    }
    Py_DECREF(weights);
    if (outcome == TOO_FEW) {
        return Py_NewRef(Py_None);
    }
    if (outcome != TOO_LARGE) {
        return outcome_error(outcome);
    }
    PyErr_SetString(PyExc_OverflowError, "a segment was drawn more than 255 times");
    return NULL;
}

static PyObject *draw(PyObject *module, const Py_buffer *words, Py_ssize_t half, Py_ssize_t segments,
                      Py_ssize_t resamples)
{
    if (half < 0 || segments < 1 || resamples < 0 || segments > UINT32_MAX) {
        return PyErr_Format(PyExc_ValueError,
                            "%zd resamples of %zd segments from half %zd on; expected at least 0, 1 and 0,"
                            " and at most 4294967295 segments",
                            resamples, segments, half);
    }
    if (resamples > PY_SSIZE_T_MAX / segments) {
        return PyErr_NoMemory();
    }
    PyObject *weights = PyBytes_FromStringAndSize(NULL, segments * resamples);
    if (weights == NULL) {
        return NULL;
    }
    size_t next = (size_t)half;
    Words random = {words->buf, (size_t)words->len / 8};
    Run run;
    unsigned char *room = (unsigned char *)PyBytes_AsString(weights);
    run_begin(module, &run);
    Outcome outcome = draw_weights(random, &next, (size_t)segments, (size_t)resamples, room, &run.call);
    outcome = run_end(&run, outcome);
    return drawn(weights, outcome, next);
}

PyObject *py_draw_weights(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    Py_ssize_t half, segments, resamples;
    Py_buffer words;
    if (!PyArg_ParseTuple(arguments, "Onnn:draw_weights", &object, &half, &segments, &resamples) ||
        words_open(object, &words) != 0) {
        return NULL;
    }
    PyObject *result = draw(module, &words, half, segments, resamples);
    PyBuffer_Release(&words);
    return result;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

static PyObject *weigh(PyObject *module, const Stats *stats, const Py_buffer *weights)
{
    size_t count = (size_t)weights->len, resamples = stats->rows != 0 ? count / stats->rows : 0;
    if (resamples * stats->rows != count) {
        PyErr_SetString(PyExc_ValueError, "weights are not one byte per row and resample");
        return NULL;
    }
    Room room;
    if (room_open(stats, resamples, &room) != 0) {
        return NULL;
    }
    Run run;
    run_begin(module, &run);
    Outcome outcome = run_end(&run, weighted_sums(*stats, weights->buf, resamples, room.sums, &run.call));
    return room_stats(module, room, outcome, stats);
}

PyObject *py_weighted_sums(PyObject *module, PyObject *arguments)
{
    PyObject *object, *weights_object, *result = NULL;
    Rows rows;
    Py_buffer weights;
    if (!PyArg_ParseTuple(arguments, "OO:weighted_sums", &object, &weights_object) ||
        rows_open(module, object, &rows) != 0) {
        return NULL;
    }
    if (PyObject_GetBuffer(weights_object, &weights, PyBUF_SIMPLE) == 0) {
        result = weigh(module, &rows.stats, &weights);
        PyBuffer_Release(&weights);
    }
    PyBuffer_Release(&rows.data);
    return result;
}

static PyObject *swap(PyObject *module, const Stats *left, const Stats *right, Swaps swaps)
{
    Room sums, others;
    if (room_open(left, swaps.trials, &sums) != 0) {
        return NULL;
    }
    if (room_open(left, swaps.trials, &others) != 0) {
        Py_DECREF(sums.bytes);
        return NULL;
    }
    Run run;
    run_begin(module, &run);
    Outcome outcome = run_end(&run, swapped_sums(*left, *right, swaps, sums.sums, others.sums, &run.call));
    if (outcome != DONE) {
        Py_DECREF(sums.bytes);
        Py_DECREF(others.bytes);
        return outcome_error(outcome);
    }
    PyObject *one = room_stats(module, sums, DONE, left);
    if (one == NULL) {
        Py_DECREF(others.bytes);
        return NULL;
    }
    PyObject *other = room_stats(module, others, DONE, left);
    if (other == NULL) {
        Py_DECREF(one);
        return NULL;
    }
    return Py_BuildValue("NN", one, other);
}

static PyObject *swap_checked(PyObject *module, const Stats *left, const Stats *right, const Py_buffer *words,
                              Py_ssize_t first, Py_ssize_t trials)
{
    if (left->rows != right->rows || left->columns != right->columns || !left->reals != !right->reals) {
        PyErr_SetString(PyExc_ValueError, "the two systems' statistics differ in metric or length; expected the same");
        return NULL;
    }
    size_t rows = left->rows != 0 ? left->rows : 1, bits = (size_t)words->len * 8;
    if (first < 0 || trials < 0 || (size_t)first > bits || (size_t)trials > (bits - (size_t)first) / rows) {
        return PyErr_Format(PyExc_ValueError, "%zd trials from bit %zd on need more random bits than there are", trials,
                            first);
    }
    return swap(module, left, right, (Swaps){words->buf, (size_t)first, (size_t)trials});
}

PyObject *py_swapped_sums(PyObject *module, PyObject *arguments)
{
    PyObject *left_object, *right_object, *words_object, *result = NULL;
    Py_ssize_t first, trials;
    Rows left, right;
    Py_buffer words;
    if (!PyArg_ParseTuple(arguments, "OOOnn:swapped_sums", &left_object, &right_object, &words_object, &first,
                          &trials) ||
        rows_open(module, left_object, &left) != 0) {
        return NULL;
    }
    if (rows_open(module, right_object, &right) == 0) {
        if (words_open(words_object, &words) == 0) {
            result = swap_checked(module, &left.stats, &right.stats, &words, first, trials);
            PyBuffer_Release(&words);
        }
        PyBuffer_Release(&right.data);
    }
    PyBuffer_Release(&left.data);
    return result;
}
