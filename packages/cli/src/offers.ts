import { allNouns, EVERYWHERE, type Found, findCommand, formsOf, verbsOf } from './find-command.ts'
import { choicesOf, optionName, partsOf } from './inputs.ts'
import { SERVER_COMMANDS } from './run-server.ts'

/** What can be typed in place of the last of these words, which may be empty. */
export function offersFor(words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  return [...new Set(offered(before, typed))].filter((each) => each.startsWith(typed)).sort()
}

function offered(before: readonly string[], typed: string): string[] {
  const [noun, ...rest] = before.filter((word) => !EVERYWHERE.includes(word))
  if (noun === undefined) return typed.startsWith('-') ? EVERYWHERE : allNouns()
  if (SERVER_COMMANDS.some(({ word }) => word === noun)) return []
  const found = foundBy([noun, ...rest])
  const verbs = rest.length === 0 ? verbsOf(noun) : []
  if (!found || 'noun' in found) return verbs
  const choices = choicesAfter(found, before.at(-1)!)
  if (choices.length > 0) return choices
  return [...verbs, ...(typed.startsWith('-') ? [...optionsOf(found), ...EVERYWHERE] : [])]
}

function foundBy(words: string[]): Found | undefined {
  try {
    return findCommand(words)
  } catch {
    return undefined
  }
}

function optionsOf(found: Exclude<Found, { noun: string }>): string[] {
  return Object.keys(formsOf(found)).map((name) => `--${name}`)
}

/** What an option can be that was just named, where that is a closed list. */
function choicesAfter(found: Exclude<Found, { noun: string }>, option: string): string[] {
  const operation = 'own' in found ? found.own.operation : found.command.operation
  if (!operation || !option.startsWith('--')) return []
  const field = partsOf(operation).options.find(({ name }) => `--${optionName(name)}` === option)
  return field ? choicesOf(field) : []
}
