import { expect, it } from 'vitest'
import { markPassages, type TreeNode } from './mark-passages.ts'

const at = (start: number, end: number) => ({ start: { offset: start }, end: { offset: end } })
const text = (value: string, start: number, end: number): TreeNode => ({
  type: 'text',
  value,
  position: at(start, end),
})
const block = (tagName: string, children: TreeNode[], start: number, end: number): TreeNode => ({
  type: 'element',
  tagName,
  properties: {},
  children,
  position: at(start, end),
})
const root = (children: TreeNode[]): TreeNode => ({ type: 'root', children })

/** Returns the text of a tree, with the highlighted passages in brackets and a bar after each block. */
function written({ tagName, value, children = [], type }: TreeNode): string {
  const inner = value ?? children.map(written).join('')
  if (tagName === 'mark') return `[${inner}]`
  return type === 'element' ? `${inner}|` : inner
}

const marked = (source: string, tree: TreeNode, more: Partial<Parameters<typeof markPassages>[0]>) => {
  markPassages({ source, marks: [], places: [], ...more })(tree)
  return written(tree)
}

it('a passage is highlighted across elements, at its offsets in the source', () => {
  const source = 'The **pump** stopped.'
  const tree = () =>
    root([
      block('p', [text('The ', 0, 4), block('strong', [text('pump', 6, 10)], 4, 12), text(' stopped.', 12, 21)], 0, 21),
    ])
  expect(marked(source, tree(), { marks: [{ start: 4, end: 20 }] })).toBe('The [pump]|[ stopped].|')
  expect(marked(source, tree(), { marks: [{ start: 0, end: 99 }] })).toBe('[The ][pump]|[ stopped.]|')
  expect(marked(source, tree(), {})).toBe('The pump| stopped.|')
})

it('escapes and character references do not move a passage', () => {
  const source = 'A \\* B &amp; C ends here.'
  const tree = root([block('p', [text('A * B & C ends here.', 0, source.length)], 0, source.length)])
  const start = source.indexOf('C')
  expect(marked(source, tree, { marks: [{ start, end: source.length - 1 }] })).toBe('A * B & [C ends here].|')
})

it('only blocks near a passage are shown, with the header of a table', () => {
  const row = (value: string, start: number) => block('tr', [text(value, start, start + 5)], start, start + 10)
  const tree = root([
    block('p', [text('far', 0, 3)], 0, 3),
    block(
      'table',
      [block('thead', [row('head', 10)], 10, 20), block('tbody', [row('one', 30), row('two', 50)], 30, 60)],
      10,
      60,
    ),
  ])
  expect(marked(' '.repeat(60), tree, { shown: { start: 50, end: 55 } })).toBe('head||two|||')
})

it('places of the original begin with a line of their own', () => {
  const tree = root([block('p', [text('one', 0, 3)], 0, 3), block('p', [text('two', 5, 8)], 5, 8)])
  const places = [
    { start: 0, locator: 'p. 1' },
    { start: 5, locator: 'p. 2' },
  ]
  expect(marked('one\n\ntwo', tree, { places })).toBe('p. 1|one|p. 2|two|')
})
