import type { adminOperations } from '@cairn/contract'
import type { Handlers } from '../handler.ts'
import { listAudit } from '../sharing/list-audit.ts'
import { createAccount } from './create-account.ts'
import { createAccountKey } from './create-account-key.ts'
import { eraseAccount } from './erase-account.ts'
import { listAccounts } from './list-accounts.ts'
import { setAccountStatus } from './set-account-status.ts'
import { setSandboxTier } from './set-sandbox-tier.ts'

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
