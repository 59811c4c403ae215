"""The kernels in C: the functions of `bleucli.kernels.python`, and the checksum of their sources."""

from bleucli.kernels.python import chrf_stats as chrf_stats
from bleucli.kernels.python import column_sums as column_sums
from bleucli.kernels.python import count_ending as count_ending
from bleucli.kernels.python import distinct_characters as distinct_characters
from bleucli.kernels.python import drop_empty as drop_empty
from bleucli.kernels.python import ngram_stats as ngram_stats
from bleucli.kernels.python import reference_counts as reference_counts
from bleucli.kernels.python import split_lines as split_lines
from bleucli.kernels.python import strip_trailing as strip_trailing
from bleucli.kernels.python import ter_stats as ter_stats
from bleucli.kernels.python import tokenize_13a as tokenize_13a
from bleucli.kernels.python import tokenize_char as tokenize_char
from bleucli.kernels.python import tokenize_intl as tokenize_intl
from bleucli.kernels.python import tokenize_zh as tokenize_zh
from bleucli.kernels.python_f_score import f_score as f_score
from bleucli.kernels.python_resampling import draw_weights as draw_weights
from bleucli.kernels.python_resampling import swapped_sums as swapped_sums
from bleucli.kernels.python_resampling import weighted_sums as weighted_sums

checksum: str
