-- expands: programs before it know nothing of nodes, and are none.
-- The processes that share this database, each with a heartbeat: where the others reach it, and until when it counts as
-- alive. A node without a url has no place for sandboxes.
create table node (
  id text not null,
  url text,
  beat_until timestamptz not null,
  constraint node_pkey primary key (id)
);
alter table node enable row level security;
alter table node force row level security;
create policy node_worker on node to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, insert, update, delete on node to cairn_gate;
