import { operations, shownOnce } from '@cairnstore/contract'
import { call, listRows, sandboxOf } from './call.ts'
import type { Command } from './commands.ts'
import { type OperationInput, optionName, type ParsedArguments, toOperationInput } from './inputs.ts'
import { fieldsTable, jsonText, type OutputRow, print, usageFailure } from './output.ts'
import { watch } from './progress.ts'
import { readSettings, type Settings } from './settings.ts'

/** Runs a command, prints its result and returns the exit code. Throws Failure for an error reply. */
export async function runCommand(command: Command, { operands, options }: ParsedArguments): Promise<number> {
  const { operation, columns, isFinal, filled = [] } = command
  const typed = { ...toOperationInput(operation, operands, options, filled), ...command.asked }
  if (isFinal && options.yes !== true) {
    throw usageFailure(`${operation.summary}: this cannot be undone. Add --yes to confirm.`)
  }
  const settings = readSettings(operation.access, options)
  const input = await filledIn(command, typed, { options, operands }, settings)
  const asJson = options.json === true
  const listing = { operation, columns, asked: input, settings, asJson, isFollowed: options.follow === true }
  const watched = options.watch === true ? await watch(listing) : undefined
  if (columns) {
    if (options.watch !== true) await listRows({ ...listing, columns })
    return 0
  }
  const reply = watched?.reply ?? ((await call(operation, input, settings)) as OutputRow)
  await print(asJson ? jsonText(reply) : forPeople(command, reply))
  return watched?.code ?? 0
}

/** Adds the values that the profile or the account provides to the request. */
async function filledIn(
  { filled = [] }: Command,
  input: OperationInput,
  { options }: ParsedArguments,
  settings: Settings,
): Promise<OperationInput> {
  if (filled.includes('sandbox_id')) return { ...input, sandbox_id: await sandboxOf(settings) }
  if (!filled.includes('owner_id')) return input
  const owner = typeof options['owner-id'] === 'string' ? options['owner-id'] : await accountId(settings)
  return { ...input, owner_id: owner }
}

/** Returns the id of the account that owns the key. */
export async function accountId(settings: Settings): Promise<string> {
  const reply = await call(operations.getProfile, {}, settings)
  return (reply as { user_id: string }).user_id
}

function forPeople({ operation, show }: Command, reply: OutputRow): string {
  if (show) return show(reply)
  const { success, message, ...rest } = reply
  if (success === true && typeof message === 'string') return fieldsTable({ done: message, ...rest })
  const secrets = shownOnce(operation.reply?.json)
  const last = secrets.length > 0 && !('warning' in reply) ? `The ${optionName(secrets[0]!)} is not shown again.\n` : ''
  return `${fieldsTable(reply)}${last}`
}
