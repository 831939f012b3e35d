-- expands: programs before it store no answers. They delete records without the answers that cite these, which are
-- hidden all the same, because their readers need every cited record.
-- Stored answers, with the records that each cites or that were retrieved for it, and the feedback on them.
create table answer (
  user_id text not null,
  sandbox_id text not null,
  id text not null,
  -- Who asked. Their answers are deleted with their account.
  asker_id text not null,
  -- The project that was asked; null for the whole sandbox.
  project_id text,
  outcome text not null,
  shared_at timestamptz,
  -- The question and the answer as JSON, encrypted under the sandbox's caller's key if it has one.
  content bytea not null,
  created_at timestamptz not null,
  constraint answer_pkey primary key (user_id, sandbox_id, id),
  constraint answer_sandbox foreign key (user_id, sandbox_id) references sandbox (user_id, id) on delete cascade,
  constraint answer_asker foreign key (asker_id) references account (user_id) on delete cascade
);
create index answer_of_asker on answer (user_id, sandbox_id, asker_id, id);
create index answer_by_asker on answer (asker_id);
create index answer_by_age on answer (created_at);

create table answer_record (
  user_id text not null,
  sandbox_id text not null,
  answer_id text not null,
  record_id text not null,
  -- From 1 for the first that was retrieved; 0 for a cited record that was not.
  rank integer not null,
  is_cited boolean not null,
  constraint answer_record_pkey primary key (user_id, sandbox_id, answer_id, record_id),
  constraint answer_record_answer foreign key (user_id, sandbox_id, answer_id)
    references answer (user_id, sandbox_id, id) on delete cascade
);
create index answer_record_by_record on answer_record (user_id, sandbox_id, record_id);

create table answer_feedback (
  user_id text not null,
  sandbox_id text not null,
  answer_id text not null,
  -- Who says it; one answer has at most one by each.
  person_id text not null,
  id text not null,
  verdict text not null,
  -- The note and the expected records as JSON, encrypted like the answer.
  content bytea not null,
  created_at timestamptz not null,
  constraint answer_feedback_pkey primary key (user_id, sandbox_id, answer_id, person_id),
  constraint answer_feedback_verdict check (verdict in ('right', 'partly', 'wrong')),
  constraint answer_feedback_answer foreign key (user_id, sandbox_id, answer_id)
    references answer (user_id, sandbox_id, id) on delete cascade,
  constraint answer_feedback_person foreign key (person_id) references account (user_id) on delete cascade
);
create index answer_feedback_by_id on answer_feedback (user_id, sandbox_id, id);
create index answer_feedback_by_person on answer_feedback (person_id);

-- Stores an answer with its records `[id, rank, is cited]`, in one round trip. The lock on the head keeps commits that
-- remove records from passing the answer by. Returns false, and stores nothing, if the sandbox is gone or under another
-- key, or if a cited record was removed after the commit p_seq that the answer was made at.
create function store_answer(
  p_user text, p_sandbox text, p_id text, p_asker text, p_project text, p_outcome text, p_content bytea, p_at timestamptz,
  p_seq bigint, p_key_epoch bigint, p_records jsonb
) returns boolean language plpgsql as $$
declare
  head record;
  removed text[] := '{}';
begin
  select h.seq, h.key_epoch into head from sandbox_head h
    where h.user_id = p_user and h.sandbox_id = p_sandbox for share;
  if not found or head.key_epoch is distinct from p_key_epoch then
    return false;
  end if;
  if head.seq <> p_seq then
    removed := array(
      select id from change c, jsonb_array_elements(c.changes -> 'records') as groups,
        jsonb_array_elements_text(groups -> 'removed') as gone (id)
      where c.user_id = p_user and c.sandbox_id = p_sandbox and c.seq > p_seq
    );
    if exists (
      select from jsonb_array_elements(p_records) as r where (r ->> 2)::boolean and r ->> 0 = any (removed)
    ) then
      return false;
    end if;
  end if;
  insert into answer (user_id, sandbox_id, id, asker_id, project_id, outcome, content, created_at)
    values (p_user, p_sandbox, p_id, p_asker, p_project, p_outcome, p_content, p_at);
  insert into answer_record (user_id, sandbox_id, answer_id, record_id, rank, is_cited)
    select p_user, p_sandbox, p_id, r ->> 0, (r ->> 1)::integer, (r ->> 2)::boolean
    from jsonb_array_elements(p_records) as r where r ->> 0 <> all (removed);
  return true;
end
$$;

alter table answer enable row level security;
alter table answer force row level security;
create policy answer_tenant on answer to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on answer to cairn_app;
alter table answer_record enable row level security;
alter table answer_record force row level security;
create policy answer_record_tenant on answer_record to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on answer_record to cairn_app;
alter table answer_feedback enable row level security;
alter table answer_feedback force row level security;
create policy answer_feedback_tenant on answer_feedback to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on answer_feedback to cairn_app;

-- The worker removes answers that are older than they are kept.
create policy answer_worker on answer for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy answer_worker_removes on answer for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, delete on answer to cairn_gate;
