import { type Operation, operations } from '@cairn/contract'
import type { Row } from './output.ts'
import { showQuestion } from './show-question.ts'

/** One command: a noun and a verb for an operation of the API. What it takes follows from the operation. */
export interface Command {
  readonly noun: string
  readonly verb: string
  readonly operation: Operation
  /** The fields of a row that a list shows to people. */
  readonly columns?: readonly string[]
  /** Whether what it removes is gone for good, so that it wants to be told `--yes`. */
  readonly isFinal?: true
  /** What is always asked of the operation, beside what is typed. */
  readonly asked?: Readonly<Record<string, unknown>>
  /** How the reply is shown to people, where its fields in lines would not do. */
  readonly show?: (reply: Row) => string
}

/** Every command that speaks to a service, as usage texts list them. */
export const COMMANDS: readonly Command[] = [
  {
    noun: 'accounts',
    verb: 'list',
    operation: operations.listAccounts,
    columns: ['user_id', 'status', 'created_at', 'display_name'],
  },
  { noun: 'accounts', verb: 'create', operation: operations.createAccount },
  { noun: 'accounts', verb: 'suspend', operation: operations.suspendAccount },
  { noun: 'accounts', verb: 'reactivate', operation: operations.reactivateAccount },
  { noun: 'accounts', verb: 'erase', operation: operations.eraseAccount, isFinal: true },
  {
    noun: 'keys',
    verb: 'list',
    operation: operations.listApiKeys,
    columns: ['id', 'key_prefix', 'created_at', 'last_used_at', 'expires_at', 'name'],
  },
  { noun: 'keys', verb: 'create', operation: operations.createApiKey },
  { noun: 'keys', verb: 'revoke', operation: operations.revokeApiKey },
  {
    noun: 'sandboxes',
    verb: 'list',
    operation: operations.listSandboxes,
    columns: ['sandbox_id', 'status', 'tier', 'access', 'owner_id', 'name'],
  },
  { noun: 'sandboxes', verb: 'create', operation: operations.createSandbox },
  { noun: 'sandboxes', verb: 'show', operation: operations.getSandbox },
  { noun: 'sandboxes', verb: 'suspend', operation: operations.suspendSandbox },
  { noun: 'sandboxes', verb: 'reactivate', operation: operations.reactivateSandbox },
  { noun: 'sandboxes', verb: 'archive', operation: operations.archiveSandbox },
  { noun: 'sandboxes', verb: 'set-tier', operation: operations.setSandboxTier },
  { noun: 'sandboxes', verb: 'delete', operation: operations.deleteSandbox, isFinal: true },
  {
    noun: 'inspect',
    verb: 'question',
    operation: operations.discover,
    asked: { explain: true },
    show: showQuestion,
  },
]
