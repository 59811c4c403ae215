/* Allocation in one place, so that a test can make any single one fail and check that all are released. */
#include "kernels.h"

#include <stdlib.h>

#ifdef BLEU_FAIL_ALLOCATIONS
long allocations_before_failure = -1;
long live_allocations = 0;
#endif

void *allocate(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
#ifdef BLEU_FAIL_ALLOCATIONS
    if (allocations_before_failure >= 0 && allocations_before_failure-- == 0) {
        return NULL;
    }
#endif
    size_t bytes = count * size;
    void *memory = malloc(bytes != 0 ? bytes : 1); /* malloc(0) may return NULL without a lack of memory */
#ifdef BLEU_FAIL_ALLOCATIONS
    live_allocations += memory != NULL;
#endif
    return memory;
}

void release(void *memory)
{
#ifdef BLEU_FAIL_ALLOCATIONS
    live_allocations -= memory != NULL;
#endif
    free(memory);
}
