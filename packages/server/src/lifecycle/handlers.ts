import type {
  adminOperations,
  recordLifecycleOperations,
  sandboxLifecycleOperations,
  sandboxOperations,
  sourceLifecycleOperations,
} from '@cairnstore/contract'
import { listDeliveries } from '../sources/deliveries/list-deliveries.ts'
import { pullSource } from '../sources/polling/pull-source.ts'
import { deleteSource } from '../sources/registry/delete-source.ts'
import { listRunFiles, listRuns } from '../sources/registry/list-runs.ts'
import { changeSourceState, rotateSecret } from '../sources/registry/source-state.ts'
import { createAccount, createAccountKey, listAccounts, setSandboxTier } from '../tenancy/admin/accounts.ts'
import { listAudit } from '../tenancy/audit/list-audit.ts'
import { changeSandboxState } from '../tenancy/sandboxes/change-sandbox-state.ts'
import { listSandboxes } from '../tenancy/sandboxes/list-sandboxes.ts'
import { wireSandbox } from '../tenancy/sandboxes/store.ts'
import { eraseAccount, eraseOwner, setAccountStatus } from './admin/accounts.ts'
import type { Handlers } from './context.ts'
import { purgeSource } from './erasure/purge-source.ts'
import { deleteRecord } from './records/delete-record.ts'
import { rotateKey } from './rotate-key.ts'
import { createSandbox, deleteSandbox, getSandboxUsage, updateSandbox } from './sandboxes/sandboxes.ts'

type AnsweredOperations = typeof adminOperations &
  typeof recordLifecycleOperations &
  typeof sandboxOperations &
  typeof sandboxLifecycleOperations &
  typeof sourceLifecycleOperations

/** Answers the operations that cross rooms: what is made and erased as a whole, and what changes its state. */
export const handlers: Handlers<AnsweredOperations> = {
  createAccount: (ctx, { body }) => createAccount(ctx, body),
  listAccounts: (ctx, { query }) => listAccounts(ctx, query),
  createAccountKey: (ctx, { params, body }) => createAccountKey(ctx, params.user_id, body),
  suspendAccount: (ctx, { params }) => setAccountStatus(ctx, params.user_id, 'suspended'),
  reactivateAccount: (ctx, { params }) => setAccountStatus(ctx, params.user_id, 'active'),
  deleteAccount: (ctx, { params }) => eraseAccount(ctx, params.user_id),
  updateSandboxTier: (ctx, { params, body }) => setSandboxTier(ctx, params.sandbox_id, body.tier),
  listAuditChain: (ctx, { query }) => listAudit(ctx, { operator: true }, query.chain, query),

  deleteRecord: (ctx, { reach, params }) => deleteRecord(ctx, reach, params.record_id),

  createSandbox: (ctx, { body }) => createSandbox(ctx, body),
  listSandboxes: (ctx, { query }) => listSandboxes(ctx, query),
  getSandbox: async (ctx, { reach }) => wireSandbox(reach.sandbox, ctx.limits, reach.role),
  getSandboxUsage: (ctx, { reach }) => getSandboxUsage(ctx, reach),
  updateSandbox: (ctx, { reach, body }) => updateSandbox(ctx, reach, body),
  deleteSandbox: (ctx, { reach }) => deleteSandbox(ctx, reach),

  suspendSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'suspended'),
  reactivateSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'reactivated'),
  archiveSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'archived'),
  rotateSandboxKey: (ctx, { reach }) => rotateKey(ctx, reach),
  deleteOwner: (ctx, { body }) => eraseOwner(ctx, body.owner_id),

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
  listRunFiles: (ctx, { reach, params, query }) => listRunFiles(ctx, reach, params, query),
  listDeliveries: (ctx, { reach, params, query }) => listDeliveries(ctx, reach, params.source_id, query),
}
