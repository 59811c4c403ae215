"""Test sets of one format; how they are read is bleucli's matter."""

from sacrebleu.dataset.base import Dataset

WMTXMLDataset = Dataset
