import { Fault, refusedField } from '../../base/fault.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { RETIRED } from '../../tenancy/sources/source-rows.ts'
import { providerKey, USER_MCP } from '../connectors/connector-for.ts'

/** Throws `wrong_kind` unless the source is a server of tools that a user brought. */
export function assertUserMcp({ provider }: Pick<Row<'source'>, 'provider'>): void {
  if (providerKey(provider) !== USER_MCP) throw new Fault('wrong_kind')
}

/** Throws `source_not_active` for a source that is disconnected or archived. */
export function assertLive({ status }: Pick<Row<'source'>, 'status'>): void {
  if (RETIRED.some((state) => state === status)) {
    throw new Fault('source_not_active', { detail: `The source is ${status}.` })
  }
}

/** Throws a refusal when another live source of the sandbox has the namespace. The sandbox's row must be locked. */
export async function assertNamespaceFree(tx: Tx, reach: Reach, sourceId: string, namespace: string): Promise<void> {
  const rows = await tx
    .selectFrom('source')
    .select(['id', 'adapter_config'])
    .where(ofSandbox(reach))
    .where('provider', '=', USER_MCP)
    .where('status', 'not in', RETIRED)
    .where('id', '!=', sourceId)
    .execute()
  if (rows.some(({ adapter_config: config }) => config.app_namespace === namespace)) {
    throw refusedField('app_namespace_taken', 'app_namespace')
  }
}
