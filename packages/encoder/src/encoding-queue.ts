import { EncoderUnavailable } from './model-folder.ts'

/** Result for one text. */
export interface TextResult {
  /** The text's vector, its score for each word of the question, or the probabilities of the claim's labels. */
  vector: Float32Array
  /** Words of the question. */
  words?: readonly string[]
  /** Cosine similarity of the text to the question. */
  similarity?: number
}

/** A thread with a copy of the model that processes one text at a time. */
export interface TextRunner {
  /** Resolves once the model is loaded. Rejects with EncoderUnavailable. */
  readonly ready: Promise<void>
  /** Processes a text. After EncoderUnavailable the thread has ended; after another error the next text may succeed. */
  run(text: string, asked: Asked): Promise<TextResult>
  /** Ends the thread after its current text. */
  close(): Promise<void>
}

/**
 * Purpose of a call, highest priority first. 'asked': the vector of a question, a single text that must not wait for a
 * comparison. 'compared': the texts that are compared with a question. 'later': background work.
 */
export type Purpose = 'asked' | 'compared' | 'later'

/** A question to compare texts with, or a claim to check against them. If both are omitted, the texts are encoded. */
export interface Asked {
  readonly question?: string | undefined
  readonly claim?: string | undefined
}

/** Texts to encode, to compare with a question, or to check a claim against. */
interface EncodingRequest extends Asked {
  readonly texts: readonly string[]
  readonly signal?: AbortSignal | undefined
}

/** Results for all texts in order. */
interface EncodingResult {
  readonly vectors: Float32Array[]
  /** Words of the question, available after the first comparison. */
  words?: readonly string[] | undefined
  readonly similarities: number[]
}

interface Task extends EncodingRequest {
  readonly purpose: Purpose
  readonly read: EncodingResult
  /** Number of texts that were given to a thread, and of those that are finished. */
  started: number
  finished: number
  readonly done: (read: EncodingResult) => void
  readonly fail: (error: unknown) => void
}

interface Slot {
  readonly runner: TextRunner
  isReady: boolean
  isBusy: boolean
}

/**
 * Distributes texts over threads. The foreground thread serves questions. Background threads are opened when there are
 * texts for later. Until the first of them has loaded its model, the foreground thread takes these texts between
 * questions. While a question is processed, only one background thread works.
 */
export class EncodingQueue {
  readonly #foreground: Slot
  readonly #background: Slot[] = []
  readonly #openBackground: () => TextRunner
  readonly #backgroundMax: number
  readonly #queues: Readonly<Record<Purpose, Task[]>> = { asked: [], compared: [], later: [] }
  /** Unfinished tasks of questions. */
  readonly #ofQuestions = new Set<Task>()
  #isClosed = false
  #end: EncoderUnavailable | undefined
  /** Error of the background threads, if they failed. Questions are processed anyway. */
  #backgroundEnd: EncoderUnavailable | undefined

  constructor(foreground: TextRunner, openBackground: () => TextRunner, backgroundMax: number) {
    this.#foreground = this.#slotOf(foreground)
    this.#openBackground = openBackground
    this.#backgroundMax = backgroundMax
  }

  /** Number of calls for questions that are not finished. */
  get waiting(): number {
    return this.#ofQuestions.size
  }

  /** Processes texts. Throws EncoderUnavailable, and the signal's reason if it is aborted. */
  async read(purpose: Purpose, request: EncodingRequest): Promise<EncodingResult> {
    request.signal?.throwIfAborted()
    const end = this.#end ?? (purpose === 'later' ? this.#backgroundEnd : undefined)
    if (end) throw end
    const read: EncodingResult = { vectors: [], similarities: [] }
    if (request.texts.length === 0) return read
    return new Promise((done, fail) => {
      const task: Task = { ...request, purpose, read, started: 0, finished: 0, done, fail }
      this.#queues[purpose].push(task)
      if (purpose !== 'later') this.#ofQuestions.add(task)
      this.#dispatch()
    })
  }

  /** Ends the threads after their current texts. Waiting calls fail immediately. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#fail(new EncoderUnavailable('the encoder is closed'), ['asked', 'compared', 'later'])
    await Promise.all([this.#foreground, ...this.#background].map(({ runner }) => runner.close()))
  }

  #slotOf(runner: TextRunner): Slot {
    const slot: Slot = { runner, isReady: false, isBusy: false }
    runner.ready.then(
      () => {
        slot.isReady = true
        this.#dispatch()
      },
      (error: EncoderUnavailable) => this.#ended(slot, error),
    )
    return slot
  }

  /** Passes texts to all threads that are allowed to work. */
  #dispatch(): void {
    if (this.#isClosed) return
    this.#start(this.#foreground, ['asked', 'compared'])
    if (!this.#background.some(({ isReady }) => isReady)) this.#start(this.#foreground, ['later'])
    for (const [at, slot] of this.#background.entries()) {
      if (at === 0 || this.#ofQuestions.size === 0) this.#start(slot, ['later'])
    }
    const isLoading = this.#background.some(({ isReady }) => !isReady)
    const isNeeded = this.#background.length === 0 || this.#ofQuestions.size === 0
    if (isLoading || !isNeeded || this.#background.length >= this.#backgroundMax) return
    if (this.#backgroundEnd === undefined && this.#first('later')) {
      this.#background.push(this.#slotOf(this.#openBackground()))
    }
  }

  /** Passes the next text to an idle thread. */
  #start(slot: Slot, purposes: readonly Purpose[]): void {
    if (!slot.isReady || slot.isBusy) return
    const task = purposes.map((purpose) => this.#first(purpose)).find(Boolean)
    if (task === undefined) return
    const at = task.started
    task.started += 1
    if (task.started === task.texts.length) this.#queues[task.purpose].shift()
    slot.isBusy = true
    slot.runner.run(task.texts[at]!, { question: task.question, claim: task.claim }).then(
      (result) => this.#take(slot, task, at, result),
      (error: unknown) => {
        slot.isBusy = false
        if (error instanceof EncoderUnavailable) this.#ended(slot, error)
        this.#reject(task, error)
        this.#dispatch()
      },
    )
  }

  #take(slot: Slot, task: Task, at: number, { vector, words, similarity }: TextResult): void {
    slot.isBusy = false
    const { read } = task
    read.vectors[at] = vector
    read.words = words
    if (similarity !== undefined) read.similarities[at] = similarity
    task.finished += 1
    if (task.finished === task.texts.length) {
      this.#ofQuestions.delete(task)
      task.done(read)
    }
    this.#dispatch()
  }

  /** Returns the first task of a purpose that is not aborted. Rejects aborted tasks before it. */
  #first(purpose: Purpose): Task | undefined {
    const queue = this.#queues[purpose]
    while (queue[0]?.signal?.aborted) this.#reject(queue[0], queue[0].signal.reason)
    return queue[0]
  }

  /** Removes a task and fails its call. */
  #reject(task: Task, error: unknown): void {
    const queue = this.#queues[task.purpose]
    if (queue.includes(task)) queue.splice(queue.indexOf(task), 1)
    this.#ofQuestions.delete(task)
    task.fail(error)
  }

  #ended(slot: Slot, error: EncoderUnavailable): void {
    slot.isReady = false
    if (slot === this.#foreground) {
      this.#fail(error, ['asked', 'compared', 'later'])
      return
    }
    this.#backgroundEnd ??= error
    for (const task of this.#queues.later.splice(0)) task.fail(error)
  }

  #fail(error: EncoderUnavailable, purposes: readonly Purpose[]): void {
    this.#end ??= error
    const started = [...this.#ofQuestions]
    const waiting = purposes.flatMap((purpose) => this.#queues[purpose].splice(0))
    this.#ofQuestions.clear()
    for (const task of new Set([...started, ...waiting])) task.fail(this.#end)
  }
}
