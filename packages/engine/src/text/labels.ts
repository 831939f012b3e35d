/** What a section of a document is about, as its label says. */
export type Topic = 'cause' | 'repair' | 'followUps' | 'decision' | 'timeline' | 'impact' | 'open' | 'owner' | 'change'

interface TopicRule {
  topic: Topic
  labels: RegExp
  asks: RegExp
}

// Labels by which documents everywhere head their sections, with the words of questions that these answer.
const RULES: readonly TopicRule[] = [
  rule(
    'cause',
    '(?:root |likely |probable )?causes?|why|reasons?|rationale|what (?:caused|went wrong)|motivation|diagnosis',
    'why|caused?|causes|reasons?|rationale|led to|root cause|how come',
  ),
  rule(
    'repair',
    '(?:the |hot)?fix(?:es)?|resolution|mitigations?|remed(?:y|iation)|solution|workaround|repair|recovery|how .*fixed',
    'fix\\w*|resol\\w*|solv\\w*|mitigat\\w*|repair\\w*|remed\\w*|restored|workaround|recover\\w*',
  ),
  rule(
    'followUps',
    'follow[- ]?ups?|action items?|actions|next steps?|to-?dos?|tasks',
    'follow[- ]?ups?|action items?|actions|next steps?|to-?dos?|remaining work',
  ),
  rule(
    'decision',
    'decisions?|decided|outcome|conclusion|resolution|agreed|we decided',
    'decid\\w*|decisions?|agreed?|chosen?|chose|conclusion|outcome',
  ),
  rule('timeline', 'timeline|chronology|sequence of events|history', 'timeline|chronology|sequence of events'),
  rule(
    'impact',
    'impact|effects?|damage|affected|consequences?|summary',
    'impact|affected|consequences?|damage|how many|how much',
  ),
  rule(
    'open',
    'open(?: (?:points?|items?|questions?|issues?))?|still open|outstanding|unresolved|pending|blockers?|not done',
    'open|outstanding|unresolved|pending|blockers?|still to|not done',
  ),
  rule(
    'owner',
    'owners?|responsible|contacts?|dri|assignees?|team',
    'owns?|owner|owned|responsible|in charge|assigned',
  ),
  rule('change', 'changes?|what(?: has|.s)? changed|changelog|what is new|updates?', 'chang\\w+|new|updates?'),
]
/** A longer heading is a title rather than a label of what stands below. */
export const LABEL_CHARS_MAX = 60

function rule(topic: Topic, labels: string, asks: string): TopicRule {
  return {
    topic,
    labels: new RegExp(`^(?:${labels})(?: \\(.{1,20}\\))?$`, 'i'),
    asks: new RegExp(`\\b(?:${asks})\\b`, 'i'),
  }
}

/** The topics that a question in lower case asks for. */
export function topicsAsked(question: string): Topic[] {
  return RULES.filter((each) => each.asks.test(question)).map(({ topic }) => topic)
}

/** The topics that a section's label stands for; none for a heading that is no such label. */
export function topicsOf(label: string): Topic[] {
  if (label.length > LABEL_CHARS_MAX) return []
  return RULES.filter((each) => each.labels.test(label)).map(({ topic }) => topic)
}

/** The label that a raw line opens with in bold, with the rest of the line. */
export function readLeadIn(line: string): { label: string; rest: string } | undefined {
  if (line[0] !== '*' && line[0] !== '_') return undefined
  const found = /^(\*\*|__|\*|_)([^*_]{2,60}?)([.:]?)\1([.:]?) +(?=\S)/.exec(line)
  if (!found || (found[3] === '' && found[4] === '')) return undefined
  return { label: found[2]!.trim(), rest: line.slice(found[0].length) }
}

/** The known label that a plain line opens with, as in "Root cause: the index was dropped". */
export function plainLabel(line: string): string | undefined {
  const label = /^(\p{Lu}[\p{L} -]{1,30}):\s/u.exec(line)?.[1]
  return label !== undefined && topicsOf(label).length > 0 ? label : undefined
}
