// Measures the cost of parsing texts into blocks, in CPU seconds per megabyte: prose, nested lists, tables, and texts
// crafted to block the process. Each text has 400,000 characters, the maximum that is parsed.
// Usage: npm run bench:blocks
import { blocksOf } from './product.mjs'

const CHARS = 400_000
const ROUNDS = 3
const MICROSECONDS = 1e6
const MEGABYTE = 1e6

/** @param {(at: number) => string} line */
function lines(line) {
  let text = ''
  for (let at = 0; text.length < CHARS; at += 1) text += `${line(at)}\n`
  return text.slice(0, CHARS)
}

const WORDS = 'The gateway answers within milliseconds and logs what it does to a file that a team of four reads.'
const TEXTS = {
  'prose, no markup': lines((at) => (at % 4 === 3 ? '' : WORDS)),
  'prose under headings': lines((at) => (at % 8 === 0 ? `## Part ${at}\n` : at % 8 === 7 ? '' : WORDS)),
  'lists within lists': lines((at) => `${' '.repeat((at % 4) * 2)}- an item with some words in it ${at}`),
  'one table': `| A | B | C |\n|---|---|---|\n${lines((at) => `| cell ${at} | another cell | the third cell |`)}`,
  HTML: lines((at) => (at % 3 === 0 ? `\n<h2>Part</h2>` : `<p>${WORDS} <b>${at}</b></p>`)),
  'opening brackets': '['.repeat(CHARS),
  'opening tags': '<a '.repeat(CHARS / 3),
  'items of one letter': lines(() => '- a'),
  'items far in': '- '.repeat(CHARS / 2),
  'quotations within quotations': lines(() => `${'> '.repeat(50)}x`),
  fences: lines(() => '```'),
}

console.log('text                           s/MB  blocks')
for (const [name, text] of Object.entries(TEXTS)) {
  let blocks = 0
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage()
    blocks = blocksOf(text.slice(0, CHARS)).length
    best = Math.min(best, process.cpuUsage(before).user)
  }
  const seconds = (best / MICROSECONDS / CHARS) * MEGABYTE
  console.log(`${name.padEnd(29)} ${seconds.toFixed(2).padStart(6)} ${String(blocks).padStart(7)}`)
}
