import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { decodeText } from './decode-text.ts'
import { repairMojibake } from './repair-mojibake.ts'

it.each([
  ['windows-1252', 'Zoë Núñez'],
  ['windows-1252', 'The master’s “log” – 40 €'],
  ['windows-1252', '5 °C, ±2 µm, ½ l'],
  ['windows-1250', 'Żółta łódź Wójcika'],
  ['ISO-8859-2', 'Příliš žluťoučký kůň'],
  ['windows-1251', 'Ответственный: Иванов'],
  ['KOI8-R', 'Цена 1200 руб.'],
  ['windows-1253', 'Η αποθήκη είναι κλειστή τη Δευτέρα.'],
  ['windows-1255', 'המחסן סגור ביום שני.'],
  ['windows-1256', 'المستودع مغلق يوم الاثنين.'],
  ['windows-874', 'คลังสินค้าปิดวันจันทร์'],
  ['Shift_JIS', 'ポンプ停止。'],
  ['EUC-JP', 'ポンプ停止。'],
  ['GB18030', '水泵已停止。'],
  ['GB18030', 'Valve 7: 负责人陈立。'],
  ['Big5', '倉庫星期一關閉。'],
  ['EUC-KR', '담당자: 김민수'],
  ['utf-16le', 'Склад закрыт в понедельник.'],
  ['utf-16be', 'Склад закрыт в понедельник.'],
  ['utf-16le', '会議は三月五日。'],
  ['utf-16be', '会議は三月五日。担当は田中。'],
  ['utf-16le', 'Pier;Price'],
])('a short text in %s without a BOM is decoded: %s', (charset, text) => {
  expect(decodeText(iconv.encode(text, charset, { addBOM: false }))).toBe(text)
})

it('ISO-2022-JP, whose bytes are all ASCII, is decoded', () => {
  expect(decodeText(Buffer.from('\x1b$B2q5D\x1b(B 7', 'latin1'))).toBe('会議 7')
})

it('UTF-8 that was decoded as windows-1252 is repaired', () => {
  const garbled = (text: string) => new TextDecoder('windows-1252').decode(Buffer.from(text))
  for (const text of ['The keeper’s fee is 40 €.', 'Frau Müller aus Åre', 'Склад закрыт', '倉庫', 'SMÖRGÅS'])
    expect(decodeText(Buffer.from(garbled(text)))).toBe(text)
  expect(repairMojibake('müller said “hi” – â€“ twice')).toBe('müller said “hi” – – twice')
})

it.each(['MANHÃ”', 'CAFÉ»', 'são «MANHÃ» é', 'äöü €', 'Señor Â', 'naïve – “Ã”', '日本'])(
  'a correct text is not changed: %s',
  (text) => {
    expect(repairMojibake(text)).toBe(text)
  },
)
