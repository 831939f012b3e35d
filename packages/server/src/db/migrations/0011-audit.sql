-- Adds an event to the end of its chain in one statement. Events of one chain wait for each other until their
-- transactions end; the last event is looked for after the wait, so that what was committed meanwhile is seen.
-- The hash is that of a JSON list: what p_head says, the event's place in its chain, what p_tail says, and the hash of
-- the event before it in hexadecimal digits.
create function append_audit(
  p_user text, p_chain text, p_at timestamptz, p_actor text, p_credential text, p_event text, p_subject text,
  p_request text, p_head text, p_tail text
) returns void language plpgsql as $$
declare
  before audit%rowtype;
  place bigint;
  before_hash bytea;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_chain, 0));
  select * into before from audit a where a.user_id = p_user and a.chain = p_chain order by a.seq desc limit 1;
  place := coalesce(before.seq, 0) + 1;
  before_hash := coalesce(before.hash, decode(repeat('00', 32), 'hex'));
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
