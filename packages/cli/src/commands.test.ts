import { type Operation, operations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { API_COMMANDS, COMMANDS } from './commands.ts'
import { findCommand, optionTypesOf } from './find-command.ts'
import { type FieldSchema, fieldsOf, optionName, parseArguments, rowsOf, takeGlobals } from './inputs.ts'
import { OWN_COMMANDS } from './own-commands.ts'
import { completionsFor } from './usage.ts'

const OWN_OPTIONS = ['json', 'quiet', 'profile', 'sandbox', 'help', 'yes', 'watch', 'follow']
const ALL = [...COMMANDS, ...API_COMMANDS]

it('the columns of a list exist in its rows', () => {
  const wrong = COMMANDS.flatMap(({ operation, columns = [] }) => {
    const rows = rowsOf(operation)
    return columns.filter((column) => !rows?.properties?.[column])
  })
  expect(wrong).toEqual([])
})

it('every paged operation is shown as a list', () => {
  const paged = COMMANDS.filter(
    ({ operation }) => 'next_cursor' in ((operation.reply?.json as FieldSchema | undefined)?.properties ?? {}),
  )
  expect(paged.filter(({ columns }) => !columns)).toEqual([])
})

it('no option of the program hides a field of an operation', () => {
  const names = ALL.flatMap(({ operation }) => fieldsOf(operation).map(({ name }) => optionName(name)))
  expect(names.filter((name) => OWN_OPTIONS.includes(name))).toEqual([])
})

it('deleting anything but a key requires --yes', () => {
  const deleting = COMMANDS.filter(
    ({ operation }) =>
      operation.method === 'DELETE' && !/\/api-keys\/|\/sources\/:source_id$|\/share$/.test(operation.path),
  )
  expect(deleting.map(({ noun, verb }) => `${noun} ${verb}`)).toEqual([
    'accounts erase',
    'sandboxes delete',
    'answers delete',
    'records delete',
    'projects delete',
    'connections revoke',
    'members remove',
    'invitations withdraw',
    'webhooks delete',
  ])
  expect(deleting.every(({ isFinal }) => isFinal)).toBe(true)
})

it('every JSON operation is exactly one command', () => {
  const names = ALL.map(({ noun, verb }) => `${noun} ${verb}`)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const own = new Set(ALL.map(({ operation }) => operation))
  const left = Object.entries(operations as Record<string, Operation>).filter(([, operation]) => !own.has(operation))
  const streams = [
    'downloadOriginal',
    'exportKnowledge',
    'exportQuestions',
    'getMetrics',
    'getReference',
    'receiveDelivery',
  ]
  const callbacks = ['receiveOAuthCallback', 'receiveOAuthIssuerCallback']
  const signIns = ['beginSignIn', 'receiveSignIn', 'receiveBackchannelLogout']
  expect(left.map(([id]) => id).sort()).toEqual([...streams, ...callbacks, ...signIns].sort())
})

it('every example is a valid command line', () => {
  const examples = [...COMMANDS.flatMap(({ example }) => example ?? []), ...OWN_COMMANDS.flatMap((own) => own.examples)]
  expect(examples.length).toBeGreaterThan(OWN_COMMANDS.length)
  for (const example of examples) {
    const [command = ''] = example.split(' | ')
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
    const { rest, globals } = takeGlobals(args)
    const found = findCommand(rest)
    if ('noun' in found) throw new Error(`${example} names no command`)
    expect(() => parseArguments([], optionTypesOf(found), found.args, globals), example).not.toThrow()
  }
})

it('an unknown command suggests similar ones', () => {
  const said = (args: string[]) => {
    try {
      findCommand(args)
    } catch (error) {
      return (error as Error).message
    }
    return 'found'
  }
  expect(said(['entites'])).toContain('Did you mean "entities"?')
  expect(said(['aks'])).toContain('Did you mean "ask"?')
  expect(said(['zzz'])).toBe('There is no command "zzz". `cairn --help` lists them.')
  expect(said(['api', 'listAudits'])).toContain('Did you mean "listAudit"')
  for (const { noun } of ALL) expect(said([noun, '--help'])).toBe('found')
})

it('completions follow from the command table: nouns, verbs, options and their values', () => {
  expect(completionsFor(['ent'])).toEqual(['entities'])
  expect(completionsFor(['--json', 'entities', 'f'])).toEqual(['find'])
  expect(completionsFor(['entities', 'list', '--pro'])).toEqual(['--profile', '--project-id'])
  expect(completionsFor(['sources', '--status', ''])).toContain('paused')
  expect(completionsFor(['keys', 're'])).toEqual(['reset', 'revoke'])
  expect(completionsFor(['add', ''])).toEqual([])
  expect(completionsFor(['nothing', ''])).toEqual([])
  expect(completionsFor([])).toContain('ask')
})

it('a noun without a verb lists, and global options may be anywhere', () => {
  expect(findCommand(['entities'])).toMatchObject({ command: { verb: 'list' }, args: [] })
  expect(findCommand(['entities', '--type', 'person'])).toMatchObject({ args: ['--type', 'person'] })
  expect(takeGlobals(['--json', 'ask', '--profile', 'work', 'x', '-q', '--', '--json'])).toEqual({
    rest: ['ask', 'x', '--', '--json'],
    globals: { json: true, profile: 'work', quiet: true },
  })
})
