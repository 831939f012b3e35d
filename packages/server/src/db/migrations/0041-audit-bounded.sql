-- expands: programs before it append and read as they did.
-- The audit log is to be kept month by month. What is in it becomes its first part, which ends three months from now, so
-- that whatever programs append meanwhile is in it. That is said here, looked through without a lock that others wait
-- for in the next step, and used in the one after.
alter table audit no force row level security;
do $$
begin
  execute format(
    'alter table audit add constraint audit_before_months check (at < %L) not valid',
    date_trunc('month', now(), 'UTC') + interval '3 months'
  );
end
$$;
