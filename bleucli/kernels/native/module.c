/* The module: its table of functions, its state, its start. */
#include "bindings.h"

/* BLEU_SOURCES_CHECKSUM, which setup.py defines, as a string. */
#define QUOTE(text) #text
#define QUOTE_VALUE(macro) QUOTE(macro)

#ifdef BLEU_FAIL_ALLOCATIONS
static PyObject *py_fail_allocation(PyObject *Py_UNUSED(module), PyObject *count)
{
    allocations_before_failure = PyLong_AsLong(count);
    return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *py_stop_at(PyObject *Py_UNUSED(module), PyObject *count)
{
    questions_before_stop = PyLong_AsLong(count);
    return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *py_live_allocations(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    return PyLong_FromLong(live_allocations);
}
#endif

/* Signature and first line as in kernels/python.py, which has the rest. */
#define DOC(name, parameters, summary) \
    name "(" parameters ")\n--\n\n" summary "\n\nSee bleucli.kernels.python." name "."

static PyMethodDef methods[] = {
    {"split_lines", py_split_lines, METH_VARARGS,
     DOC("split_lines", "data, columns=0, /",
         "Cut UTF-8 text into its lines, or into tab-separated columns, without copying it.")},
    {"strip_trailing", py_strip_trailing, METH_O,
     DOC("strip_trailing", "segments, /",
         "Leave out trailing white space (what `str.rstrip` takes for it) of every text, without copying.")},
    {"drop_empty", py_drop_empty, METH_O,
     DOC("drop_empty", "segments, /",
         "Turn empty texts into missing ones.")},
    {"reference_counts", py_reference_counts, METH_O,
     DOC("reference_counts", "references, /",
         "Count the references that each segment has.")},
    {"tokenize_13a", py_tokenize_13a, METH_O,
     DOC("tokenize_13a", "segments, /",
         "Tokenize as NIST's mteval-v13a does: entities decoded, ASCII punctuation split off except within numbers.")},
    {"tokenize_zh", py_tokenize_zh, METH_O,
     DOC("tokenize_zh", "segments, /",
         "Tokenize Chinese: a space around every Chinese character, and punctuation split off as 13a does.")},
    {"tokenize_intl", py_tokenize_intl, METH_VARARGS,
     DOC("tokenize_intl", "segments, classes, /",
         "Tokenize as NIST's mteval-v14 does: punctuation split off except beside numbers, symbols always.")},
    {"distinct_characters", py_distinct_characters, METH_O,
     DOC("distinct_characters", "segments, /",
         "Return the characters that occur, each once, in the order of their code points.")},
    {"tokenize_char", py_tokenize_char, METH_O,
     DOC("tokenize_char", "segments, /",
         "Put a space between every two code points of a text.")},
    {"ngram_stats", py_ngram_stats, METH_VARARGS,
     DOC("ngram_stats", "hypotheses, references, max_order, /",
         "Count the n-grams of each hypothesis and how many of them its references contain (Papineni et al. 2002, 2.1).")},
    {"chrf_stats", py_chrf_stats, METH_VARARGS,
     DOC("chrf_stats", "hypotheses, references, char_order, word_order, beta, whitespace, eps_smoothing, /",
         "Count the character and word n-grams of each hypothesis, of its best reference, and those in both.")},
    {"f_score", py_f_score, METH_VARARGS,
     DOC("f_score", "stats, beta, eps_smoothing, /",
         "Return the F-score in percent (Popović 2015, equation 1; 2017 for several kinds of n-grams).")},
    {"ter_stats", py_ter_stats, METH_VARARGS,
     DOC("ter_stats", "hypotheses, references, /",
         "Count the edits between each hypothesis and its references, and the length of these.")},
    {"column_sums", py_column_sums, METH_O,
     DOC("column_sums", "stats, /",
         "Add up the rows, in their order.")},
    {"draw_weights", py_draw_weights, METH_VARARGS,
     DOC("draw_weights", "words, half, segments, resamples, /",
         "Draw as many segments as there are, with replacement, and count how often each is drawn (Efron 1979).")},
    {"weighted_sums", py_weighted_sums, METH_VARARGS,
     DOC("weighted_sums", "stats, weights, /",
         "Add up the rows, each as often as its weight says, once for every set of weights.")},
    {"swapped_sums", py_swapped_sums, METH_VARARGS,
     DOC("swapped_sums", "left, right, words, first, trials, /",
         "Add up the rows of two systems after swapping some of them at random, once a trial.")},
    {"count_ending", py_count_ending, METH_VARARGS,
     DOC("count_ending", "segments, ending, /",
         "Count the texts that end in `ending`.")},
#ifdef BLEU_FAIL_ALLOCATIONS
    {"fail_allocation", py_fail_allocation, METH_O, "Let the allocation after the next n fail; -1 for none."},
    {"stop_at", py_stop_at, METH_O, "Answer the question after the next n, whether to go on, with no; -1 for none."},
    {"live_allocations", py_live_allocations, METH_NOARGS, "The allocations that are not released yet."},
#endif
    {NULL, NULL, 0, NULL},
};

int find(const char *module_name, const char *name, PyObject **attribute)
{
    PyObject *module = PyImport_ImportModule(module_name);
    *attribute = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return *attribute != NULL;
}

static int intern(const char *name, PyObject **string)
{
    *string = PyUnicode_InternFromString(name);
    return *string != NULL;
}

static int draw_secrets(Secrets *secrets)
{
    PyObject *draw, *bytes = NULL;
    if (find("os", "urandom", &draw)) {
        bytes = PyObject_CallFunction(draw, "n", (Py_ssize_t)sizeof *secrets);
        Py_DECREF(draw);
    }
    char *start;
    Py_ssize_t size;
    int drawn = bytes != NULL && PyBytes_AsStringAndSize(bytes, &start, &size) == 0;
    if (drawn) {
        memcpy(secrets, start, sizeof *secrets);
    }
    Py_XDECREF(bytes);
    return drawn;
}

/* The functions come last: nobody can call one before the state is complete. */
static int module_exec(PyObject *module)
{
    State *state = state_of(module);
    int complete = find("bleucli.segments", "Segments", &state->segments_class) &&
                   find("bleucli.stats", "SegmentStats", &state->stats_class) &&
                   find("bleucli.errors", "FieldCountError", &state->field_count_error) &&
                   intern("data", &state->data_name) && intern("bounds", &state->bounds_name) &&
                   intern("cast", &state->cast_name) && draw_secrets(&state->secrets);
    if (!complete || PyModule_AddStringConstant(module, "checksum", QUOTE_VALUE(BLEU_SOURCES_CHECKSUM)) != 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, methods);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = state_of(module);
    Py_VISIT(state->segments_class);
    Py_VISIT(state->stats_class);
    Py_VISIT(state->field_count_error);
    Py_VISIT(state->heed_stop);
    return 0;
}

static int module_clear(PyObject *module)
{
    State *state = state_of(module);
    Py_CLEAR(state->segments_class);
    Py_CLEAR(state->stats_class);
    Py_CLEAR(state->field_count_error);
    Py_CLEAR(state->heed_stop);
    Py_CLEAR(state->data_name);
    Py_CLEAR(state->bounds_name);
    Py_CLEAR(state->cast_name);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

/* Any interpreter of the process may have a module of its own, with a lock of its own: what they share is constant. Python
 * 3.12 and later want to be told, by names that the limited API of 3.11 lacks. */
#define MULTIPLE_INTERPRETERS 3                     /* Py_mod_multiple_interpreters */
#define PER_INTERPRETER_GIL_SUPPORTED ((void *)2)   /* Py_MOD_PER_INTERPRETER_GIL_SUPPORTED */
#define HAS_MULTIPLE_INTERPRETERS 0x030C0000

static PyModuleDef_Slot slots[] = {
    {MULTIPLE_INTERPRETERS, PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_exec, (void *)(uintptr_t)module_exec}, /* by way of an integer: ISO C has no such cast */
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The kernels in C; see bleucli.kernels.python.", sizeof(State), NULL, slots,
    module_traverse,       module_clear, module_free,
};

PyMODINIT_FUNC PyInit__native(void)
{
    if (Py_Version < HAS_MULTIPLE_INTERPRETERS) { /* where all interpreters have one lock, so that this is safe, too */
        definition.m_slots = slots + 1;
    }
    return PyModuleDef_Init(&definition);
}
