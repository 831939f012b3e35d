import { withoutComments } from './import-graph.ts'

/** Words spelt in code: alternatives of a pattern, a list of six and more that is no type's, a text that is split. */
const SPELT = [
  /[a-z]{3,}[?)]*(?:\\\\w[*+])?\|(?:\(\?:)?[a-z]{3,}/,
  /\[(?:\s*'[a-z_]+',?){6,}\s*\](?! as const)/,
  /'[a-z ]{20,}'\s*\)?\s*\.split\(/,
]
/** Whether code spells words of human language, as far as their number tells. */
export function spellsWords(text: string): boolean {
  const plain = withoutComments(text)
  return SPELT.some((pattern) => pattern.test(plain))
}

/** Files that spell the words of formats, and why. */
export const NOT_LANGUAGE: Record<string, string> = {
  'packages/engine/src/rank/signals/signal.ts': 'names of signals',
  'packages/engine/src/resolve/conversation.ts': 'fields of records',
  'packages/engine/src/resolve/likeness/find-alike.ts': 'types of records',
  'packages/engine/src/resolve/sites.ts': 'kinds of identifiers',
  'packages/engine/src/resolve/things.ts': 'types of records',
  'packages/engine/src/text/clean-text.ts': 'marks of Slack',
  'packages/engine/src/text/sentences.ts': 'names of shells',
  'packages/engine/src/text/stem.ts': "suffixes of Porter's algorithm",
}
