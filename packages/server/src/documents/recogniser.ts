/** What a file is that holds no text as such, and may be read all the same. */
export interface Medium {
  readonly kind: 'picture' | 'sound'
  /** As such files are called: png, jpeg, mp3. */
  readonly format: string
}

/** A picture or a sound whose text is wanted. */
export interface Unrecognised {
  readonly bytes: Uint8Array
  readonly format: string
  /** Aborted when nobody waits for the text any more. */
  readonly signal: AbortSignal
}

/** A model elsewhere that says what text is in files of one kind. */
export interface Recogniser {
  /** What `read_by` of its texts says. */
  readonly way: string
  readonly model: string
  readonly bytesMax: number
  /**
   * The text of a file, which is data like any other that strangers wrote; the account is charged for it. One file is
   * read after the other, whoever asks. Throws a Refusal that says why there is none.
   */
  read(accountId: string, file: Unrecognised): Promise<string>
}

/** The recognisers that are configured. */
export type Recognisers = { readonly [K in Medium['kind']]?: Recogniser }
