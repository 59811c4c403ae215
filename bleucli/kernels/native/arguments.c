/* From Python objects to buffers and back. */
#include "bindings.h"

State *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

/* --- running ----------------------------------------------------------------------------------------------------- */

/* Find the function to ask, once; the import may release the lock, so another thread may find it meanwhile. Returns 0
 * with an exception set if that fails. */
static int find_heed_stop(State *state)
{
    PyObject *found;
    if (state->heed_stop != NULL) {
        return 1;
    }
    if (!find("bleucli.kernels.stopping", "heed_stop", &found)) {
        return 0;
    }
    if (state->heed_stop == NULL) {
        state->heed_stop = found;
    } else {
        Py_DECREF(found);
    }
    return 1;
}

int heed_stop(State *state)
{
    int asked = PyErr_CheckSignals() == 0 && find_heed_stop(state);
    PyObject *answer = asked ? PyObject_CallNoArgs(state->heed_stop) : NULL;
#ifdef BLEU_FAIL_ALLOCATIONS
    if (questions_before_stop >= 0 && questions_before_stop-- == 0) {
        Py_CLEAR(answer);
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
#endif
    int goes_on = answer != NULL;
    Py_XDECREF(answer);
    return goes_on;
}

static int ask(Call *call)
{
    Run *run = (Run *)(void *)call;
    PyEval_RestoreThread(run->thread);
    int goes_on = heed_stop(run->state);
    run->thread = PyEval_SaveThread();
    return goes_on;
}

void run_begin(PyObject *module, Run *run)
{
    run->state = state_of(module);
    run->call = (Call){run->state->secrets, CREDIT, ask, 0};
    run->thread = PyEval_SaveThread();
}

Outcome run_end(Run *run, Outcome outcome)
{
    PyEval_RestoreThread(run->thread);
    return run->call.stopped ? STOPPED : outcome;
}

PyObject *outcome_error(Outcome outcome)
{
    if (outcome == STOPPED) { /* with an exception set */
        return NULL;
    }
    if (outcome == TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError, "a sum of statistics does not fit into 64 bits");
        return NULL;
    }
    return PyErr_NoMemory();
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

int is_aligned(const void *at, Py_ssize_t size)
{
    return size == 0 || (uintptr_t)at % sizeof(int64_t) == 0;
}

/* Whether no one can write to a buffer: it belongs to `bytes`, or is a view (of a view ...) of `bytes`. A read-only
 * buffer may still show memory that others can write to: an array of NumPy or Arrow, a mapped file. */
static int is_immutable(const Py_buffer *buffer)
{
    PyObject *owner = Py_XNewRef(buffer->obj);
    while (owner != NULL && PyMemoryView_Check(owner)) {
        PyObject *view = owner;
        owner = PyObject_GetAttrString(view, "obj");
        Py_DECREF(view);
    }
    if (owner == NULL) {
        PyErr_Clear(); /* whatever the error, the buffer is copied */
        return 0;
    }
    int immutable = PyBytes_CheckExact(owner);
    Py_DECREF(owner);
    return immutable;
}

/* If others may write to a buffer, replace it with a copy. Returns 0, or -1 with an exception set and nothing held. */
static int make_immutable(Py_buffer *buffer)
{
    if (is_immutable(buffer)) {
        return 0;
    }
    PyObject *copy = PyBytes_FromStringAndSize(buffer->buf, buffer->len);
    PyBuffer_Release(buffer);
    int failed = copy == NULL || PyObject_GetBuffer(copy, buffer, PyBUF_SIMPLE) != 0;
    Py_XDECREF(copy);
    return failed ? -1 : 0;
}

int buffer_open(PyObject *object, Py_buffer *buffer)
{
    return PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE) == 0 ? make_immutable(buffer) : -1;
}

static int attribute_open(PyObject *object, PyObject *attribute, Py_buffer *buffer)
{
    PyObject *value = PyObject_GetAttr(object, attribute);
    if (value == NULL) {
        return -1;
    }
    int failed = buffer_open(value, buffer);
    Py_DECREF(value);
    return failed;
}

static int bounds_are_sound(const Texts *texts)
{
    Py_ssize_t size = texts->bounds.len;
    const int64_t *bounds = texts->bounds.buf;
    if (size % 16 != 0 || !is_aligned(bounds, size)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < size / 8; i += 2) {
        int missing = bounds[i] == -1 && bounds[i + 1] == -1;
        if (!missing && (bounds[i] < 0 || bounds[i] > bounds[i + 1] || bounds[i + 1] > texts->data.len)) {
            return 0;
        }
    }
    return 1;
}

void texts_close(Texts *texts)
{
    PyBuffer_Release(&texts->data);
    PyBuffer_Release(&texts->bounds);
}

int texts_open(PyObject *module, PyObject *object, Texts *texts)
{
    if (attribute_open(object, state_of(module)->data_name, &texts->data) != 0) {
        return -1;
    }
    if (attribute_open(object, state_of(module)->bounds_name, &texts->bounds) != 0) {
        PyBuffer_Release(&texts->data);
        return -1;
    }
    if (!bounds_are_sound(texts)) {
        texts_close(texts);
        PyErr_SetString(PyExc_ValueError, "the bounds of Segments are not within their data");
        return -1;
    }
    texts->segments.data = texts->data.buf;
    texts->segments.bounds = texts->bounds.buf;
    texts->segments.count = (size_t)texts->bounds.len / 16;
    return 0;
}

void streams_close(Streams *streams)
{
    for (size_t i = 0; i < streams->count; i++) {
        texts_close(&streams->texts[i]);
    }
    release(streams->texts);
    release(streams->segments);
}

static int streams_add(PyObject *module, Streams *streams, PyObject *object)
{
    if (texts_open(module, object, &streams->texts[streams->count]) != 0) {
        return -1;
    }
    streams->segments[streams->count] = streams->texts[streams->count].segments;
    streams->count++;
    if (streams->segments[streams->count - 1].count != streams->segments[0].count) {
        PyErr_SetString(PyExc_ValueError, "streams of different lengths");
        return -1;
    }
    return 0;
}

int streams_open(PyObject *module, PyObject *sequence, Streams *streams)
{
    Py_ssize_t wanted = PySequence_Size(sequence);
    *streams = (Streams){NULL, NULL, 0};
    if (wanted < 0) {
        return -1;
    }
    streams->texts = allocate((size_t)wanted, sizeof *streams->texts);
    streams->segments = allocate((size_t)wanted, sizeof *streams->segments);
    int failed = streams->texts == NULL || streams->segments == NULL;
    if (failed) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < wanted && !failed; i++) {
        PyObject *object = PySequence_GetItem(sequence, i);
        failed = object == NULL || streams_add(module, streams, object) != 0;
        Py_XDECREF(object);
    }
    if (failed) {
        streams_close(streams);
    }
    return failed ? -1 : 0;
}

static int columns_of(PyObject *object, Py_ssize_t *columns)
{
    PyObject *width = PyObject_GetAttrString(object, "columns");
    if (width == NULL) {
        return -1;
    }
    *columns = PyLong_AsSsize_t(width);
    Py_DECREF(width);
    return *columns == -1 && PyErr_Occurred() != NULL ? -1 : 0;
}

int rows_open(PyObject *module, PyObject *object, Rows *rows)
{
    Py_ssize_t columns;
    PyObject *numbers =
        columns_of(object, &columns) == 0 ? PyObject_GetAttr(object, state_of(module)->data_name) : NULL;
    int failed = numbers == NULL || PyObject_GetBuffer(numbers, &rows->data, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0;
    Py_XDECREF(numbers);
    if (failed) {
        return -1;
    }
    Py_buffer *data = &rows->data;
    int reals = data->format != NULL && strcmp(data->format, "d") == 0;
    int integers = data->format != NULL && strcmp(data->format, "q") == 0;
    if (columns < 1 || !(reals || integers) || data->len / 8 % columns != 0 || !is_aligned(data->buf, data->len)) {
        PyBuffer_Release(&rows->data);
        PyErr_SetString(PyExc_ValueError, "the data of SegmentStats are not rows of 64-bit numbers");
        return -1;
    }
    if (make_immutable(data) != 0) {
        return -1;
    }
    rows->stats = (Stats){data->buf, reals ? data->buf : NULL, (size_t)(data->len / 8 / columns), (size_t)columns};
    return 0;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

/* CPython aligns the content of bytes so that integers can lie there. */
PyObject *new_integers(size_t count, int64_t **integers)
{
    if (count > (size_t)PY_SSIZE_T_MAX / sizeof(int64_t)) {
        return PyErr_NoMemory();
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int64_t)));
    *integers = bytes != NULL ? (int64_t *)(void *)PyBytes_AsString(bytes) : NULL;
    return bytes;
}

PyObject *new_segments(PyObject *module, PyObject *data, PyObject *bounds)
{
    PyObject *segments = PyObject_CallFunctionObjArgs(state_of(module)->segments_class, data, bounds, NULL);
    Py_DECREF(bounds);
    return segments;
}

PyObject *new_stats(PyObject *module, PyObject *rows, const char *format, size_t columns)
{
    const State *state = state_of(module);
    PyObject *bytes = PyMemoryView_FromObject(rows), *kind = PyUnicode_FromStringAndSize(format, 1);
    PyObject *width = PyLong_FromSize_t(columns), *numbers = NULL, *stats = NULL;
    Py_DECREF(rows);
    if (bytes != NULL && kind != NULL && width != NULL) {
        numbers = PyObject_CallMethodObjArgs(bytes, state->cast_name, kind, NULL);
    }
    if (numbers != NULL) {
        stats = PyObject_CallFunctionObjArgs(state->stats_class, numbers, width, NULL);
    }
    Py_XDECREF(bytes);
    Py_XDECREF(kind);
    Py_XDECREF(width);
    Py_XDECREF(numbers);
    return stats;
}
