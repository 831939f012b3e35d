import { sql } from 'kysely'
import type { Applier } from '../../ingest/applier.ts'
import type { Planes } from '../../store/planes.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/sandbox-ref.ts'
import { forgetReplies } from './forget-replies.ts'
import { holdKey, leaveVersions } from './leave-versions.ts'
import { addToCounts, markErased } from './store.ts'

/** Whoever deletes one record often deletes the next: what was deleted within so long goes in one copy of the rest, */
const CALM_SECONDS = 2
/** which begins so long after the first at the latest, so that a minute is never exceeded. */
const WAIT_SECONDS_MAX = 10
/** Sandboxes looked at in one round. */
const SANDBOXES_MAX = 100

/** The sandboxes whose deleted records still stand in older versions, when it is time to remove these. */
export async function listRecordErasures({ sql: control }: Planes): Promise<SandboxRef[]> {
  const rows = await control.transact({ worker: true }, (tx) =>
    tx
      .selectFrom('erasure')
      .select(['user_id', 'sandbox_id'])
      .where('record_id', 'is not', null)
      .where('erased_at', 'is', null)
      .groupBy(['user_id', 'sandbox_id'])
      .having(
        sql<boolean>`max(requested_at) <= now() - make_interval(secs => ${CALM_SECONDS})
          or min(requested_at) <= now() - make_interval(secs => ${WAIT_SECONDS_MAX})`,
      )
      .limit(SANDBOXES_MAX)
      .execute(),
  )
  return rows.map((row) => ({ userId: row.user_id, sandboxId: row.sandbox_id }))
}

/**
 * Removes every trace of the records of a sandbox that were deleted until now; done again after a crash. False while
 * another process holds the lease, and while nobody holds the key of a sandbox under one.
 */
export async function eraseRecords(planes: Planes, applier: Applier, sandbox: SandboxRef): Promise<boolean> {
  const release = await holdKey(planes, sandbox)
  if (!release) return false
  try {
    // Each was removed by a commit before its note was written, so the head that is copied holds none of them.
    const notes = await notesOf(planes, sandbox)
    const files = await applier.alone(sandbox.sandboxId, () => leaveVersions(planes, sandbox))
    if (files === undefined) return false
    for (const [at, { id, record_id: recordId }] of notes.entries()) {
      const ref = { userId: sandbox.userId, id }
      const replies = await forgetReplies(planes, sandbox.userId, String(recordId))
      const objects = at === 0 ? files : 0
      await planes.sql.transact(sandbox.userId, (tx) => addToCounts(tx, ref, { sql: replies, objects }))
      await markErased(planes, ref)
    }
    return true
  } finally {
    release()
  }
}

function notesOf(planes: Planes, { userId, sandboxId }: SandboxRef) {
  return planes.sql.transact(userId, (tx) =>
    tx
      .selectFrom('erasure')
      .select(['id', 'record_id'])
      .where('user_id', '=', userId)
      .where('sandbox_id', '=', sandboxId)
      .where('record_id', 'is not', null)
      .where('erased_at', 'is', null)
      .execute(),
  )
}
