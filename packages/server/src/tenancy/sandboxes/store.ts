import type { Id, Role, Sandbox } from '@cairnstore/contract'
import type { TierLimits } from '../../config/limits.ts'
import type { Row } from '../../db/tables.ts'
import { withVersion } from '../../db/versions.ts'
import { placeOf } from '../storage/bucket.ts'

/** A sandbox's row as the contract shows it to someone with this role. */
export function wireSandbox(row: Row<'sandbox'>, limits: TierLimits, role: Role): Sandbox {
  const storage = role === 'owner' ? placeOf(row.storage) : null
  const sandbox: Sandbox = {
    sandbox_id: row.id as Id<'sandbox'>,
    user_id: row.user_id,
    owner_id: row.owner_id,
    name: row.name,
    tier: row.tier,
    status: row.status,
    storage_provider_type: row.storage_provider_type,
    ...(storage && { storage }),
    limits: limits[row.tier],
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    access: role,
    is_external: role !== 'owner',
    encrypted: row.encrypted,
    key_fingerprint: row.key_fingerprint,
  }
  return withVersion(sandbox, row.version)
}
