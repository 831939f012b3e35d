/** Returns a pattern that matches any of the alternatives, which are separated by spaces. */
function oneOf(...lines: string[]): string {
  return `(?:${lines.join(' ').split(' ').join('|')})`
}

/** Words for a language model. */
const MACHINE = `(?:an? )?(?:language )?${oneOf('AI A\\.I\\. LLMs? assistants? chatbots? models? GPT agent')}`
const ORDERS = oneOf('instructions? prompts? rules? guidelines? directives? context constraints? checks? filters?')
const REPLY = oneOf(
  'answers? reply replies responses? outputs? summary summaries briefs? questions? users? readers? conversations?',
)
/** Verbs of speaking. At the start of a sentence they are a command to answer in some way. */
const SPEAK = oneOf(
  'say tell reply answer respond output print repeat echo state claim pretend imagine assume conclude translate',
  'summari[sz]e reveal act role-?play',
)
const WRITE = oneOf('begin start end finish prefix append add include insert mention write put use give return cite')
const OVERRIDE = oneOf('ignore disregard forget override bypass skip discard drop')
const BEFORE = oneOf('above before previous prior earlier everything all')
const OPENING = oneOf(
  'please now instead always never only just also simply then and important note first finally henceforth',
)
const LEAD = `(?:(?:${OPENING}|do not|don[’']t|from now on)[,:]?\\s+){0,3}`
const MUST = oneOf('must should shall will')
const ROLES = oneOf('system assistant developer user human inst admin administrator')
const NEW = oneOf('new updated real actual secret hidden system developer following')
const WHO = `(?:you|they|users?|anyone|someone|somebody|(?:the|a) user)`
const STRANGE = oneOf('unrestricted helpful different')

const form = (pattern: string, flags = 'iu') => new RegExp(pattern, flags)

/** Patterns of sentences that give orders to a language model, from collections of prompt injections. */
const FORMS: readonly RegExp[] = [
  // "Say that …", "Please reply only with …"
  form(`^${LEAD}${SPEAK}\\b`),
  // "Ignore the instructions above", "disregard everything before"
  form(`\\b${OVERRIDE}\\b[^.!?]{0,60}\\b(?:${ORDERS}|${BEFORE})\\b`),
  // "You must answer …", "you are now …"
  form(`\\byou\\s+(?:${MUST}|have to|need to|may only|can only|are to)\\s+(?:\\p{L}+\\s+){0,2}${SPEAK}\\b`),
  form(`\\byou\\s+are\\s+(?:now|no longer|an?\\s+${STRANGE})\\b`),
  // "When asked about …", "if the user asks …"
  form(`\\b(?:when|whenever|if)\\s+(?:${WHO}\\s+(?:is\\s+|are\\s+)?)?ask(?:s|ed)?\\b`),
  // "the assistant should …", "Note to AI: …"
  form(`\\b${MACHINE}\\b[^.!?]{0,30}(?::|\\b(?:${MUST}|has to|reading)\\b)`, 'u'),
  form(`\\b${WRITE}\\b[^.!?]{0,40}\\b(?:your|the|each|every|all|any)\\s+(?:\\p{L}+\\s+)?${REPLY}\\b`),
  form(`\\b${NEW}\\s+(?:${ORDERS}|task)\\b`),
  // Role labels, and tokens of prompt templates
  form(`^\\W{0,6}${ROLES}\\b\\s*(?:\\p{L}+\\s*)?(?:[:>\\]|]|\\n)`),
  /<\|[\w ]{1,30}\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|user|prompt)>/iu,
  /-{3,}\s*(?:[0-9a-f]{6,}\s*)?(?:material|context|records?|documents?)\s+(?:begins?|ends?)/iu,
  /"(?:elements|paragraph|ids)"\s*:/u,
]

const PARAGRAPHS = /\n\s*\n|\n(?=\s*(?:[-*#>]|\d+[.)])\s)/
const SENTENCES = /(?<=[.!?。！？:])\s+|\n+/u
/** Matches invisible characters. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu
const ADDRESS = /!?\[[^\]\n]{0,100}\]\(\S+|\bhttps?:\S+/giu
const MARKUP = /^[\s>*_#`~"'“”‘’(<!\-–—[\]/]+/u

/**
 * Removes sentences that give orders to a language model, each with the rest of its paragraph. The removed text cannot
 * support a statement. This filter of English words finds only some of these sentences. Records are stored, shown and
 * quoted unchanged.
 */
export function withoutInstructions(text: string): string {
  const kept = text.split(PARAGRAPHS).map((paragraph) => {
    let from = 0
    for (const sentence of paragraph.split(SENTENCES)) {
      const at = paragraph.indexOf(sentence, from)
      const bare = sentence.replace(ADDRESS, ' ').replace(INVISIBLE, '').replace(MARKUP, '')
      if (FORMS.some((form) => form.test(bare) || form.test(sentence))) return paragraph.slice(0, at)
      from = at + sentence.length
    }
    return paragraph
  })
  return kept.join('\n\n')
}
