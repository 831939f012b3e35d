-- What providers delivered in the last seven days, so that a retry is known. What a delivery says is in the inbox, or
-- nowhere when it says nothing: then records is 0.
create table delivery (
  user_id text not null,
  sandbox_id text not null,
  source_id text not null,
  event_hash text not null,
  body_hash text not null,
  record_count integer not null,
  received_at timestamptz not null,
  constraint delivery_pkey primary key (user_id, sandbox_id, source_id, event_hash),
  constraint delivery_source foreign key (user_id, sandbox_id, source_id)
    references source (user_id, sandbox_id, id) on delete cascade
);
-- Rows come in the order of their time and go in it, so ranges of pages are index enough.
create index delivery_by_age on delivery using brin (received_at);
alter table delivery enable row level security;
alter table delivery force row level security;

create policy delivery_tenant on delivery to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on delivery to cairn_app;

-- A delivery has no job before it is applied.
alter table inbox alter column job_id drop not null;

-- Deliveries come before a tenant is known, and those of many tenants are stored by one transaction. The role
-- cairn_door does this and nothing else: it finds a source by the slug in its address, with its secrets and its
-- sandbox's state, and it adds deliveries. It reads no inbox and no content, and can change or remove none.
drop policy source_by_webhook_slug on source;
create policy source_by_webhook_slugs on source for select to cairn_door
  using (webhook_slug = any (string_to_array(nullif(current_setting('app.webhook_slugs', true), ''), ',')));
create policy source_secret_by_webhook_slugs on source_secret for select to cairn_door
  using (exists (
    select from source s
    where s.user_id = source_secret.user_id
      and s.sandbox_id = source_secret.sandbox_id
      and s.id = source_secret.source_id
  ));
create policy sandbox_by_webhook_slugs on sandbox for select to cairn_door
  using (exists (select from source s where s.user_id = sandbox.user_id and s.sandbox_id = sandbox.id));

drop policy source_tombstone_by_webhook_slug on source_tombstone;
create policy source_tombstone_by_webhook_slugs on source_tombstone for select to cairn_door
  using (webhook_slug = any (string_to_array(nullif(current_setting('app.webhook_slugs', true), ''), ',')));

create policy delivery_door on delivery to cairn_door
  using (current_setting('app.door', true) = 'on')
  with check (current_setting('app.door', true) = 'on');
create policy inbox_door on inbox for insert to cairn_door
  with check (
    current_setting('app.door', true) = 'on' and kind = 'records' and job_id is null and source_id is not null
  );

grant select on source, source_secret, source_tombstone, sandbox to cairn_door;
grant select, insert, update on delivery to cairn_door;
grant insert on inbox to cairn_door;

-- A worker removes deliveries older than a week.
create policy delivery_worker on delivery for select to cairn_gate
  using (current_setting('app.worker', true) = 'on' and received_at < now() - interval '7 days');
create policy delivery_worker_removes on delivery for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on' and received_at < now() - interval '7 days');
grant select, delete on delivery to cairn_gate;
