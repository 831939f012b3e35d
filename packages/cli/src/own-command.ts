import type { Access, Operation } from '@cairnstore/contract'
import type { Form, Typed } from './typed.ts'

/** A command that is more than one call of an operation, or none. */
export interface OwnCommand {
  /** What it is called by: one word, or two. */
  readonly words: readonly [string, ...string[]]
  /** Its operands as usage texts show them. */
  readonly operands: string
  readonly summary: string
  /** What else there is to know, in sentences. */
  readonly about?: string
  /** What key it needs; none when omitted. */
  readonly access?: Access
  /** What each operand is. */
  readonly given: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, OwnOption>>
  /** The operation whose optional fields are options too. */
  readonly operation?: Operation
  /** Fields of it that are none. */
  readonly without?: readonly string[]
  /** Whether it works in a sandbox, which `--sandbox` names. */
  readonly isInside?: true
  /** What a person could type, after `cairn`. */
  readonly examples: readonly string[]
  /** Carries it out and gives the exit code; throws Failure when it cannot. */
  readonly run: (typed: Typed, program: Program) => Promise<number>
}

/** What a command may ask of the program that it is one of. */
export interface Program {
  /** What can be typed in place of the last of these words. */
  offersFor(words: readonly string[]): string[]
}

interface OwnOption {
  readonly form: Form
  readonly meaning: string
}
