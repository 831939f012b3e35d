import type { recordLifecycleOperations } from '@cairn/contract'
import type { Handlers } from '../context.ts'
import { deleteRecord } from './delete-record.ts'

/** Answers the operations that take records away. */
export const handlers: Handlers<typeof recordLifecycleOperations> = {
  deleteRecord: (ctx, { reach, params }) => deleteRecord(ctx, reach, params.record_id),
}
