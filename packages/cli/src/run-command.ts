import { shownOnce } from '@cairn/contract'
import { call } from './call.ts'
import type { Command } from './commands.ts'
import { usageFailure } from './failure.ts'
import { optionName, toInputs } from './inputs.ts'
import { listRows } from './list-rows.ts'
import { fieldsTable, print, type Row } from './output.ts'
import { readSettings } from './settings.ts'

/** What was typed after the noun and the verb. */
export interface Typed {
  operands: string[]
  options: Record<string, string | boolean | undefined>
}

const JSON_INDENT = 2

/** Carries a command out and prints what came of it; throws Failure when it cannot, or the service says no. */
export async function runCommand(command: Command, { operands, options }: Typed): Promise<void> {
  const { operation, columns, isFinal, asked } = command
  const typed = toInputs(operation, operands, options)
  const inputs = asked ? { ...typed, body: { ...typed.body, ...asked } } : typed
  if (isFinal && options.yes !== true) {
    throw usageFailure(`${operation.summary}: this cannot be undone. Repeat it with --yes to do it.`)
  }
  const settings = readSettings(operation.access)
  const asJson = options.json === true
  if (columns) return listRows({ operation, columns, inputs, settings, asJson })
  const reply = (await call(operation, inputs, settings)) as Row
  await print(asJson ? `${JSON.stringify(reply, null, JSON_INDENT)}\n` : forPeople(command, reply))
}

function forPeople({ operation, show }: Command, reply: Row): string {
  if (show) return show(reply)
  const { success, message, ...rest } = reply
  if (success === true && typeof message === 'string') return fieldsTable({ done: message, ...rest })
  const secrets = shownOnce(operation.reply?.json)
  const note = secrets.length > 0 && !('warning' in reply) ? `The ${optionName(secrets[0]!)} is not shown again.\n` : ''
  return `${fieldsTable(reply)}${note}`
}
