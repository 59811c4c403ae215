/* Written by kernels/sources.py: the checksum of the other files in this folder. */
#define BLEU_SOURCES_CHECKSUM "c7b37854"
