import { CHANGE, operation } from './operation.ts'
import { DeletedCounts, sandboxParams } from './sandbox.ts'
import { Done, newKeyHeaders, Opaque, PathId, type Static, Type as T } from './schema.ts'

/** Request body to erase an owner's sandboxes. */
export const EraseOwner = T.Object({ owner_id: Opaque('Your own end user, as given when the sandboxes were created.') })
export type EraseOwner = Static<typeof EraseOwner>

/** Response to the erasure of an owner: the number of sandboxes, and total counts by kind. */
export const ErasedOwner = T.Object({
  ...Done.properties,
  sandboxes: T.Integer({ minimum: 0, description: 'Sandboxes that were erased.' }),
  deleted: DeletedCounts,
})
export type ErasedOwner = Static<typeof ErasedOwner>

const tag = 'Sandboxes'
const path = '/api/v1/storage/sandboxes/:sandbox_id'
const params = T.Object(sandboxParams)
const change = { ...CHANGE, tag, access: 'owner', params, reply: { json: Done } } as const

/** Operations that change a sandbox's state or key, and the one that erases an owner. */
export const sandboxLifecycleOperations = {
  suspendSandbox: operation({
    ...change,
    path: `${path}/suspend`,
    summary: 'Suspend a sandbox',
    description:
      'It can be read; writes and queries get 409. Data that was accepted before is still ingested. ' +
      'Suspending a suspended sandbox changes nothing.',
    audit: { event: 'sandbox.suspended' },
    faults: ['sandbox_not_active'],
  }),
  reactivateSandbox: operation({
    ...change,
    path: `${path}/reactivate`,
    summary: 'Reactivate a suspended or archived sandbox',
    description: 'Has no effect on an active sandbox.',
    audit: { event: 'sandbox.reactivated' },
  }),
  archiveSandbox: operation({
    ...change,
    path: `${path}/archive`,
    summary: 'Archive a sandbox',
    description:
      'It can be read and is listed only with `status=archived`; its name stays in use. Data that was accepted ' +
      'before is still ingested. Archiving an archived sandbox changes nothing.',
    audit: { event: 'sandbox.archived' },
  }),
  rotateSandboxKey: operation({
    ...change,
    path: `${path}/rotate-key`,
    summary: 'Change a sandbox’s customer-managed key',
    description:
      'Send the current key in `X-Encryption-Token` or `X-Encryption-Key` and the new one in ' +
      '`X-New-Encryption-Token` or `X-New-Encryption-Key`. Everything is encrypted again. The reply comes when that ' +
      'is done: until then the current key works, afterwards only the new one. If the connection ends, the change ' +
      'continues. If the service stops, repeat the call with both keys; this is safe even if the change was ' +
      'completed. Has no effect on a sandbox without a customer-managed key.',
    audit: { event: 'sandbox.key_rotated' },
    retry: 'ask',
    content: 'reads',
    headers: T.Object(newKeyHeaders),
    faults: ['sandbox_not_active'],
  }),
  deleteOwner: operation({
    ...CHANGE,
    path: '/api/v1/storage/owners/erase',
    tag,
    summary: 'Erase all sandboxes of one of your end users',
    description:
      'Deletes all sandboxes of the account with this `owner_id`, whatever their status, like deleting each of them. ' +
      'An owner without sandboxes gets zeros.',
    access: 'account',
    audit: { event: 'owner.erased' },
    body: { json: EraseOwner, example: { owner_id: '7b0e4c1e-6a3f-4f0e-9a3e-2f5d8c1b9a10' } },
    reply: { json: ErasedOwner },
  }),
}

export const recordLifecycleOperations = {
  deleteRecord: operation({
    ...CHANGE,
    method: 'DELETE',
    path: '/api/v1/storage/sandboxes/:sandbox_id/records/:record_id',
    tag: 'Knowledge',
    summary: 'Delete a record',
    description:
      'It is inaccessible when the reply arrives, and no byte of it is left after a minute. It stays deleted until ' +
      'its source sends other content with its external id: a repeat of the same content counts as unchanged.',
    access: 'editor',
    audit: { event: 'record.deleted' },
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    content: 'reads',
    reply: { json: Done },
    faults: ['sandbox_not_active'],
  }),
}
