"""sacreBLEU's class for one format of test sets; here, one class serves all formats."""

from sacrebleu.dataset.base import Dataset

TSVDataset = Dataset
