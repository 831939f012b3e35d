/** Something that records share: an entity, or a name that no entity owns. */
export interface Node {
  /** Its position in the view's `nodes`. */
  readonly at: number
  /** Place of the entity, or -1. */
  readonly entity: number
  /** Keys of the node that count in the scope. */
  readonly keys: readonly number[]
  /** Records in scope that hold it. */
  readonly degree: number
  readonly idf: number
  /** How much a step to it weighs: an entity more than a bare name. */
  readonly factor: number
  edges: Edges | undefined
  /** Of an entity that texts mention and nothing declares, once asked for: where they do. */
  mentions?: ReadonlySet<number>
}

/** The records of a node with how firmly each holds it, in whole units so that sums do not depend on their order. */
export interface Edges {
  readonly places: Uint32Array
  readonly units: Float64Array
  readonly total: number
}

/** What a record holds. */
export interface Link {
  readonly node: Node
  /** Mentions and declarations. */
  units: number
  isOwn: boolean
  /** Share of a step from the record that goes this way; those of a record sum to 1. */
  share: number
}

/** What a key stands for. */
export interface KeyState {
  readonly nodes: readonly Node[]
  /** Units that one mention gives to each node. */
  readonly units: number
}
