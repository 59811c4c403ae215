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

static PyMethodDef methods[] = {
#define KERNEL(name, flags, parameters, summary) \
    {#name, py_##name, flags, #name "(" parameters ")\n--\n\n" summary "\n\nSee bleucli.kernels.python." #name "."},
#include "functions.h"
#undef KERNEL
#ifdef BLEU_FAIL_ALLOCATIONS
    {"fail_allocation", py_fail_allocation, METH_O, "Let the allocation after the next n fail; -1 for none."},
    {"stop_at", py_stop_at, METH_O, "Stop the kernel at the question after the next n; -1 for none."},
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

/* The functions come last, so that none can be called before the state is complete. */
static int module_exec(PyObject *module)
{
    State *state = state_of(module);
    int complete = find("bleucli.text", "Segments", &state->segments_class) &&
                   find("bleucli.kernels.stats", "SegmentStats", &state->stats_class) &&
                   find("bleucli.errors", "FieldCountError", &state->field_count_error) &&
                   intern("data", &state->data_name) && intern("bounds", &state->bounds_name) &&
                   intern("cast", &state->cast_name) && draw_secrets(&state->secrets);
    if (!complete || PyModule_AddStringConstant(module, "_checksum", QUOTE_VALUE(BLEU_SOURCES_CHECKSUM)) != 0) {
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

/* Each interpreter of the process may have its own module and its own lock: what the modules share is constant. Python
 * 3.12 and later need a declaration of this, with names that the limited API of 3.11 lacks. */
#define MULTIPLE_INTERPRETERS 3                     /* Py_mod_multiple_interpreters */
#define PER_INTERPRETER_GIL_SUPPORTED ((void *)2)   /* Py_MOD_PER_INTERPRETER_GIL_SUPPORTED */
#define HAS_MULTIPLE_INTERPRETERS 0x030C0000

static PyModuleDef_Slot slots[] = {
    {MULTIPLE_INTERPRETERS, PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_exec, (void *)(uintptr_t)module_exec}, /* via an integer: ISO C has no such cast */
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The kernels in C; see bleucli.kernels.python.", sizeof(State), NULL, slots,
    module_traverse,       module_clear, module_free,
};

PyMODINIT_FUNC PyInit__native(void)
{
    if (Py_Version < HAS_MULTIPLE_INTERPRETERS) { /* there all interpreters share one lock, which is safe, too */
        definition.m_slots = slots + 1;
    }
    return PyModuleDef_Init(&definition);
}
