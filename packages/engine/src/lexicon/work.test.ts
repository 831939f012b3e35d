import { expect, test } from 'vitest'
import { FIELD_ROLES, isMessageType, isPersonType, isStateWord, isWorkType, phaseOfState } from './work.ts'

/** States that answers and table queries must interpret equally. */
test.each([
  ['investigating', 'doing'],
  ['identified', 'doing'],
  ['monitoring', 'doing'],
  ['at risk', 'open'],
  ['On Track', 'open'],
  ['off-track', 'open'],
  ['unresolved', 'open'],
  ['opened', 'open'],
  ['ready for QA', 'open'],
  ['offen', 'open'],
  ['In Arbeit', 'doing'],
  ['en cours', 'doing'],
  ['pendiente', 'open'],
  ['進行中', 'doing'],
  ["won't fix", 'dropped'],
  ['Won’t Fix', 'dropped'],
  ['approved', 'done'],
  ['accepted', 'done'],
  ['published', 'done'],
  ['paid', 'done'],
  ['delivered', 'done'],
  ['erledigt', 'done'],
  ['terminé', 'done'],
])('the state “%s” is %s', (state, phase) => {
  expect(phaseOfState(state)).toBe(phase)
})

test('a state is known however a tool writes it, and nothing is guessed of others', () => {
  expect(['in_progress', 'InProgress', 'IN-REVIEW', 'to do', 'To-Do', 'CANCELLED'].map(phaseOfState)).toEqual([
    ...Array(3).fill('doing'),
    ...Array(2).fill('open'),
    'dropped',
  ])
  expect(['commented', 'not done', 'done by Jon', ''].map(phaseOfState)).toEqual(Array(4).fill(undefined))
  expect(['in-progress', 'approved', 'todo', 'offen'].map(isStateWord)).toEqual([true, true, false, false])
})

test('each role of a field has one list of names', () => {
  expect(FIELD_ROLES.owner).toEqual(expect.arrayContaining(['assignee', 'dri', 'manager']))
  expect(FIELD_ROLES.due).toEqual(expect.arrayContaining(['due_at', 'eta']))
})

test.each(['person', 'Person', 'users', 'team_member', 'GitHubUser', 'contacts', 'co-author'])(
  'entities of the type %s are people',
  (type) => expect(isPersonType(type)).toBe(true),
)

test.each(['user_story', 'membership', 'authorization', 'username', 'personal_goal', ''])(
  'entities of the type “%s” are not people',
  (type) => expect(isPersonType(type)).toBe(false),
)

test.each([
  'message',
  'slack_message',
  'Issue Comment',
  'replies',
  'e-mail',
  'note',
  'pull_request_review',
  'chat_session',
])('somebody said what is a %s', (type) => expect(isMessageType(type)).toBe(true))

test.each(['postmortem', 'post-mortem', 'release_note', 'release_notes', 'design_review', 'return', 'turnover', ''])(
  'nobody said what is a “%s”',
  (type) => expect(isMessageType(type)).toBe(false),
)

test('people, channels and other things that stay are no work, whatever state they have', () => {
  const standing = [
    'person',
    'team_member',
    'channel',
    'Channels',
    'organisation',
    'bot',
    'repository',
    'slack_channel',
  ]
  expect(standing.map(isWorkType)).toEqual(standing.map(() => false))
  const work = ['issue', 'task', 'user_story', 'invoice', 'project', 'pull_request', 'document']
  expect(work.map(isWorkType)).toEqual(work.map(() => true))
})
