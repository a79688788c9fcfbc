-- groups.sql - the groups in a file of bipe-score --documents, with DuckDB,
-- which also writes the file as Parquet
create table d as from read_csv('documents.csv',
    types = {'id': 'VARCHAR', 'group': 'VARCHAR'});
select "group", sum(tokens) as tokens,
    round(sum(nll_sum) / ln(2) / sum(bytes), 2) as bits_per_byte
    from d group by "group" order by "group";
copy d to 'documents.parquet';
