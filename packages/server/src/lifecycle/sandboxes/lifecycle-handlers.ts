import type { sandboxLifecycleOperations } from '@cairn/contract'
import { changeSandboxState } from '../../tenancy/sandboxes/change-sandbox-state.ts'
import type { Handlers } from '../context.ts'
import { eraseOwner } from '../erasure/erase-owner.ts'
import { rotateKey } from '../rotate-key.ts'

/** Answers the operations that move a sandbox through its states, and the erasure of an owner. */
export const lifecycleHandlers: Handlers<typeof sandboxLifecycleOperations> = {
  suspendSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'suspended'),
  reactivateSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'reactivated'),
  archiveSandbox: (ctx, { reach }) => changeSandboxState(ctx, reach, 'archived'),
  rotateSandboxKey: (ctx, { reach }) => rotateKey(ctx, reach),
  eraseOwner: (ctx, { body }) => eraseOwner(ctx, body.owner_id),
}
