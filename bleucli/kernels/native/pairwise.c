/* Scores of all pairs of hypotheses and references.
 *
 * A block of hypotheses is compared with a block of references. In a pair, the matches of an n-gram are its count in
 * the text that has fewer of it. For a frequent n-gram, each text has a field of bits, as wide as the most matches of
 * any pair, with one bit set for each time that the text has it; the matches of a pair are the bits that both texts
 * have set, found 64 at a time. A rare n-gram has a list of the references that have it. Both ways give the same
 * number; an n-gram counts as frequent if bits take less time. */
#include <string.h>

#include "grams.h"

/* The most n-grams and the most texts of a block; nodes count texts in 16 bits. A text with more n-grams is compared
 * pair by pair, so memory is bounded however long the text is. */
#ifdef BLEU_FAIL_ALLOCATIONS /* so that tests need several blocks */
#define BLOCK_GRAMS ((size_t)256)
#define BLOCK_TEXTS ((size_t)5)
#else
#define BLOCK_GRAMS ((size_t)1 << 20)
#define BLOCK_TEXTS ((size_t)2048)
#endif
/* The most matches, one per reference and order, that the first caches hold for a hypothesis. */
#define BLOCK_MATCHES ((size_t)1 << 14)
/* This many bits take as long as counting one pair of a list. */
#define BITS_FOR_A_HIT 32

/* The place of an n-gram: NOWHERE if no reference has it; from LISTED on, in the list of hits; else its first bit among
 * those of its order. */
#define NOWHERE UINT32_MAX
#define LISTED ((uint32_t)1 << 31)
/* The rough time to score a pair, for each order. */
#define PAIR_TIME 16

/* Neighbouring texts that are compared at once. */
typedef struct {
    size_t first, count;
    size_t grams;        /* an upper bound of the number of n-grams */
    int is_long;         /* a single text, too long for a block */
    size_t *starts;      /* count + 1: where the n-grams of each text begin */
    size_t *listed;      /* of hypotheses: how many n-grams of each are in lists; these come first */
    Length *lengths;
} Block;

/* A reference that has an n-gram, and how often. */
typedef struct {
    uint32_t text, count;
} Hit;

typedef struct Work Work;

/* Prepare to score rows with the references of a block. */
typedef Outcome StartRows(Work *work, const Block *references);
/* Score a hypothesis against each reference of the block. */
typedef void ScoreRow(Work *work, const Length *hypothesis, const Block *references, double *scores);
/* Score each hypothesis against the reference with the same index. */
typedef Outcome ScoreColumn(Work *work, Segments hypotheses, Segments references, double *scores);

struct Work {
    Call *call;
    Grams grams;
    size_t columns;    /* orders of all kinds of n-grams */
    const void *options;
    StartRows *start_rows;
    ScoreRow *score_row;
    ScoreColumn *score_column;
    size_t *words;     /* columns + 1: where the bits of each order begin, in words of 64 */
    uint64_t *bits;    /* of each hypothesis of the block, then of each reference */
    Hit *hits;
    uint32_t *matches; /* of a hypothesis with each reference, by order */
    double *row;       /* its scores */
    double *totals;    /* of each reference, by order: how many n-grams it has */
    double *numbers;   /* the input of a pair's score */
    Room start_room[2], length_room[2], listed_room, word_room, bit_room, hit_room, match_room, row_room;
    Room total_room, number_room, counted_room, bound_room;
};

/* --- blocks of texts --------------------------------------------------------------------------------------------- */

static size_t bytes_of(Segments texts, size_t index)
{
    Text text = text_at(texts, index);
    return (size_t)(text.end - text.at);
}

/* The block that begins at a text; `last` is one after the last text of the group. */
static Block cut_block(const Work *work, Segments texts, size_t first, size_t last)
{
    size_t most = BLOCK_MATCHES / work->columns;
    most = most < 1 ? 1 : most < BLOCK_TEXTS ? most : BLOCK_TEXTS;
    Block block = {.first = first};
    while (first + block.count < last && block.count < most) {
        size_t more = most_grams(&work->grams.counted, bytes_of(texts, first + block.count), BLOCK_GRAMS);
        if (block.grams + more > BLOCK_GRAMS) {
            break;
        }
        block.grams += more;
        block.count++;
    }
    if (block.count == 0) {
        block.count = 1;
        block.is_long = 1;
    }
    return block;
}

static Outcome room_for_block(Work *work, Block *block, Side side)
{
    block->starts = make_room(&work->start_room[side], block->count + 1, sizeof *block->starts);
    block->lengths = make_room(&work->length_room[side], block->count, sizeof *block->lengths);
    if (side == HYPOTHESIS) {
        block->listed = make_room(&work->listed_room, block->count, sizeof *block->listed);
    }
    int complete = block->starts != NULL && block->lengths != NULL && (side == REFERENCE || block->listed != NULL);
    return complete ? DONE : NO_MEMORY;
}

static Outcome read_block(Work *work, Segments texts, Block *block, Side side)
{
    Grams *grams = &work->grams;
    Outcome outcome = room_for_block(work, block, side);
    for (size_t i = 0; i < block->count && outcome == DONE; i++) {
        block->starts[i] = grams->gram_count;
        outcome = read_grams(grams, text_at(texts, block->first + i), side, &block->lengths[i]);
    }
    if (outcome == DONE) {
        block->starts[block->count] = grams->gram_count;
    }
    return outcome;
}

static Outcome read_hypotheses(Work *work, Segments texts, Block *block)
{
    size_t bytes = 0;
    for (size_t i = 0; i < block->count; i++) {
        bytes += bytes_of(texts, block->first + i) + 1;
    }
    Outcome outcome = grams_clear(&work->grams, bytes, block->grams);
    return outcome == DONE ? read_block(work, texts, block, HYPOTHESIS) : outcome;
}

/* Read references, replacing the previous ones. */
static Outcome read_references(Work *work, Segments texts, const Block *hypotheses, Block *block)
{
    Outcome outcome = clear_references(&work->grams, hypotheses->starts[hypotheses->count], block->grams);
    return outcome == DONE ? read_block(work, texts, block, REFERENCE) : outcome;
}

/* The same if the references are the hypotheses, which are already read. */
static void take_hypotheses(Work *work, const Block *hypotheses, Block *block)
{
    *block = *hypotheses;
    for (uint32_t id = FIRST_NODE; id < work->grams.table.ids; id++) {
        Node *node = &work->grams.nodes[id];
        node->texts[REFERENCE] = node->texts[HYPOTHESIS];
        node->most[REFERENCE] = node->most[HYPOTHESIS];
    }
}

/* --- bits and lists ----------------------------------------------------------------------------------------------- */

/* The most that a pair can match of an n-gram. */
static uint32_t most_matches(const Node *node)
{
    return node->most[HYPOTHESIS] < node->most[REFERENCE] ? node->most[HYPOTHESIS] : node->most[REFERENCE];
}

/* Whether bits for all pairs take less time than a hit for each pair of texts that have the n-gram. An n-gram with more
 * than BITS_FOR_A_HIT matches in a pair is never frequent, so nodes may cap their highest counts. */
static int is_frequent(const Node *node, size_t hypotheses, size_t references)
{
    uint64_t pairs = (uint64_t)node->texts[HYPOTHESIS] * node->texts[REFERENCE];
    return pairs * BITS_FOR_A_HIT >= (uint64_t)hypotheses * references * most_matches(node);
}

/* Give each n-gram that both sides have a place: bits, order by order, or a part of the list of hits. Returns the
 * length of that list. */
static size_t place_grams(Work *work, size_t hypotheses, size_t references)
{
    const Grams *grams = &work->grams;
    size_t hits = 0;
    memset(work->words, 0, (work->columns + 1) * sizeof *work->words); /* counts bits until the loop at the end */
    for (uint32_t id = FIRST_NODE; id < grams->table.ids; id++) {
        Node *node = &grams->nodes[id];
        node->place = NOWHERE;
        if (node->texts[REFERENCE] == 0) {
            continue;
        }
        if (is_frequent(node, hypotheses, references)) {
            node->place = (uint32_t)work->words[node->column + 1];
            work->words[node->column + 1] += most_matches(node);
        }
        else {
            node->place = LISTED | (uint32_t)hits;
            hits += node->texts[REFERENCE];
        }
    }
    for (size_t column = 1; column <= work->columns; column++) {
        work->words[column] = work->words[column - 1] + (work->words[column] + 63) / 64;
    }
    return hits;
}

static void set_bits(const Work *work, const Node *node, uint32_t count, uint64_t *bits)
{
    uint32_t most = most_matches(node), ones = count < most ? count : most;
    uint64_t *order = bits + work->words[node->column];
    for (uint32_t bit = node->place; bit < node->place + ones; bit++) {
        order[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

/* Set the bits of a hypothesis, and move its n-grams that are in lists to the front. */
static void write_hypothesis(Work *work, const Block *block, size_t index, uint64_t *bits)
{
    Gram *list = work->grams.grams;
    size_t listed = block->starts[index];
    for (size_t i = listed; i < block->starts[index + 1]; i++) {
        Gram gram = list[i];
        const Node *node = &work->grams.nodes[gram.node];
        if (node->place < LISTED) {
            set_bits(work, node, gram.count, bits);
        }
        else if (node->place != NOWHERE) {
            list[i] = list[listed];
            list[listed++] = gram;
        }
    }
    block->listed[index] = listed - block->starts[index];
}

/* Set the bits of a reference, and put it into lists. Moves the place of an n-gram in a list to the end of its part. */
static void write_reference(Work *work, const Block *block, size_t index, uint64_t *bits)
{
    for (size_t i = block->starts[index]; i < block->starts[index + 1]; i++) {
        Gram gram = work->grams.grams[i];
        Node *node = &work->grams.nodes[gram.node];
        if (node->place < LISTED) {
            set_bits(work, node, gram.count, bits);
        }
        else if (node->place != NOWHERE) {
            work->hits[node->place++ - LISTED] = (Hit){(uint32_t)index, gram.count};
        }
    }
}

static Outcome write_block(Work *work, const Block *hypotheses, const Block *references)
{
    size_t hits = place_grams(work, hypotheses->count, references->count), width = work->words[work->columns];
    size_t texts = hypotheses->count + references->count;
    work->hits = make_room(&work->hit_room, hits + 1, sizeof *work->hits);
    work->bits = make_room(&work->bit_room, texts * width + 1, sizeof *work->bits);
    work->matches = make_room(&work->match_room, references->count * work->columns, sizeof *work->matches);
    work->row = make_room(&work->row_room, references->count, sizeof *work->row);
    if (work->hits == NULL || work->bits == NULL || work->matches == NULL || work->row == NULL) {
        return NO_MEMORY;
    }
    memset(work->bits, 0, texts * width * sizeof *work->bits);
    for (size_t i = 0; i < hypotheses->count; i++) {
        write_hypothesis(work, hypotheses, i, work->bits + i * width);
    }
    for (size_t i = 0; i < references->count; i++) {
        write_reference(work, references, i, work->bits + (hypotheses->count + i) * width);
    }
    return DONE;
}

/* --- matches ------------------------------------------------------------------------------------------------------ */

/* Count the n-grams of a hypothesis that are in lists. */
static void match_lists(Work *work, const Block *hypotheses, size_t index)
{
    const Gram *gram = work->grams.grams + hypotheses->starts[index], *last = gram + hypotheses->listed[index];
    for (; gram < last; gram++) {
        const Node *node = &work->grams.nodes[gram->node];
        const Hit *end = work->hits + (node->place - LISTED), *hit = end - node->texts[REFERENCE];
        uint32_t *matches = work->matches + node->column;
        for (; hit < end; hit++) {
            matches[hit->text * work->columns] += gram->count < hit->count ? gram->count : hit->count;
        }
    }
}

/* Add the number of bits that a hypothesis and each reference have in common, order by order. A macro, so that it can
 * be compiled twice: for any processor, and for those with an instruction that counts bits. */
#define MATCH_BITS(name, ones)                                                                              \
    static void name(const Work *work, const uint64_t *hypothesis, const uint64_t *references, size_t count) \
    {                                                                                                       \
        const size_t *words = work->words;                                                                  \
        size_t columns = work->columns, width = words[columns];                                             \
        uint32_t *matches = work->matches;                                                                  \
        for (size_t i = 0; i < count; i++, references += width) {                                           \
            for (size_t column = 0; column < columns; column++) {                                           \
                uint32_t found = 0;                                                                         \
                for (size_t word = words[column]; word < words[column + 1]; word++) {                       \
                    found += (uint32_t)ones(hypothesis[word] & references[word]);                           \
                }                                                                                           \
                *matches++ += found;                                                                        \
            }                                                                                               \
        }                                                                                                   \
    }

/* For processors without an instruction that counts bits, and compilers that cannot tell. */
static inline uint64_t count_ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return ((bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56;
}

MATCH_BITS(match_bits, count_ones)

#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("popcnt"))) MATCH_BITS(match_bits_fast, __builtin_popcountll)
#define IS_FAST __builtin_cpu_supports("popcnt")
#elif defined(__GNUC__) && defined(__aarch64__)
MATCH_BITS(match_bits_fast, __builtin_popcountll)
#define IS_FAST 1
#else
#define match_bits_fast match_bits
#define IS_FAST 0
#endif

static void match_row(Work *work, const Block *hypotheses, size_t index, const Block *references)
{
    size_t width = work->words[work->columns];
    const uint64_t *hypothesis = work->bits + index * width, *others = work->bits + hypotheses->count * width;
    memset(work->matches, 0, references->count * work->columns * sizeof *work->matches);
    match_lists(work, hypotheses, index);
    int is_fast = IS_FAST;
#ifdef BLEU_FAIL_ALLOCATIONS
    is_fast = is_fast && index % 2 == 0; /* so that tests cover both on any processor */
#endif
    if (is_fast) {
        match_bits_fast(work, hypothesis, others, references->count);
    }
    else {
        match_bits(work, hypothesis, others, references->count);
    }
}

/* --- scores ------------------------------------------------------------------------------------------------------- */

/* Store the scores of a hypothesis with the references from `first` on; with weights, add them to the hypothesis's sum,
 * in the order of the references. */
static void take_scores(const Pairs *pairs, double *scores, const double *row, size_t first, size_t count)
{
    if (pairs->weights == NULL) {
        memcpy(scores, row, count * sizeof *row);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        *scores += pairs->weights[first + i] * row[i];
    }
}

/* A group: its first hypothesis and reference, and how many of both; scores: where its own begin. */
typedef struct {
    size_t hypothesis, reference, hypotheses, references;
    double *scores;
} Group;

/* Where the scores of a hypothesis belong, from that with a certain reference on. */
static double *scores_at(const Pairs *pairs, const Group *group, size_t hypothesis, size_t reference)
{
    size_t row = hypothesis - group->hypothesis, column = reference - group->reference;
    return group->scores + (pairs->weights != NULL ? row : row * group->references + column);
}

static Outcome score_block(Work *work, const Pairs *pairs, const Group *group, const Block *hypotheses,
                           const Block *references)
{
    Outcome outcome = write_block(work, hypotheses, references);
    outcome = outcome == DONE ? work->start_rows(work, references) : outcome;
    size_t pair_time = PAIR_TIME * work->columns + work->words[work->columns];
    for (size_t i = 0; i < hypotheses->count && outcome == DONE; i++) {
        match_row(work, hypotheses, i, references);
        work->score_row(work, &hypotheses->lengths[i], references, work->row);
        double *scores = scores_at(pairs, group, hypotheses->first + i, references->first);
        take_scores(pairs, scores, work->row, references->first, references->count);
        outcome = goes_on(work->call, references->count * pair_time) ? DONE : STOPPED;
    }
    return outcome;
}

/* Score neighbouring hypotheses against each of some references by counting every pair. */
static Outcome score_one_by_one(Work *work, const Pairs *pairs, const Group *group, const Block *hypotheses,
                                const Block *references)
{
    size_t count = hypotheses->count;
    const Segments *others = &pairs->references;
    Segments ours = {pairs->hypotheses.data, pairs->hypotheses.bounds + 2 * hypotheses->first, count};
    int64_t *bounds = make_room(&work->bound_room, 2 * count, sizeof *bounds);
    work->row = make_room(&work->row_room, count, sizeof *work->row);
    Outcome outcome = bounds != NULL && work->row != NULL ? DONE : NO_MEMORY;
    for (size_t j = references->first; j < references->first + references->count && outcome == DONE; j++) {
        for (size_t i = 0; i < count; i++) {
            bounds[2 * i] = others->bounds[2 * j] < 0 ? 0 : others->bounds[2 * j]; /* a missing one counts as empty */
            bounds[2 * i + 1] = others->bounds[2 * j] < 0 ? 0 : others->bounds[2 * j + 1];
        }
        outcome = work->score_column(work, ours, (Segments){others->data, bounds, count}, work->row);
        for (size_t i = 0; i < count && outcome == DONE; i++) {
            take_scores(pairs, scores_at(pairs, group, hypotheses->first + i, j), work->row + i, j, 1);
        }
    }
    return outcome;
}

static Outcome score_hypotheses(Work *work, const Pairs *pairs, const Group *group, Block *hypotheses)
{
    size_t end = group->reference + group->references;
    /* With a single reference, counting the pairs takes less time than preparing the texts for more of them */
    int is_read = !hypotheses->is_long && group->references > 1;
    Outcome outcome = is_read ? read_hypotheses(work, pairs->hypotheses, hypotheses) : DONE;
    for (size_t first = group->reference; first < end && outcome == DONE;) {
        Block references = cut_block(work, pairs->references, first, end);
        if (!is_read || references.is_long) {
            outcome = score_one_by_one(work, pairs, group, hypotheses, &references);
        }
        else if (pairs->references.bounds == pairs->hypotheses.bounds && references.first == hypotheses->first &&
                 references.count == hypotheses->count) {
            take_hypotheses(work, hypotheses, &references);
            outcome = score_block(work, pairs, group, hypotheses, &references);
        }
        else {
            outcome = read_references(work, pairs->references, hypotheses, &references);
            outcome = outcome == DONE ? score_block(work, pairs, group, hypotheses, &references) : outcome;
        }
        first += references.count;
    }
    return outcome;
}

static Outcome score_group(Work *work, const Pairs *pairs, const Group *group)
{
    size_t end = group->hypothesis + group->hypotheses;
    Outcome outcome = DONE;
    if (pairs->weights != NULL) {
        memset(group->scores, 0, group->hypotheses * sizeof *group->scores);
    }
    for (size_t first = group->hypothesis; first < end && outcome == DONE;) {
        Block hypotheses = cut_block(work, pairs->hypotheses, first, end);
        outcome = score_hypotheses(work, pairs, group, &hypotheses);
        first += hypotheses.count;
    }
    return outcome;
}

static void work_free(Work *work)
{
    grams_free(&work->grams);
    for (int side = 0; side < 2; side++) {
        release(work->start_room[side].memory);
        release(work->length_room[side].memory);
    }
    release(work->listed_room.memory);
    release(work->word_room.memory);
    release(work->bit_room.memory);
    release(work->hit_room.memory);
    release(work->match_room.memory);
    release(work->row_room.memory);
    release(work->total_room.memory);
    release(work->number_room.memory);
    release(work->counted_room.memory);
    release(work->bound_room.memory);
}

static Outcome score_groups(Work *work, const Pairs *pairs, Counted counted)
{
    Group group = {0, 0, 0, 0, pairs->scores};
    work->columns = counted.char_order + counted.word_order;
    Outcome outcome = grams_start(&work->grams, counted, work->call);
    work->words = make_room(&work->word_room, work->columns + 1, sizeof *work->words);
    work->numbers = make_room(&work->number_room, 3 * work->columns, sizeof *work->numbers);
    if (work->words == NULL || work->numbers == NULL) {
        outcome = NO_MEMORY;
    }
    for (size_t i = 0; i < pairs->groups && outcome == DONE; i++) {
        group.hypotheses = (size_t)pairs->sizes[2 * i];
        group.references = (size_t)pairs->sizes[2 * i + 1];
        outcome = score_group(work, pairs, &group);
        group.scores += group.hypotheses * (pairs->weights != NULL ? 1 : group.references);
        group.hypothesis += group.hypotheses;
        group.reference += group.references;
    }
    work_free(work);
    return outcome;
}

/* --- chrF --------------------------------------------------------------------------------------------------------- */

/* How many n-grams of each order a text has. */
static void count_totals(const ChrfOptions *options, const Length *length, double *totals)
{
    for (size_t order = 1; order <= options->char_order; order++) {
        *totals++ = (double)grams_in(length->characters, order);
    }
    for (size_t order = 1; order <= options->word_order; order++) {
        *totals++ = (double)grams_in(length->words, order);
    }
}

static Outcome start_chrf_rows(Work *work, const Block *references)
{
    /* The last row is for the hypothesis */
    work->totals = make_room(&work->total_room, (references->count + 1) * work->columns, sizeof *work->totals);
    for (size_t i = 0; work->totals != NULL && i < references->count; i++) {
        count_totals(work->options, &references->lengths[i], work->totals + i * work->columns);
    }
    return work->totals != NULL ? DONE : NO_MEMORY;
}

static void score_chrf_row(Work *work, const Length *hypothesis, const Block *references, double *scores)
{
    const ChrfOptions *options = work->options;
    const uint32_t *matches = work->matches;
    const double *totals = work->totals;
    double *ours = work->totals + references->count * work->columns;
    count_totals(options, hypothesis, ours);
    for (size_t i = 0; i < references->count; i++) {
        double *numbers = work->numbers;
        for (size_t column = 0; column < work->columns; column++, numbers += 3) {
            numbers[1] = *totals++;
            numbers[0] = numbers[1] != 0.0 ? ours[column] : 0.0;
            numbers[2] = *matches++;
        }
        scores[i] = f_score(work->numbers, work->columns, options->factor, options->eps_smoothing);
    }
}

static Outcome score_chrf_column(Work *work, Segments hypotheses, Segments references, double *scores)
{
    const ChrfOptions *options = work->options;
    size_t width = 3 * work->columns;
    int64_t *rows = make_room(&work->counted_room, hypotheses.count * width, sizeof *rows);
    Outcome outcome =
        rows != NULL ? chrf_stats(hypotheses, &references, 1, *options, rows, work->call) : NO_MEMORY;
    for (size_t i = 0; i < hypotheses.count && outcome == DONE; i++) {
        for (size_t column = 0; column < width; column++) {
            work->numbers[column] = (double)rows[i * width + column];
        }
        scores[i] = f_score(work->numbers, work->columns, options->factor, options->eps_smoothing);
    }
    return outcome;
}

Outcome pairwise_chrf(Pairs pairs, ChrfOptions options, Call *call)
{
    Work work = {
        .call = call,
        .options = &options,
        .start_rows = start_chrf_rows,
        .score_row = score_chrf_row,
        .score_column = score_chrf_column,
    };
    Counted counted = {options.char_order, options.word_order, options.whitespace, 1};
    return score_groups(&work, &pairs, counted);
}

/* --- BLEU --------------------------------------------------------------------------------------------------------- */

static Outcome start_bleu_rows(Work *work, const Block *references)
{
    (void)work, (void)references;
    return DONE;
}

static void score_bleu_row(Work *work, const Length *hypothesis, const Block *references, double *scores)
{
    for (size_t i = 0; i < references->count; i++) {
        const uint32_t *matches = work->matches + i * work->columns;
        scores[i] = bleu_score(work->options, hypothesis->words, references->lengths[i].words, matches);
    }
}

static Outcome score_bleu_column(Work *work, Segments hypotheses, Segments references, double *scores)
{
    size_t orders = work->columns, width = 2 + 2 * orders;
    int64_t *rows = make_room(&work->counted_room, hypotheses.count * width, sizeof *rows);
    work->matches = make_room(&work->match_room, orders, sizeof *work->matches);
    if (rows == NULL || work->matches == NULL) {
        return NO_MEMORY;
    }
    Outcome outcome = ngram_stats(hypotheses, &references, 1, orders, rows, work->call);
    for (size_t i = 0; i < hypotheses.count && outcome == DONE; i++) {
        const int64_t *row = rows + i * width;
        for (size_t order = 0; order < orders; order++) {
            work->matches[order] = (uint32_t)row[2 + order];
        }
        scores[i] = bleu_score(work->options, (size_t)row[0], (size_t)row[1], work->matches);
    }
    return outcome;
}

Outcome pairwise_bleu(Pairs pairs, BleuOptions options, Call *call)
{
    Work work = {
        .call = call,
        .options = &options,
        .start_rows = start_bleu_rows,
        .score_row = score_bleu_row,
        .score_column = score_bleu_column,
    };
    Counted counted = {0, options.max_order, 0, 0};
    return score_groups(&work, &pairs, counted);
}
