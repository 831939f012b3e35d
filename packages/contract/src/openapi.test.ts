import { expect, test } from 'vitest'
import { commonFaults, faultOf, openApi, operations } from './index.ts'

const document = openApi(operations, '1.2.3') as {
  openapi: string
  paths: Record<
    string,
    Record<string, { operationId: string; responses: object; parameters: { in: string; name: string }[] }>
  >
  components: { schemas: Record<string, unknown> }
}

test('every operation is in the document, once, under its method and path', () => {
  const found = Object.values(document.paths).flatMap((path) => Object.values(path).map((one) => one.operationId))
  expect(found.sort()).toEqual(Object.keys(operations).sort())
})

test('every reference resolves to a schema', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
  expect(references.length).toBeGreaterThan(20)
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name!)
})

test('optional request fields have no default, because generators treat those as always present', () => {
  const { paths: _, ...rest } = document
  expect(JSON.stringify(rest)).not.toMatch(/"default":/)
  const search = document.components.schemas.Search as { properties: { preset: { description: string } } }
  expect(search.properties.preset.description).toContain('`auto` if omitted.')
})

test('a success has one media type, so that a generated client gives it one type', () => {
  const replies = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ responses }) => responses))
  const types = replies.flatMap((each) => Object.entries(each).map(([, { content = {} }]) => Object.keys(content)))
  expect(types.filter(({ length }) => length > 1)).toEqual([])
})

test('objects and arrays have a single type, because generators ignore the others in a list of types', () => {
  expect(JSON.stringify(document)).not.toMatch(/"type":\[[^\]]*"(?:object|array)"/)
})

test('an optional or nullable field with a named schema is a reference to it', () => {
  const { Job } = document.components.schemas as { Job: { properties: { result: unknown } } }
  expect(Job.properties.result).toEqual({ anyOf: [{ $ref: '#/components/schemas/JobResult' }, { type: 'null' }] })
})

test('every path parameter is described', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1])
    for (const { parameters } of Object.values(methods)) {
      expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(names)
    }
  }
})

test('every fault of an operation has its response', () => {
  for (const [id, operation] of Object.entries(operations)) {
    const documented = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .find((one) => one.operationId === id)!
    for (const name of [...commonFaults(operation), ...('faults' in operation ? operation.faults : [])]) {
      expect(documented.responses).toHaveProperty(String(faultOf(name).status))
    }
  }
})

test('secrets are only in the replies that create them', () => {
  const shown = Object.entries(operations).filter(([, operation]) => {
    // The keys of an entity's identifiers are their kinds.
    if (operation === operations.getEntity) return false
    const text = JSON.stringify((operation as { reply?: unknown }).reply ?? {})
    return /"x-shown-once"|secret"|"plaintext_key"/.test(text)
  })
  expect(shown.map(([id]) => id).sort()).toEqual([
    'createAccount',
    'createAccountConsoleCode',
    'createAccountKey',
    'createApiKey',
    'createConnectionKey',
    'createConsoleCode',
    'createInvitation',
    'createMemberCode',
    'createSource',
    'createWebhook',
    'getSource',
    'listSources',
    'rotateSigningSecret',
    'rotateWebhookSecret',
    'signInToConsole',
    'updateSource',
  ])
})
