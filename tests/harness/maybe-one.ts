import type { Call } from './test-app.ts'

const WAIT_SECONDS = 30
const POLL_MS = 100
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/**
 * Ingests two people with the same rare surname, one of them with only an initial. Their match score leads to a
 * suggestion, but not to a merge.
 */
export async function putMaybeOne(
  call: Call,
  { storage, sourceId }: { storage: string; sourceId: string },
  word: string,
  text = `We of ${word} met.`,
): Promise<void> {
  const family = familyOf(word)
  const people = [
    { name: `Tuuli ${family}`, identifiers: { email: `tuuli@${family}.example` } },
    { name: `T. ${family}`, identifiers: { login: `tq-of-${word.replaceAll(' ', '-')}` } },
  ]
  const records = people.map((author, at) => {
    return { external_id: `maybe ${at} of ${word}`, type: 'message', text, author }
  })
  const path = `${storage}/sources/${sourceId}/records`
  const { status } = await call('POST', path, { records }, { prefer: `wait=${WAIT_SECONDS}` })
  if (status !== 200) throw new Error(`POST ${path} answered ${status}`)
}

/** Waits until the merge is suggested, and returns the suggestion's id. */
export async function findMaybeOne(call: Call, storage: string, word: string): Promise<string> {
  const family = familyOf(word)
  const named = ({ entities }: { entities: { name: string }[] }) => entities.some(({ name }) => name.endsWith(family))
  for (let waited = 0; waited < WAIT_SECONDS * 1_000; waited += POLL_MS) {
    const { body } = await call('GET', `${storage}/merge-suggestions`)
    const found = body.merge_suggestions.find(named)
    if (found) return found.suggestion_id
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error('two who may be one were not suggested in time')
}

/** Returns a unique surname without digits, because a name with a digit is not parsed as a person's. */
function familyOf(word: string): string {
  const letters = [...word.toLowerCase()].map((char) => {
    return LETTERS.includes(char) ? char : LETTERS[char.charCodeAt(0) % LETTERS.length]
  })
  return `Qu${letters.join('')}`
}
