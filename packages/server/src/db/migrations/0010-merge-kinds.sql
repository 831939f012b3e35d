-- Why two entities are one, or which part of one was made another, and who decided it when a person did.
alter table merge_ledger
  add column kind text not null default 'identifier'
    check (kind in ('identifier', 'name', 'alike', 'person', 'split')),
  add column actor_user_id text,
  add column undone_by text;

-- Commits whose things are to be compared with others of their type, and the last one that was: a worker finds what is
-- behind.
alter table sandbox_head
  add column comparable_seq bigint not null default 0,
  add column compared_seq bigint not null default 0;
create index sandbox_head_uncompared on sandbox_head (user_id) where comparable_seq > compared_seq;
