import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newApiKey } from '../../packages/server/src/tenancy/accounts/key-format.ts'
import { compile } from '../../scripts/build.mjs'
import { addressOf, type Child, startScript } from './child.ts'
import { CLI_BIN } from './command.ts'

const ADMIN_KEY = 'an-admin-key-of-the-tests'

/** A service started by the command line, with the settings that commands need to access it. */
export interface ServedCommandLine {
  url: string
  server: Child
  /** Temporary folder in which commands run. */
  place: string
  settings: Record<string, string>
  stop(): Promise<void>
}

/** Compiles outdated files and starts a service with `cairn serve` on new data, with these additional settings. */
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
