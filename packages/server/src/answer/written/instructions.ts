/** Returns a pattern for one of some alternatives, which are parted by spaces. */
function oneOf(...lines: string[]): string {
  return `(?:${lines.join(' ').split(' ').join('|')})`
}

/** Words for what writes answers, for its orders and for its answers. */
const MACHINE = `(?:an? )?(?:language )?${oneOf('AI A\\.I\\. LLMs? assistants? chatbots? models? GPT agent')}`
const ORDERS = oneOf('instructions? prompts? rules? guidelines? directives? context constraints? checks? filters?')
const REPLY = oneOf(
  'answers? reply replies responses? outputs? summary summaries briefs? questions? users? readers? conversations?',
)
/** Orders to speak in a certain way: in this form they tell somebody who answers what to say. */
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

/** Orders in other languages: the verb at the beginning, and what it is about. */
const FOREIGN: readonly (readonly [verb: string, about: string])[] = [
  [
    '(?:bitte\\s+)?(?:ignorier|vergiss|missacht|antwort|sag|behaupt|schreib|gib)',
    oneOf('anweisung regel obige bisherig vorherig frage antwort dass aus nur immer'),
  ],
  [
    '(?:ignor|oubli|répond|di(?:s|tes)(?!\\p{L})|affirm|écri)',
    oneOf('instruction règle précédent ci-dessus question réponse que toujours seulement'),
  ],
  [
    '(?:por favor\\s*,?\\s*)?(?:ignor|olvid|respond|di(?!\\p{L})|diga|afirm|escrib)',
    oneOf('instruccion regla anterior pregunta respuesta que siempre solo'),
  ],
]

const form = (pattern: string, flags = 'iu') => new RegExp(pattern, flags)

/** Forms of sentences that tell whoever answers what to answer, as collections of prompt injections have them. */
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
  form(`\\b${oneOf('correct final expected required approved only')}\\s+(?:valid\\s+)?(?:answer|reply|response)\\b`),
  form(`\\b${NEW}\\s+(?:${ORDERS}|task)\\b`),
  // Marks of roles and of templates
  form(`^\\W{0,6}${ROLES}\\b\\s*(?:\\p{L}+\\s*)?(?:[:>\\]|]|\\n)`),
  /<\|[\w ]{1,30}\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|user|prompt)>/iu,
  /-{3,}\s*(?:[0-9a-f]{6,}\s*)?(?:material|context|records?|documents?)\s+(?:begins?|ends?)/iu,
  /"(?:elements|paragraph|ids)"\s*:/u,
  ...FOREIGN.map(([verb, about]) => form(`^${verb}\\p{L}*[^.!?]{0,80}(?<!\\p{L})${about}\\p{L}*`)),
]

const PARAGRAPHS = /\n\s*\n|\n(?=\s*(?:[-*#>]|\d+[.)])\s)/
const SENTENCES = /(?<=[.!?。！？:])\s+|\n+/u
/** Characters that nobody sees. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu
const ADDRESS = /!?\[[^\]\n]{0,100}\]\(\S+|\bhttps?:\S+/giu
const MARKUP = /^[\s>*_#`~"'“”‘’(<!\-–—[\]/]+/u

/**
 * Removes from a text what tells whoever answers what to answer: such a sentence and the rest of its paragraph. What a
 * model writes after an order in a record then rests on nothing. The text itself is kept, shown and quoted as it is.
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
