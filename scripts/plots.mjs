// `npm run plots`: draws docs/plots/ from the tables of docs/measurements.md, which contain benchmark output. A test
// checks that tables and plots agree.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PAGE = new URL('../docs/measurements.md', import.meta.url)
const FOLDER = new URL('../docs/plots/', import.meta.url)

/** The colors of each scheme: text, secondary text, lines, background and series. */
const STYLE = `
    svg { font: 13px system-ui, sans-serif; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --ground: #ffffff;
      --one: #0a57c2; --other: #9a5b00; --third: #7a3ea8; }
    @media (prefers-color-scheme: dark) {
      svg { --text: #f0f6fc; --quiet: #9198a1; --line: #3d444d; --ground: #0d1117;
        --one: #79b8ff; --other: #e3a34a; --third: #cfa5f5; }
    }
    text { fill: var(--text); }
    .quiet { fill: var(--quiet); }
    .title { font-weight: 600; font-size: 15px; }
    .ground { fill: var(--ground); }
    .line { stroke: var(--line); }
    .gain { stroke: var(--one); stroke-width: 3; }
    .one { fill: var(--one); }
    .other { fill: var(--ground); stroke: var(--other); stroke-width: 2; }
    .path-one { fill: none; stroke: var(--one); stroke-width: 2; }
    .path-other { fill: none; stroke: var(--other); stroke-width: 2; stroke-dasharray: 6 4; }
    .path-third { fill: none; stroke: var(--third); stroke-width: 2; stroke-dasharray: 2 4; }
    .dot-other { fill: var(--other); }
    .dot-third { fill: var(--third); }`
const WIDTH = 720
const ROW = 28
const RADIUS = 5

/**
 * Returns the rows of the table with this header, cell by cell.
 * @param {string} page @param {string} header
 */
function tableAt(page, header) {
  const lines = page.split('\n')
  const from = lines.findIndex((line) => line.startsWith(`| ${header} |`))
  if (from === -1) throw new Error(`docs/measurements.md has no table that begins with "${header}".`)
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'))
  return lines.slice(from, from + length).map((line) => {
    const cells = line.split('|').slice(1, -1)
    return cells.map((cell) => cell.trim())
  })
}

/** Returns the first number of a cell; spaces separate thousands. @param {string} [cell] */
function numberIn(cell = '') {
  const found = /\d[\d ]*(?:\.\d+)?/.exec(cell)?.[0].replaceAll(' ', '')
  if (found === undefined) throw new Error(`"${cell}" has no number.`)
  return Number(found)
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** @param {number} x @param {number} y @param {string} shown @param {string} [attributes] */
const text = (x, y, shown, attributes = '') => `<text x="${x}" y="${y}" ${attributes}>${escaped(shown)}</text>`

/**
 * Returns an SVG image. @param {number} height @param {string} title @param {string} description description for screen
 * readers @param {string[]} parts
 */
function svg(height, title, description, parts) {
  const described = `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>`
  const ground = `<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`
  const body = [described, `<style>${STYLE}</style>`, ground, text(20, 30, title, 'class="title"'), ...parts]
  return `${head}\n  ${body.join('\n  ')}\n</svg>\n`
}

/** Ranking quality of each data set, compared with BM25. @param {string} page */
function ranking(page) {
  const [, , ...rows] = tableAt(page, 'set | measure | ranking')
  const [left, right, top] = [330, WIDTH - 30, 78]
  const x = (/** @type {number} */ share) => left + ((right - left) * share) / 100
  const bottom = top + rows.length * ROW
  const scale = [0, 20, 40, 60, 80, 100].flatMap((share) => [
    `<line class="line" x1="${x(share)}" x2="${x(share)}" y1="${top - 12}" y2="${bottom - 12}"/>`,
    text(x(share), bottom + 6, String(share), 'class="quiet" text-anchor="middle"'),
  ])
  const drawn = rows.map(([set = '', measure = '', ranked, , words], at) => {
    const [here, before] = [x(numberIn(ranked)), x(numberIn(words))]
    const y = top + at * ROW
    const name = set.replace(/,.*$/, '')
    return [
      text(20, y + 4, name),
      text(left - 14, y + 4, measure, 'class="quiet" text-anchor="end"'),
      `<line class="gain" x1="${before}" x2="${here}" y1="${y}" y2="${y}"/>`,
      `<circle class="other" cx="${before}" cy="${y}" r="${RADIUS}"/>`,
      `<circle class="one" cx="${here}" cy="${y}" r="${RADIUS}"/>`,
    ].join('')
  })
  const key = [
    `<circle class="one" cx="26" cy="50" r="${RADIUS}"/>${text(38, 54, 'Cairn’s ranking')}`,
    `<circle class="other" cx="166" cy="50" r="${RADIUS}"/>${text(178, 54, 'BM25 only')}`,
  ]
  const description = rows
    .map(([set, measure, ranked, , words]) => `${set}: ${measure} ${ranked}, words ${words}`)
    .join('; ')
  return svg(bottom + 22, 'Ranking quality by data set', description, [...scale, ...key, ...drawn])
}

/** Latency of a question by the number of records in its sandbox. @param {string} page */
function scale(page) {
  const [header = [], , ...rows] = tableAt(page, 'records in one sandbox')
  const sizes = header.slice(1)
  const row = (/** @type {string} */ start) => {
    const cells = rows.find(([name]) => name?.startsWith(start))
    if (cells === undefined) throw new Error(`The table of sizes has no row that begins with "${start}".`)
    return cells.slice(1).map(numberIn)
  }
  const [discover, interpret] = [row('`discover`'), row('`interpret`')]
  const [left, right, top, bottom] = [70, WIDTH - 150, 70, 290]
  const most = Math.ceil(Math.max(...discover, ...interpret) / 20) * 20
  const x = (/** @type {number} */ at) => left + 40 + ((right - left - 40) * at) / (sizes.length - 1)
  const y = (/** @type {number} */ ms) => bottom - ((bottom - top) * ms) / most
  const grid = Array.from({ length: most / 20 + 1 }, (_, at) => at * 20).flatMap((ms) => [
    `<line class="line" x1="${left}" x2="${right}" y1="${y(ms)}" y2="${y(ms)}"/>`,
    text(left - 10, y(ms) + 4, `${ms} ms`, 'class="quiet" text-anchor="end"'),
  ])
  const axis = sizes.map((size, at) => text(x(at), bottom + 24, size, 'class="quiet" text-anchor="middle"'))
  const curve = (/** @type {number[]} */ values, /** @type {string} */ kind, /** @type {string} */ name) => {
    const points = values.map((ms, at) => `${x(at)},${y(ms)}`).join(' ')
    const dots = values.map((ms, at) => {
      const shown = text(x(at), y(ms) - 10, String(ms), 'text-anchor="middle"')
      return `<circle class="${kind === 'one' ? 'one' : 'dot-other'}" cx="${x(at)}" cy="${y(ms)}" r="4"/>${shown}`
    })
    const last = y(values.at(-1) ?? 0)
    return `<polyline class="path-${kind}" points="${points}"/>${dots.join('')}${text(right + 14, last + 4, name)}`
  }
  const parts = [
    ...grid,
    ...axis,
    text((left + right) / 2, bottom + 46, 'records in one sandbox', 'text-anchor="middle"'),
  ]
  const curves = [curve(interpret, 'other', 'interpret'), curve(discover, 'one', 'discover')]
  const description = sizes
    .map((size, at) => `${size} records: discover ${discover[at]} ms, interpret ${interpret[at]} ms`)
    .join('; ')
  return svg(bottom + 62, 'Latency of a question, 95th percentile', description, [...parts, ...curves])
}

/** Abstentions on unanswerable questions, by abstentions on answerable ones. @param {string} page */
function refusals(page) {
  const [header = [], , ...rows] = tableAt(page, 'without an answer and with one')
  const given = header.slice(1, -1).map(numberIn)
  const [left, right, top, bottom] = [70, WIDTH - 190, 70, 290]
  const [least, most] = [Math.min(...given), Math.max(...given)]
  // Logarithmic scale: the first abstentions cost most.
  const x = (/** @type {number} */ share) =>
    left + 20 + ((right - left - 40) * Math.log(share / least)) / Math.log(most / least)
  const y = (/** @type {number} */ share) => bottom - ((bottom - top) * share) / 100
  const grid = [0, 20, 40, 60, 80, 100].flatMap((share) => [
    `<line class="line" x1="${left}" x2="${right}" y1="${y(share)}" y2="${y(share)}"/>`,
    text(left - 10, y(share) + 4, `${share} %`, 'class="quiet" text-anchor="end"'),
  ])
  const axis = given.map((share) =>
    text(round(x(share)), bottom + 24, `${share} %`, 'class="quiet" text-anchor="middle"'),
  )
  const names = rows.map(([name = '']) => name.replace(/,.*$/, ''))
  const curves = rows.map((cells, at) => {
    const kind = ['one', 'other', 'third'][at] ?? 'one'
    const refused = cells.slice(1, -1).map(numberIn)
    const points = refused.map((share, place) => `${round(x(given[place] ?? least))},${round(y(share))}`).join(' ')
    const [here = 0, gone = least] = (cells.at(-1) ?? '').split(' at ').map(Number)
    const fill = kind === 'one' ? 'one' : `dot-${kind}`
    const dot = `<circle class="${fill}" cx="${round(x(gone))}" cy="${round(y(here))}" r="${RADIUS}"/>`
    const name = text(right + 8, round(y(refused.at(-1) ?? 0)) + 4, names[at] ?? '')
    return `<polyline class="path-${kind}" points="${points}"/>${dot}${name}`
  })
  const labels = [
    text(20, 54, 'share of unanswerable questions without an answer; dots: the default threshold', 'class="quiet"'),
    text((left + right) / 2, bottom + 46, 'answerable questions without an answer', 'text-anchor="middle"'),
  ]
  const descriptions = rows.map((cells, at) => {
    const pairs = cells.slice(1, -1).map((share, place) => `${share} % at ${given[place]} %`)
    return `${names[at]}: ${pairs.join(', ')}; set at ${cells.at(-1)} %`
  })
  return svg(bottom + 62, 'Abstentions by data set', descriptions.join('; '), [...labels, ...grid, ...axis, ...curves])
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10

/** Returns every plot by file name. */
export function plots() {
  const page = readFileSync(PAGE, 'utf8')
  return { 'ranking.svg': ranking(page), 'scale.svg': scale(page), 'refusals.svg': refusals(page) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, drawn] of Object.entries(plots())) writeFileSync(new URL(name, FOLDER), drawn)
}
