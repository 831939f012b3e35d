import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Operation } from '@cairn/contract'
import { COMMANDS } from './commands.ts'
import { EXIT_FAILED, Failure, usageFailure } from './failure.ts'
import { IMPORT, importPath } from './import-path.ts'
import { fieldsOf, optionName } from './inputs.ts'
import { print } from './output.ts'
import { RESET, resetKey } from './reset-key.ts'
import { runCommand, type Typed } from './run-command.ts'
import { runServer, SERVER_COMMANDS } from './run-server.ts'
import { overview, usageOf, usageOfImport, usageOfNoun, usageOfReset } from './usage.ts'

const HELP = ['--help', '-h', 'help']

/** Runs one command line and gives the exit code: 0 done, 1 failed, 2 not asked for rightly, and nothing was sent. */
export async function main(args: string[]): Promise<number> {
  process.stdout.on('error', endUnread)
  try {
    return await run(args)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isForPrograms = args.includes('--json')
    process.stderr.write(isForPrograms ? `${JSON.stringify(error.body)}\n` : `cairn: ${error.message}\n`)
    return error.exitCode
  }
}

/** A reader that has seen enough, like `head`, is no failure; a full disk is one. */
function endUnread({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`cairn: What came of it cannot be written (${code}).\n`)
  process.exit(EXIT_FAILED)
}

async function run(args: string[]): Promise<number> {
  const [noun, verb, ...rest] = args
  if (noun === undefined) throw usageFailure(`Say what to do.\n\n${overview()}`.trimEnd())
  if (HELP.includes(noun)) return shown(overview())
  if (noun === '--version') return shown(`${version()}\n`)
  if (SERVER_COMMANDS.some(({ word }) => word === noun)) return runServer(args)
  if (noun === IMPORT.word) {
    const typed = parse([IMPORT.word], optionsOf(IMPORT.operation, []), args.slice(1))
    return typed.options.help ? shown(usageOfImport()) : importPath(typed)
  }
  if (noun === RESET.noun && verb === RESET.verb) {
    const typed = parse([noun, verb], { name: 'string', 'revoke-others': 'boolean' }, rest)
    if (typed.options.help) return shown(usageOfReset())
    await resetKey(typed)
    return 0
  }
  const verbs = COMMANDS.filter((command) => command.noun === noun)
  if (verbs.length === 0) throw usageFailure(`There is no command "${noun}". \`cairn --help\` lists them.`)
  if (verb !== undefined && HELP.includes(verb)) return shown(usageOfNoun(noun))
  const command = verbs.find((each) => each.verb === verb)
  if (!command) throw usageFailure(`"cairn ${noun}" takes one of: ${verbsOf(noun).join(', ')}.`)
  const { operation, isFinal } = command
  const typed = parse([noun, command.verb], optionsOf(operation, isFinal ? ['yes'] : []), rest)
  if (typed.options.help) return shown(usageOf(command))
  await runCommand(command, typed)
  return 0
}

async function shown(text: string): Promise<number> {
  await print(text)
  return 0
}

function verbsOf(noun: string): string[] {
  const verbs = COMMANDS.filter((command) => command.noun === noun).map(({ verb }) => verb)
  return noun === RESET.noun ? [...verbs, RESET.verb] : verbs
}

/** The options of a command, by their names: a text, or a flag. */
type Options = Record<string, 'string' | 'boolean'>

function optionsOf(operation: Operation, ownFlags: string[]): Options {
  const own = fieldsOf(operation).filter(({ isRequired }) => !isRequired)
  return {
    ...Object.fromEntries(own.map(({ name }) => [optionName(name), 'string' as const])),
    ...Object.fromEntries(ownFlags.map((name) => [name, 'boolean' as const])),
  }
}

function parse(words: string[], options: Options, args: string[]): Typed {
  const typed = Object.entries({ ...options, json: 'boolean' as const }).map(([name, type]) => [name, { type }])
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...Object.fromEntries(typed), help: { type: 'boolean', short: 'h' } },
    })
    return { operands: positionals, options: values as Typed['options'] }
  } catch (error) {
    throw usageFailure(`${(error as Error).message}. \`cairn ${words.join(' ')} --help\` shows what it takes.`)
  }
}

function version(): string {
  const { version: own } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return own
}
