import { type Discovery, type Operation, operations } from '@cairnstore/contract'
import { type FieldSchema, rowsOf } from './inputs.ts'
import { fieldsTable, type OutputRow, tableOf } from './output.ts'

/** One command: a noun and a verb for an API operation. Its operands and options derive from the operation. */
export interface Command {
  readonly noun: string
  readonly verb: string
  readonly operation: Operation
  /** Fields of a row that the table shows. */
  readonly columns?: readonly string[]
  /** True if the deletion cannot be undone, so the command requires `--yes`. */
  readonly isFinal?: true
  /** Values that the command always sends in addition to what was typed. */
  readonly asked?: Readonly<Record<string, unknown>>
  /** True if the command shows work in progress that can be watched until it ends. */
  readonly isWatched?: true
  /** Formats the reply for people, if a list of fields is not suitable. */
  readonly show?: (reply: OutputRow) => string
  /** Fields that are filled in if omitted: the profile's sandbox, or the account's own id as `owner_id`. */
  readonly filled?: readonly Filled[]
  /** An example of the command, without `cairn`. */
  readonly example?: string
}

/** A required field that an option or the profile provides. */
type Filled = 'sandbox_id' | 'owner_id'

const ROWS: readonly Omit<Command, 'filled'>[] = [
  {
    noun: 'accounts',
    verb: 'list',
    operation: operations.listAccounts,
    columns: ['user_id', 'status', 'created_at', 'display_name'],
  },
  {
    noun: 'accounts',
    verb: 'create',
    operation: operations.createAccount,
    example: 'accounts create --display-name "Harbour Ltd"',
  },
  { noun: 'accounts', verb: 'suspend', operation: operations.suspendAccount },
  { noun: 'accounts', verb: 'reactivate', operation: operations.reactivateAccount },
  { noun: 'accounts', verb: 'erase', operation: operations.deleteAccount, isFinal: true },
  {
    noun: 'keys',
    verb: 'list',
    operation: operations.listApiKeys,
    columns: ['id', 'key_prefix', 'created_at', 'last_used_at', 'expires_at', 'name'],
  },
  {
    noun: 'keys',
    verb: 'create',
    operation: operations.createApiKey,
    example: 'keys create laptop --expires-in-days 90',
  },
  { noun: 'keys', verb: 'revoke', operation: operations.revokeApiKey },
  {
    noun: 'sandboxes',
    verb: 'list',
    operation: operations.listSandboxes,
    columns: ['sandbox_id', 'status', 'tier', 'access', 'owner_id', 'name'],
  },
  {
    noun: 'sandboxes',
    verb: 'create',
    operation: operations.createSandbox,
    example: 'sandboxes create "Field notes"',
  },
  { noun: 'sandboxes', verb: 'show', operation: operations.getSandbox },
  { noun: 'sandboxes', verb: 'usage', operation: operations.getSandboxUsage },
  { noun: 'sandboxes', verb: 'suspend', operation: operations.suspendSandbox },
  { noun: 'sandboxes', verb: 'reactivate', operation: operations.reactivateSandbox },
  { noun: 'sandboxes', verb: 'archive', operation: operations.archiveSandbox },
  { noun: 'sandboxes', verb: 'set-tier', operation: operations.updateSandboxTier },
  { noun: 'sandboxes', verb: 'delete', operation: operations.deleteSandbox, isFinal: true },
  {
    noun: 'entities',
    verb: 'list',
    operation: operations.listEntities,
    columns: ['canonical_id', 'type', 'record_count', 'name'],
    example: 'entities --type person --limit 20',
  },
  {
    noun: 'entities',
    verb: 'find',
    operation: operations.searchEntities,
    columns: ['canonical_id', 'record_type', 'similarity', 'name'],
    example: 'entities find "Ada Berg"',
  },
  { noun: 'entities', verb: 'show', operation: operations.getEntity },
  { noun: 'entities', verb: 'merge', operation: operations.mergeEntities },
  { noun: 'entities', verb: 'split', operation: operations.splitEntity },
  { noun: 'entities', verb: 'undo-merge', operation: operations.undoMerge },
  {
    noun: 'suggestions',
    verb: 'list',
    operation: operations.listMergeSuggestions,
    columns: ['suggestion_id', 'likelihood', 'reason'],
    example: 'suggestions --min-likelihood 0.8',
  },
  { noun: 'suggestions', verb: 'accept', operation: operations.acceptMergeSuggestion },
  { noun: 'suggestions', verb: 'dismiss', operation: operations.dismissMergeSuggestion },
  {
    noun: 'answers',
    verb: 'list',
    operation: operations.listAnswers,
    columns: ['answer_id', 'created_at', 'outcome', 'query'],
  },
  { noun: 'answers', verb: 'show', operation: operations.getAnswer },
  { noun: 'answers', verb: 'delete', operation: operations.deleteAnswer, isFinal: true },
  { noun: 'answers', verb: 'share', operation: operations.shareAnswer },
  { noun: 'answers', verb: 'unshare', operation: operations.unshareAnswer },
  {
    noun: 'answers',
    verb: 'rate',
    operation: operations.giveFeedback,
    example: 'answers rate ans_0d3k1q7v9m2x4c6b8n0a1s2d3f wrong --note "The launch was moved twice."',
  },
  {
    noun: 'feedback',
    verb: 'list',
    operation: operations.listFeedback,
    columns: ['created_at', 'verdict', 'query', 'note'],
    example: 'feedback list --verdict wrong',
  },
  {
    noun: 'records',
    verb: 'list',
    operation: operations.listRecords,
    columns: ['record_id', 'type', 'occurred_at', 'title'],
    example: 'records --type document --since 2026-06-01 --limit 20',
  },
  { noun: 'records', verb: 'show', operation: operations.getRecord },
  { noun: 'records', verb: 'delete', operation: operations.deleteRecord, isFinal: true },
  {
    noun: 'changes',
    verb: 'list',
    operation: operations.listChanges,
    columns: ['changed_at', 'change', 'kind', 'type', 'id', 'title'],
    example: 'changes --since 2026-06-01 --follow',
  },
  { noun: 'providers', verb: 'list', operation: operations.listProviders, columns: ['provider', 'name'] },
  {
    noun: 'sources',
    verb: 'list',
    operation: operations.listSources,
    columns: ['data_source_id', 'provider', 'ingestion_mode', 'status', 'last_error', 'last_sync_at', 'name'],
  },
  { noun: 'sources', verb: 'show', operation: operations.getSource },
  {
    noun: 'sources',
    verb: 'create',
    operation: operations.createSource,
    example: 'sources create slack "Team chat" --ingestion-mode realtime',
  },
  { noun: 'sources', verb: 'change', operation: operations.updateSource },
  { noun: 'sources', verb: 'pull', operation: operations.pullSource },
  {
    noun: 'sources',
    verb: 'runs',
    operation: operations.listRuns,
    columns: ['job_id', 'job_type', 'status', 'created_at', 'error'],
  },
  {
    noun: 'sources',
    verb: 'files',
    operation: operations.listRunFiles,
    columns: ['path', 'status', 'reason', 'records'],
  },
  {
    noun: 'sources',
    verb: 'deliveries',
    operation: operations.listDeliveries,
    columns: ['delivery_id', 'received_at', 'fate', 'reason'],
  },
  { noun: 'sources', verb: 'rotate-secret', operation: operations.rotateWebhookSecret },
  { noun: 'sources', verb: 'pause', operation: operations.pauseSource },
  { noun: 'sources', verb: 'resume', operation: operations.resumeSource },
  { noun: 'sources', verb: 'disconnect', operation: operations.disconnectSource },
  { noun: 'sources', verb: 'purge', operation: operations.purgeSource, isFinal: true },
  { noun: 'sources', verb: 'delete', operation: operations.deleteSource, isFinal: true },
  {
    noun: 'projects',
    verb: 'list',
    operation: operations.listProjects,
    columns: ['project_id', 'status', 'created_at', 'name'],
  },
  { noun: 'projects', verb: 'show', operation: operations.getProject },
  { noun: 'projects', verb: 'create', operation: operations.createProject, example: 'projects create Launch' },
  { noun: 'projects', verb: 'change', operation: operations.updateProject },
  { noun: 'projects', verb: 'link', operation: operations.linkSource },
  { noun: 'projects', verb: 'unlink', operation: operations.unlinkSource },
  { noun: 'projects', verb: 'archive', operation: operations.archiveProject },
  { noun: 'projects', verb: 'delete', operation: operations.deleteProject, isFinal: true },
  {
    noun: 'jobs',
    verb: 'list',
    operation: operations.listJobs,
    columns: ['job_id', 'job_type', 'status', 'created_at', 'error_message'],
    isWatched: true,
    example: 'jobs --watch',
  },
  { noun: 'jobs', verb: 'show', operation: operations.getJob, isWatched: true },
  {
    noun: 'connections',
    verb: 'list',
    operation: operations.listConnections,
    columns: ['connection_id', 'user_id', 'role', 'status', 'expires_at', 'label'],
  },
  { noun: 'connections', verb: 'create', operation: operations.createConnection },
  { noun: 'connections', verb: 'key', operation: operations.createConnectionKey },
  { noun: 'connections', verb: 'revoke', operation: operations.revokeConnection, isFinal: true },
  {
    noun: 'members',
    verb: 'list',
    operation: operations.listMembers,
    columns: ['member_id', 'role', 'status', 'last_seen_at', 'email', 'display_name'],
  },
  { noun: 'members', verb: 'update', operation: operations.updateMember },
  { noun: 'members', verb: 'remove', operation: operations.removeMember, isFinal: true },
  {
    noun: 'invitations',
    verb: 'list',
    operation: operations.listInvitations,
    columns: ['invitation_id', 'role', 'status', 'expires_at', 'email'],
  },
  {
    noun: 'invitations',
    verb: 'create',
    operation: operations.createInvitation,
    example: 'invitations create member --email ada@example.com',
  },
  { noun: 'invitations', verb: 'withdraw', operation: operations.deleteInvitation, isFinal: true },
  {
    noun: 'webhooks',
    verb: 'list',
    operation: operations.listWebhooks,
    columns: ['webhook_id', 'status', 'failures', 'last_delivered_at', 'url'],
  },
  {
    noun: 'webhooks',
    verb: 'create',
    operation: operations.createWebhook,
    example: 'webhooks create https://hooks.example.com/cairn --events record.added --events record.removed',
  },
  { noun: 'webhooks', verb: 'change', operation: operations.updateWebhook },
  { noun: 'webhooks', verb: 'rotate-secret', operation: operations.rotateSigningSecret },
  { noun: 'webhooks', verb: 'test', operation: operations.testWebhook },
  {
    noun: 'webhooks',
    verb: 'deliveries',
    operation: operations.listWebhookDeliveries,
    columns: ['delivery_id', 'attempted_at', 'outcome', 'status_code', 'reason', 'changes'],
  },
  { noun: 'webhooks', verb: 'delete', operation: operations.deleteWebhook, isFinal: true },
  {
    noun: 'inspect',
    verb: 'question',
    operation: operations.discover,
    asked: { explain: true },
    show: showQuestion,
    example: 'inspect question "Who leads Atlas?"',
  },
]

/** Commands for people: a noun and a verb each, in the order of the usage text. */
export const COMMANDS: readonly Command[] = ROWS.map((row) => ({ ...row, filled: filledOf(row) }))

/** Noun of the commands for all other JSON operations. The verb is the operation id. */
export const API = 'api'

/** Number of fields shown per row if the command does not choose columns. */
const COLUMNS_SHOWN = 5

/** Commands for the rest of the API: operations that have no command of their own. */
export const API_COMMANDS: readonly Command[] = Object.entries(operations as Record<string, Operation>)
  .filter(([, { reply, body }]) => reply?.json !== undefined && !body?.bytes)
  .filter(([, operation]) => !COMMANDS.some((command) => command.operation === operation))
  .map(([verb, operation]) => {
    const columns = columnsOf(operation)
    const isFinal = operation.method === 'DELETE' || operation.path.endsWith('/erase')
    const row = { noun: API, verb, operation, ...(columns && { columns }), ...(isFinal && { isFinal }) }
    return { ...row, filled: filledOf(row) }
  })

/** Returns the fields that the profile or the account provides. Commands on sandboxes take the sandbox as operand. */
function filledOf({ noun, operation }: Omit<Command, 'filled'>): readonly Filled[] {
  if (operation === operations.createSandbox) return ['owner_id']
  return noun !== 'sandboxes' && operation.path.includes(':sandbox_id/') ? ['sandbox_id'] : []
}

/** Returns the default columns of a list: its first fields with a single value. Undefined if it is no list. */
function columnsOf(operation: Operation): readonly string[] | undefined {
  const { type, properties } = (operation.reply?.json ?? {}) as FieldSchema
  if (type !== 'array' && !('next_cursor' in (properties ?? {}))) return undefined
  const rows = rowsOf(operation)?.properties ?? {}
  const isPlain = ({ type }: FieldSchema) => !['object', 'array', undefined].includes([type].flat()[0])
  return Object.keys(rows)
    .filter((name) => isPlain(rows[name]!))
    .slice(0, COLUMNS_SHOWN)
}

/** Decimals of scores, and maximum characters of a record's summary, in printed tables. */
const SCORE_DIGITS = 3
const SUMMARY_CHARS = 60

/** Formats how the question was parsed and the ranking signals of each record found, best first. */
export function showQuestion(reply: OutputRow): string {
  const { intent, items, header } = reply as unknown as Discovery
  const { text, parts = [], times = [], notes = [], ...rest } = intent ?? {}
  const read = fieldsTable({
    question: text,
    ...Object.fromEntries(
      parts.map(({ terms, names, people, ...part }, at) => [
        `part_${at + 1}`,
        { ...part, terms: terms.join(', '), names: names.join(', '), people: people.join(', ') },
      ]),
    ),
    times: times.map(({ from, until }) => `${from ?? ''} … ${until ?? ''}`).join(', '),
    ...rest,
    notes: notes.join(' '),
  })
  const signals = [...new Set(items.flatMap(({ why = {} }) => Object.keys(why)))]
  const rows = items.map(({ score, why = {}, external_id, summary }) => ({
    score: score.toFixed(SCORE_DIGITS),
    ...Object.fromEntries(Object.entries(why).map(([name, given]) => [name, given.toFixed(SCORE_DIGITS)])),
    external_id,
    summary: [...summary].slice(0, SUMMARY_CHARS).join(''),
  }))
  const table = rows.length > 0 ? tableOf(['score', ...signals, 'external_id', 'summary'], rows, true) : ''
  return [read, fieldsTable({ found: header }), table].join('\n')
}
