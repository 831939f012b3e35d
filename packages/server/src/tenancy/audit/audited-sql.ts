import {
  type DeleteQueryNode,
  type InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type RawNode,
  TableNode,
  type UpdateQueryNode,
} from 'kysely'
import type { Sql, Tx } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import type { Request } from '../request.ts'

/** Tables that change only with an audit event. Leases, counts, stored responses and background work do not. */
const AUDITED: ReadonlySet<string> = new Set<keyof Tables>([
  ...(['account', 'api_key', 'connection', 'group_role', 'invitation', 'job', 'member', 'merge_ledger'] as const),
  ...(['merge_suggestion', 'project', 'project_source', 'sandbox', 'source', 'source_secret'] as const),
  ...(['team_group', 'webhook'] as const),
])
const APPENDS = /\bappend_audit\(/

/**
 * Wraps the control plane's SQL for a request of an audited operation. Rolls back a transaction that writes an audited
 * table without an audit event. Also rolls back one that records an event but stores no response for the request's
 * Idempotency-Key. Both are bugs in the handler and throw an Error with the operation's id.
 */
export function auditedSql(sql: Sql, operationId: string, keyed: Request['keyed']): AuditedSql {
  const event = { isRecorded: false, isPending: false }
  const settle = (seen: WrittenTables) => {
    if (!seen.changed && !seen.isRecorded) return
    if (seen.isRecordedLater) {
      event.isPending = true
      return
    }
    if (!seen.isRecorded) throw new Error(`${operationId} writes ${seen.changed} without recording an audit event`)
    if (keyed && !keyed.isStored) throw new Error(`${operationId} stores no response in the transaction of its effect`)
    event.isRecorded = true
  }
  return {
    ...sql,
    transact: (scope, work, options) =>
      sql.transact(
        scope,
        async (tx) => {
          const { watched, seen } = watch(tx)
          const result = await work(watched)
          settle(seen)
          return result
        },
        options,
      ),
    write: async (scope, build, options) =>
      sql.write(
        scope,
        (tx) => {
          const { watched, seen } = watch(tx)
          const compiled = build(watched).compile()
          settle(seen)
          return { compile: () => compiled }
        },
        options,
      ),
    assertRecorded: () => {
      if (event.isPending && !event.isRecorded) throw new Error(`${operationId} ended without recording an audit event`)
    },
  }
}

/** The control plane's SQL for one request. */
interface AuditedSql extends Sql {
  /** Throws an Error if `recordLater` announced an audit event that was not recorded. */
  assertRecorded(): void
}

/** Throws an Error if this request announced an audit event with `recordLater` and recorded none. */
export function assertRecorded(sql: Sql): void {
  const { assertRecorded: check } = sql as Partial<AuditedSql>
  check?.()
}

/** Marks this transaction as one step of an operation. A later one must record the event and store the response. */
export function recordLater(tx: Tx): void {
  const seen = watching.get(tx)
  if (seen) seen.isRecordedLater = true
}

const watching = new WeakMap<Tx, WrittenTables>()

function watch(tx: Tx): { watched: Tx; seen: WrittenTables } {
  const seen = new WrittenTables()
  const watched = tx.withPlugin(seen)
  watching.set(watched, seen)
  return { watched, seen }
}

/** Records the tables that a transaction's statements write. */
class WrittenTables extends OperationNodeTransformer implements KyselyPlugin {
  /** The last audited table that was written. */
  changed: string | undefined
  isRecorded = false
  isRecordedLater = false

  transformQuery({ node, queryId }: PluginTransformQueryArgs) {
    return this.transformNode(node, queryId)
  }

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result

  protected override transformInsertQuery(...[node, queryId]: Visit<InsertQueryNode>): InsertQueryNode {
    this.#note(node.into)
    return super.transformInsertQuery(node, queryId)
  }

  protected override transformUpdateQuery(...[node, queryId]: Visit<UpdateQueryNode>): UpdateQueryNode {
    this.#note(node.table)
    return super.transformUpdateQuery(node, queryId)
  }

  protected override transformDeleteQuery(...[node, queryId]: Visit<DeleteQueryNode>): DeleteQueryNode {
    for (const table of node.from.froms) this.#note(table)
    return super.transformDeleteQuery(node, queryId)
  }

  protected override transformRaw(...[node, queryId]: Visit<RawNode>): RawNode {
    if (node.sqlFragments.some((text) => APPENDS.test(text))) this.isRecorded = true
    return super.transformRaw(node, queryId)
  }

  #note(table: OperationNode | undefined): void {
    if (!table || !TableNode.is(table)) return
    const { name } = table.table.identifier
    if (AUDITED.has(name)) this.changed = name
  }
}

type Visit<Node> = [node: Node, queryId?: PluginTransformQueryArgs['queryId']]
