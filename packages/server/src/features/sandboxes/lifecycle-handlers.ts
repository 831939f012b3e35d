import type { sandboxLifecycleOperations } from '@cairn/contract'
import { rotateKey } from '../caller-keys/rotate-key.ts'
import { eraseOwner } from '../erasure/erase-owner.ts'
import type { Handlers } from '../handler.ts'
import { changeSandboxState } from './change-sandbox-state.ts'

/** Answers the operations that move a sandbox through its states, and the erasure of an owner. */
export const lifecycleHandlers: Handlers<typeof sandboxLifecycleOperations> = {
  suspendSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'suspended'),
  reactivateSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'reactivated'),
  archiveSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'archived'),
  rotateSandboxKey: (ctx, { reach }) => rotateKey(ctx, reach),
  eraseOwner: (ctx, { body }) => eraseOwner(ctx, body.owner_id),
}
