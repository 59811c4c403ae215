/* An exact hash table from 64-bit keys to ids 0, 1, 2, ..., emptied in constant time: one serves all texts of a block.
 *
 * The author of a text chooses its keys, but must not choose where they collide. So keys are mixed with secrets,
 * twice: multiplication distributes over addition, so evenly spaced keys would still be evenly spaced after one round.
 * The other factor is always a secret, so that no key makes the product small. */
#ifndef BLEU_TABLE_H
#define BLEU_TABLE_H

#include "kernels.h"

#include <string.h>

#define NONE UINT32_MAX /* no id */

typedef struct {
    uint64_t key;
    uint32_t era; /* the entry is empty unless this is the table's era */
    uint32_t id;
} Entry;

typedef struct {
    Entry *entries;
    size_t capacity; /* a power of two */
    size_t emptied;  /* the first entries, which hold an era; the others were never used */
    size_t mask;     /* the part in use, so that short texts stay within few cache lines */
    uint32_t era;
    uint32_t ids;
    Secrets secrets;
} Table;

/* Make room for `keys` keys; 0 if there is no memory. */
static inline int table_start(Table *table, size_t keys, const Secrets *secrets)
{
    table->entries = NULL;
    table->secrets = *secrets;
    if (keys > SIZE_MAX / 4 / sizeof *table->entries) { /* a capacity above 32 is less than 4 * keys */
        return 0;
    }
    table->capacity = 32; /* at most half full, so that a look-up soon comes to an empty entry */
    while (table->capacity < 2 * keys) {
        table->capacity *= 2;
    }
    table->era = 0;
    table->emptied = 0;
    table->entries = allocate(table->capacity, sizeof *table->entries);
    return table->entries != NULL;
}

static inline void table_free(Table *table)
{
    release(table->entries);
}

/* Empty the table, and prepare it for `keys` keys, which must fit its capacity. */
static inline void table_clear(Table *table, size_t keys)
{
    size_t used = 32;
    while (used < 2 * keys) {
        used *= 2;
    }
    table->mask = used - 1;
    table->ids = 0;
    if (++table->era == 0) { /* all eras are used up: entries of old ones must not seem new */
        table->era = 1;
        table->emptied = 0;
    }
    if (used > table->emptied) {
        memset(table->entries + table->emptied, 0, (used - table->emptied) * sizeof *table->entries);
        table->emptied = used;
    }
}

/* The two halves of a 128-bit product, combined by exclusive or. */
static inline uint64_t folded(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
    uint64_t left = (a >> 32) * (b & UINT32_MAX), right = (a & UINT32_MAX) * (b >> 32);
    uint64_t middle = (low >> 32) + (left & UINT32_MAX) + (right & UINT32_MAX);
    low = (low & UINT32_MAX) | middle << 32;
    high += (left >> 32) + (right >> 32) + (middle >> 32);
    return low ^ high;
#endif
}

static inline size_t table_slot(const Table *table, uint64_t key)
{
    const Secrets *secrets = &table->secrets;
    uint64_t once = folded(key ^ secrets->masks[0], secrets->factors[0]);
    return (size_t)folded(once ^ secrets->masks[1], secrets->factors[1]) & table->mask;
}

/* The id of a key from its slot on, or NONE; *slot is then where it belongs. */
static inline uint32_t table_find(const Table *table, uint64_t key, size_t *slot)
{
    for (;; *slot = (*slot + 1) & table->mask) {
        const Entry *entry = &table->entries[*slot];
        if (entry->era != table->era) {
            return NONE;
        }
        if (entry->key == key) {
            return entry->id;
        }
    }
}

static inline uint32_t table_insert(Table *table, uint64_t key, size_t slot)
{
    table->entries[slot] = (Entry){key, table->era, table->ids};
    return table->ids++;
}

#endif
