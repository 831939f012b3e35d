-- What became of a delivery, for those who look after its source. A delivery from before has no id and is not shown.
-- fate is null for one whose records were applied, or still wait: then its row of the inbox is there. So what goes as it
-- should, nearly all, is written once and never changed. reason is a code and never content.
alter table delivery
  add column id text,
  add column inbox_id bigint,
  add column fate text check (fate in ('unchanged', 'ignored', 'failed')),
  add column reason text;
alter table delivery
  alter column id set statistics 10, alter column inbox_id set statistics 0,
  alter column fate set statistics 0, alter column reason set statistics 0;
-- A source's deliveries from the newest on. A source's id is one of a kind over all accounts, which keeps the index small.
create index delivery_by_source on delivery (source_id, id) where id is not null;

-- The role of deliveries gives the rows of the inbox their numbers itself, since a delivery keeps the number of its own.
grant usage on sequence inbox_id_seq to cairn_door;
