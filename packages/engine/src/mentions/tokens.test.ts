import { expect, it } from 'vitest'
import { tokensOf } from './tokens.ts'

const TEXTS = [
  'Zoë’s café ﬁn — 𝒜lpha, 😀Ada😀 e\u0301te\u0301 a\ud800Ada\udc00b',
  'Дмитрий Иванов 東京Tokyo٣4 x²y ½ a_b-c',
  '  \t A1 1A PDFs ABCs iPhone McDonald I\u0301x\u200bB ',
  '',
]

it('tokens are the runs of letters, marks and digits at any position', () => {
  for (const text of TEXTS) {
    const runs = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].filter(([run]) => run !== 's')
    expect(tokensOf(text).map(({ from, to }) => [from, to])).toEqual(
      runs.map((run) => [run.index, run.index + run[0].length]),
    )
    for (const { text: written, from, to } of tokensOf(text)) expect(written).toBe(text.slice(from, to))
  }
})

it('tokens have the same shapes in ASCII and beyond', () => {
  const shapes = (text: string) => tokensOf(text).map(({ shape }) => shape)
  expect(shapes('ada Ada ADA A PDFs iPhone 12 1st A1 Ab1 3D')).toEqual([
    'lower',
    'capital',
    'upper',
    'capital',
    'upper',
    'mixed',
    'number',
    'other',
    'upper',
    'capital',
    'other',
  ])
  expect(shapes('éda Éda ÉDA É éDa ٣')).toEqual(['lower', 'capital', 'upper', 'capital', 'mixed', 'number'])
})
