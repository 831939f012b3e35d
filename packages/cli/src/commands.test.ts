import { expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { fieldsOf, optionName, type Shape } from './inputs.ts'

const OWN_OPTIONS = ['json', 'help', 'yes']

it('a list shows fields that its rows have', () => {
  const wrong = COMMANDS.flatMap(({ operation, columns = [] }) => {
    const reply = operation.reply?.json as Shape
    const rows = reply.items ?? Object.values(reply.properties ?? {}).find(({ type }) => type === 'array')?.items
    return columns.filter((column) => !rows?.properties?.[column])
  })
  expect(wrong).toEqual([])
})

it('every paged operation is shown as a list', () => {
  const paged = COMMANDS.filter(
    ({ operation }) => 'next_cursor' in ((operation.reply?.json as Shape)?.properties ?? {}),
  )
  expect(paged.filter(({ columns }) => !columns)).toEqual([])
})

it('no field of an operation is hidden by an option of the program’s own', () => {
  const names = COMMANDS.flatMap(({ operation }) => fieldsOf(operation).map(({ name }) => optionName(name)))
  expect(names.filter((name) => OWN_OPTIONS.includes(name))).toEqual([])
})

it('what deletes more than a key wants to be told --yes', () => {
  const deleting = COMMANDS.filter(
    ({ operation }) => operation.method === 'DELETE' && !operation.path.includes('/api-keys/'),
  )
  expect(deleting.map(({ noun, verb }) => `${noun} ${verb}`)).toEqual(['accounts erase', 'sandboxes delete'])
  expect(deleting.every(({ isFinal }) => isFinal)).toBe(true)
})
