import { Fault, type FaultName } from '../base/fault.ts'

/** Tables whose rows can be written while someone else deletes the sandbox that they belong to. */
const IN_SANDBOX = [
  'sandbox_head',
  'connection',
  'source',
  'project',
  'inbox',
  'job',
  'merge_ledger',
  'merge_suggestion',
  'rate',
  'source_tombstone',
]

/** Constraints and what it means to the caller that one is violated. */
const VIOLATIONS: Record<string, FaultName> = {
  sandbox_duplicate_name: 'duplicate_name',
  connection_grantee: 'unknown_grantee',
  connection_not_own: 'unknown_grantee',
  connection_project: 'not_found',
  api_key_connection: 'not_found',
  account_pkey: 'account_exists',
  account_rate_account: 'not_found',
  delivery_source: 'gone',
  ...Object.fromEntries(IN_SANDBOX.map((table) => [`${table}_sandbox`, 'not_found' as const])),
}

/** SQLSTATEs of a transaction that may simply be run again: serialization failure and deadlock. */
const RETRIABLE = ['40001', '40P01']

/** How SQLSTATEs begin when a database cannot serve now: connection, resources, shutdown, timeout, locks. */
const UNAVAILABLE = ['08', '53', '57', '58', '55P03']

/** Codes of Node's sockets for a server that is not there. */
const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN']

/** What is said, without a code, when a connection cannot be had or kept. */
const LOST = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Client has encountered a connection error',
  'PGlite has ended',
]

/** Whether a transaction failed only because of others that ran beside it. */
export function isRetriable(cause: unknown): boolean {
  return RETRIABLE.includes(codeOf(cause) ?? '')
}

/** The fault that a failure of the database means, or the failure itself when it means none. */
export function toFault(cause: unknown): unknown {
  if (cause instanceof Fault) return cause
  const constraint = cause instanceof Error && 'constraint' in cause ? String(cause.constraint) : undefined
  const violation = constraint === undefined ? undefined : VIOLATIONS[constraint]
  if (violation) return new Fault(violation, { note: `violates ${constraint}`, cause })
  const code = codeOf(cause)
  const gone =
    code === undefined || isConnecting(cause)
      ? isLost(cause)
      : [...UNAVAILABLE, ...UNREACHABLE].some((start) => code.startsWith(start))
  if (gone || isRetriable(cause)) return new Fault('unavailable', { note: 'the database cannot serve', cause })
  return cause
}

function isLost(cause: unknown): boolean {
  if (isConnecting(cause)) return true
  return cause instanceof Error && LOST.some((start) => cause.message.startsWith(start))
}

/** Whatever keeps a connection from being made, such as a server's socket that is not there. */
function isConnecting(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
