const OPENING = /[[{]/
const CLOSING = /[\]}]/
const STRING = /"(?:[^"\\]|\\.)*"/gs
/** Matches the indentation of a YAML line and the collection indicators at its start. */
const BLOCK = /^( *)((?:[-?:][ \t]+)*)/

/** Returns true if brackets are nested more deeply than `depthMax`. Call it before a recursive parser. */
function nestsDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  for (const { 0: sign } of text.matchAll(/[[\]{}]/g)) {
    if (OPENING.test(sign)) depth += 1
    else if (CLOSING.test(sign)) depth = Math.max(0, depth - 1)
    if (depth > depthMax) return true
  }
  return false
}

/** Returns true if JSON is nested more deeply than `depthMax`. Brackets in strings do not count. */
export function jsonNestsDeeper(text: string, depthMax: number): boolean {
  return nestsDeeper(text, depthMax) && nestsDeeper(text.replace(STRING, '""'), depthMax)
}

/** Returns true if YAML may be nested more deeply than `depthMax`, by brackets, indentation and indicators. */
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
