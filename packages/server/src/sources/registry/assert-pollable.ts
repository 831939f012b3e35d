import type { IngestionMode } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { connectorFor, PULLABLE } from '../connectors/connector-for.ts'

/** Throws `not_pollable` for a source that is to be polled and whose provider nothing here can read. */
export function assertPollable(provider: string, mode: IngestionMode | null | undefined): void {
  if (mode !== 'polling' || connectorFor(provider).pull) return
  const msg = `Sources of this provider deliver, and cannot be polled. Those that can are ${PULLABLE.join(', ')}.`
  const problems = [{ loc: ['body', 'ingestion_mode'], msg, type: 'not_pollable' }]
  throw new Fault('not_pollable', { detail: msg, problems })
}
