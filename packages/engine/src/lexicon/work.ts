import { PHASES, type Phase } from '@cairnstore/contract'
import { anyOf, entriesOf } from './entries.ts'
import lists from './work.json' with { type: 'json' }

/** Property names by role, in snake case, the most specific first. */
export const FIELD_ROLES = Object.fromEntries(
  Object.entries(lists.fieldRoles).map(([role, names]) => [role, entriesOf(names)]),
) as Record<keyof typeof lists.fieldRoles, string[]>

const PARTING = /[^\p{L}\p{M}\p{N}*]/gu
const CASE = /(?<=\p{Ll})(?=\p{Lu})/gu

/** Inserts spaces into a camel-case name: "worksAt" becomes "works At". */
export function splitCamelCase(name: string): string {
  return name.replaceAll(CASE, ' ')
}

/** Normalizes a state: lower case, without spaces and punctuation. */
function bare(state: string): string {
  return state.normalize('NFC').toLowerCase().replaceAll(PARTING, '')
}

function oneOf(lists: readonly (string | readonly string[])[]): RegExp {
  return new RegExp(`^${anyOf(lists.flatMap((list) => entriesOf(list).map(bare)))}$`)
}

const BY_PHASE = PHASES.map((phase) => [phase, oneOf(Object.values(lists.states[phase]))] as const)
const SAID = oneOf(PHASES.map((phase) => [lists.states[phase].said].flat()))

/** Returns the phase of a state in any usual spelling; undefined for an unknown state. */
export function phaseOfState(state: string): Phase | undefined {
  const plain = bare(state)
  return BY_PHASE.find(([, states]) => states.test(plain))?.[0]
}

/** Returns true if work in this phase is unfinished. */
export function isUnfinished(phase: Phase): boolean {
  return phase === 'open' || phase === 'doing'
}

/** Returns true if a state can follow "is" in an answer, such as "open". Other states are quoted in it. */
export function isStateWord(state: string): boolean {
  return SAID.test(bare(state))
}

const PERSON = new RegExp(` ${anyOf(entriesOf(lists.recordTypes.person))}s?$`)
const MESSAGE = new RegExp(
  ` ${anyOf(entriesOf(lists.recordTypes.message))}s?$|^ ${anyOf(entriesOf(lists.recordTypes.messageAlone))}s?$`,
)

/** Returns the words of a type in lower case, each preceded by a space. The last word determines the kind. */
function typeEnd(type: string): string {
  const words = splitCamelCase(type)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  const end = ` ${words.filter(Boolean).join(' ')}`
  return end.endsWith(' replies') ? `${end.slice(0, -'ies'.length)}y` : end
}

/** Returns true if records or entities of a type are people: "team_member", but not "user_story". */
export function isPersonType(type: string): boolean {
  return PERSON.test(typeEnd(type))
}

const STANDING = new RegExp(` ${anyOf(entriesOf(lists.recordTypes.standing))}s?$`)

/** Returns true if the state of a type measures progress of work. An "active" person or channel is not open work. */
export function isWorkType(type: string): boolean {
  return !isPersonType(type) && !STANDING.test(typeEnd(type))
}

/** Returns true if records of a type are messages to others: "issue_comment", but not "postmortem". */
export function isMessageType(type: string): boolean {
  return MESSAGE.test(typeEnd(type))
}

const MESSENGER = new RegExp(anyOf(entriesOf(lists.messengers), ['mail']), 'i')

/** Returns true if the provider is a messaging product, such as "google_mail" or "microsoft teams". */
export function isMessenger(provider = ''): boolean {
  return MESSENGER.test(provider)
}
