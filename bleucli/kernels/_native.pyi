"""The kernels in C: the functions of `bleucli.kernels.reference`, and the checksum of their sources."""

from bleucli.kernels.reference import chrf_stats as chrf_stats
from bleucli.kernels.reference import column_sums as column_sums
from bleucli.kernels.reference import count_ending as count_ending
from bleucli.kernels.reference import distinct_characters as distinct_characters
from bleucli.kernels.reference import drop_empty as drop_empty
from bleucli.kernels.reference import ngram_stats as ngram_stats
from bleucli.kernels.reference import reference_counts as reference_counts
from bleucli.kernels.reference import split_lines as split_lines
from bleucli.kernels.reference import strip_trailing as strip_trailing
from bleucli.kernels.reference import ter_stats as ter_stats
from bleucli.kernels.reference import tokenize_13a as tokenize_13a
from bleucli.kernels.reference import tokenize_char as tokenize_char
from bleucli.kernels.reference import tokenize_intl as tokenize_intl
from bleucli.kernels.reference import tokenize_zh as tokenize_zh
from bleucli.kernels.reference_f_score import f_score as f_score
from bleucli.kernels.reference_resampling import draw_weights as draw_weights
from bleucli.kernels.reference_resampling import swapped_sums as swapped_sums
from bleucli.kernels.reference_resampling import weighted_sums as weighted_sums

checksum: str
