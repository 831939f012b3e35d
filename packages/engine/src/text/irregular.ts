/** Base forms with their irregular ones; a form that is more often another word (bit, rose, ground) is left out. */
const FORMS = `
arise arose arisen|awake awoke awoken|beat beaten|become became|begin began begun|bend bent|bite bitten|bleed bled|
blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|
choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|
flee fled|fly flew flown|forbid forbade forbidden|foresee foresaw foreseen|forget forgot forgotten|
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|
hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|leap leapt|
learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|
overcome overcame|oversee oversaw overseen|overtake overtook overtaken|pay paid|prove proven|rebuild rebuilt|
rewrite rewrote rewritten|ride rode ridden|ring rang rung|rise risen|run ran|say said|see saw seen|seek sought|
sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|
sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|spend spent|spin spun|spring sprang sprung|
stand stood|steal stole stolen|stick stuck|strike struck|strive strove striven|swear swore sworn|sweep swept|
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|
undergo underwent undergone|understand understood|undertake undertook undertaken|undo undid undone|wake woke woken|
wear wore worn|weave wove woven|weep wept|win won|withdraw withdrew withdrawn|withstand withstood|
write wrote written|
analysis analyses|appendix appendices|child children|criterion criteria|crisis crises|foot feet|goose geese|half halves|
hypothesis hypotheses|index indices|knife knives|man men|matrix matrices|mouse mice|phenomenon phenomena|
shelf shelves|thesis theses|thief thieves|tooth teeth|vertex vertices|wife wives|wolf wolves|woman women`

/** By irregular form its base form. */
export const BASE_OF: ReadonlyMap<string, string> = new Map(
  FORMS.replaceAll('\n', '')
    .split('|')
    .flatMap((group) => {
      const [base = '', ...forms] = group.split(' ')
      return forms.map((form) => [form, base] as const)
    }),
)
