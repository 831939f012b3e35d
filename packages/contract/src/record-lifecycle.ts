import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Done, PathId, Type as T } from './schema.ts'

/** The operations that take a record away. */
export const recordLifecycleOperations = {
  deleteRecord: operation({
    method: 'DELETE',
    path: '/api/v1/storage/sandboxes/:sandbox_id/records/:record_id',
    tag: 'Knowledge',
    summary: 'Delete a record',
    description:
      'It is gone when this answers, and within a minute no byte of it is left. It stays deleted until its source ' +
      'says something else under its external id: a repeat of what it said counts as unchanged.',
    access: 'editor',
    audit: { event: 'record.deleted' },
    retry: 'safe',
    params: T.Object({ ...sandboxParams, record_id: PathId('The record.', 'record') }),
    content: 'reads',
    reply: { json: Done },
    status: 200,
    faults: ['sandbox_not_active'],
  }),
}
