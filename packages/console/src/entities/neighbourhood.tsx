import type { Neighbourhood as Around } from '@cairnstore/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import Sigma from 'sigma'
import { useCairn, useSession } from '../app/session.ts'
import { t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import { plainLine } from '../parts/plain.ts'
import { QueryView } from '../parts/states.tsx'
import { typeName } from '../parts/words.ts'
import classes from './neighbourhood.module.css'
import { RecordLinks } from './record-links.tsx'

const NODES_MAX = 60
const ROUNDS = 150
const LABEL_PX = 12
const LABEL_CHARS = 26
/** Number of colors for entity types: `--kind-0` to `--kind-4` in `app.css`. */
const KIND_COLORS = 5
const MS_PER_DAY = 86_400_000

type Edge = Around['edges'][number]

/**
 * Shows the neighborhood of an entity as a graph with a time slider, and as a list that cites the records of each edge.
 */
export function Neighbourhood({ entityId }: { entityId: string }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const around = useQuery({
    queryKey: [sandboxId, 'neighbours', entityId],
    queryFn: () => cairn.listNeighbours({ canonical_id: entityId, limit: NODES_MAX }),
  })
  return (
    <QueryView of={around}>
      {(it) =>
        it.edges.length === 0 ? (
          <p className={classes.none}>{t('No connected entities yet.')}</p>
        ) : (
          <TimeFilter around={it} />
        )
      }
    </QueryView>
  )
}

function TimeFilter({ around }: { around: Around }): ReactNode {
  const times = around.edges.flatMap((edge) => sinceOf(edge) ?? [])
  const [from, until] = [Math.min(...times), Math.max(...times)]
  const [at, setAt] = useState(until)
  const edges = useMemo(() => around.edges.filter((edge) => holdsAt(edge, at, at >= until)), [around, at, until])
  return (
    <>
      <GraphCanvas around={around} edges={edges} />
      <Legend around={around} />
      {times.length > 1 && until > from && (
        <label className={classes.time}>
          {t('As it was on {day}', { day: day(new Date(at).toISOString()) })}
          <input
            type="range"
            min={from}
            max={until}
            step={MS_PER_DAY}
            value={at}
            onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
          />
        </label>
      )}
      <EdgeList around={around} edges={edges} />
    </>
  )
}

function sinceOf({ valid_from: from, stated_at: stated }: Edge): number | undefined {
  const ms = Date.parse(from ?? stated ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/**
 * Returns true if an edge holds at a time. Edges without dates always hold. At the latest time, all edges without an
 * end hold.
 */
function holdsAt(edge: Edge, at: number, isEnd: boolean): boolean {
  const until = edge.valid_to ? Date.parse(edge.valid_to) : Number.POSITIVE_INFINITY
  if (isEnd) return edge.is_current !== false
  return (sinceOf(edge) ?? Number.NEGATIVE_INFINITY) <= at && at < until
}

function GraphCanvas({ around, edges }: { around: Around; edges: readonly Edge[] }): ReactNode {
  const container = useRef<HTMLDivElement>(null)
  const navigate = useNavigate()
  const [canDraw, setCanDraw] = useState(true)
  useEffect(() => {
    if (!container.current) return
    if (!document.createElement('canvas').getContext('webgl2')) {
      setCanDraw(false)
      return
    }
    const style = getComputedStyle(document.documentElement)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const graph = graphOf(around, edges, colour)
    const drawn = new Sigma(graph, container.current, {
      labelColor: { color: colour('--ink') },
      // Space for the labels, which are to the right of their nodes.
      stagePadding: 50,
      labelSize: LABEL_PX,
      labelFont: 'system-ui, sans-serif',
      labelDensity: 0.6,
      labelGridCellSize: 140,
      defaultEdgeColor: colour('--edge'),
      allowInvalidContainer: true,
      // The wheel scrolls the page. The graph is moved by dragging.
      enableCameraZooming: false,
    })
    drawn.on('clickNode', ({ node }) => void navigate({ to: '/entities/$entityId', params: { entityId: node } }))
    return () => drawn.kill()
  }, [around, edges, navigate])
  if (!canDraw)
    return <p>{t('This browser cannot draw the graph because WebGL is off. The list below has the same content.')}</p>
  return (
    <div
      ref={container}
      className={classes.graph}
      role="img"
      aria-label={t('Graph of connected entities, also listed below')}
    />
  )
}

function graphOf({ nodes, canonical_id: self }: Around, edges: readonly Edge[], colour: (name: string) => string) {
  const graph = new Graph({ multi: false, type: 'undirected' })
  const tied = new Set([self, ...edges.flatMap(({ from, to }) => [from, to])])
  const shown = nodes.filter(({ canonical_id: id }) => tied.has(id))
  const kinds = kindsOf(nodes.filter(({ canonical_id: id }) => id !== self))
  for (const [index, { canonical_id: id, name, type }] of shown.entries()) {
    const angle = (2 * Math.PI * index) / shown.length
    const isSelf = id === self
    graph.addNode(id, {
      label: plainLine(name, LABEL_CHARS),
      // A deterministic initial layout gives the same graph each time.
      x: isSelf ? 0 : Math.cos(angle),
      y: isSelf ? 0 : Math.sin(angle),
      size: isSelf ? 12 : 7,
      color: isSelf ? colour('--accent') : colour(kindColor(kinds, type)),
    })
  }
  for (const { from, to } of edges) {
    if (from !== to && graph.hasNode(from) && graph.hasNode(to)) graph.mergeEdge(from, to, { size: 1 })
  }
  forceAtlas2.assign(graph, { iterations: ROUNDS, settings: { ...forceAtlas2.inferSettings(graph), gravity: 3 } })
  return graph
}

/** Returns the entity types of the nodes, most frequent first. */
function kindsOf(nodes: Around['nodes']): string[] {
  const many = new Map<string, number>()
  for (const { type } of nodes) many.set(type, (many.get(type) ?? 0) + 1)
  return [...many.keys()].sort((one, other) => (many.get(other) ?? 0) - (many.get(one) ?? 0))
}

/** Returns the color of an entity type. Types beyond the number of colors share the last one. */
function kindColor(kinds: readonly string[], type: string): string {
  return `--kind-${Math.min(kinds.indexOf(type), KIND_COLORS - 1)}`
}

/** Shows the legend of the graph's colors. */
function Legend({ around }: { around: Around }): ReactNode {
  const kinds = kindsOf(around.nodes.filter(({ canonical_id: id }) => id !== around.canonical_id))
  const distinctKinds = kinds.slice(0, KIND_COLORS - 1)
  return (
    <ul className={classes.legend} aria-label={t('Colors')}>
      {distinctKinds.map((kind, at) => (
        <li key={kind} data-kind={at}>
          {plainLine(typeName(kind))}
        </li>
      ))}
      {kinds.length > distinctKinds.length && <li data-kind={KIND_COLORS - 1}>{t('other')}</li>}
    </ul>
  )
}

function EdgeList({ around, edges }: { around: Around; edges: readonly Edge[] }): ReactNode {
  const names = new Map(around.nodes.map(({ canonical_id: id, name }) => [id, name]))
  return (
    <details className={classes.ties}>
      <summary>{t('Records for each connection ({edges})', { edges: edges.length })}</summary>
      <ul>
        {edges.map((edge) => (
          <li key={`${edge.from} ${edge.predicate} ${edge.to} ${edge.valid_from}`}>
            <bdi>{plainLine(names.get(edge.from) ?? edge.from)}</bdi>{' '}
            {edge.predicate ? plainLine(typeName(edge.predicate)) : t('shares records with')}{' '}
            <bdi>{plainLine(names.get(edge.to) ?? edge.to)}</bdi>: <RecordLinks ids={edge.record_ids} />
          </li>
        ))}
      </ul>
    </details>
  )
}
