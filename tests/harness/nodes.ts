import { setTimeout as sleep } from 'node:timers/promises'
import { openSql, type Sql } from '../../packages/server/src/db/open.ts'
import { pickHomeNode } from '../../packages/server/src/store/cluster/pick-home-node.ts'
import { freePort } from './free-port.mjs'
import { openTestApp, type TestApp, type TestSandbox } from './test-app.ts'

/** One of several server processes on one PostgreSQL database. */
export interface Node {
  app: TestApp
  url: string
  sql: Sql
}

const LOOK_MS = 20

/** Opens a process on a database and a folder shared with others. */
export async function openNode(target: { url: string }, folder: string): Promise<Node> {
  const sql = await openSql(target)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { CAIRN_DATA: folder, CAIRN_PORT: String(port), CAIRN_NODE_URL: url, DATABASE_URL: target.url }
  const app = await openTestApp(sql, 'postgres', env)
  await app.cairn.listen()
  return { app, url, sql }
}

/** Resolves once all these processes have discovered each other. */
export function acquainted(nodes: readonly Node[]): Promise<void> {
  return until(() => nodes.every(({ app }) => app.cairn.app.cluster.count() === nodes.length))
}

/** Returns the sandboxes whose home node is this process. */
export function sandboxesAt(node: Node, nodes: readonly Node[], sandboxes: readonly TestSandbox[]): TestSandbox[] {
  const places = nodes.map(({ url }) => ({ id: url, url }))
  return sandboxes.filter(({ id }) => pickHomeNode(id, places)?.url === node.url)
}

/** Resolves once the condition is true. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(LOOK_MS)
}
