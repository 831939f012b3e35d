import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Completeness, completenessOf, type ListCall } from './complete-result.ts'

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ id: n }))
const call = (given: Partial<ListCall> = {}): ListCall => ({
  inputSchema: {},
  given: {},
  complete: undefined,
  ...given,
})
const schema = (...names: string[]) => ({ properties: Object.fromEntries(names.map((name) => [name, {}])) })
const of = (given: Partial<ListCall>, body: unknown, list = items(3)): Completeness =>
  completenessOf(call(given), body, [list])

const anyName = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name !== '__proto__')
const anyArguments = fc.dictionary(anyName, fc.jsonValue(), { minKeys: 1, maxKeys: 4 })
const anyBody = fc.oneof(fc.jsonValue(), fc.dictionary(anyName, fc.jsonValue()))
const anyCount = fc.integer({ min: 0, max: 200 })
/** A marker of more items, or of an error, with any value that a server may give it. */
const anyMore = fc.oneof(
  fc.record({
    name: fc.constantFrom('has_more', 'hasNextPage', 'truncated', 'incomplete_results'),
    value: fc.constant(true),
  }),
  fc.record({
    name: fc.constantFrom('next', 'nextCursor', 'next_page_token', 'continuationToken', 'error', 'errors'),
    value: fc.oneof(fc.string({ minLength: 1 }), fc.integer(), fc.constant(['x']), fc.constant({ code: 1 })),
  }),
  fc.record({ name: fc.constantFrom('isLast', 'is_last_page'), value: fc.constantFrom(false, null, 'no') }),
  fc.record({ name: fc.constantFrom('total', 'totalCount', 'total_results'), value: fc.integer({ min: 201 }) }),
)

describe('records that a result lacks may be deleted', () => {
  it('if the user states that the call lists everything, or the tool takes no arguments', () => {
    expect(of({}, items(3))).toBe('unfiltered')
    expect(of({ inputSchema: schema('project'), given: { project: 'p' }, complete: true }, items(3))).toBe('stated')
    for (const end of [{ nextCursor: null }, { pageInfo: { hasNextPage: false, endCursor: 'c' } }, { total_count: 3 }])
      expect(of({ complete: true }, { items: items(3), ...end }), JSON.stringify(end)).toBe('stated')
  })

  it('never without that statement if the call has arguments or the tool accepts some', () => {
    fc.assert(
      fc.property(anyArguments, anyBody, anyCount, (given, body, count) => {
        expect(of({ given }, body, items(count))).toBe('unknown')
        expect(of({ inputSchema: { properties: given } }, body, items(count))).toBe('unknown')
        expect(of({ inputSchema: { additionalProperties: given } }, body, items(count))).toBe('unknown')
      }),
    )
  })

  it('never if the user states that the result is not complete, or if it has no list', () => {
    fc.assert(
      fc.property(anyArguments, anyBody, (given, body) => {
        expect(of({ complete: false }, body)).toBe('unknown')
        expect(completenessOf(call({ given, complete: true }), body, [])).toBe('unknown')
      }),
    )
  })

  it('never if the result has a marker of more items or of an error, whatever else it has', () => {
    fc.assert(
      fc.property(anyMore, anyBody, anyCount, fc.boolean(), (more, other, count, isInner) => {
        const marker = { [more.name]: more.value }
        const rest = { ...(Object(other) as object), items: items(count) }
        const body = isInner ? { ...rest, meta: marker } : { ...rest, ...marker }
        expect(of({ complete: true }, body, items(count))).toBe('unknown')
        expect(of({}, body, items(count))).toBe('unknown')
      }),
    )
  })

  it('never if it has as many items as a number among the arguments, which may be a page size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        anyName,
        fc.boolean(),
        fc.boolean(),
        (size, name, isText, isDefault) => {
          const value = isText ? String(size) : size
          const given = isDefault ? {} : { [name]: value }
          const inputSchema = isDefault ? { properties: { [name]: { default: value } } } : {}
          expect(of({ inputSchema, given, complete: true }, items(size), items(size))).toBe('unknown')
          expect(of({ inputSchema, given, complete: true }, items(size - 1), items(size - 1))).toBe('stated')
        },
      ),
    )
  })
})
