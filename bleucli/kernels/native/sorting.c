/* N-gram matches by sorting; see sorting.h. */
#include "sorting.h"

#include <limits.h>
#include <stdlib.h>

static size_t sortable(size_t room)
{
    return (room < MOST_TOKENS ? room : MOST_TOKENS) + 2 * WIDTH;
}

size_t sorter_memory(size_t room)
{
    return sortable(room) * (2 * sizeof(uint16_t) + 1);
}

Sorter sorter_in(void *memory, size_t room)
{
    uint16_t *places = memory, *other = places + sortable(room);
    return (Sorter){(unsigned char *)(other + sortable(room)), places, other};
}

int can_sort(size_t size, uint32_t different, size_t max_order)
{
    return size <= MOST_TOKENS && different <= UCHAR_MAX - 1 && max_order < WIDTH;
}

/* Write tokens as bytes, and `last` for those that the hypothesis lacks, and after the end. */
static void write_tokens(unsigned char *out, const uint32_t *tokens, size_t size, uint32_t last)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = (unsigned char)(tokens[i] < last ? tokens[i] : last);
    }
    memset(out + size, (int)last, WIDTH);
}

/* One step of sorting, by the token `ahead` of each place. counts: how often each of `tokens` tokens stands there.
 * Places are taken from both ends in turn, since equal tokens often follow one another, and one would wait for the
 * other. */
static void sort_by(Sorter *sorter, size_t size, size_t ahead, const uint16_t *counts, size_t tokens)
{
    uint16_t first[UCHAR_MAX + 1], last[UCHAR_MAX + 1], start = 0;
    const unsigned char *at = sorter->tokens + ahead;
    uint16_t *places = sorter->places, *sorted = sorter->other;
    for (size_t token = 0; token < tokens; token++) {
        first[token] = start;
        start = (uint16_t)(start + counts[token]);
        last[token] = start;
    }
    size_t low = 0, high = size;
    while (high - low >= 2) {
        uint16_t front = places[low++], back = places[--high];
        sorted[first[at[front]]++] = front;
        sorted[--last[at[back]]] = back;
    }
    if (low < high) {
        sorted[first[at[places[low]]]] = places[low];
    }
    sorter->places = sorted;
    sorter->other = places;
}

/* Sort all places by the first `order` tokens. */
static void sort_places(Sorter *sorter, size_t hyp_size, size_t ref_size, size_t tokens, size_t order)
{
    uint16_t counts[UCHAR_MAX + 1] = {0};
    const unsigned char *hypothesis = sorter->tokens, *reference = hypothesis + hyp_size + WIDTH;
    for (size_t i = 0; i < hyp_size; i++) {
        sorter->places[i] = (uint16_t)i;
        counts[hypothesis[i + order - 1]]++;
    }
    for (size_t i = 0; i < ref_size; i++) {
        sorter->places[hyp_size + i] = (uint16_t)(hyp_size + WIDTH + i);
        counts[reference[i + order - 1]]++;
    }
    for (size_t ahead = order; ahead-- > 0;) {
        sort_by(sorter, hyp_size + ref_size, ahead, counts, tokens);
        if (ahead > 0) { /* the token before comes into view at the start, and the last one leaves it at the end */
            if (hyp_size > 0) {
                counts[hypothesis[ahead - 1]]++;
                counts[hypothesis[hyp_size + ahead - 1]]--;
            }
            if (ref_size > 0) {
                counts[reference[ahead - 1]]++;
                counts[reference[ref_size + ahead - 1]]--;
            }
        }
    }
}

#ifdef HAS_VECTORS
static inline Lanes absolute(Lanes numbers)
{
    Lanes signs = numbers >> 15;
    return (numbers ^ signs) - signs;
}
#endif

/* Add up |d| for each order. */
static void sum_differences(const Sorter *sorter, size_t size, size_t hyp_size, int16_t sums[WIDTH])
{
#ifdef HAS_VECTORS
    static const Lanes one[2] = {{1, 1, 1, 1, 1, 1, 1, 1}, {-1, -1, -1, -1, -1, -1, -1, -1}};
    Lanes differences = {0}, all = {0};
    uint64_t previous = 0;
    for (size_t i = 0; i < size; i++) {
        size_t place = sorter->places[i];
        uint64_t tokens = tokens_at(sorter->tokens + place);
        Lanes same = lanes_up_to[tokens_alike(tokens, previous)];
        all += absolute(differences) & ~same;
        differences = (differences & same) + one[place >= hyp_size];
        previous = tokens;
    }
    all += absolute(differences);
    memcpy(sums, &all, sizeof all);
#else
    int differences[WIDTH] = {0}, all[WIDTH] = {0};
    const unsigned char *previous = sorter->tokens;
    for (size_t i = 0; i < size; i++) {
        const unsigned char *tokens = sorter->tokens + sorter->places[i];
        int one = sorter->places[i] < hyp_size ? 1 : -1, same = 1;
        for (size_t order = 0; order < WIDTH; order++) {
            same = same && tokens[order] == previous[order];
            all[order] += same ? 0 : abs(differences[order]);
            differences[order] = (same ? differences[order] : 0) + one;
        }
        previous = tokens;
    }
    for (size_t order = 0; order < WIDTH; order++) {
        sums[order] = (int16_t)(all[order] + abs(differences[order]));
    }
#endif
}

void take_texts(Sorter *sorter, const uint32_t *hypothesis, size_t hyp_size, const uint32_t *reference,
                size_t ref_size, uint32_t different)
{
    write_tokens(sorter->tokens, hypothesis, hyp_size, different);
    write_tokens(sorter->tokens + hyp_size + WIDTH, reference, ref_size, different + 1);
}

void match_sorted(Sorter *sorter, size_t hyp_size, size_t ref_size, uint32_t different, size_t max_order,
                  int64_t *correct)
{
    size_t size = hyp_size + ref_size;
    sort_places(sorter, hyp_size, ref_size, different + 2, max_order);
    int16_t sums[WIDTH];
    sum_differences(sorter, size, hyp_size, sums);
    for (size_t order = 0; order < max_order; order++) {
        correct[order] = ((int64_t)size - sums[order]) / 2;
    }
}
