import { ofSandbox } from '../db/of-sandbox.ts'
import type { Sql } from '../db/open.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import type { IncomingRecord, ProjectLinks } from './batch-shape.ts'
import { linkKey } from './last-versions.ts'

/** The links to sources that the projects have now which bringers of these records are limited to; mostly none are. */
export async function projectLinks(
  sql: Pick<Sql, 'transact'>,
  { userId, sandboxId }: SandboxRef,
  incoming: readonly IncomingRecord[],
): Promise<ProjectLinks> {
  const projects = [...new Set(incoming.flatMap(({ within }) => within ?? []))]
  if (projects.length === 0) return new Set()
  const links = await sql.transact(userId, (tx) =>
    tx
      .selectFrom('project_source')
      .select(['project_id', 'source_id'])
      .where(ofSandbox({ userId, sandboxId }))
      .where('project_id', '=', (is) => is.fn.any(is.val(projects)))
      .execute(),
  )
  return new Set(links.map((link) => linkKey(link.project_id, link.source_id)))
}
