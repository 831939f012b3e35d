-- expands: programs before it do everything, and say nothing of it.
-- What a process does: it answers requests (api), works on what has come (worker), or both.
alter table node add column role text not null default 'all',
  add constraint node_role check (role in ('all', 'api', 'worker'));
