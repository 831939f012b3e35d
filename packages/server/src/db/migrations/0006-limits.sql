-- What a change may be made conditional on: the number of times that something has changed what its caller can set.
-- What the service stamps by itself, such as the time of the latest sync, makes no new version.
alter table sandbox add column version bigint not null default 1;
alter table source add column version bigint not null default 1;
alter table project add column version bigint not null default 1;

create function next_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end
$$;
create trigger sandbox_version before update on sandbox for each row
  when ((old.name, old.tier, old.status, old.metadata, old.encrypted)
    is distinct from (new.name, new.tier, new.status, new.metadata, new.encrypted))
  execute function next_version();
create trigger source_version before update on source for each row
  when ((old.name, old.ingestion_mode, old.status, old.kind, old.external_account_id, old.adapter_config,
      old.poll_interval_seconds, old.webhook_slug)
    is distinct from (new.name, new.ingestion_mode, new.status, new.kind, new.external_account_id, new.adapter_config,
      new.poll_interval_seconds, new.webhook_slug))
  execute function next_version();
create trigger project_version before update on project for each row
  when ((old.name, old.status, old.description, old.metadata)
    is distinct from (new.name, new.status, new.description, new.metadata))
  execute function next_version();

-- What the committed head holds, moved with it, so that a limit is exact and asking costs no count. Null in a sandbox
-- that was written before these columns were there, until its next commit.
alter table sandbox_head add column record_count bigint;
alter table sandbox_head add column content_bytes bigint;
alter table sandbox_head alter column record_count set default 0;
alter table sandbox_head alter column content_bytes set default 0;

-- What was used in each of the last 61 seconds: with one second more than a minute, no minute ever sees more than the
-- limit, wherever it begins. After a crash of the database counting starts anew, so it need not be logged.
create unlogged table rate (
  user_id text not null,
  sandbox_id text not null,
  subject text not null,
  kind text not null,
  counts bigint[] not null,
  latest_second bigint not null,
  constraint rate_pkey primary key (user_id, sandbox_id, subject, kind),
  constraint rate_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade
);
alter table rate enable row level security;
alter table rate force row level security;
create policy rate_tenant on rate to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on rate to cairn_app;

-- Takes up to p_wanted of what p_limit (null: unlimited) allows in a minute, or nothing when less than p_least is left.
-- used: what the minute has seen with this. free_in: seconds until more is free than now. Time is the database's, which
-- all processes share, unless it is given.
create function take_rate(
  p_user text, p_sandbox text, p_subject text, p_kind text, p_limit bigint, p_wanted bigint, p_least bigint,
  p_second bigint default null, out granted bigint, out used bigint, out free_in integer
) language plpgsql as $$
declare
  slots constant integer := 61;
  seen bigint[];
  latest bigint;
  this_second bigint := coalesce(p_second, floor(extract(epoch from clock_timestamp()))::bigint);
  left_over bigint;
  leaving bigint := 0;
begin
  insert into rate values (p_user, p_sandbox, p_subject, p_kind, array_fill(0::bigint, array[slots]), this_second)
    on conflict do nothing;
  select r.counts, r.latest_second into seen, latest from rate r
    where r.user_id = p_user and r.sandbox_id = p_sandbox and r.subject = p_subject and r.kind = p_kind for update;
  if abs(this_second - latest) >= slots then
    seen := array_fill(0::bigint, array[slots]);
    latest := this_second;
  end if;
  while latest < this_second loop
    latest := latest + 1;
    seen[latest % slots + 1] := 0;
  end loop;
  select sum(count) into used from unnest(seen) as count;
  left_over := greatest(p_limit - used, 0);
  granted := case when p_limit is null then p_wanted when left_over < p_least then 0 else least(p_wanted, left_over) end;
  used := used + granted;
  seen[latest % slots + 1] := seen[latest % slots + 1] + granted;
  update rate r set counts = seen, latest_second = latest
    where r.user_id = p_user and r.sandbox_id = p_sandbox and r.subject = p_subject and r.kind = p_kind;
  free_in := 0;
  for age in reverse slots - 1 .. 0 loop
    leaving := leaving + seen[(latest - age + slots) % slots + 1];
    if leaving > 0 and (granted > 0 or leaving >= used + p_least - p_limit) then
      free_in := slots - age;
      exit;
    end if;
  end loop;
end
$$;

-- What an account has used, by day in UTC.
create table usage (
  user_id text not null,
  day text not null,
  queries bigint not null default 0,
  ingested_records bigint not null default 0,
  constraint usage_pkey primary key (user_id, day),
  constraint usage_account foreign key (user_id) references account (user_id) on delete cascade
);
alter table usage enable row level security;
alter table usage force row level security;
create policy usage_tenant on usage to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on usage to cairn_app;

-- Which of several requests with one key runs: only that one may keep its reply.
alter table idempotency add column claim text not null default '';
