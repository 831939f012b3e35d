-- What each commit changed of what a sandbox knows, by ids alone (store/changes.ts): one row a commit, written with the
-- move of the head, so that the rows that can be read are always all of those up to some commit. A row goes after some
-- weeks; changes_from is the last commit of which the row is gone, or was never written. What is under a caller's key
-- has no types here.
create table change (
  user_id text not null,
  sandbox_id text not null,
  seq bigint not null,
  committed_at timestamptz not null,
  changes jsonb not null,
  constraint change_pkey primary key (user_id, sandbox_id, seq),
  constraint change_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
alter table change enable row level security;
alter table change force row level security;
create policy change_tenant on change to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, delete on change to cairn_app;

alter table sandbox_head add column changes_from bigint not null default 0;
-- The owner of the table sees its rows only while that is not forced on it as well.
alter table sandbox_head no force row level security;
update sandbox_head set changes_from = seq;
alter table sandbox_head force row level security;
