-- What the sandboxes of one tier have used together in each of the last 61 seconds, by account: what a tier allows an
-- account in a minute is counted here as what it allows a sandbox is in the table rate, and as little of it is logged.
create unlogged table account_rate (
  user_id text not null,
  tier text not null,
  kind text not null,
  counts bigint[] not null,
  latest_second bigint not null,
  constraint account_rate_pkey primary key (user_id, tier, kind),
  constraint account_rate_account foreign key (user_id) references account (user_id) on delete cascade
);
alter table account_rate enable row level security;
alter table account_rate force row level security;
create policy account_rate_tenant on account_rate to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on account_rate to cairn_app;

-- The counting of take_rate, without a table: what was counted by the second goes in and comes out, as of p_second.
create function count_in_minute(
  p_limit bigint, p_wanted bigint, p_least bigint, p_second bigint, inout seen bigint[], inout latest bigint,
  out granted bigint, out used bigint, out free_in integer
) language plpgsql as $$
declare
  slots constant integer := 61;
  left_over bigint;
  leaving bigint := 0;
begin
  if abs(p_second - latest) >= slots then
    seen := array_fill(0::bigint, array[slots]);
    latest := p_second;
  end if;
  while latest < p_second loop
    latest := latest + 1;
    seen[latest % slots + 1] := 0;
  end loop;
  select sum(count) into used from unnest(seen) as count;
  left_over := greatest(p_limit - used, 0);
  granted := case when p_limit is null then p_wanted when left_over < p_least then 0 else least(p_wanted, left_over) end;
  used := used + granted;
  seen[latest % slots + 1] := seen[latest % slots + 1] + granted;
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

create or replace function take_rate(
  p_user text, p_sandbox text, p_subject text, p_kind text, p_limit bigint, p_wanted bigint, p_least bigint,
  p_second bigint default null, out granted bigint, out used bigint, out free_in integer
) language plpgsql as $$
declare
  slots constant integer := 61;
  now_seen bigint[];
  now_latest bigint;
  this_second bigint := coalesce(p_second, floor(extract(epoch from clock_timestamp()))::bigint);
begin
  insert into rate values (p_user, p_sandbox, p_subject, p_kind, array_fill(0::bigint, array[slots]), this_second)
    on conflict do nothing;
  select r.counts, r.latest_second into now_seen, now_latest from rate r
    where r.user_id = p_user and r.sandbox_id = p_sandbox and r.subject = p_subject and r.kind = p_kind for update;
  select c.seen, c.latest, c.granted, c.used, c.free_in into now_seen, now_latest, granted, used, free_in
    from count_in_minute(p_limit, p_wanted, p_least, this_second, now_seen, now_latest) as c;
  update rate r set counts = now_seen, latest_second = now_latest
    where r.user_id = p_user and r.sandbox_id = p_sandbox and r.subject = p_subject and r.kind = p_kind;
end
$$;

-- take_rate for what the account's sandboxes of a tier share as well: no more than both allow, or nothing when that is
-- less than p_least. The sandbox's row is always locked before the account's. account_used is null where the account
-- was not asked: it has no limit, or the sandbox's minute is used up.
create function take_shared_rate(
  p_user text, p_sandbox text, p_subject text, p_kind text, p_limit bigint, p_wanted bigint, p_least bigint,
  p_second bigint, p_tier text, p_account_limit bigint,
  out granted bigint, out used bigint, out free_in integer, out account_used bigint, out account_free_in integer
) language plpgsql as $$
declare
  slots constant integer := 61;
  now_seen bigint[];
  now_latest bigint;
  shared bigint;
  this_second bigint := coalesce(p_second, floor(extract(epoch from clock_timestamp()))::bigint);
begin
  select t.granted, t.used, t.free_in into granted, used, free_in
    from take_rate(p_user, p_sandbox, p_subject, p_kind, p_limit, p_wanted, p_least, this_second) as t;
  if p_account_limit is null or (p_wanted > 0 and granted = 0) then
    return;
  end if;
  insert into account_rate values (p_user, p_tier, p_kind, array_fill(0::bigint, array[slots]), this_second)
    on conflict do nothing;
  select r.counts, r.latest_second into now_seen, now_latest from account_rate r
    where r.user_id = p_user and r.tier = p_tier and r.kind = p_kind for update;
  select c.seen, c.latest, c.granted, c.used, c.free_in into now_seen, now_latest, shared, account_used, account_free_in
    from count_in_minute(p_account_limit, granted, p_least, this_second, now_seen, now_latest) as c;
  update account_rate r set counts = now_seen, latest_second = now_latest
    where r.user_id = p_user and r.tier = p_tier and r.kind = p_kind;
  if shared < granted then
    update rate r
      set counts[r.latest_second % slots + 1] = r.counts[r.latest_second % slots + 1] - (granted - shared)
      where r.user_id = p_user and r.sandbox_id = p_sandbox and r.subject = p_subject and r.kind = p_kind;
    used := used - (granted - shared);
    granted := shared;
  end if;
end
$$;
