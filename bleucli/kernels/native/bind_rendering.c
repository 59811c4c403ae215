/* Rows of texts and numbers as Python functions. Python's own objects hold the texts, so all of this runs with the
 * interpreter's lock. */
#include "bindings.h"

#include <math.h>

/* The most bytes that a number takes, apart from those that Python writes. */
#define NUMBER_ROOM 24

/* What every row has at one place: one text, a list of a text for each row, or a column of numbers. */
typedef struct {
    PyObject *text, *texts; /* borrowed */
    Py_buffer numbers;
    int decimals;
} Piece;

typedef struct {
    Piece *pieces;
    size_t count;
    Py_ssize_t rows; /* -1 until a column says how many */
    size_t row_room; /* what a row takes at most, apart from lists and from numbers that Python writes */
} Pieces;

/* Memory that grows. */
typedef struct {
    char *memory;
    size_t used, room;
} Output;

/* --- output ------------------------------------------------------------------------------------------------------ */

/* Where the next bytes go, with room for `size` of them; NULL with an exception set if there is no memory. */
static char *reserve(Output *out, size_t size)
{
    if (size > out->room - out->used) {
        size_t room = size < SIZE_MAX / 4 - out->used ? 2 * (out->used + size) : SIZE_MAX;
        char *memory = allocate(room, 1);
        if (memory == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        memcpy(memory, out->memory, out->used);
        release(out->memory);
        out->memory = memory;
        out->room = room;
    }
    return out->memory + out->used;
}

static int write_bytes(Output *out, const char *bytes, size_t size)
{
    char *at = reserve(out, size);
    if (at == NULL) {
        return -1;
    }
    memcpy(at, bytes, size);
    out->used += size;
    return 0;
}

static int write_text(Output *out, PyObject *text)
{
    char *bytes;
    Py_ssize_t size;
    return PyBytes_AsStringAndSize(text, &bytes, &size) == 0 ? write_bytes(out, bytes, (size_t)size) : -1;
}

static int write_real(Output *out, double number, int decimals)
{
    char *at = reserve(out, NUMBER_ROOM);
    if (at == NULL) {
        return -1;
    }
    size_t size = decimals >= 0 ? write_fixed(number, (size_t)decimals, at) : write_shortest(number, at);
    out->used += size;
    if (size != 0) {
        return 0;
    }
    if (decimals < 0 && !isfinite(number)) { /* as json writes them */
        const char *word = isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
        return write_bytes(out, word, strlen(word));
    }
    char *text = decimals >= 0 ? PyOS_double_to_string(number, 'f', decimals, 0, NULL)
                               : PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    int failed = text == NULL || write_bytes(out, text, strlen(text)) != 0;
    PyMem_Free(text);
    return failed ? -1 : 0;
}

static int write_integer(Output *out, int64_t number)
{
    char *at = reserve(out, NUMBER_ROOM);
    if (at == NULL) {
        return -1;
    }
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    if (number < 0) {
        *at++ = '-';
        out->used++;
    }
    out->used += write_digits(size, 0, at);
    return 0;
}

static int write_number(Output *out, const Piece *piece, Py_ssize_t row)
{
    const char *at = (const char *)piece->numbers.buf + row * piece->numbers.strides[0];
    if (*piece->numbers.format == 'd') {
        double number;
        memcpy(&number, at, sizeof number);
        return write_real(out, number, piece->decimals);
    }
    int64_t number;
    if (*piece->numbers.format == 'q') {
        memcpy(&number, at, sizeof number);
    }
    else {
        int narrow;
        memcpy(&narrow, at, sizeof narrow);
        number = narrow;
    }
    return write_integer(out, number);
}

static int write_piece(Output *out, const Piece *piece, Py_ssize_t row)
{
    if (piece->text != NULL) {
        return write_text(out, piece->text);
    }
    if (piece->texts == NULL) {
        return write_number(out, piece, row);
    }
    PyObject *text = PyList_GetItem(piece->texts, row);
    return text != NULL ? write_text(out, text) : -1;
}

/* --- pieces ------------------------------------------------------------------------------------------------------ */

static int take_rows(Pieces *pieces, Py_ssize_t rows)
{
    if (pieces->rows >= 0 && pieces->rows != rows) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        return -1;
    }
    pieces->rows = rows;
    return 0;
}

/* The formats of numbers, as the module struct names them. */
static int is_format(const char *format)
{
    return format != NULL && strchr("dqi", *format) != NULL && *format != '\0' && format[1] == '\0';
}

static int take_numbers(Pieces *pieces, PyObject *pair, Piece *piece)
{
    PyObject *numbers;
    if (!PyArg_ParseTuple(pair, "Oi:render_rows", &numbers, &piece->decimals) ||
        PyObject_GetBuffer(numbers, &piece->numbers, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
        return -1;
    }
    pieces->count++; /* from now on, the buffer is to be released */
    pieces->row_room += NUMBER_ROOM;
    if (!is_format(piece->numbers.format) || piece->numbers.ndim != 1) {
        PyErr_SetString(PyExc_ValueError, "expected columns of integers or doubles");
        return -1;
    }
    return take_rows(pieces, piece->numbers.shape[0]);
}

static int take_piece(Pieces *pieces, PyObject *object)
{
    Piece *piece = &pieces->pieces[pieces->count];
    memset(piece, 0, sizeof *piece);
    if (PyTuple_Check(object)) {
        return take_numbers(pieces, object, piece);
    }
    pieces->count++;
    if (PyList_Check(object)) {
        piece->texts = object;
        return take_rows(pieces, PyList_Size(object));
    }
    if (PyBytes_Check(object)) {
        piece->text = object;
        pieces->row_room += (size_t)PyBytes_Size(object);
        return 0;
    }
    PyErr_SetString(PyExc_TypeError, "expected bytes, lists and tuples");
    return -1;
}

static void pieces_close(Pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        if (pieces->pieces[i].numbers.obj != NULL) {
            PyBuffer_Release(&pieces->pieces[i].numbers);
        }
    }
    release(pieces->pieces);
}

/* objects: a tuple, which keeps what the pieces borrow. */
static int pieces_open(PyObject *objects, Pieces *pieces)
{
    size_t count = (size_t)PyTuple_Size(objects);
    *pieces = (Pieces){allocate(count, sizeof *pieces->pieces), 0, -1, 1};
    if (pieces->pieces == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = take_piece(pieces, PyTuple_GetItem(objects, (Py_ssize_t)i)) != 0;
    }
    if (!failed && pieces->rows < 0) {
        PyErr_SetString(PyExc_ValueError, "no column; expected at least one");
        failed = 1;
    }
    if (failed) {
        pieces_close(pieces);
    }
    return failed ? -1 : 0;
}

PyObject *py_render_rows(PyObject *module, PyObject *sequence)
{
    Pieces pieces;
    PyObject *objects = PySequence_Tuple(sequence);
    if (objects == NULL) {
        return NULL;
    }
    if (pieces_open(objects, &pieces) != 0) {
        Py_DECREF(objects);
        return NULL;
    }
    size_t rows = (size_t)pieces.rows;
    Output out = {allocate(rows, pieces.row_room), 0, rows * pieces.row_room};
    int failed = out.memory == NULL;
    if (failed) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t row = 0; row < pieces.rows && !failed; row++) {
        for (size_t i = 0; i < pieces.count && !failed; i++) {
            failed = write_piece(&out, &pieces.pieces[i], row) != 0;
        }
        failed = failed || (row % (Py_ssize_t)STRIDE == (Py_ssize_t)STRIDE - 1 && !heed_stop(state_of(module)));
    }
    PyObject *bytes = failed ? NULL : PyBytes_FromStringAndSize(out.memory, (Py_ssize_t)out.used);
    release(out.memory);
    pieces_close(&pieces);
    Py_DECREF(objects);
    return bytes;
}
