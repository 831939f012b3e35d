-- expands: programs before it append by the function and read under the same name.
-- The audit log by month: what is older than an installation keeps goes as whole tables. Every part has its own key, and
-- nobody but the owner has a right to a part, so that rows are reached through the log and its rules alone.
alter table audit rename to audit_before;
drop policy audit_tenant on audit_before;
drop policy audit_operator on audit_before;
revoke all on audit_before from cairn_app, cairn_gate;

create table audit (like audit_before) partition by range (at);
alter table audit enable row level security;
alter table audit force row level security;
create policy audit_tenant on audit to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy audit_operator on audit for select to cairn_gate
  using (current_setting('app.operator', true) = 'on');
grant select, insert on audit to cairn_app;
grant select on audit to cairn_gate;

-- What the constraint says is where it ends, so that nothing is looked through.
do $$
begin
  execute format(
    'alter table audit attach partition audit_before for values from (minvalue) to (%L)',
    (select substring(pg_get_constraintdef(oid) from '''([^'']+)''')::timestamptz from pg_constraint
      where conrelid = 'audit_before'::regclass and conname = 'audit_before_months')
  );
  alter table audit_before drop constraint audit_before_months;
  -- Events of a time that no month has been made for yet.
  create table audit_default (like audit_before including all);
  alter table audit_default enable row level security;
  alter table audit attach partition audit_default default;
end
$$;


-- The parts of the log, and when each ends; null for the one without bounds.
create view audit_part as
  select c.relname as name,
    substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)')::timestamptz as ends
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'audit'::regclass;

-- Makes the part of a month, with what came in its time before it was made.
create function add_audit_month(p_month timestamptz) returns void language plpgsql as $$
declare
  name constant text := 'audit_' || to_char(p_month, 'YYYY_MM');
  ends constant timestamptz := p_month + interval '1 month';
begin
  execute format('create table %I (like audit_default including all)', name);
  execute format('alter table %I enable row level security', name);
  execute format(
    'with late as (delete from audit_default where at >= %1$L and at < %2$L returning *) insert into %3$I select * from late',
    p_month, ends, name
  );
  execute format('alter table audit attach partition %I for values from (%L) to (%L)', name, p_month, ends);
end
$$;
revoke execute on function add_audit_month from public;

-- The last event of a chain that went with its month: the next one carries on from it.
create table audit_cut (
  user_id text not null,
  chain text not null,
  seq bigint not null,
  hash bytea not null,
  constraint audit_cut_pkey primary key (user_id, chain)
);
alter table audit_cut enable row level security;
alter table audit_cut force row level security;
create policy audit_cut_tenant on audit_cut to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
create policy audit_cut_owner on audit_cut to cairn_owner using (true);
grant select on audit_cut to cairn_app;

-- As before, but for a chain of which the last event may have gone with its month.
create or replace function append_audit(
  p_user text, p_chain text, p_at timestamptz, p_actor text, p_credential text, p_event text, p_subject text,
  p_request text, p_head text, p_tail text
) returns void language plpgsql as $$
declare
  place bigint;
  before_hash bytea;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_chain, 0));
  select b.seq, b.hash into place, before_hash from (
    (select a.seq, a.hash from audit a where a.user_id = p_user and a.chain = p_chain order by a.seq desc limit 1)
    union all
    (select c.seq, c.hash from audit_cut c where c.user_id = p_user and c.chain = p_chain)
  ) b order by b.seq desc limit 1;
  place := coalesce(place, 0) + 1;
  before_hash := coalesce(before_hash, decode(repeat('00', 32), 'hex'));
  insert into audit
    (user_id, chain, seq, at, actor_user_id, credential_id, event, subject_id, request_id, previous_hash, hash)
  values (
    p_user, p_chain, place, p_at, p_actor, p_credential, p_event, p_subject, p_request, before_hash,
    sha256(convert_to(
      '[' || p_head || ',' || place || ',' || p_tail || ',"' || encode(before_hash, 'hex') || '"]', 'UTF8'
    ))
  );
end
$$;

-- Makes the months that are to come, and drops those that ended before p_kept months ago: with null none, and never
-- one of the last three. One process at a time does it, and waits a moment for its locks: it is called again.
create function keep_audit_months(p_now timestamptz, p_kept integer) returns void
  language plpgsql security definer
  set search_path = public, pg_temp set timezone = 'UTC' set datestyle = 'ISO' set lock_timeout = '1s' as $$
declare
  this_month constant timestamptz := date_trunc('month', p_now);
  cut constant timestamptz := this_month - make_interval(months => greatest(p_kept, 3));
  month timestamptz;
  part record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('keep_audit_months', 0)) then return; end if;
  select greatest(max(ends), this_month) into month from audit_part;
  while month < this_month + interval '3 months' loop
    perform add_audit_month(month);
    month := month + interval '1 month';
  end loop;
  if p_kept is null then return; end if;
  for part in select name, ends from audit_part where ends <= cut or ends is null order by ends loop
    execute format(
      'insert into audit_cut as c (user_id, chain, seq, hash)
        select distinct on (user_id, chain) user_id, chain, seq, hash from %I where at < %L
        order by user_id, chain, seq desc
        on conflict (user_id, chain) do update set seq = excluded.seq, hash = excluded.hash where c.seq < excluded.seq',
      part.name, cut
    );
    if part.ends is null then
      execute format('delete from %I where at < %L', part.name, cut);
    else
      execute format('drop table %I', part.name);
    end if;
  end loop;
end
$$;
revoke execute on function keep_audit_months from public;
grant execute on function keep_audit_months to cairn_gate;
