import { stem } from './stem.ts'
import { termOf } from './term-of.ts'
import type { Word } from './words.ts'

/** Verbs with the small words that make one word with them as a noun: to log in is a login. */
const VERBS = `
add on|back up|black out|break down out through|brown out|build out up|buy in out|call back out|carry over|
catch up|check in out up|clean up|close out|cool down|count down|crack down|cut back off over|draw back|drop down out|
fail back over|fall back out|follow up|give away|hand off out over|hang up|hold up|kick back off|lay off out over|
lead in|lock down in out|log in off on out|look up|make over up|mark down up|mix up|mock up|opt in out|
pay back off out|pick up|plug in|pop up|print out|push back|put down|ramp up|read out|roll back out over|run down|
scale up|sell out|send off|set back up|shake down|shut down off|sign in off on out up|slow down|speed up|spin off|
stand by in up|start up|step up|stop over|switch over|take away off out over|tear down|tie in|time out|top up|
touch down|trade off|try out|turn around out over|wake up|walk out through|warm up|wash out|wind down|wipe out|
work around out|wrap up|write off up`

/** By a verb's stem and a small word what they are as one word. */
const WHOLES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  VERBS.replaceAll('\n', '')
    .split('|')
    .map((group) => {
      const [verb = '', ...particles] = group.split(' ')
      return [stem(verb), new Map(particles.map((particle) => [particle, termOf(verb + particle)!]))]
    }),
)

const SPACE = 32
const PARTICLE_CHARS_MAX = 7
/** By the code of a letter, whether small words begin with it: most words are passed over by that. */
const BEGINS_PARTICLE: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  [...WHOLES.values()].some((wholes) => [...wholes.keys()].some((particle) => particle.charCodeAt(0) === code)),
)

/** The term of a verb and the word after it as one word: "logged in" as `login`; of others undefined. */
export function phrasalOf(folded: string, verbTerm: string, verb: Word, next: Word | undefined): string | undefined {
  if (next === undefined || next.text.length > PARTICLE_CHARS_MAX) return undefined
  if (BEGINS_PARTICLE[next.text.charCodeAt(0)] !== true) return undefined
  if (next.from !== verb.to + 1 || folded.charCodeAt(verb.to) !== SPACE) return undefined
  return WHOLES.get(verbTerm)?.get(next.text)
}
