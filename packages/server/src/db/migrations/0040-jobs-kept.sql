-- expands: programs before it remove no jobs.
-- A worker removes jobs that ended long ago. Rows come in the order of their time and go in it, so ranges of pages are
-- index enough.
create index job_by_age on job using brin (created_at);
create policy job_worker_removes on job for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on' and completed_at < now() - interval '24 hours');
grant delete on job to cairn_gate;
