import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Operation } from '@cairn/contract'
import { COMMANDS } from './commands.ts'
import { EXIT_FAILED, Failure, usageFailure } from './failure.ts'
import { IMPORT, importPath } from './import-path.ts'
import { fieldsOf, optionName } from './inputs.ts'
import { print } from './output.ts'
import { runCommand, type Typed } from './run-command.ts'
import { runServer, SERVER_COMMANDS } from './run-server.ts'
import { overview, usageOf, usageOfImport, usageOfNoun } from './usage.ts'

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
    const typed = parse([IMPORT.word], IMPORT.operation, [], args.slice(1))
    return typed.options.help ? shown(usageOfImport()) : importPath(typed)
  }
  const verbs = COMMANDS.filter((command) => command.noun === noun)
  if (verbs.length === 0) throw usageFailure(`There is no command "${noun}". \`cairn --help\` lists them.`)
  if (verb !== undefined && HELP.includes(verb)) return shown(usageOfNoun(noun))
  const command = verbs.find((each) => each.verb === verb)
  if (!command) throw usageFailure(`"cairn ${noun}" takes one of: ${verbs.map((each) => each.verb).join(', ')}.`)
  const { operation, isFinal } = command
  const typed = parse([noun, command.verb], operation, isFinal ? ['yes'] : [], rest)
  if (typed.options.help) return shown(usageOf(command))
  await runCommand(command, typed)
  return 0
}

async function shown(text: string): Promise<number> {
  await print(text)
  return 0
}

function parse(words: string[], operation: Operation, ownFlags: string[], args: string[]): Typed {
  const own = fieldsOf(operation).filter(({ isRequired }) => !isRequired)
  const flags = ['json', ...ownFlags]
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...Object.fromEntries(own.map(({ name }) => [optionName(name), { type: 'string' as const }])),
        ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }])),
        help: { type: 'boolean', short: 'h' },
      },
    })
    return { operands: positionals, options: values }
  } catch (error) {
    throw usageFailure(`${(error as Error).message}. \`cairn ${words.join(' ')} --help\` shows what it takes.`)
  }
}

function version(): string {
  const { version: own } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return own
}
