import { Worker } from 'node:worker_threads'
import { MODEL_FOLDER, type ModelCard, ReaderMissing, readModelCard } from './model-folder.ts'

/** The queue of questions for the reader is full. */
export class ReaderBusy extends Error {
  override readonly name = 'ReaderBusy'
}

/** Words of a question, and of each text how much of each word it says and how alike both are as a whole. */
export interface Comparison {
  /** In the question's order, in lower case without accents; signs of punctuation are words too. */
  readonly words: readonly string[]
  /**
   * By text, then by word: 1 where the text says the word in the same sense, less where it says something like it. A
   * word's pieces are compared with those of the text by the cosines of their vectors in the last layer, the greatest
   * of each counts, and the mean of them is the word's (late interaction: Khattab and Zaharia, ColBERT, 2020).
   */
  readonly said: readonly Float32Array[]
  /** By text: the cosine of its vector and the question's. */
  readonly alike: readonly number[]
}

/** A sentence model that is ready to read. */
export interface Reader {
  readonly card: ModelCard
  /**
   * A vector of length 1 for each text, in their order, of the first `card.tokensMax` tokens of each. They are read
   * before all that `encodeLater` was given. Equal texts have equal vectors, bit by bit. Throws a ReaderBusy while
   * `ASKED_MAX` others wait, and the signal's reason.
   */
  encode(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /** The same for what nobody waits for, text by text whenever nothing else is asked. It is never busy. */
  encodeLater(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /**
   * How much of each word of a question some texts say, read after what `encode` was given, before what `encodeLater`
   * was, and refused like the first; undefined where the model gives no tokens.
   */
  compare(question: string, texts: readonly string[], signal?: AbortSignal): Promise<Comparison | undefined>
  /** Ends the thread once the text that it reads is read; what waits fails at once. */
  close(): Promise<void>
}

/** Calls of `encode` that may wait at a time: the last of more would wait for longer than an answer takes. */
export const ASKED_MAX = 8

const THREAD = new URL('./encode-thread.js', import.meta.url)

/** What the thread answers. */
type Reply = { ready: true; isComparing: boolean } | { missing: string } | TextReading | { failure: string }

/** What the thread gives of one text: its vector, or how much it says of each word of a question. */
interface TextReading {
  vector: Float32Array
  words?: readonly string[]
  alike?: number
}

interface Task {
  texts: readonly string[]
  /** What the texts are compared with; without it their vectors are wanted. */
  question?: string | undefined
  vectors: Float32Array[]
  /** Of the question, once the first text has been compared. */
  words?: readonly string[] | undefined
  alike: number[]
  signal: AbortSignal | undefined
  done: (task: Task) => void
  fail: (error: unknown) => void
}

/**
 * Opens the model of a folder, that of this package when none is named: `model.onnx` (token ids `input_ids` and
 * `attention_mask` → `vector`, one row of length 1 for each text, and `tokens`, one for each token), `vocab.txt`
 * (WordPiece, uncased) and `config.json` (ModelCard). Throws a ReaderMissing that says what is missing: the runtime, a
 * file, or the one whose digest is known.
 */
export async function openReader(folder: string = MODEL_FOLDER): Promise<Reader> {
  const reader = new ThreadReader(readModelCard(folder), folder)
  await reader.ready
  return reader
}

/** Gives the thread one text at a time, those that are asked for first. */
class ThreadReader implements Reader {
  readonly card: ModelCard
  readonly #thread: Worker
  /** A question's vector is one text, for which no comparison of many should keep anybody waiting. */
  readonly #asked: Task[] = []
  readonly #compared: Task[] = []
  readonly #later: Task[] = []
  /** The task of whose texts one is being read. */
  #current: Task | undefined
  #isComparing = false
  #end: ReaderMissing | undefined

  /** Resolves when the thread has the model; rejects with what is missing, after the thread has ended. */
  readonly ready: Promise<void>
  readonly #ended: Promise<void>

  constructor(card: ModelCard, folder: string) {
    this.card = card
    // The runtime tells its makers what runs it, and keeps that under the home folder, unless the process says
    // otherwise before it is loaded; a thread's own environment is a copy that the runtime does not see.
    process.env.ORT_DISABLE_TELEMETRY = '1'
    this.#thread = new Worker(THREAD, { workerData: { folder, card } })
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', () => resolve())
    })
    this.ready = new Promise((resolve, reject) => {
      const refuse = (why: string) => {
        this.#fail(why)
        this.#thread.terminate().then(() => reject(this.#end), reject)
      }
      this.#thread.on('message', (reply: Reply) => {
        if ('missing' in reply) refuse(reply.missing)
        else if ('ready' in reply) {
          this.#isComparing = reply.isComparing
          resolve()
        } else this.#take(reply)
        if (this.#current === undefined && this.#end === undefined) this.#thread.unref()
      })
      this.#thread.on('error', (error) => refuse(`the reader's thread failed: ${error.message}`))
      this.#thread.on('exit', () => refuse("the reader's thread ended"))
    })
  }

  async encode(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    this.#assertFree()
    return (await this.#put(this.#asked, { texts, signal })).vectors
  }

  async encodeLater(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    return (await this.#put(this.#later, { texts, signal })).vectors
  }

  async compare(question: string, texts: readonly string[], signal?: AbortSignal): Promise<Comparison | undefined> {
    if (!this.#isComparing) return undefined
    this.#assertFree()
    const { words, vectors, alike } = await this.#put(this.#compared, { texts, signal, question })
    return { words: words ?? [], said: vectors, alike }
  }

  async close(): Promise<void> {
    this.#fail('the reader is closed')
    this.#thread.ref()
    // It ends by itself: a thread that is ended from outside while the runtime works takes the whole process with it.
    this.#thread.postMessage({ isLast: true })
    await this.#ended
  }

  #assertFree(): void {
    if (this.#asked.length + this.#compared.length >= ASKED_MAX)
      throw new ReaderBusy(`${ASKED_MAX} questions wait for the reader`)
  }

  #put(
    queue: Task[],
    wanted: Pick<Task, 'texts' | 'signal' | 'question'>,
  ): Promise<Pick<Task, 'vectors' | 'words' | 'alike'>> {
    wanted.signal?.throwIfAborted()
    if (this.#end) throw this.#end
    if (wanted.texts.length === 0) return Promise.resolve({ vectors: [], alike: [] })
    return new Promise((done, fail) => {
      queue.push({ ...wanted, vectors: [], alike: [], done, fail })
      this.#next()
    })
  }

  /** Gives the thread the next text, when it has none. */
  #next(): void {
    if (this.#current !== undefined) return
    const task = first(this.#asked) ?? first(this.#compared) ?? first(this.#later)
    if (task === undefined) return
    this.#current = task
    this.#thread.ref()
    this.#thread.postMessage({ text: task.texts[task.vectors.length], question: task.question })
  }

  #take(reply: TextReading | { failure: string }): void {
    const task = this.#current
    this.#current = undefined
    if (task === undefined) return
    if ('vector' in reply) {
      task.vectors.push(reply.vector)
      task.words = reply.words
      if (reply.alike !== undefined) task.alike.push(reply.alike)
    }
    const isDone = task.vectors.length === task.texts.length
    if (isDone || !('vector' in reply)) {
      for (const queue of this.#queues()) if (queue[0] === task) queue.shift()
      if (isDone) task.done(task)
      else task.fail(new Error((reply as { failure: string }).failure))
    }
    this.#next()
  }

  #queues(): Task[][] {
    return [this.#asked, this.#compared, this.#later]
  }

  #fail(why: string): void {
    this.#end ??= new ReaderMissing(why)
    this.#current = undefined
    for (const task of this.#queues().flatMap((queue) => queue.splice(0))) task.fail(this.#end)
  }
}

/** The first task that somebody still waits for; those before it fail. */
function first(queue: Task[]): Task | undefined {
  while (queue[0]?.signal?.aborted) {
    const { fail, signal } = queue.shift() as Task
    fail(signal?.reason)
  }
  return queue[0]
}
