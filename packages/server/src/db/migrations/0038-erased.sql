-- expands: programs before it write the list by the trigger, and do not read it.
-- What was erased, by ids alone, so that a restore of the database or of the storage does not bring it back: a sandbox,
-- what a source fed up to a commit, or a record. Each is also kept in the storage, and goes when no backup is so old.
create table erased (
  user_id text not null,
  id text not null,
  sandbox_id text not null,
  source_id text,
  -- The source itself was deleted with what it fed.
  is_source_gone boolean not null default false,
  record_id text,
  -- What keeps a repeat of the record out: its row of deleted_record, which has hashes of it.
  mark jsonb,
  up_to_seq bigint,
  erased_at timestamptz not null default now(),
  constraint erased_pkey primary key (user_id, id)
);
create index erased_by_age on erased (erased_at);
alter table erased enable row level security;
alter table erased force row level security;
create policy erased_tenant on erased to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy erased_worker on erased to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, insert, update on erased to cairn_app;
grant select, delete on erased to cairn_gate;

-- A note that is made with its work done (erased_at) is of rows alone.
create function note_erased() returns trigger language plpgsql as $$
begin
  insert into erased (user_id, id, sandbox_id, source_id, is_source_gone, record_id, mark, up_to_seq)
  values (
    new.user_id, new.id, new.sandbox_id, new.source_id,
    new.source_id is not null and not exists (
      select from source s
      where s.user_id = new.user_id and s.sandbox_id = new.sandbox_id and s.id = new.source_id
    ),
    new.record_id,
    (
      select to_jsonb(d) from deleted_record d
      where d.user_id = new.user_id and d.sandbox_id = new.sandbox_id and d.record_id = new.record_id
    ),
    new.up_to_seq
  )
  on conflict (user_id, id) do update set up_to_seq = excluded.up_to_seq;
  return null;
end
$$;
create trigger erasure_noted after insert or update of up_to_seq on erasure
  for each row when (new.erased_at is null) execute function note_erased();
