import fc from 'fast-check'
import { expect, test } from 'vitest'
import { terms } from './terms.ts'
import { foldText } from './words.ts'

/** Texts in several languages with realistic queries for each. */
const ASKED: [string, string, string[]][] = [
  ['Chinese', '中华人民共和国国务院总理在北京人民大会堂发表了讲话', ['国务院', '北京', '人民大会堂', '大会堂', '讲话']],
  [
    'Japanese',
    '東京都庁は来年度の予算案を発表し、地下鉄の延伸計画について説明した。',
    ['東京', '予算', '地下鉄', '計画'],
  ],
  ['Thai', 'กรุงเทพมหานครเปิดให้บริการรถไฟฟ้าสายใหม่', ['กรุงเทพมหานคร', 'รถไฟฟ้า', 'บริการ']],
  [
    'Arabic',
    'وافقت الحكومة على الكتاب الجديد وأعلنت المدرسة إضافة أحمد',
    ['حكومة', 'كتاب', 'مدرسة', 'المدرسه', 'احمد'],
  ],
  [
    'Turkish',
    'İSTANBUL Büyükşehir ile DİYARBAKIR ve IĞDIR',
    ['istanbul', 'İstanbul', 'diyarbakır', 'ığdır', 'buyuksehir'],
  ],
  ['German', 'Die Straßenbahn fährt über die Brücke.', ['strassenbahn', 'STRASSENBAHN', 'Brucke', 'brücke']],
  ['Korean', '결제 게이트웨이에서 시간 초과가 발생했습니다', ['게이트웨이', '결제게이트웨이', '시간초과', '발생']],
  ['Greek', 'Ο Όμιλος ΟΔΥΣΣΕΥΣ', ['οδυσσευς', 'όμιλος', 'ομιλος']],
  ['Russian', 'Паром прибыл в Ёлкино', ['паром', 'елкино', 'ЁЛКИНО']],
]

test.each(ASKED)('%s is found by what people ask for', (_, text, asked) => {
  const known = new Set(terms(text))
  const isFound = (query: string) => terms(query).some((term) => [...term].length > 1 && known.has(term))
  expect(asked.filter((query) => !isFound(query))).toEqual([])
})

const HAN = [...'東京都庁地下鉄延伸計画中华人民共和国大会堂讲话高速铁路港湾管理局']

test('any two characters and more of an unspaced text are found in it, wherever its words are cut', () => {
  const run = fc.array(fc.constantFrom(...HAN), { minLength: 4, maxLength: 40 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(run, fc.nat(), fc.integer({ min: 2, max: 6 }), (text, at, length) => {
      const start = at % (text.length - 2)
      const known = new Set(terms(`船は${text}を出た`))
      const asked = terms(text.slice(start, start + length))
      expect(asked.some((term) => [...term].length > 1 && known.has(term))).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('what nobody sees parts no word, but where it is the space between two', () => {
  expect(terms('pro\u200bra\u00adtion \u202ajob\u202c 1\ufe0f\u20e3 ❤\ufe0f')).toEqual(terms('proration job 1'))
  expect(terms('ភាសា\u200bខ្មែរ')).toEqual(terms('ភាសា ខ្មែរ'))
  expect(terms('می\u200cخواهم')).toEqual(terms('می خواهم'))
})

test('how a text is composed, cased and accented makes no difference to its terms', () => {
  const text = fc.constantFrom(...ASKED.map(([, each]) => each))
  fc.assert(
    fc.property(text, (each) => {
      expect(terms(each.normalize('NFD'))).toEqual(terms(each.normalize('NFC')))
      expect(terms(foldText(each))).toEqual(terms(each))
    }),
  )
})
