import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the command line's package. */
export const CLI_PACKAGE = fileURLToPath(new URL('../../packages/cli', import.meta.url))

/** The command line as a shell finds it. */
export const CLI_BIN = join(CLI_PACKAGE, 'bin/cairn.js')

const RUN_MS_MAX = 600_000

/** What a command did. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command line in a folder, with these settings and no others; profiles are kept in that folder. */
export function runCommand(
  bin: string,
  args: string[],
  cwd: string,
  settings: Record<string, string>,
  input = '',
): Promise<Ran> {
  const { PATH = '' } = process.env
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [bin, ...args],
      { cwd, env: { PATH, HOME: cwd, XDG_CONFIG_HOME: join(cwd, '.config'), ...settings }, timeout: RUN_MS_MAX },
      (error, ...out) => resolve({ code: error ? Number(error.code) : 0, stdout: out[0], stderr: out[1] }),
    )
    // A command that reads nothing may have ended before.
    child.stdin?.on('error', () => undefined).end(input)
  })
}

/** The value that a command for people printed beside a field's name. */
export function shown({ stdout }: Ran, name: string): string | undefined {
  return new RegExp(`^${name} +(.*)$`, 'm').exec(stdout)?.[1]
}
