import { expect, it } from 'vitest'
import { lines, pdfOf, ruled } from '../../../../../tests/harness/documents.ts'
import { readDocument } from '../read-document.ts'

async function textOf(pages: Parameters<typeof pdfOf>[0]): Promise<string> {
  const texts: string[] = []
  for await (const item of readDocument({ name: 'a.pdf', bytes: pdfOf(pages) }))
    if (item.kind === 'part') texts.push(item.text)
  return texts.join('\n')
}

/** Returns the cells of each row at these x positions, from `top` downwards. */
function rowsAt(rows: readonly (readonly string[])[], xs: readonly number[], top: number) {
  return rows.flatMap((row, at) => row.map((text, column) => ({ text, x: xs[column]!, y: top - 16 * at })))
}

it('two text columns above a table are read one after the other, and the table as a table', async () => {
  const left = ['The harbour office asked', 'the keeper of the north pier to', 'paint the lamps before winter.']
  const right = ['The south pier is closed', 'since its planks are rotten and', 'opens again in early spring.']
  const table = rowsAt(
    [
      ['Lamp', 'Height', 'Keeper'],
      ['L-1', '4 m', 'Ana Lima'],
      ['L-2', '6 m', 'Bo Lind'],
    ],
    [60, 200, 340],
    640,
  )
  const text = await textOf([[...lines(left, { x: 60 }), ...lines(right, { x: 330 }), ...table]])
  expect(text).toBe(
    `${left.join(' ')}\n\n${right.join(' ')}\n\n| Lamp | Height | Keeper |\n| --- | --- | --- |\n` +
      '| L-1 | 4 m | Ana Lima |\n| L-2 | 6 m | Bo Lind |',
  )
})

it('a table with rules is read by them: wrapped cells, merged cells and close headers', async () => {
  const xs = [60, 120, 180, 300]
  const ys = [700, 680, 640, 620]
  const page = [
    ...lines(['A list of the berths.'], { x: 60, top: 730 }),
    ...ruled(xs, ys),
    { text: 'Pier', x: 64, y: 686 },
    { text: 'Berth No.', x: 124, y: 686 },
    { text: 'Remarks', x: 184, y: 686 },
    { text: 'West', x: 64, y: 660 },
    { text: 'W-1', x: 124, y: 660 },
    { text: 'closed until', x: 184, y: 666 },
    { text: 'the storm ends', x: 184, y: 654 },
    { text: 'East', x: 64, y: 626 },
    { text: 'E-1', x: 124, y: 626 },
    ...lines(['Berths are free at night.'], { x: 60, top: 590 }),
  ]
  expect(await textOf([page])).toBe(
    'A list of the berths.\n\n| Pier | Berth No. | Remarks |\n| --- | --- | --- |\n' +
      '| West | W-1 | closed until the storm ends |\n| East | E-1 |  |\n\nBerths are free at night.',
  )
})

it('a cell that spans several rows is repeated in each of them', async () => {
  const cells = ruled([60, 120, 200], [700, 680, 660, 640]).filter(({ rect: [x, y] }) => !(x === 60 && y === 660))
  const right = { rect: [120, 660, 80, 1] as const }
  const texts = rowsAt([['Pier', 'Berth']], [64, 124], 686)
  const below = [
    { text: 'West', x: 64, y: 656 },
    { text: 'W-1', x: 124, y: 666 },
    { text: 'W-2', x: 124, y: 646 },
  ]
  expect(await textOf([[...cells, right, ...texts, ...below]])).toBe(
    '| Pier | Berth |\n| --- | --- |\n| West | W-1 |\n| West | W-2 |',
  )
})

it('a table over several pages keeps its header, and a cell of several lines is one cell', async () => {
  const xs = [60, 200, 340]
  const first = rowsAt(
    [
      ['Lamp', 'Height', 'Keeper'],
      ['L-1', '4 m', 'Ana Lima'],
    ],
    xs,
    140,
  )
  const second = [...rowsAt([['L-2', '6 m', 'Bo Lind']], xs, 720), { text: 'and Cai Rau', x: 340, y: 708 }]
  const third = rowsAt([['L-3', '5 m', 'Dee Moss']], xs, 690)
  expect(await textOf([first, [...second, ...third]])).toBe(
    '| Lamp | Height | Keeper |\n| --- | --- | --- |\n| L-1 | 4 m | Ana Lima |\n\n' +
      '| Lamp | Height | Keeper |\n| --- | --- | --- |\n| L-2 | 6 m | Bo Lind and Cai Rau |\n| L-3 | 5 m | Dee Moss |',
  )
})
