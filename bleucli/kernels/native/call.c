/* The call that a kernel serves; see call.h. A test can have any single question answered with no. */
#include "call.h"

#ifdef BLEU_FAIL_ALLOCATIONS
long questions_before_stop = -1;
#endif

int asks_to_go_on(Call *call)
{
    call->stopped = call->stopped || !call->ask(call);
    call->credit = call->stopped ? 0 : CREDIT; /* with no credit, every later check comes here and fails, too */
    return !call->stopped;
}
