import { CHANGE, operation } from './operation.ts'
import { DeletedCounts, sandboxParams } from './sandbox.ts'
import { Done, newKeyHeaders, Opaque, PathId, type Static, Type as T } from './schema.ts'

/** Request body to erase an owner's sandboxes. */
export const EraseOwner = T.Object({ owner_id: Opaque('Your own end-user, as given when the sandboxes were made.') })
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
      'It can be read; writes and queries are answered with 409. What was accepted before is still taken in. ' +
      'A sandbox that is suspended already stays so.',
    audit: { event: 'sandbox.suspended' },
    faults: ['sandbox_not_active'],
  }),
  reactivateSandbox: operation({
    ...change,
    path: `${path}/reactivate`,
    summary: 'Make a suspended or archived sandbox active again',
    description: 'An active sandbox stays so.',
    audit: { event: 'sandbox.reactivated' },
    faults: [],
  }),
  archiveSandbox: operation({
    ...change,
    path: `${path}/archive`,
    summary: 'Archive a sandbox',
    description:
      'It can be read and is listed only with `status=archived`; its name stays taken. What was accepted before is ' +
      'still taken in. An archived sandbox stays so.',
    audit: { event: 'sandbox.archived' },
    faults: [],
  }),
  rotateSandboxKey: operation({
    ...change,
    path: `${path}/rotate-key`,
    summary: 'Put a sandbox under another caller-held key',
    description:
      'Takes the present key in `X-Encryption-Token` or `X-Encryption-Key` and the new one in ' +
      '`X-New-Encryption-Token` or `X-New-Encryption-Key`, and seals everything anew. It answers when that is done: ' +
      'until then the present key opens everything, from then on the new one alone. If the connection ends, it goes ' +
      'on; if the service ends, the call is to be repeated with both keys, whether the change was made or not. ' +
      'A sandbox that is under no key stays so.',
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
    summary: 'Erase every sandbox of one of your end-users',
    description:
      'Deletes all sandboxes of the account with this `owner_id`, whatever their status, as deleting each would. ' +
      'An owner without sandboxes gets zeros.',
    access: 'account',
    audit: { event: 'owner.erased' },
    body: { json: EraseOwner, example: { owner_id: '7b0e4c1e-6a3f-4f0e-9a3e-2f5d8c1b9a10' } },
    reply: { json: ErasedOwner },
    faults: [],
  }),
}

/** Operation that deletes records. */
export const recordLifecycleOperations = {
  deleteRecord: operation({
    ...CHANGE,
    method: 'DELETE',
    path: '/api/v1/storage/sandboxes/:sandbox_id/records/:record_id',
    tag: 'Knowledge',
    summary: 'Delete a record',
    description:
      'It is gone when this answers, and within a minute no byte of it is left. It stays deleted until its source ' +
      'says something else under its external id: a repeat of what it said counts as unchanged.',
    access: 'editor',
    audit: { event: 'record.deleted' },
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    content: 'reads',
    reply: { json: Done },
    faults: ['sandbox_not_active'],
  }),
}
