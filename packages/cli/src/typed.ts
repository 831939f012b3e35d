import { parseArgs } from 'node:util'
import { usageFailure } from './failure.ts'

/** What was given to options: a text, several of them, or that a flag is there. */
export type Options = Record<string, string | boolean | string[] | undefined>

/** What was typed after the words of a command. */
export interface Typed {
  operands: string[]
  options: Options
}

/** How the value of an option is written; a flag has none. */
export type Form = 'TEXT' | 'NUMBER' | 'JSON' | 'LIST' | 'FLAG'

/** What every command takes, before its words or after them. */
export const GLOBAL_OPTIONS: Readonly<Record<string, { form: Form; meaning: string }>> = {
  json: { form: 'FLAG', meaning: 'Print JSON, also of a failure.' },
  quiet: { form: 'FLAG', meaning: 'Print the result and failures alone: no progress, no hints.' },
  profile: { form: 'TEXT', meaning: 'Use this profile of the configuration file, whatever the environment says.' },
}

/** The options of a command, with those of every command inside a sandbox. */
export const SANDBOX_OPTION = {
  form: 'TEXT',
  meaning: 'The sandbox, by id or name; that of the profile when omitted.',
} as const

/**
 * The arguments without the options that every command takes, and those options. They may stand anywhere before `--`.
 * Throws a usage Failure for a profile that is not named.
 */
export function takeGlobals(args: readonly string[]): { rest: string[]; globals: Options } {
  const rest: string[] = []
  const globals: Options = {}
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (arg === '--') return { rest: [...rest, ...args.slice(at)], globals }
    if (arg === '--json') globals.json = true
    else if (arg === '--quiet' || arg === '-q') globals.quiet = true
    else if (arg.startsWith('--profile=')) globals.profile = arg.slice('--profile='.length)
    else if (arg === '--profile') {
      at += 1
      globals.profile = args[at] ?? ''
    } else rest.push(arg)
  }
  if (globals.profile === '') throw usageFailure('--profile needs the name of a profile.')
  return { rest, globals }
}

/** What follows the words of a command; throws a usage Failure for an option that it has not. */
export function parseTyped(
  words: readonly string[],
  forms: Readonly<Record<string, Form>>,
  args: string[],
  globals: Options,
): Typed {
  const options = Object.entries(forms).map(([name, form]) => [
    name,
    { type: form === 'FLAG' ? ('boolean' as const) : ('string' as const), multiple: form === 'LIST' },
  ])
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
    })
    return { operands: positionals, options: { ...(values as Options), ...globals } }
  } catch (error) {
    throw usageFailure(`${(error as Error).message}. \`cairn ${words.join(' ')} --help\` shows what it takes.`)
  }
}
