const OPENING = /[[{]/
const CLOSING = /[\]}]/
const STRING = /"(?:[^"\\]|\\.)*"/gs
/** The indentation of a line of YAML, and the collections that begin within the line. */
const BLOCK = /^( *)((?:[-?:][ \t]+)*)/

/** Tells whether brackets nest deeper than this, before a parser that calls itself at each level meets them. */
export function nestsDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  for (const { 0: sign } of text.matchAll(/[[\]{}]/g)) {
    if (OPENING.test(sign)) depth += 1
    else if (CLOSING.test(sign)) depth = Math.max(0, depth - 1)
    if (depth > depthMax) return true
  }
  return false
}

/** Tells whether JSON nests deeper than this; brackets in its strings do not count. */
export function jsonNestsDeeper(text: string, depthMax: number): boolean {
  return nestsDeeper(text, depthMax) && nestsDeeper(text.replace(STRING, '""'), depthMax)
}

/** Tells whether YAML may nest deeper than this, by its brackets, its indentation or the indicators of one line. */
export function yamlNestsDeeper(text: string, depthMax: number): boolean {
  if (nestsDeeper(text, depthMax)) return true
  const indents: number[] = []
  for (const line of text.split('\n')) {
    const [, spaces = '', indicators = ''] = BLOCK.exec(line) ?? []
    if (spaces.length + indicators.length === line.trimEnd().length) continue
    while ((indents.at(-1) ?? -1) >= spaces.length) indents.pop()
    indents.push(spaces.length)
    if (indents.length + indicators.replace(/\s/g, '').length > depthMax) return true
  }
  return false
}
