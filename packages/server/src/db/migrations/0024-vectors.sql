-- The dataset of vectors that the head names; up to which commit every record has its vectors, and the hash of the model
-- that they are of.
alter table sandbox_head
  add column vectors_version bigint not null default 0,
  add column vectored_seq bigint not null default 0,
  add column vector_space bigint;
