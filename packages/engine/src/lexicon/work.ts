import { PHASES, type Phase } from '@cairnstore/contract'
import { anyOf, entriesOf } from './entries.ts'
import lists from './work.json' with { type: 'json' }

/** Names of fields by what they tell, in snake case, the one that tells it best first. */
export const FIELD_ROLES = Object.fromEntries(
  Object.entries(lists.fieldRoles).map(([role, names]) => [role, entriesOf(names)]),
) as Record<keyof typeof lists.fieldRoles, string[]>

const PARTING = /[^\p{L}\p{M}\p{N}*]/gu
const CASE = /(?<=\p{Ll})(?=\p{Lu})/gu

/** A name of a field or type with a space before each capital inside it: "worksAt" is "works At". */
export function humpsApart(name: string): string {
  return name.replaceAll(CASE, ' ')
}

/** A state without what tools write differently: case, spaces and signs. */
function bare(state: string): string {
  return state.normalize('NFC').toLowerCase().replaceAll(PARTING, '')
}

function oneOf(lists: readonly (string | readonly string[])[]): RegExp {
  return new RegExp(`^${anyOf(lists.flatMap((list) => entriesOf(list).map(bare)))}$`)
}

const BY_PHASE = PHASES.map((phase) => [phase, oneOf(Object.values(lists.states[phase]))] as const)
const SAID = oneOf(PHASES.map((phase) => [lists.states[phase].said].flat()))

/** How far a state says that work has come, however it is written; undefined for one that is no usual one. */
export function phaseOfState(state: string): Phase | undefined {
  const plain = bare(state)
  return BY_PHASE.find(([, states]) => states.test(plain))?.[0]
}

/** Whether work that has come so far is still to be finished. */
export function isUnfinished(phase: Phase): boolean {
  return phase === 'open' || phase === 'doing'
}

/** Whether a state can be said after "is"; others are quoted. */
export function isSaidState(state: string): boolean {
  return SAID.test(bare(state))
}

const PERSON = new RegExp(` ${anyOf(entriesOf(lists.recordTypes.person))}s?$`)
const MESSAGE = new RegExp(
  ` ${anyOf(entriesOf(lists.recordTypes.message))}s?$|^ ${anyOf(entriesOf(lists.recordTypes.messageAlone))}s?$`,
)

/** The words of a type, each behind a space, in lower case: what it ends with says what it is. */
function typeEnd(type: string): string {
  const words = humpsApart(type)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  const end = ` ${words.filter(Boolean).join(' ')}`
  return end.endsWith(' replies') ? `${end.slice(0, -'ies'.length)}y` : end
}

/** Whether records or entities of a type are people: "team_member", and not "user_story". */
export function isPersonType(type: string): boolean {
  return PERSON.test(typeEnd(type))
}

const STANDING = new RegExp(` ${anyOf(entriesOf(lists.recordTypes.standing))}s?$`)

/** Returns whether a type's state measures progress of work. An active person or channel is not open work. */
export function isWorkType(type: string): boolean {
  return !isPersonType(type) && !STANDING.test(typeEnd(type))
}

/** Whether records of a type are what somebody said to others: "issue_comment", and not "postmortem". */
export function isMessageType(type: string): boolean {
  return MESSAGE.test(typeEnd(type))
}

const MESSENGER = new RegExp(anyOf(entriesOf(lists.messengers), ['mail']), 'i')

/** Whether people write to each other in what the provider names; "google_mail" and "microsoft teams" are so too. */
export function isMessenger(provider = ''): boolean {
  return MESSENGER.test(provider)
}
