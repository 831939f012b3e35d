-- expands: programs before it run no evaluations, and those that were started wait for a program that does. They delete
-- records without the questions that cite these, which are hidden all the same, because their readers need every record.
-- Questions that are asked in the background as the account that started them. An evaluation belongs to the job of the
-- same id, and is deleted with it.
create table evaluation (
  user_id text not null,
  sandbox_id text not null,
  job_id text not null,
  -- Who asks, by which credential. Their evaluations are deleted with their account.
  asker_id text not null,
  credential jsonb not null,
  project_id text,
  settings jsonb not null,
  -- Questions that it was started with; those that were deleted since have no row any more.
  questions integer not null,
  -- Models by name, for the page that shows the results; null if none was to write or to grade.
  writer text,
  judge text,
  owner text,
  lease_until timestamptz,
  not_before timestamptz,
  failures integer not null default 0,
  created_at timestamptz not null,
  constraint evaluation_pkey primary key (user_id, sandbox_id, job_id),
  constraint evaluation_job foreign key (user_id, sandbox_id, job_id)
    references job (user_id, sandbox_id, id) on delete cascade,
  constraint evaluation_asker foreign key (asker_id) references account (user_id) on delete cascade
);
create index evaluation_of_asker on evaluation (user_id, sandbox_id, asker_id, job_id);
create index evaluation_by_asker on evaluation (asker_id);
create index evaluation_by_age on evaluation (created_at);
-- Null once all questions were asked.
create index evaluation_due on evaluation (not_before) where not_before is not null;

create table evaluation_question (
  user_id text not null,
  sandbox_id text not null,
  job_id text not null,
  position integer not null,
  -- Null until it is asked.
  grade text,
  statements integer not null default 0,
  unsupported integer not null default 0,
  -- The question, and its answer once it is asked, as JSON, encrypted under the sandbox's caller's key if it has one.
  content bytea not null,
  constraint evaluation_question_pkey primary key (user_id, sandbox_id, job_id, position),
  constraint evaluation_question_grade
    check (grade in ('right', 'partly', 'wrong', 'rightly_unanswered', 'wrongly_unanswered', 'ungraded')),
  constraint evaluation_question_evaluation foreign key (user_id, sandbox_id, job_id)
    references evaluation (user_id, sandbox_id, job_id) on delete cascade
);

-- The records that the answer cites or that the question expects; it is deleted with the first of them.
create table evaluation_record (
  user_id text not null,
  sandbox_id text not null,
  job_id text not null,
  position integer not null,
  record_id text not null,
  constraint evaluation_record_pkey primary key (user_id, sandbox_id, job_id, position, record_id),
  constraint evaluation_record_question foreign key (user_id, sandbox_id, job_id, position)
    references evaluation_question (user_id, sandbox_id, job_id, position) on delete cascade
);
create index evaluation_record_by_record on evaluation_record (user_id, sandbox_id, record_id);

alter table evaluation enable row level security;
alter table evaluation force row level security;
create policy evaluation_tenant on evaluation to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on evaluation to cairn_app;
alter table evaluation_question enable row level security;
alter table evaluation_question force row level security;
create policy evaluation_question_tenant on evaluation_question to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on evaluation_question to cairn_app;
alter table evaluation_record enable row level security;
alter table evaluation_record force row level security;
create policy evaluation_record_tenant on evaluation_record to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on evaluation_record to cairn_app;

-- Workers look for questions that are to be asked and for evaluations that are older than they are kept.
create policy evaluation_worker on evaluation for select to cairn_gate
  using (current_setting('app.worker', true) = 'on');
create policy evaluation_worker_removes on evaluation for delete to cairn_gate
  using (current_setting('app.worker', true) = 'on');
grant select, delete on evaluation to cairn_gate;
