import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newApiKey } from '../../packages/server/src/tenancy/accounts/key-format.ts'
import { compile } from '../../scripts/build.mjs'
import { addressOf, type Child, startScript } from './child.ts'
import { CLI_BIN } from './command.ts'

const ADMIN_KEY = 'an-admin-key-of-the-tests'

/** A service that the command line has started, and what commands need to reach it. */
export interface ServedCommandLine {
  url: string
  server: Child
  /** A folder of its own, to run commands in. */
  place: string
  settings: Record<string, string>
  stop(): Promise<void>
}

/** Compiles what is out of date and starts a service with `cairn serve` on new data, with these settings beside. */
export async function serveCommandLine(more: Record<string, string> = {}): Promise<ServedCommandLine> {
  compile()
  const place = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
  const key = newApiKey()
  const server = startScript([CLI_BIN, 'serve'], {
    CAIRN_PORT: '0',
    CAIRN_EXAMPLE: 'off',
    CAIRN_DATA: join(place, 'data'),
    CAIRN_BOOTSTRAP_API_KEY: key,
    CAIRN_ADMIN_KEY: ADMIN_KEY,
    ...more,
  })
  const url = await addressOf(server)
  return {
    url,
    server,
    place,
    settings: { CAIRN_URL: url, CAIRN_API_KEY: key, CAIRN_ADMIN_KEY: ADMIN_KEY },
    async stop() {
      server.process.kill('SIGKILL')
      await server.ended
      rmSync(place, { recursive: true, force: true })
    },
  }
}
