-- Pairs of entities that may be one, by the parts that were compared: an open row is what the last comparison found, and
-- goes when that finds it no more; a decided one stays. The evidence names fields and is sealed under a caller's key.
create table merge_suggestion (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  one_part text not null,
  other_part text not null,
  likelihood double precision not null,
  evidence jsonb not null default '{}',
  state text not null default 'open',
  suggested_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  merge_id text,
  constraint merge_suggestion_pkey primary key (user_id, sandbox_id, id),
  constraint merge_suggestion_state check (state in ('open', 'accepted', 'dismissed')),
  constraint merge_suggestion_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
create index merge_suggestion_by_state on merge_suggestion (user_id, sandbox_id, state, id);
alter table merge_suggestion enable row level security;
alter table merge_suggestion force row level security;
create policy merge_suggestion_tenant on merge_suggestion to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on merge_suggestion to cairn_app;
alter table merge_suggestion alter column evidence set statistics 0;
