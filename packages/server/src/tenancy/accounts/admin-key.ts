import { sameDigest, sha256 } from '../../base/digest.ts'
import type { Found } from './found-caller.ts'

/** The operator as a caller. It has no account, so no tenant's rows can be reached in its name by mistake. */
const OPERATOR: Found = {
  caller: { accountId: '', credential: { kind: 'admin_key', id: 'admin_key' } },
  holderId: null,
  expiresAt: null,
}

/** The operator, when the token is the admin key. */
export function findAdmin(adminKeyHash: Uint8Array | null, token: string): Found | undefined {
  return adminKeyHash !== null && sameDigest(sha256(token), adminKeyHash) ? OPERATOR : undefined
}
