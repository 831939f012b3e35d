-- What language models read and wrote for an account, and what that cost at the prices of the day: in 10^-12 US dollars,
-- of which the price of a token is a whole number.
alter table usage
  add column model_input_tokens bigint not null default 0,
  add column model_output_tokens bigint not null default 0,
  add column model_cost_picousd bigint not null default 0;
