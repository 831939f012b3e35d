import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the command line package. */
export const CLI_PACKAGE = fileURLToPath(new URL('../../packages/cli', import.meta.url))

/** Path of the command line executable. */
export const CLI_BIN = join(CLI_PACKAGE, 'bin/cairn.js')

const RUN_MS_MAX = 600_000

/** Result of a command. */
export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command line in a folder with only these settings. Profiles are stored in that folder. */
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
    // A command that does not read its input may have ended already.
    child.stdin?.on('error', () => undefined).end(input)
  })
}

/** Returns the printed value of a field, from a command's output for people. */
export function shown({ stdout }: Ran, name: string): string | undefined {
  return new RegExp(`^${name} +(.*)$`, 'm').exec(stdout)?.[1]
}
