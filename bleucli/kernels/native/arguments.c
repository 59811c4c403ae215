/* From Python objects to buffers and back. */
#include "bindings.h"

State *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

PyObject *outcome_error(Outcome outcome)
{
    if (outcome == TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError, "a sum of statistics does not fit into 64 bits");
        return NULL;
    }
    return PyErr_NoMemory();
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

int buffer_of(PyObject *object, PyObject *attribute, int flags, Py_buffer *buffer)
{
    PyObject *value = PyObject_GetAttr(object, attribute);
    if (value == NULL) {
        return -1;
    }
    int failed = PyObject_GetBuffer(value, buffer, flags);
    Py_DECREF(value);
    return failed;
}

int is_aligned(const Py_buffer *buffer)
{
    return buffer->len == 0 || (uintptr_t)buffer->buf % sizeof(int64_t) == 0;
}

static int bounds_are_sound(const Texts *texts)
{
    if (texts->bounds.len % 16 != 0 || !is_aligned(&texts->bounds)) {
        return 0;
    }
    const int64_t *bounds = texts->bounds.buf;
    for (Py_ssize_t i = 0; i < texts->bounds.len / 8; i += 2) {
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
    static const unsigned char nothing[1] = {0};
    if (buffer_of(object, state_of(module)->data_name, PyBUF_SIMPLE, &texts->data) != 0) {
        return -1;
    }
    if (buffer_of(object, state_of(module)->bounds_name, PyBUF_SIMPLE, &texts->bounds) != 0) {
        PyBuffer_Release(&texts->data);
        return -1;
    }
    if (!bounds_are_sound(texts)) {
        texts_close(texts);
        PyErr_SetString(PyExc_ValueError, "Segments whose bounds do not lie within their data");
        return -1;
    }
    texts->segments.data = texts->data.buf != NULL ? texts->data.buf : nothing;
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
    if (columns_of(object, &columns) != 0 ||
        buffer_of(object, state_of(module)->data_name, PyBUF_CONTIG_RO | PyBUF_FORMAT, &rows->data) != 0) {
        return -1;
    }
    const Py_buffer *data = &rows->data;
    if (columns < 1 || data->itemsize != 8 || (data->len / 8) % columns != 0 || !is_aligned(data)) {
        PyBuffer_Release(&rows->data);
        PyErr_SetString(PyExc_ValueError, "SegmentStats whose data are no rows of 64-bit numbers");
        return -1;
    }
    int reals = data->format != NULL && data->format[0] == 'd';
    rows->stats = (Stats){data->buf, reals ? data->buf : NULL, (size_t)(data->len / 8 / columns), (size_t)columns};
    return 0;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

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
    PyObject *bytes = PyMemoryView_FromObject(rows), *stats = NULL;
    Py_DECREF(rows);
    PyObject *numbers = bytes != NULL ? PyObject_CallMethod(bytes, "cast", "s", format) : NULL;
    Py_XDECREF(bytes);
    if (numbers != NULL) {
        stats = PyObject_CallFunction(state_of(module)->stats_class, "On", numbers, (Py_ssize_t)columns);
        Py_DECREF(numbers);
    }
    return stats;
}
