import type { JsonObject } from '../../db/json-object.ts'
import type { KeptKey } from './content-seal.ts'

/** What a sandbox's row stores about its caller's key; undefined for a sandbox without one. */
export function readKeptKey(column: JsonObject | null): KeptKey | undefined {
  if (column === null) return undefined
  const { commitment, public_key: publicKey, former } = column as KeptColumn
  return {
    commitment: Buffer.from(commitment, 'base64'),
    publicKey: Buffer.from(publicKey, 'base64'),
    former: (former ?? []).map((each) => Buffer.from(each, 'base64')),
  }
}

type KeptColumn = {
  commitment: string
  public_key: string
  former?: string[]
}

/** Converts it to the columns of the row. */
export function writeKeptKey({ commitment, publicKey, former }: KeptKey): JsonObject {
  return {
    commitment: commitment.toString('base64'),
    public_key: publicKey.toString('base64'),
    former: former.map((each) => each.toString('base64')),
  }
}
