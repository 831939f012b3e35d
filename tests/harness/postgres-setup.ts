import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, SUPERUSER, startPostgres } from '../../bench/postgres-server.mjs'
import { openSql } from '../../packages/server/src/db/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the socket at which a test file requests an empty database. */
    databaseDesk: string
  }
}

/** Database user of the tests. Like a user of hosted PostgreSQL, it can create roles but is no superuser. */
const SERVICE_USER = 'service'
const TEMPLATE = 'template_cairn'

/** Resources started by the test run. They are started lazily, when a test file first requests them. */
interface Started {
  folder: string
  server?: Promise<PostgresServer>
  pglite?: Promise<string>
  clones: number
}

/** Runs once before all test files: opens the socket for database requests, and closes everything at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started: Started = { folder: mkdtempSync(join(tmpdir(), 'cairn-test-')), clones: 0 }
  const socket = join(started.folder, 'desk.sock')
  const desk = await openDesk(socket, started)
  project.provide('databaseDesk', socket)
  return async () => {
    await new Promise((resolve) => desk.close(resolve))
    await started.server?.then((server) => server.stop()).catch(() => undefined)
    rmSync(started.folder, { recursive: true, force: true })
  }
}

function openDesk(path: string, started: Started): Promise<Server> {
  const desk = createServer((socket) => {
    socket.once('data', (asked) => {
      const found = String(asked).trim() === 'pglite' ? templateFolder(started) : clonedDatabase(started)
      found.then(
        (place) => socket.end(JSON.stringify({ place })),
        (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
      )
    })
  })
  return new Promise((resolve) => desk.listen(path, () => resolve(desk)))
}

/** Returns a folder with a migrated and closed PGlite database to copy. */
function templateFolder(started: Started): Promise<string> {
  started.pglite ??= (async () => {
    const folder = join(started.folder, 'pglite')
    const sql = await openSql({ folder })
    await sql.close()
    return folder
  })()
  return started.pglite
}

/** Clones a migrated database and returns its URL. */
async function clonedDatabase(started: Started): Promise<string> {
  started.server ??= startWithTemplate()
  const server = await started.server
  started.clones += 1
  const name = `test_${started.clones}`
  await asSuperuser(server, `create database ${name} template ${TEMPLATE} owner ${SERVICE_USER}`)
  return server.url(SERVICE_USER, name)
}

async function startWithTemplate(): Promise<PostgresServer> {
  const server = await startPostgres()
  await asSuperuser(server, `create role ${SERVICE_USER} login nosuperuser createrole`)
  await asSuperuser(server, `create database ${TEMPLATE} owner ${SERVICE_USER}`)
  const sql = await openSql({ url: server.url(SERVICE_USER, TEMPLATE) })
  await sql.close()
  return server
}

async function asSuperuser(server: PostgresServer, statement: string): Promise<void> {
  const client = new Client({ connectionString: server.url(SUPERUSER, 'postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
