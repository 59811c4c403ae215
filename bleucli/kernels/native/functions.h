/* The kernels as Python sees them, in no particular order: name, calling convention (METH_O: exactly one argument), and
 * the parameters and summary of the function of that name in kernels/python.py, which documents the rest.
 *
 * A file that needs something for each kernel defines KERNEL and includes this one. */
KERNEL(split_lines, METH_VARARGS, "data, columns=0, /",
       "Cut UTF-8 text into its lines, or into tab-separated columns, without copying it.")
KERNEL(count_line_ends, METH_O, "data, /",
       "Count the line feeds of UTF-8 text, or of a part of it.")
KERNEL(strip_trailing, METH_O, "segments, /",
       "Cut the trailing white space (as `str.rstrip` sees it) of every text, without copying.")
KERNEL(drop_empty, METH_O, "segments, /",
       "Turn empty texts into missing ones.")
KERNEL(reference_counts, METH_O, "references, /",
       "Count the references that each segment has.")
KERNEL(tokenize_13a, METH_O, "segments, /",
       "Tokenize as NIST's mteval-v13a does: decode entities, and split off ASCII punctuation except within numbers.")
KERNEL(tokenize_zh, METH_O, "segments, /",
       "Tokenize Chinese: put spaces around every Chinese character, and split off punctuation as 13a does.")
KERNEL(tokenize_intl, METH_VARARGS, "segments, classes, /",
       "Tokenize as NIST's mteval-v14 does: split off symbols, and punctuation that is not between numbers.")
KERNEL(unclassified_characters, METH_VARARGS, "segments, classes, /",
       "Return the characters that have no class yet, once each, in the order of their code points.")
KERNEL(tokenize_char, METH_O, "segments, /",
       "Put a space between every two code points of a text.")
KERNEL(ngram_stats, METH_VARARGS, "hypotheses, references, max_order, /",
       "Count the n-grams of each hypothesis and how many of them its references contain (Papineni et al. 2002, 2.1).")
KERNEL(group_stats, METH_VARARGS, "texts, groups, max_order, /",
       "Count the n-grams of each text, those that other texts of its group contain, and the distinct ones "
       "of each group.")
KERNEL(chrf_stats, METH_VARARGS, "hypotheses, references, char_order, word_order, beta, whitespace, eps_smoothing, /",
       "Count the character and word n-grams of each hypothesis, of its best reference, and those in both.")
KERNEL(f_score, METH_VARARGS, "stats, beta, eps_smoothing, /",
       "Return the F-score in percent (Popović 2015, equation 1; 2017 for several kinds of n-grams).")
KERNEL(bleu_rows, METH_VARARGS, "stats, smooth_method, smooth_value, effective_order, /",
       "Score each row of BLEU's statistics by itself, and return the parts of the scores.")
KERNEL(chrf_rows, METH_VARARGS, "stats, beta, eps_smoothing, /",
       "Score each row of chrF's statistics by itself.")
KERNEL(pairwise_bleu, METH_VARARGS,
       "hypotheses, references, sizes, weights, scores, max_order, smooth_method, smooth_value, effective_order, /",
       "Score each hypothesis of a group against each of its references by sentence BLEU.")
KERNEL(pairwise_chrf, METH_VARARGS,
       "hypotheses, references, sizes, weights, scores, char_order, word_order, beta, whitespace, eps_smoothing, /",
       "Score each hypothesis of a group against each of its references by chrF.")
KERNEL(ter_stats, METH_VARARGS, "hypotheses, references, /",
       "Count the edits between each hypothesis and its references, and the length of the references.")
KERNEL(ter_kinds, METH_VARARGS, "hypotheses, references, /",
       "Count the edits between each hypothesis and the nearest of its references by their kinds.")
KERNEL(edit_stats, METH_VARARGS, "hypotheses, references, characters, /",
       "Count the insertions, deletions and substitutions that turn each hypothesis into the nearest of its "
       "references.")
KERNEL(column_sums, METH_O, "stats, /",
       "Add up the rows, in their order.")
KERNEL(draw_weights, METH_VARARGS, "words, half, segments, resamples, /",
       "Draw n of n segments with replacement, and count how often each is drawn (Efron 1979).")
KERNEL(weighted_sums, METH_VARARGS, "stats, weights, /",
       "Add up the rows, each multiplied by its weight, once for every set of weights.")
KERNEL(swapped_sums, METH_VARARGS, "left, right, words, first, trials, /",
       "Add up the rows of two systems after swapping some of them at random, once per trial.")
KERNEL(count_ending, METH_VARARGS, "segments, ending, /",
       "Count the texts that end in `ending`.")
KERNEL(render_rows, METH_O, "pieces, /",
       "Write rows of texts and numbers, one after the other.")
