-- What each tool of a server was when it was approved, by the digest of what the server says of it.
alter table source add column tool_pins jsonb;
