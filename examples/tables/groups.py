# groups.py - the groups in a file of bipe-score --documents, with pandas
import math
import pandas
d = pandas.read_csv('documents.csv', keep_default_na=False, na_values=[''],
                    dtype={'id': str, 'group': str})
sums = d.groupby('group', dropna=False)[['tokens', 'bytes', 'nll_sum']].sum()
sums['bits_per_byte'] = sums.nll_sum / math.log(2) / sums.bytes
print(sums[['tokens', 'bits_per_byte']].round(2).reset_index())
