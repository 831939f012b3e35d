import type { sourceLifecycleOperations } from '@cairn/contract'
import { listDeliveries } from '../../sources/deliveries/list-deliveries.ts'
import { pullSource } from '../../sources/polling/pull-source.ts'
import { changeSourceState } from '../../sources/registry/change-source-state.ts'
import { deleteSource } from '../../sources/registry/delete-source.ts'
import { listRuns } from '../../sources/registry/list-runs.ts'
import { rotateSecret } from '../../sources/registry/rotate-secret.ts'
import type { Handlers } from '../context.ts'
import { purgeSource } from '../erasure/purge-source.ts'

/** Answers the operations that move a source through its states, and take away what it is or what it fed. */
export const lifecycleHandlers: Handlers<typeof sourceLifecycleOperations> = {
  pauseSource: (ctx, { reach, params }) => changeSourceState(ctx, reach, params.source_id, 'paused'),
  resumeSource: (ctx, { reach, params }) => changeSourceState(ctx, reach, params.source_id, 'resumed'),
  disconnectSource: (ctx, { reach, params }) => changeSourceState(ctx, reach, params.source_id, 'disconnected'),
  rotateWebhookSecret: (ctx, { reach, params, body }) =>
    rotateSecret(ctx, reach, params.source_id, body.grace_seconds ?? 0),
  pullSource: (ctx, { reach, params, body }) => pullSource(ctx, reach, params.source_id, body.since),
  purgeSource: (ctx, { reach, params, body }) =>
    purgeSource(ctx, reach, params.source_id, { deleteSource: body.delete_source ?? false }),
  deleteSource: (ctx, { reach, params }) => deleteSource(ctx, reach, params.source_id),
  listRuns: (ctx, { reach, params, query }) => listRuns(ctx, reach, params.source_id, query),
  listDeliveries: (ctx, { reach, params, query }) => listDeliveries(ctx, reach, params.source_id, query),
}
