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

int is_aligned(const void *at, Py_ssize_t size)
{
    return size == 0 || (uintptr_t)at % sizeof(int64_t) == 0;
}

/* Whether somebody can write to a buffer; a read-only view may be one of memory that is not. */
static int is_writable(const Py_buffer *buffer)
{
    if (!buffer->readonly || buffer->obj == NULL || !PyMemoryView_Check(buffer->obj)) {
        return !buffer->readonly;
    }
    int writable = 1;
    Py_buffer whole;
    PyObject *owner = PyObject_GetAttrString(buffer->obj, "obj");
    if (owner != NULL && PyObject_GetBuffer(owner, &whole, PyBUF_SIMPLE) == 0) {
        writable = !whole.readonly;
        PyBuffer_Release(&whole);
    }
    PyErr_Clear();
    Py_XDECREF(owner);
    return writable;
}

void bytes_close(Bytes *bytes)
{
    PyBuffer_Release(&bytes->buffer);
    release(bytes->copy);
}

int bytes_open(PyObject *object, Bytes *bytes)
{
    static const int64_t nothing[1] = {0};
    if (PyObject_GetBuffer(object, &bytes->buffer, PyBUF_SIMPLE) != 0) {
        return -1;
    }
    bytes->bytes = bytes->buffer.buf != NULL ? bytes->buffer.buf : nothing;
    bytes->copy = NULL;
    if (!is_writable(&bytes->buffer)) {
        return 0;
    }
    bytes->copy = allocate((size_t)bytes->buffer.len, 1);
    if (bytes->copy == NULL) {
        bytes_close(bytes);
        PyErr_NoMemory();
        return -1;
    }
    bytes->bytes = memcpy(bytes->copy, bytes->bytes, (size_t)bytes->buffer.len);
    return 0;
}

static int attribute_open(PyObject *object, PyObject *attribute, Bytes *bytes)
{
    PyObject *value = PyObject_GetAttr(object, attribute);
    if (value == NULL) {
        return -1;
    }
    int failed = bytes_open(value, bytes);
    Py_DECREF(value);
    return failed;
}

static int bounds_are_sound(const Texts *texts)
{
    Py_ssize_t size = texts->bounds.buffer.len;
    const int64_t *bounds = texts->bounds.bytes;
    if (size % 16 != 0 || !is_aligned(bounds, size)) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < size / 8; i += 2) {
        int missing = bounds[i] == -1 && bounds[i + 1] == -1;
        if (!missing && (bounds[i] < 0 || bounds[i] > bounds[i + 1] || bounds[i + 1] > texts->data.buffer.len)) {
            return 0;
        }
    }
    return 1;
}

void texts_close(Texts *texts)
{
    bytes_close(&texts->data);
    bytes_close(&texts->bounds);
}

int texts_open(PyObject *module, PyObject *object, Texts *texts)
{
    if (attribute_open(object, state_of(module)->data_name, &texts->data) != 0) {
        return -1;
    }
    if (attribute_open(object, state_of(module)->bounds_name, &texts->bounds) != 0) {
        bytes_close(&texts->data);
        return -1;
    }
    if (!bounds_are_sound(texts)) {
        texts_close(texts);
        PyErr_SetString(PyExc_ValueError, "Segments whose bounds do not lie within their data");
        return -1;
    }
    texts->segments.data = texts->data.bytes;
    texts->segments.bounds = texts->bounds.bytes;
    texts->segments.count = (size_t)texts->bounds.buffer.len / 16;
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
    PyObject *numbers = columns_of(object, &columns) == 0 ? PyObject_GetAttr(object, state_of(module)->data_name) : NULL;
    int failed = numbers == NULL || PyObject_GetBuffer(numbers, &rows->data, PyBUF_CONTIG_RO | PyBUF_FORMAT) != 0;
    Py_XDECREF(numbers);
    if (failed) {
        return -1;
    }
    const Py_buffer *data = &rows->data;
    int reals = data->format != NULL && strcmp(data->format, "d") == 0;
    int integers = data->format != NULL && strcmp(data->format, "q") == 0;
    if (columns < 1 || !(reals || integers) || data->len / 8 % columns != 0 || !is_aligned(data->buf, data->len)) {
        PyBuffer_Release(&rows->data);
        PyErr_SetString(PyExc_ValueError, "SegmentStats whose data are no rows of 64-bit numbers");
        return -1;
    }
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
