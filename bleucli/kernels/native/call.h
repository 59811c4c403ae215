/* The call that a kernel serves: what keeps its hash tables safe, and who may stop it. */
#ifndef BLEU_CALL_H
#define BLEU_CALL_H

#include <stddef.h>
#include <stdint.h>

/* Random numbers that the authors of texts cannot know; see table.h. No result depends on them. */
typedef struct {
    uint64_t masks[2], factors[2];
} Secrets;

typedef struct Call {
    Secrets secrets;
    size_t credit;             /* the work until `ask` is called again */
    int (*ask)(struct Call *); /* whether to go on; once the answer is no, it stays no */
    int stopped;
} Call;

/* The work between two questions, in nanoseconds; where memory is slow, it takes a few times as long. Each question
 * takes the interpreter's lock, for which other threads may have to wait. */
#ifdef BLEU_FAIL_ALLOCATIONS
#define CREDIT ((size_t)64) /* so that short tests ask, too */
extern long questions_before_stop;
#else
#define CREDIT ((size_t)1 << 23)
#endif
/* Loops of cheap steps ask once in this many steps. */
#define STRIDE ((size_t)4096)
/* Loops over bytes ask once in this many bytes. */
#define PIECE ((size_t)65536)

/* Ask, and renew the credit; in call.c. */
int asks_to_go_on(Call *call);

/* Whether to go on, with `work` more nanoseconds; if not, the results so far are void. */
static inline int goes_on(Call *call, size_t work)
{
    if (work >= call->credit) {
        return asks_to_go_on(call);
    }
    call->credit -= work;
    return 1;
}

/* The same for a step of a loop, counted from 0, each of which takes `time` nanoseconds: asked once in STRIDE. */
static inline int goes_on_at(Call *call, size_t step, size_t time)
{
    return step % STRIDE != STRIDE - 1 || goes_on(call, STRIDE * time);
}

/* The end of the piece of text that starts at `at`, or NULL if the call is stopped. What starts in a piece may end in
 * the next one. */
static inline const unsigned char *piece_end(Call *call, const unsigned char *at, const unsigned char *end)
{
    size_t size = (size_t)(end - at) < PIECE ? (size_t)(end - at) : PIECE;
    return goes_on(call, size) ? at + size : NULL;
}

#endif
