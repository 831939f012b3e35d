-- Which storage the records of this database are in, by the id that stands beside them, so that a process with another
-- storage is refused.
create table storage_id (
  is_only boolean not null default true check (is_only),
  id text not null,
  noted_at timestamptz not null,
  constraint storage_id_pkey primary key (is_only)
);
alter table storage_id enable row level security;
alter table storage_id force row level security;
create policy storage_id_worker on storage_id to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, insert on storage_id to cairn_gate;
