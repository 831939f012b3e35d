-- A delivery waits without a job and needs no place in the index by job.
drop index inbox_by_job;
create index inbox_by_job on inbox (user_id, sandbox_id, job_id) where job_id is not null;

-- The slugs of a look-up are taken apart once for it, and not again for each row that it looks at.
alter policy source_by_webhook_slugs on source
  using (webhook_slug = any ((select string_to_array(nullif(current_setting('app.webhook_slugs', true), ''), ','))::text[]));
alter policy source_tombstone_by_webhook_slugs on source_tombstone
  using (webhook_slug = any ((select string_to_array(nullif(current_setting('app.webhook_slugs', true), ''), ','))::text[]));

-- Rows are found by their key alone, for which a small sample tells enough; a large one would hold deliveries up.
alter table delivery
  alter column user_id set statistics 10, alter column sandbox_id set statistics 10,
  alter column source_id set statistics 10, alter column event_hash set statistics 10,
  alter column body_hash set statistics 0, alter column record_count set statistics 0,
  alter column received_at set statistics 10;
