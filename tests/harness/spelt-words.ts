import { withoutComments } from './import-graph.ts'

/**
 * Patterns for words spelled out in code: alternatives of a regular expression, a list of at least six words that is
 * not a type, or a text that is split.
 */
const SPELT = [
  /[a-z]{3,}[?)]*(?:\\\\w[*+])?\|(?:\(\?:)?[a-z]{3,}/,
  /\[(?:\s*'[a-z_]+',?){6,}\s*\](?! as const)/,
  /'[a-z ]{20,}'\s*\)?\s*\.split\(/,
]
/** Returns true if code seems to spell out words of human language, judged by their number. */
export function spellsWords(text: string): boolean {
  const plain = withoutComments(text)
  return SPELT.some((pattern) => pattern.test(plain))
}

/** Files that may spell out words of formats, with the reason. */
export const NOT_LANGUAGE: Record<string, string> = {
  'packages/engine/src/rank/signals/signal.ts': 'names of signals',
  'packages/engine/src/resolve/conversation.ts': 'fields of records',
  'packages/engine/src/resolve/linkage/find-matches.ts': 'types of records',
  'packages/engine/src/resolve/sites.ts': 'kinds of identifiers',
  'packages/engine/src/resolve/declarations.ts': 'types of records',
  'packages/engine/src/text/clean-text.ts': 'marks of Slack',
  'packages/engine/src/text/sentences.ts': 'names of shells',
  'packages/engine/src/text/stem.ts': "suffixes of Porter's algorithm",
}
