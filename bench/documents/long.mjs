// A document and a table that exceed the size of one record, each with one fact at the very end.
import { pdf } from './hostile.mjs'

const PAGES = 2_000
const LINES = 12
const ROWS = 200_000
const WORDS = 'the quay was swept and the ropes were coiled before the boats came in with the tide'

/** @typedef {{ name: string, bytes: Buffer, asked: string, answer: string }} Long */

/** @returns {Long[]} */
export function longFiles() {
  const rows = Array.from({ length: ROWS }, (_, at) => `B-${at + 1},${at + 1 === ROWS ? 'Zqornella' : 'Ana'},${at % 7}`)
  return [
    {
      name: 'harbour.pdf',
      bytes: Buffer.from(pages()),
      asked: 'Who is the keeper of the last lamp?',
      answer: 'Zqornella',
    },
    {
      name: 'bookings.csv',
      bytes: Buffer.from(`Booking,Guest,Nights\n${rows.join('\n')}\n`),
      asked: 'Which booking is of the guest Zqornella?',
      answer: `B-${ROWS}`,
    },
  ]
}

function pages() {
  const kids = Array.from({ length: PAGES }, (_, at) => `${4 + 2 * at} 0 R`)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${PAGES} /Kids [${kids.join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  for (let page = 0; page < PAGES; page += 1) {
    const texts = Array.from({ length: LINES }, (_, line) => `On day ${page}.${line} ${WORDS}.`)
    if (page + 1 === PAGES) texts.push('The keeper of the last lamp is called Zqornella.')
    const shown = texts.map((text, line) => `BT /F1 10 Tf 72 ${700 - 12 * line} Td (${text}) Tj ET`).join('\n')
    const resources = '/Resources << /Font << /F1 3 0 R >> >>'
    const contents = `/Contents ${objects.length + 2} 0 R`
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} ${contents} >>`)
    objects.push(`<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`)
  }
  return pdf(objects)
}
