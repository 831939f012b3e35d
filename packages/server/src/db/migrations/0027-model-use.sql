-- What each model did for an account on a day, and for what it was called; it takes the place of the day's sums.
create table model_use (
  user_id text not null,
  day text not null,
  provider text not null,
  model text not null,
  call_type text not null,
  calls bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_picousd bigint not null default 0,
  constraint model_use_pkey primary key (user_id, day, provider, model, call_type),
  constraint model_use_account foreign key (user_id) references account (user_id) on delete cascade
);

-- What was counted before is of no model that is known any more. The owner of the tables sees all rows only while row
-- level security is not forced on it.
alter table usage no force row level security;
insert into model_use (user_id, day, provider, model, call_type, input_tokens, output_tokens, cost_picousd)
  select user_id, day, 'unknown', 'unknown', 'unknown', model_input_tokens, model_output_tokens, model_cost_picousd
  from usage where model_input_tokens > 0 or model_output_tokens > 0;
alter table usage force row level security;
alter table usage
  drop column model_input_tokens,
  drop column model_output_tokens,
  drop column model_cost_picousd;

alter table model_use enable row level security;
alter table model_use force row level security;
create policy model_use_tenant on model_use to cairn_app
  using (user_id = nullif(current_setting('app.tenant', true), ''));
grant select, insert, update, delete on model_use to cairn_app;
