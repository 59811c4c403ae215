"""sacreBLEU's class for one format of test sets; here, one class serves all formats."""

from __future__ import annotations

from sacrebleu.dataset.base import Dataset

WMTXMLDataset = Dataset
