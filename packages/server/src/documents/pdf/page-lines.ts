/** A run of characters on a page. Positions are in points, from the left and lower edges of the page. */
export interface Run {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
  /** Font size in points. */
  readonly size: number
  /** URL of the link that the run belongs to. */
  readonly url?: string | undefined
}

/** Adjacent runs whose gaps are not wider than spaces. */
export interface Segment {
  readonly text: string
  readonly x: number
  readonly right: number
  readonly y: number
  readonly size: number
  /** Its runs, joined where the gap is small. The headings of narrow columns can be in one segment. */
  readonly parts: readonly { readonly text: string; readonly x: number; readonly right: number }[]
  /** True for a table. Its text is then Markdown. */
  readonly isTable?: boolean
}

/** A line of one column, with its segments from left to right. */
export interface Line {
  readonly segments: readonly Segment[]
  readonly x: number
  readonly right: number
  readonly y: number
  readonly size: number
}

/** Limits as multiples of the font size: vertical offset within a line, gap between words, and gap between segments. */
const SAME_LINE = 0.45
const SPACE = 0.15
const GAP = 1.6
/** Minimum gap between two column headings that are too close together to be separate segments. */
const PART_GAP = 0.5
/** Maximum distance between lines of running text, as a multiple of their font size. */
const STRETCH_GAP = 4
/** Minimum median length of lines in characters, and minimum number of lines, on both sides of a gutter. */
const COLUMN_CHARS_MIN = 18
const COLUMN_LINES_MIN = 4
/** Minimum lines of a short column. Unlike a table's, its sentences must continue from line to line. */
const SHORT_COLUMN_LINES_MIN = 2
/** Minimum number of short segments at one height that form a table row. */
const ROW_SEGMENTS_MIN = 3

/** Returns the lines of a page in reading order: column by column, between the lines that span all columns. */
export function linesOf(runs: readonly Run[], tables: readonly Segment[] = []): Line[] {
  return inOrder([...segmentsOf(runs), ...tables], 0)
}

function segmentsOf(runs: readonly Run[]): Segment[] {
  const rows: Run[][] = []
  for (const run of runs.filter(({ text }) => text.trim() !== '').toSorted((one, other) => other.y - one.y)) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (first && Math.abs(first.y - run.y) <= SAME_LINE * Math.max(first.size, run.size)) row.push(run)
    else rows.push([run])
  }
  return rows.flatMap((row) => {
    const segments: { runs: Run[]; right: number }[] = []
    for (const run of row.toSorted((one, other) => one.x - other.x)) {
      const last = segments.at(-1)
      if (last && run.x - last.right <= GAP * run.size) {
        last.runs.push(run)
        last.right = Math.max(last.right, run.x + run.width)
      } else segments.push({ runs: [run], right: run.x + run.width })
    }
    return segments.map(segmentOf)
  })
}

function segmentOf({ runs, right }: { runs: Run[]; right: number }): Segment {
  const parts: { text: string; x: number; right: number }[] = []
  let text = ''
  let end = runs[0]!.x
  for (const [at, run] of runs.entries()) {
    const isApart = at > 0 && run.x - end > SPACE * run.size && !/\s$/.test(text) && !/^\s/.test(run.text)
    const isLinked = run.url !== undefined && run.url !== runs[at - 1]?.url
    const isContinued = run.url !== undefined && run.url === runs[at + 1]?.url
    const suffix = run.url !== undefined && !isContinued ? `](${run.url})` : ''
    const linkedText = `${isLinked ? '[' : ''}${run.text}${suffix}`
    text += `${isApart ? ' ' : ''}${linkedText}`
    const part = parts.at(-1)
    if (part && (run.x - end <= PART_GAP * run.size || isContinued || (run.url && !isLinked))) {
      part.text += `${isApart ? ' ' : ''}${linkedText}`
      part.right = run.x + run.width
    } else parts.push({ text: linkedText, x: run.x, right: run.x + run.width })
    end = run.x + run.width
  }
  const size = Math.max(...runs.map((run) => run.size))
  return { text: text.replace(/\s+/g, ' ').trim(), x: runs[0]!.x, right, y: runs[0]!.y, size, parts }
}

/** Maximum depth of nested columns. */
const DEPTH_MAX = 6

/** Splits the page into columns at a gutter, over its height. Segments above come before, those below after them. */
function inOrder(segments: readonly Segment[], depth: number): Line[] {
  const gutter = depth < DEPTH_MAX ? findGutter(segments) : undefined
  if (!gutter) return rowsOf(segments)
  const { at, top, bottom } = gutter
  const above = segments.filter(({ y }) => y > top)
  const below = segments.filter(({ y }) => y < bottom)
  const within = segments.filter(({ y }) => y <= top && y >= bottom)
  return [
    ...inOrder(above, depth + 1),
    ...inOrder(
      within.filter(({ x }) => x < at),
      depth + 1,
    ),
    ...inOrder(
      within.filter(({ x }) => x >= at),
      depth + 1,
    ),
    ...inOrder(below, depth + 1),
  ]
}

/** Returns the gutter that separates most lines of running text. No segment crosses it. */
function findGutter(segments: readonly Segment[]): { at: number; top: number; bottom: number } | undefined {
  const starts = [...new Set(segments.map(({ x }) => Math.round(x)))].filter((x) =>
    segments.some(({ right }) => right < x),
  )
  let best: { at: number; top: number; bottom: number; lines: number } | undefined
  for (const start of starts) {
    const at = start - 1
    const found = findColumnStretch(segments, at)
    if (found && (!best || found.lines > best.lines)) best = { at, ...found }
  }
  return best
}

/**
 * Returns the longest series of lines that x = `at` splits into two sides of running text. A vertical gap, a table row
 * or a segment that crosses `at` ends the series.
 */
function findColumnStretch(segments: readonly Segment[], at: number) {
  const rows = segments.toSorted((one, other) => other.y - one.y)
  let [left, right]: [Segment[], Segment[]] = [[], []]
  let lowest: number | undefined
  let best: { top: number; bottom: number; lines: number } | undefined
  const end = () => {
    const lines = Math.min(left.length, right.length)
    const isLong = lines >= COLUMN_LINES_MIN || (lines >= SHORT_COLUMN_LINES_MIN && [left, right].every(isSentences))
    const isText = isLong && [left, right].every((side) => isRunning(side))
    if (isText && (!best || lines > best.lines)) {
      const ys = [...left, ...right].map(({ y }) => y)
      best = { top: Math.max(...ys), bottom: Math.min(...ys), lines }
    }
    ;[left, right] = [[], []]
  }
  for (const segment of rows) {
    if (lowest !== undefined && lowest - segment.y > STRETCH_GAP * segment.size) end()
    lowest = segment.y
    if (isOfRow(segment, rows)) end()
    else if (segment.right <= at) left.push(segment)
    else if (segment.x >= at) right.push(segment)
    else end()
  }
  end()
  return best
}

/** Caches the results of `isOfRow`, which is called for each candidate gutter. */
const ofRows = new WeakMap<Segment, boolean>()

/** Returns true if a segment is in a table row: at least three segments at one height, with a short median length. */
function isOfRow(segment: Segment, all: readonly Segment[]): boolean {
  const known = ofRows.get(segment)
  if (known !== undefined) return known
  const row = all.filter(({ y }) => Math.abs(y - segment.y) <= SAME_LINE * segment.size)
  const isRow = row.length >= ROW_SEGMENTS_MIN && !isRunning(row)
  for (const each of row) ofRows.set(each, isRow)
  return isRow
}

/** Returns true if most lines of a side continue in the next: no sentence end, then a lower-case letter. */
function isSentences(side: readonly Segment[]): boolean {
  const ordered = side.toSorted((one, other) => other.y - one.y)
  const goOn = ordered.slice(1).filter(({ text }, at) => !/[.!?:;]$/.test(ordered[at]!.text) && /^\p{Ll}/u.test(text))
  return goOn.length * 2 >= ordered.length - 1
}

function isRunning(side: readonly Segment[]): boolean {
  const lengths = side.map(({ text }) => text.length).toSorted((one, other) => one - other)
  return lengths[Math.floor(lengths.length / 2)]! >= COLUMN_CHARS_MIN
}

/** Groups segments of the same height into lines, from the top. */
function rowsOf(segments: readonly Segment[]): Line[] {
  const rows: Segment[][] = []
  for (const segment of segments.toSorted((one, other) => other.y - one.y)) {
    const first = rows.at(-1)?.[0]
    if (first && Math.abs(first.y - segment.y) <= SAME_LINE * Math.max(first.size, segment.size))
      rows.at(-1)!.push(segment)
    else rows.push([segment])
  }
  return rows.map((row) => {
    const ordered = row.toSorted((one, other) => one.x - other.x)
    return {
      segments: ordered,
      x: ordered[0]!.x,
      right: Math.max(...ordered.map(({ right }) => right)),
      y: ordered[0]!.y,
      size: Math.max(...ordered.map(({ size }) => size)),
    }
  })
}
