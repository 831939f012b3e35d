/** One thing that questions ask about, with the words by which sentences tell it. */
export interface Aspect {
  name: string
  tells: RegExp
}

interface AspectRule extends Aspect {
  asks: RegExp
}

// Words of the question on the left, words of an answering sentence on the right: people's lives, works,
// organisations and work in projects. The right side is a hint for ranking and never adds a word to a brief.
const RULES: readonly AspectRule[] = [
  rule('birth', 'born|birth|birthday|birthplace|older|younger|oldest|youngest|age|generation', 'born|birth|native of'),
  rule(
    'death',
    'die|died|dies|dead|death|deceased|outlived?|lived longer|lifespan',
    'died|death|killed|executed|murdered|assassinated|suicide|buried|passed away',
  ),
  rule(
    'parents',
    'mother|father|parents?|grand(?:mother|father|parents?)|(?:step|half)-?\\w+|in-law|' +
      'paternal|maternal|child|children|sons?|daughters?|siblings?|brothers?|sisters?|' +
      'uncle|aunt|niece|nephew|cousin',
    'sons?|daughters?|child|children|mother|father|parents?|brothers?|sisters?|siblings?|' +
      'born to|eldest|youngest|grand\\w+|nephew|niece|cousin|married',
  ),
  rule(
    'marriage',
    'wife|husband|spouse|married|marry|widow|partner|in-law',
    'married|wife|husband|spouse|widow|consort|marriage|remarried',
  ),
  rule('direction', 'directors?|directed', 'directed|director|film by|directorial'),
  rule(
    'music',
    'composers?|composed|performers?|performed|singers?|sang|sung|songs?|albums?|band',
    'composed|composer|music by|score|songs?|singer|recorded|single|album|performed|band|written by',
  ),
  rule('writing', 'authors?|wrote|written|writers?|novels?|screenwriter', 'wrote|written|author|novel|book|writer'),
  rule(
    'founding',
    'founded|founders?|established|inception|created|creators?|inventor',
    'founded|founder|established|created|launched|formed|invented',
  ),
  rule(
    'release',
    'released?|publication|published|premiered?|came out|ship(?:ped|s)?|launch(?:ed|es)?|go live|went live',
    'released|premiered|published|\\d{4} \\w+(?: \\w+)? film|shipped?|launch\\w*|rolled out|live|deployed',
  ),
  rule(
    'place',
    'where|city|town|place|located|location|based',
    'located|based|headquarter\\w*|situated|village|city|town|municipality|capital|moved to|lives? in',
  ),
  {
    name: 'nationality',
    asks: words('nationality|citizenship|country|from'),
    tells: /\b(?:is|was|are|were) (?:an?|the) (?:\w+ )?\p{Lu}|\b(?:country|citizen)/u,
  },
  rule(
    'education',
    'stud(?:y|ied)|school|university|college|alma mater|educated|graduated?',
    'stud(?:y|ied)|school|university|college|educated|graduated|attended|degree',
  ),
  rule(
    'work',
    'works?|worked|employer|occupation|job|profession|position|title',
    'works?|worked|joined|career|professor|served|employed|appointed|became|position',
  ),
  rule('award', 'awards?|prize|won|medal|honou?r', 'awarded|award|prize|won|received|medal|honou?r\\w*|nominated'),
  rule(
    'lead',
    'leads?|owns?|owner|responsible|in charge|heads?|manages?|manager|runs|maintains?|' +
      'maintainer|assigned|assignee|on call',
    'leads?|led|owns?|owner|responsible|in charge|heads?|manages?|manager|runs|maintain\\w*|' +
      'assigned|assignee|takes? over|took over|on call',
  ),
  rule(
    'decision',
    'decid\\w*|decisions?|agreed?|chose|choose|choice|approved?|plan',
    'decid\\w*|decision|agreed?|chose|chosen|approved?|go(?:ing)? with|settled|signed off|we will|plan',
  ),
  rule(
    'cause',
    'why|cause[ds]?|reasons?|root cause|because|led to|rationale',
    'because|since|due to|caused?|causes|root cause|as a result|so that|reason|owing to|' +
      'led to|therefore|triggered|weil|wegen|parce que|porque',
  ),
  rule(
    'deadline',
    'deadline|due|eta|by when|target date|when',
    'due|deadline|by|eta|until|scheduled|planned|target|on track|ship\\w*',
  ),
  rule(
    'block',
    'block\\w*|stuck|waiting|depends?|obstacle|risks?',
    "block\\w*|waiting|stuck|depends?|until|cannot|can't|risk|needs?",
  ),
  rule(
    'repair',
    'fix\\w*|resol\\w*|solv\\w*|mitigat\\w*|repair\\w*|workaround',
    'fix\\w*|resol\\w*|solved|mitigat\\w*|patch\\w*|rolled back|revert\\w*|restored|merged|workaround|hotfix',
  ),
  rule(
    'money',
    'cost|price|budget|revenue|spend\\w*|paid|pay|fee|invoice|salary|worth',
    'cost\\w*|price\\w*|budget|revenue|spen[dt]\\w*|paid|fee|invoice|usd|eur|gbp|chf|million|thousand',
  ),
  rule(
    'failure',
    'incident|outage|failure|failed|broken|bug|error|down|crash\\w*',
    'incident|outage|fail\\w*|broken|broke|bug|error\\w*|down|crash\\w*|timeout\\w*|timed out',
  ),
]

function rule(name: string, asks: string, tells: string): AspectRule {
  return { name, asks: words(asks), tells: words(tells) }
}

function words(alternatives: string): RegExp {
  // ASCII boundaries and case on purpose: they are an order of magnitude faster, and these words are English.
  return new RegExp(`\\b(?:${alternatives})\\b`, 'i')
}

/** The aspects that a question asks about. */
export function aspectsOf(question: string): Aspect[] {
  return RULES.filter((each) => each.asks.test(question)).map(({ name, tells }) => ({ name, tells }))
}
