import type { accountOperations, consoleOperations } from '@cairnstore/contract'
import type { Handlers } from '../context.ts'
import { makeAccountConsoleCode, makeConsoleCode, signInToConsole } from './console-sign-in.ts'
import { createApiKey } from './create-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { getProfile, updateProfile } from './profile.ts'
import { revokeApiKey } from './revoke-api-key.ts'

/** Answers the operations on the caller's own account, and those that lead into the console. */
export const handlers: Handlers<typeof accountOperations & typeof consoleOperations> = {
  createApiKey: (ctx, { body }) => createApiKey(ctx, body),
  listApiKeys: (ctx) => listApiKeys(ctx),
  revokeApiKey: (ctx, { params }) => revokeApiKey(ctx, params.key_id),
  getProfile: (ctx) => getProfile(ctx),
  updateProfile: (ctx, { body }) => updateProfile(ctx, body),

  createConsoleCode: async (ctx) => makeConsoleCode(ctx, ctx.caller.accountId),
  createAccountConsoleCode: (ctx, { params }) => makeAccountConsoleCode(ctx, params.user_id),
  signInToConsole: (ctx, { body }) => signInToConsole(ctx, body.code),
}
