import { Choice, Maybe, Nullable, type Static, Type as T } from './schema.ts'

const BUCKET_CHARS_MIN = 3
const BUCKET_CHARS_MAX = 63
const REGION_CHARS_MAX = 63
const ENDPOINT_CHARS_MAX = 512
const PREFIX_CHARS_MAX = 512

const Bucket = T.String({
  minLength: BUCKET_CHARS_MIN,
  maxLength: BUCKET_CHARS_MAX,
  pattern: '^[a-z0-9][a-z0-9.-]*[a-z0-9]$',
  description: 'The bucket’s name, as S3 has them.',
})
const Region = T.String({
  maxLength: REGION_CHARS_MAX,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  description: 'Its region; whatever the store calls it when it is not AWS.',
})
const Endpoint = T.String({
  maxLength: ENDPOINT_CHARS_MAX,
  description: 'Where an S3-compatible store answers, https; AWS in the region when omitted.',
})
const Prefix = T.String({
  maxLength: PREFIX_CHARS_MAX,
  pattern: '^[A-Za-z0-9_.=/-]*$',
  description: 'What all keys begin with; each sandbox has a folder of its own below it.',
})
/** Visible characters, as a header carries them. */
const KEY_PATTERN = '^[\\x21-\\x7e]+$'
const KEY_CHARS_MAX = 1024
const Key = (description: string) =>
  T.String({ minLength: 1, maxLength: KEY_CHARS_MAX, pattern: KEY_PATTERN, writeOnly: true, description })
const AccessKeyId = Key('The access key’s id. Sealed, and in no reply.')
const SecretAccessKey = Key('The access key’s secret. Sealed, and in no reply.')

/** A bucket of the caller's own, with the access key that opens it. */
export const GivenStorage = T.Object(
  {
    provider_type: Choice(['custom_s3']),
    bucket: Bucket,
    region: Region,
    endpoint: Maybe(Endpoint),
    prefix: Maybe(Prefix),
    access_key_id: AccessKeyId,
    secret_access_key: SecretAccessKey,
  },
  { description: 'A bucket of your own for everything that the sandbox knows; the platform’s storage when omitted.' },
)
export type GivenStorage = Static<typeof GivenStorage>

/** A new access key for a bucket that stays where it is. */
export const GivenAccess = T.Object(
  { access_key_id: AccessKeyId, secret_access_key: SecretAccessKey },
  { description: 'Another access key to the sandbox’s own bucket, checked like the first one.' },
)
export type GivenAccess = Static<typeof GivenAccess>

/** Where a sandbox's own bucket is; what opens it is never shown. */
export const Storage = T.Object({
  bucket: T.String(),
  region: T.String(),
  endpoint: Nullable(T.String({ description: 'Null is AWS.' })),
  prefix: T.String({ description: 'Without a slash at its ends.' }),
})
export type Storage = Static<typeof Storage>
