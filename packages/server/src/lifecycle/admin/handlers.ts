import type { adminOperations } from '@cairn/contract'
import { createAccount } from '../../tenancy/admin/create-account.ts'
import { createAccountKey } from '../../tenancy/admin/create-account-key.ts'
import { listAccounts } from '../../tenancy/admin/list-accounts.ts'
import { setSandboxTier } from '../../tenancy/admin/set-sandbox-tier.ts'
import { listAudit } from '../../tenancy/audit/list-audit.ts'
import type { Handlers } from '../context.ts'
import { eraseAccount } from './erase-account.ts'
import { setAccountStatus } from './set-account-status.ts'

/** Answers the operator's operations. */
export const handlers: Handlers<typeof adminOperations> = {
  createAccount: (ctx, { body }) => createAccount(ctx, body),
  listAccounts: (ctx, { query }) => listAccounts(ctx, query),
  createAccountKey: (ctx, { params, body }) => createAccountKey(ctx, params.user_id, body),
  suspendAccount: (ctx, { params }) => setAccountStatus(ctx, params.user_id, 'suspended'),
  reactivateAccount: (ctx, { params }) => setAccountStatus(ctx, params.user_id, 'active'),
  eraseAccount: (ctx, { params }) => eraseAccount(ctx, params.user_id),
  setSandboxTier: (ctx, { params, body }) => setSandboxTier(ctx, params.sandbox_id, body.tier),
  listAuditChain: (ctx, { query }) => listAudit(ctx, { operator: true }, query.chain, query),
}
