import { ownVersion } from './doctor.ts'
import { findCommand, HELP, optionTypesOf } from './find-command.ts'
import { parseArguments, takeGlobals } from './inputs.ts'
import { EXIT_FAILED, Failure, print, usageFailure } from './output.ts'
import { runCommand } from './run-command.ts'
import { runServer, SERVER_COMMANDS } from './run-server.ts'
import { completionsFor, overview, usageOf, usageOfNoun, usageOfOwn } from './usage.ts'

/** Runs a command line. Exit codes: 0 done, 1 failed, 2 invalid usage and nothing sent, 3 something was skipped. */
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

/** Handles errors of standard output. A closed pipe, as by `head`, is no failure; a full disk is one. */
function endUnread({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`cairn: The output cannot be written (${code}).\n`)
  process.exit(EXIT_FAILED)
}

async function run(args: string[]): Promise<number> {
  const [asks, ...about] = args
  // Some users type `cairn help ask` for `cairn ask --help`.
  if (asks === 'help' && about[0] !== undefined && !about[0].startsWith('-')) return run([...about, '--help'])
  if (SERVER_COMMANDS.some(({ word }) => word === args[0])) return runServer(args)
  const { rest, globals } = takeGlobals(args)
  const [first] = rest
  if (first === undefined) throw usageFailure(`No command given.\n\n${overview()}`.trimEnd())
  if (HELP.includes(first)) return shown(overview())
  if (first === '--version') return shown(`${ownVersion()}\n`)
  const found = findCommand(rest)
  if ('noun' in found) return shown(usageOfNoun(found.noun, found.commands))
  const words = 'own' in found ? found.own.words : [found.command.noun, found.command.verb]
  const typed = parseArguments(words, optionTypesOf(found), found.args, globals)
  if ('own' in found)
    return typed.options.help ? shown(usageOfOwn(found.own)) : found.own.run(typed, { offersFor: completionsFor })
  if (typed.options.help) return shown(usageOf(found.command))
  return runCommand(found.command, typed)
}

async function shown(text: string): Promise<number> {
  await print(text)
  return 0
}
