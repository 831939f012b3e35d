// Generates documents with known text from a seed, and files that real programs make of them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCUMENTS = 5
const CHAPTERS = 6
const PARAGRAPHS = 3
const SENTENCES = 5
const PROGRAM_MS_MAX = 180_000
const SHIPS = ['Marigold', 'Petrel', 'Halcyon', 'Osprey', 'Gannet']
const WORDS = (
  'harbour pilot engine ledger crew cargo tide signal bridge anchor winter repair schedule crane contract invoice ' +
  'insurance customs station weather channel lantern workshop storage inspection passenger ferry captain island'
).split(' ')
const VERBS = ['checks', 'records', 'moves', 'repairs', 'follows', 'replaces', 'describes', 'measures']

/** @typedef {{ kind: 'h' | 'p' | 'li', text: string }} Block */
/** @typedef {{ name: string, title: string, blocks: Block[], table: string[][], text: string }} Made */

/** @returns {Made[]} */
export function makeDocuments() {
  let seed = 7
  /** @param {readonly string[]} list */
  const pick = (list) => {
    seed = (seed * 48_271) % 2_147_483_647
    return list[seed % list.length] ?? ''
  }
  const sentence = () =>
    `The ${pick(WORDS)} of the ${pick(WORDS)} ${pick(VERBS)} a ${pick(WORDS)} ` +
    `before the ${pick(WORDS)} and the ${pick(WORDS)}.`
  return Array.from({ length: DOCUMENTS }, (_, at) => {
    const title = `Handbook of the ${SHIPS[at]}`
    /** @type {Made['blocks']} */
    const blocks = []
    for (let chapter = 1; chapter <= CHAPTERS; chapter += 1) {
      blocks.push({ kind: 'h', text: `Chapter on the ${pick(WORDS)} and the ${pick(WORDS)}` })
      for (let n = 0; n < PARAGRAPHS; n += 1) {
        blocks.push({ kind: 'p', text: Array.from({ length: SENTENCES }, sentence).join(' ') })
      }
      for (let n = 0; n < PARAGRAPHS; n += 1) blocks.push({ kind: 'li', text: sentence() })
    }
    const table = [
      ['Berth', 'Keeper', 'Price'],
      ...WORDS.slice(0, 8).map((word, row) => [
        `Berth ${word}`,
        `Keeper ${SHIPS[row % 5]}`,
        String(101 + 17 * row + at),
      ]),
    ]
    const text = [title, ...blocks.map((block) => block.text), ...table.flat()].join('\n')
    return { name: `handbook-${at + 1}`, title, blocks, table, text }
  })
}

/** @param {Made} made @param {boolean} hasColumns */
function htmlOf({ title, blocks, table }, hasColumns) {
  const tags = { h: 'h2', p: 'p', li: 'li' }
  const body = blocks.map(({ kind, text }) => `<${tags[kind]}>${text}</${tags[kind]}>`).join('\n')
  const lists = body.replace(/(?:<li>.*<\/li>\n?)+/g, (items) => `<ul>\n${items}</ul>\n`)
  const rows = table.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  const style = hasColumns ? '<style>article { columns: 2; column-gap: 3em } table { break-inside: avoid }</style>' : ''
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${style}</head>
<body><article><h1>${title}</h1>\n${lists}\n<table>${rows}</table></article></body></html>`
}

/** @typedef {{ maker: string, path: string, format: string, made: Made }} MadeFile */

/**
 * Converts documents with the installed programs. Returns the files and the missing programs.
 * @param {Made[]} documents
 * @param {string} folder
 */
export function makeFiles(documents, folder) {
  /** @type {string[]} */
  const lacking = []
  for (const each of documents) {
    writeFileSync(join(folder, `${each.name}.html`), htmlOf(each, false))
    writeFileSync(join(folder, `${each.name}-columns.html`), htmlOf(each, true))
    writeFileSync(join(folder, `${each.name}-table.csv`), each.table.map((row) => row.join(',')).join('\n'))
  }
  /** @type {MadeFile[]} */
  const files = documents.map((made) => ({
    maker: 'by hand',
    format: 'html',
    path: join(folder, `${made.name}.html`),
    made,
  }))
  /** @param {string} name @param {string} program @param {(program: string) => void} work */
  const withProgram = (name, program, work) => {
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status === 0) work(program)
    else lacking.push(name)
  }
  /** @param {string} maker @param {(made: Made) => string} pathOf */
  const take = (maker, pathOf) => {
    const missing = new Set()
    for (const made of documents) {
      const path = pathOf(made)
      if (existsSync(path)) files.push({ maker, path, format: path.slice(path.lastIndexOf('.') + 1), made })
      else missing.add(path.slice(path.lastIndexOf('.') + 1))
    }
    if (missing.size > 0) lacking.push(`${maker} makes no ${[...missing].join(', ')} here`)
  }
  withProgram('LibreOffice', 'soffice', (program) => {
    const made = join(folder, 'libreoffice')
    mkdirSync(made)
    const sources = documents.map(({ name }) => join(folder, `${name}.html`))
    const run = (/** @type {string} */ to, /** @type {string[]} */ from, /** @type {string[]} */ more = []) =>
      runProgram(program, [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        ...more,
        '--convert-to',
        to,
        '--outdir',
        made,
        ...from,
      ])
    run('odt:writer8', sources, ['--infilter=HTML (StarWriter)'])
    const written = documents.map(({ name }) => join(made, `${name}.odt`))
    for (const to of ['docx', 'pdf', 'rtf']) run(to, written)
    for (const format of ['odt', 'docx', 'pdf', 'rtf'])
      take('LibreOffice', ({ name }) => join(made, `${name}.${format}`))
  })
  withProgram('pandoc', 'pandoc', (program) => {
    const made = join(folder, 'pandoc')
    mkdirSync(made)
    for (const { name } of documents) {
      for (const [to, ending] of PANDOC) {
        runProgram(program, ['-s', '-t', to, '-o', join(made, `${name}.${ending}`), join(folder, `${name}.html`)])
      }
    }
    for (const [, ending] of PANDOC) if (ending !== 'ms') take('pandoc', ({ name }) => join(made, `${name}.${ending}`))
    withProgram('groff', 'groff', (groff) => {
      for (const { name } of documents) {
        const printed = spawnSync(groff, ['-t', '-ms', '-Tpdf', '-Kutf8', join(made, `${name}.ms`)], {
          maxBuffer: 2 ** 26,
        })
        if (printed.status === 0) writeFileSync(join(folder, `${name}-groff.pdf`), printed.stdout)
      }
      take('groff', ({ name }) => join(folder, `${name}-groff.pdf`))
    })
  })
  withProgram('Chromium', 'chromium', (program) => {
    for (const { name } of documents) {
      for (const kind of ['', '-columns']) {
        const out = join(folder, `${name}${kind || '-page'}.pdf`)
        const asked = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--print-to-pdf=${out}`]
        runProgram(program, [...asked, `file://${join(folder, `${name}${kind}.html`)}`])
      }
    }
    take('Chromium', ({ name }) => join(folder, `${name}-page.pdf`))
    take('Chromium, two columns', ({ name }) => join(folder, `${name}-columns.pdf`))
  })
  return { files, lacking, tables: tablesOf(documents, folder) }
}

/** Output formats of pandoc with their file extensions. */
const PANDOC = /** @type {const} */ ([
  ['docx', 'docx'],
  ['odt', 'odt'],
  ['epub', 'epub'],
  ['rst', 'rst'],
  ['asciidoc', 'adoc'],
  ['org', 'org'],
  ['gfm', 'md'],
  ['rtf', 'rtf'],
  ['pptx', 'pptx'],
  ['ms', 'ms'],
])

/**
 * Converts the tables of the documents to workbooks too, if a program for that is installed.
 * @param {Made[]} documents
 * @param {string} folder
 */
function tablesOf(documents, folder) {
  const out = join(folder, 'tables')
  mkdirSync(out)
  const sources = documents.map(({ name }) => join(folder, `${name}-table.csv`))
  if (spawnSync('sh', ['-c', 'command -v soffice']).status !== 0) return sources
  const profile = `-env:UserInstallation=file://${folder}/profile`
  for (const to of ['xlsx', 'ods'])
    runProgram('soffice', [profile, '--headless', '--convert-to', to, '--outdir', out, ...sources])
  return [...sources, ...readdirSync(out).map((name) => join(out, name))]
}

/** @param {string} program @param {string[]} given */
function runProgram(program, given) {
  spawnSync(program, given, { stdio: 'ignore', timeout: PROGRAM_MS_MAX })
}

/** @param {string} path */
export function bytesOf(path) {
  return readFileSync(path)
}
