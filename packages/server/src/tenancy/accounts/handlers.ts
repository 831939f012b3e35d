import type { accountOperations } from '@cairnstore/contract'
import type { Handlers } from '../context.ts'
import { createApiKey } from './create-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { getProfile, updateProfile } from './profile.ts'
import { revokeApiKey } from './revoke-api-key.ts'

/** Answers the operations on the caller's own account. */
export const handlers: Handlers<typeof accountOperations> = {
  createApiKey: (ctx, { body }) => createApiKey(ctx, body),
  listApiKeys: (ctx) => listApiKeys(ctx),
  revokeApiKey: (ctx, { params }) => revokeApiKey(ctx, params.key_id),
  getProfile: (ctx) => getProfile(ctx),
  updateProfile: (ctx, { body }) => updateProfile(ctx, body),
}
